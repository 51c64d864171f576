/// An invitation as people pass it on: `peersync://HOST:PORT/CODE`.
package struct InvitationURL: Hashable, Sendable, CustomStringConvertible {
  /// Where the inviting device listens.
  package let address: Address
  /// What only both devices know.
  package let code: InvitationCode

  package init(address: Address, code: InvitationCode) {
    self.address = address
    self.code = code
  }

  /// Reads an invitation; letters may be small, and hyphens or spaces between those of the code are skipped.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].lowercased() == "peersync:", parts[1].isEmpty,
      let address = Address(String(parts[2])), address.port > 0
    else { return nil }
    guard let code = InvitationCode(String(parts[3])) else { return nil }
    self.init(address: address, code: code)
  }

  package var description: String { "peersync://\(address)/\(code.letters)" }
}
