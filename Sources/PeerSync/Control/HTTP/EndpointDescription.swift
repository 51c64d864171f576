import PeerSync

/// What a description tells of an endpoint.
package struct EndpointDescription: Sendable {
  /// What comes back when all goes well.
  package enum Answer: Sendable {
    /// JSON, of a schema.
    case json(String?)
    /// Some other media type.
    case media(String)
    /// Server-sent events, each with data of a schema.
    case events(String)
  }

  /// Names the operation for programs.
  package let id: String?
  package let summary: String
  let body: EndpointBodyOutline
  let nameBytes: Int?
  let answer: Answer
  let problems: [Problem.Code]
  let isOpen: Bool
}

/// What is known of a body before it is read.
struct EndpointBodyOutline: Sendable {
  /// The name of its schema, which has all the fields that it may have; nil: it is not described.
  var schema: String?
  /// Whether it may be left out.
  var isOptional = false
  /// Most bytes; nil: as many as the table says.
  var limit: Int?
}
