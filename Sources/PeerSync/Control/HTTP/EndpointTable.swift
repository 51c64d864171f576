import PeerSyncCore

/// The endpoints of an API. Requests find theirs here, and so do the API's description and its tests: there is no other list.
package struct EndpointTable<Service: Sendable>: Sendable {
  package let endpoints: [Endpoint<Service>]
  /// What requests and answers look like, by the names that the endpoints use.
  let schemas: [String: JSONValue]
  /// Largest body, in bytes, where an endpoint says nothing else.
  let bodyBytes: Int

  package init(
    _ endpoints: [Endpoint<Service>], schemas: [String: JSONValue] = [:],
    bodyBytes: Int = HTTPLimits.bodyBytes
  ) {
    self.endpoints = endpoints
    self.schemas = schemas
    self.bodyBytes = bodyBytes
  }

  /// Where a request leads; nil: nowhere. Whoever answers GET answers HEAD.
  ///
  /// - Parameter path: as sent, percent-escapes included, without the query
  package func find(method: String, path: String) -> EndpointMatch<Service>? {
    let asked = method == "HEAD" ? "GET" : method
    return matches(path, of: asked).first
  }

  /// What a path takes, as the `Allow` header lists it (RFC 9110, section 10.2.1).
  package func methods(of path: String) -> [String] {
    matches(path).flatMap { $0.endpoint.method == "GET" ? ["GET", "HEAD"] : [$0.endpoint.method] }
  }

  /// Whether a path needs no token.
  package func isOpen(_ path: String) -> Bool { matches(path).contains { $0.endpoint.description.isOpen } }

  func bodyLimit(of endpoint: Endpoint<Service>) -> Int { endpoint.description.body.limit ?? bodyBytes }

  /// The endpoints of a path.
  ///
  /// - Parameter method: nil: any
  private func matches(_ path: String, of method: String? = nil) -> [EndpointMatch<Service>] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return endpoints.compactMap { endpoint in
      guard method == nil || endpoint.method == method else { return nil }
      return endpoint.match(parts).map { names in
        EndpointMatch(
          endpoint: endpoint, names: names, schema: endpoint.description.body.schema.flatMap { schemas[$0] },
          bodyLimit: bodyLimit(of: endpoint))
      }
    }
  }
}

/// An endpoint that was found for a request.
package struct EndpointMatch<Service: Sendable>: Sendable {
  package let endpoint: Endpoint<Service>
  /// What stands in the path for the names in braces, decoded.
  package let names: [String]
  /// What its body looks like.
  fileprivate let schema: JSONValue?
  /// Largest body of the request, in bytes.
  package let bodyLimit: Int

  /// Answers the request.
  package func response(
    to head: HTTPHead, _ body: [UInt8], from service: Service
  ) async throws -> HTTPResponse {
    try await endpoint.respond(to: EndpointCall(head: head, names: names, body: body), from: service, schema)
  }
}
