import PeerSync

/// What a description tells of an endpoint.
package struct EndpointDescription: Sendable {
  /// What comes back when all goes well.
  package enum Answer: Sendable {
    /// JSON, of a schema.
    case json(String?)
    /// Some other media type.
    case media(String)
    /// Server-sent events, each with data of one of some schemas.
    case events([String])
  }

  /// Names the operation for programs.
  package let id: String?
  package let summary: String
  let body: EndpointBodyOutline
  var query: [QueryParameter] = []
  let nameBytes: Int?
  let answer: Answer
  let problems: [Problem.Code]
  /// Whether it needs no token.
  package let isOpen: Bool
}

/// What is known of a body before it is read.
struct EndpointBodyOutline: Sendable {
  /// The name of its schema, which has all the fields that it may have; nil: it is not described.
  var schema: String?
  /// Whether it may be left out.
  var isOptional = false
  var isJSON = true
  /// Most bytes; nil: as many as the table says.
  var limit: Int?
}

/// What may stand behind the question mark of a path.
package struct QueryParameter: Sendable {
  let name: String
  let help: String
  let schema: JSONValue

  /// - Parameter format: as in JSON Schema
  init(_ name: String, _ help: String, format: String? = nil) {
    self.name = name
    self.help = help
    schema = format.map { ["type": "string", "format": .string($0)] } ?? ["type": "string"]
  }

  private init(_ name: String, _ help: String, schema: JSONValue) {
    (self.name, self.help, self.schema) = (name, help, schema)
  }

  /// How many of something to answer with.
  static let limit = QueryParameter(
    "limit", "how many at most",
    schema: [
      "type": "integer", "minimum": 1, "maximum": .integer(Int64(Daemon.mostListed)),
      "default": .integer(Int64(Daemon.usuallyListed)),
    ])

  /// Whether sentences for people are wanted, and for whom.
  static let reader = [
    QueryParameter("language", "en or ko: answer with sentences in it as well"),
    QueryParameter(
      "zone",
      "the time zone of their dates, such as Asia/Seoul; UTC where it is left out, refused without a language"
    ),
  ]

  /// Whether something is wanted.
  static func flag(_ name: String, _ help: String) -> QueryParameter {
    QueryParameter(name, help, schema: ["type": "boolean", "default": false])
  }
}
