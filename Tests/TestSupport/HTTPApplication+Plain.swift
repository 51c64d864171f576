import PeerSyncControl

/// A whole request.
package struct HTTPRequest: Sendable {
  package let head: HTTPHead
  package let body: [UInt8]
}

extension HTTPApplication {
  /// An application without endpoints.
  ///
  /// - Parameters:
  ///   - refuse: answers on the head alone; nil: go on
  ///   - bodyLimit: largest body, in bytes
  package init(
    refuse: @escaping @Sendable (HTTPHead) -> HTTPResponse? = { _ in nil }, bodyLimit: Int = 65_536,
    respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) {
    self.init(receive: { head in
      if let refusal = refuse(head) { return .refused(refusal) }
      return .taken(bodyLimit: bodyLimit) { await respond(HTTPRequest(head: head, body: $0)) }
    })
  }
}
