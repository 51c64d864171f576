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

  /// Where a request leads, with what stands in its path for the names; nil: nowhere. Who answers GET answers HEAD.
  ///
  /// - Parameter path: as sent, percent-escapes included, without the query
  package func find(method: String, path: String) -> (endpoint: Endpoint<Service>, names: [String])? {
    let asked = method == "HEAD" ? "GET" : method
    return matches(path).first { $0.endpoint.method == asked }
  }

  /// What a path takes, as the `Allow` header lists it (RFC 9110, section 10.2.1).
  package func methods(of path: String) -> [String] {
    matches(path).flatMap { $0.endpoint.method == "GET" ? ["GET", "HEAD"] : [$0.endpoint.method] }
  }

  /// The paths that need no token.
  package var openPaths: Set<String> { Set(endpoints.filter(\.description.isOpen).map(\.path)) }

  /// Largest body of a request, in bytes.
  package func bodyLimit(of head: HTTPHead) -> Int {
    find(method: head.method, path: head.path).map { bodyLimit(of: $0.endpoint) } ?? bodyBytes
  }

  func bodyLimit(of endpoint: Endpoint<Service>) -> Int { endpoint.description.body.limit ?? bodyBytes }

  /// Answers a request; nil: no endpoint takes it.
  package func response(to request: HTTPRequest, from service: Service) async throws -> HTTPResponse? {
    guard let found = find(method: request.head.method, path: request.head.path) else { return nil }
    let schema = found.endpoint.description.body.schema.flatMap { schemas[$0] }
    return try await found.endpoint.respond(to: request, names: found.names, from: service, schema)
  }

  /// The endpoints of a path, of any method, with what stands for their names.
  private func matches(_ path: String) -> [(endpoint: Endpoint<Service>, names: [String])] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return endpoints.compactMap { endpoint in endpoint.match(parts).map { (endpoint, $0) } }
  }
}
