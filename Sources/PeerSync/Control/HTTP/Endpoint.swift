import Foundation
import PeerSync

/// One method of one path: what it takes, who answers, and what a description tells of it. All that an API knows of it stands
/// in this one value; see ``EndpointTable``.
///
/// `Service` is whom the handlers of an API ask.
package struct Endpoint<Service: Sendable>: Sendable {
  package let method: String
  /// As in OpenAPI: `/v1/lines/{id}`.
  package let path: String
  package let description: EndpointDescription
  private let pattern: [Piece]
  private let handler: @Sendable (Service, EndpointCall<[UInt8]>, JSONValue?) async throws -> HTTPResponse

  /// What stands between two slashes.
  private enum Piece: Sendable {
    case word(Substring)
    case name(Substring)

    init(_ part: Substring) {
      self = part.hasPrefix("{") ? .name(part.dropFirst().dropLast()) : .word(part)
    }
  }

  private init<Body>(
    _ method: String, _ path: String, _ body: EndpointBody<Body>, _ description: EndpointDescription,
    handler: @escaping @Sendable (Service, EndpointCall<Body>) async throws -> HTTPResponse
  ) {
    self.method = method
    self.path = path
    self.description = description
    pattern = path.split(separator: "/", omittingEmptySubsequences: false).map(Piece.init)
    self.handler = { service, call, schema in
      let body = try body.read(call.body, schema)
      return try await handler(service, EndpointCall(head: call.head, names: call.names, body: body))
    }
  }

  /// An endpoint that answers with JSON.
  ///
  /// - Parameters:
  ///   - id, summary: what a description calls it
  ///   - body: what it takes
  ///   - answer: the schema of what it answers
  ///   - nameBytes: most bytes of a name in the path, where a longer one is refused besides not being known
  ///   - problems: what its own requests may end with
  ///   - isOpen: whether it tells nothing that needs the token
  package init<Body, Answer: Encodable & SendableMetatype>(
    _ method: String, _ path: String, id: String? = nil, _ summary: String, takes body: EndpointBody<Body>,
    answers answer: String? = nil, nameBytes: Int? = nil, problems: [Problem.Code] = [],
    isOpen: Bool = false,
    handler: @escaping @Sendable (Service, EndpointCall<Body>) async throws -> Answer
  ) {
    let description = EndpointDescription(
      id: id, summary: summary, body: body.outline, nameBytes: nameBytes, answer: .json(answer),
      problems: problems, isOpen: isOpen)
    self.init(method, path, body, description) { .json(try await handler($0, $1)) }
  }

  /// An endpoint that is only read.
  package static func get<Answer: Encodable & SendableMetatype>(
    _ path: String, id: String? = nil, _ summary: String, answers answer: String? = nil,
    query: [QueryParameter] = [], problems: [Problem.Code] = [], isOpen: Bool = false,
    handler: @escaping @Sendable (Service, EndpointCall<Void>) async throws -> Answer
  ) -> Endpoint {
    get(path, id: id, summary, sends: .json(answer), query: query, problems: problems, isOpen: isOpen) {
      .json(try await handler($0, $1))
    }
  }

  /// An endpoint that is only read, and answers with something else than JSON of a schema.
  package static func get(
    _ path: String, id: String? = nil, _ summary: String, sends answer: EndpointDescription.Answer,
    query: [QueryParameter] = [], problems: [Problem.Code] = [], isOpen: Bool = false,
    handler: @escaping @Sendable (Service, EndpointCall<Void>) async throws -> HTTPResponse
  ) -> Endpoint {
    let body = EndpointBody<Void>.nothing
    let description = EndpointDescription(
      id: id, summary: summary, body: body.outline, query: query, nameBytes: nil, answer: answer,
      problems: problems, isOpen: isOpen)
    return Endpoint("GET", path, body, description, handler: handler)
  }
}

extension Endpoint {
  /// The decoded parts of a path that stand for the names in braces; nil when the path is another.
  func match(_ parts: [Substring]) -> [String]? {
    guard parts.count == pattern.count else { return nil }
    var names: [String] = []
    for (part, expected) in zip(parts, pattern) {
      switch expected {
      // Bytes are compared, for every request is compared with every endpoint.
      case .word(let word): guard part.utf8.elementsEqual(word.utf8) else { return nil }
      case .name:
        // Hardly any has escapes, and to look for them with Foundation takes longer than all else here.
        let hasEscapes = part.utf8.contains(UInt8(ascii: "%"))
        let decoded = hasEscapes ? String(part).removingPercentEncoding : String(part)
        guard let name = decoded, !name.isEmpty else { return nil }
        names.append(name)
      }
    }
    return names
  }

  /// The names in braces.
  var names: [Substring] { pattern.compactMap { if case .name(let name) = $0 { name } else { nil } } }

  /// Answers a request.
  ///
  /// - Parameter schema: that of the body
  func respond(
    to call: EndpointCall<[UInt8]>, from service: Service, _ schema: JSONValue?
  ) async throws -> HTTPResponse { try await handler(service, call, schema) }
}
