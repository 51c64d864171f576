/// The description of the control API (OpenAPI 3.1), served at `GET /openapi.json`.
package enum OpenAPI {
  /// One path with one method.
  struct Operation {
    let method: String
    let path: String
    let id: String
    let summary: String
    /// Schema of the request's body; nil: it takes none.
    var body: String?
    /// Whether it may be left out.
    var isBodyOptional = false
    /// Most bytes of each name in the path that is refused when it is longer, besides not being known.
    var pathBytes: Int?
    let answer: Answer
    var problems: [Problem.Code] = []
    var isOpen = false

    enum Answer {
      case schema(String)
      /// Some other media type.
      case media(String)
      /// Server-sent events, each with data of a schema.
      case events(String)
    }
  }

  package static let document: JSONDocument = .object([
    "openapi": "3.1.0",
    "info": [
      "title": "PeerSync control API", "version": .string(Version.current),
      "description": """
      The local control API of one device's daemon. It listens on loopback only; the address and the bearer token are \
      in api.json in the device's data directory. Errors are RFC 9457 problems with a stable code.
      """,
      "license": ["name": "MIT", "identifier": "MIT"],
    ],
    "security": [["token": []]],
    "paths": .object(paths),
    "components": [
      "schemas": .object(schemas),
      "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
    ],
  ])

  private static var paths: [String: JSONDocument] {
    Dictionary(grouping: operations, by: \.path).mapValues { operations in
      .object(Dictionary(operations.map { ($0.method.lowercased(), describe($0)) }) { $1 })
    }
  }

  private static func describe(_ operation: Operation) -> JSONDocument {
    var members: [String: JSONDocument] = [
      "operationId": .string(operation.id), "summary": .string(operation.summary),
      "responses": .object(responses(of: operation)),
    ]
    let names = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
      $0.dropFirst().dropLast()
    }
    if !names.isEmpty {
      var schema: [String: JSONDocument] = ["type": "string", "minLength": 1]
      if let most = operation.pathBytes { schema.merge(bytes(atMost: most)) { $1 } }
      members["parameters"] = .array(
        names.map {
          ["name": .string(String($0)), "in": "path", "required": true, "schema": .object(schema)]
        })
    }
    if let body = operation.body {
      members["requestBody"] = [
        "description": .string("at most \(limit(of: operation)) bytes; no name twice in an object"),
        "required": .bool(!operation.isBodyOptional),
        "content": ["application/json": ["schema": reference(body)]],
      ]
    }
    if operation.isOpen { members["security"] = [] }
    return .object(members)
  }

  private static func limit(of operation: Operation) -> Int {
    operation.id == "importLedger" ? HTTPLimits.importBytes : HTTPLimits.bodyBytes
  }

  /// A text of so many bytes at most. The keyword counts characters, of which there are never more.
  static func bytes(atMost count: Int) -> [String: JSONDocument] {
    ["maxLength": .integer(Int64(count)), "description": .string("at most \(count) bytes of UTF-8")]
  }

  /// The schema of what an operation takes; nil: it takes no body.
  static func bodySchema(of entry: Router.Entry) -> JSONDocument? {
    operations.first { $0.method == entry.method && $0.path == entry.path }?.body.flatMap { schemas[$0] }
  }

  /// Where a document has a field that a schema does not know, with the name of the field; nil: nowhere.
  static func unknownField(in value: JSONValue, _ schema: JSONDocument, at place: String = "") -> String? {
    switch value {
    case .object(let members):
      guard case .object(let known)? = schema["properties"], schema["additionalProperties"] == false else {
        return nil
      }
      for member in members {
        guard let inner = known[member.name] else { return place + member.name }
        if let field = unknownField(in: member.value, inner, at: "\(place)\(member.name).") { return field }
      }
      return nil
    case .array(let items):
      guard let schema = schema["items"] else { return nil }
      for (index, item) in items.enumerated() {
        let place = "\(place.dropLast())[\(index)]."
        if let field = unknownField(in: item, schema, at: place) { return field }
      }
      return nil
    default: return nil
    }
  }

  private static func responses(of operation: Operation) -> [String: JSONDocument] {
    // Said of every request before its route is looked at, and of every one that the end of the daemon overtakes.
    var codes =
      operation.problems + [
        .malformedRequest, .hostNotAllowed, .originNotAllowed, .headTooLarge, .lengthRequired, .stopping,
        .malformedBody, .bodyTooLarge, .unsupportedMediaType,
      ]
    // What needs the token asks the daemon, whose disk may have failed.
    if !operation.isOpen { codes += [.tokenRequired, .failed] }
    var responses = Dictionary(grouping: codes, by: { String($0.status) }).mapValues(problem)
    let content: JSONDocument =
      switch operation.answer {
      case .schema(let name): ["application/json": ["schema": reference(name)]]
      case .media(let type):
        .object([type: ["schema": ["type": type.hasSuffix("json") ? "object" : "string"]]])
      case .events(let name):
        [
          "text/event-stream": [
            "schema": [
              "type": "string", "contentMediaType": "application/json", "contentSchema": reference(name),
            ]
          ]
        ]
      }
    responses["200"] = ["description": .string(operation.summary), "content": content]
    return responses
  }

  private static func problem(_ codes: [Problem.Code]) -> JSONDocument {
    let text = codes.map { "\($0.rawValue): \($0.title)" }.joined(separator: "; ")
    return [
      "description": .string(text), "content": ["application/problem+json": ["schema": reference("Problem")]],
    ]
  }

  static func reference(_ name: String) -> JSONDocument { ["$ref": .string("#/components/schemas/\(name)")] }
}
