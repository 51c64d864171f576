import PeerSync

/// Who may talk to the control API: programs of this machine that know the token. A page in a browser on the same
/// machine may not, whatever name it reached the port under (DNS rebinding) and whatever it can send without asking.
package struct AccessPolicy: Sendable {
  private let token: [UInt8]

  package init(token: String) { self.token = Array(token.utf8) }

  /// Nil when the request may go on.
  ///
  /// - Parameter isOpen: whether what it asks for needs no token
  package func refusal(of head: HTTPHead, isOpen: Bool) -> Problem? {
    if let stranger = AccessPolicy.strangeness(of: head) { return stranger }
    guard !isOpen, !carriesToken(head) else { return nil }
    return Problem(
      .tokenRequired,
      Phrase(
        "send 'Authorization: Bearer TOKEN' with the token of api.json in the data directory",
        "데이터 디렉터리의 api.json 파일에 있는 토큰을 ‘Authorization: Bearer TOKEN’ 헤더로 보내세요"))
  }

  /// What is wrong with where a request goes or comes from; nil: a program of this machine may have sent it.
  package static func strangeness(of head: HTTPHead) -> Problem? {
    let hosts = AccessPolicy.hosts(of: head.server)
    guard let host = head.headers["host"], hosts.contains(host.lowercased()) else {
      return Problem(
        .hostNotAllowed,
        Phrase(
          "ask for \(hosts.joined(separator: " or "))", "\(hosts.joined(separator: " 또는 ")) 주소로 요청하세요"))
    }
    return isSameSite(head, host: host) ? nil : Problem(.originNotAllowed)
  }

  /// The address it listens on, which is loopback, and the names that this machine has by custom.
  private static func hosts(of server: Address) -> [String] {
    let usual = ["127.0.0.1", "localhost", "::1"]
    return ((usual.contains(server.host) ? [] : [server.host]) + usual).map {
      Address(host: $0, port: server.port).description
    }
  }

  private static func isSameSite(_ head: HTTPHead, host: String) -> Bool {
    if let origin = head.headers["origin"], origin.lowercased() != "http://\(host.lowercased())" {
      return false
    }
    guard let site = head.headers["sec-fetch-site"] else { return true }
    return site == "same-origin" || site == "none"
  }

  private func carriesToken(_ head: HTTPHead) -> Bool {
    guard let value = head.headers["authorization"], value.lowercased().hasPrefix("bearer ") else {
      return false
    }
    return AccessPolicy.areEqual(Array(value.dropFirst("bearer ".count).utf8), token)
  }

  /// Compares in a time that does not tell where the difference is.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
