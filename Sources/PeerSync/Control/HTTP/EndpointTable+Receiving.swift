import PeerSync

extension EndpointTable {
  /// What becomes of a request of which the head is there.
  ///
  /// - Parameters:
  ///   - service: whom the handlers ask
  ///   - documents: where its endpoints are described
  ///   - problem: what is told of an error
  package func receive(
    _ head: HTTPHead, for service: Service, _ policy: AccessPolicy, see documents: String,
    problem: @escaping @Sendable (any Error) -> Problem = { Problem(of: $0) }
  ) -> HTTPReception {
    let found = find(method: head.method, path: head.path)
    let isOpen = found?.endpoint.description.isOpen ?? isOpen(head.path)
    if let refusal = policy.refusal(of: head, isOpen: isOpen) { return .refused(refusal.response) }
    guard let found else { return .refused(absence(of: head, see: documents)) }
    guard !found.endpoint.description.body.isJSON || !head.hasBody || head.isJSON else {
      let remedy = Phrase("send the body as application/json", "본문을 application/json 형식으로 보내세요")
      return .refused(Problem(.unsupportedMediaType, remedy).response)
    }
    return .taken(bodyLimit: found.bodyLimit, isOpen: isOpen) { body in
      do { return try await found.response(to: head, body, from: service) } catch {
        return problem(error).response
      }
    }
  }

  /// That no endpoint takes a request. Whoever used a wrong method is told the right ones (RFC 9110, section 15.5.6).
  private func absence(of head: HTTPHead, see documents: String) -> HTTPResponse {
    let methods = methods(of: head.path)
    guard !methods.isEmpty else { return Problem.nothing(at: head.path, see: documents).response }
    let named = methods.filter { $0 != "HEAD" }.joined(separator: ", ")
    let detail = Phrase(
      "\(head.path) takes \(named), not \(head.method)",
      "\(head.path) 경로에는 \(head.method) 대신 \(named) 메서드를 쓰세요")
    var response = Problem(.methodNotAllowed, detail).response
    response.headers["Allow"] = methods.joined(separator: ", ")
    return response
  }
}

extension HTTPHead {
  fileprivate var hasBody: Bool {
    headers["transfer-encoding"] != nil || headers["content-length"].map { $0 != "0" } ?? false
  }

  fileprivate var isJSON: Bool {
    let type = headers["content-type"]?.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    return type?.lowercased() == "application/json"
  }
}
