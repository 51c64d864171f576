/// An invitation as people pass it on: `peersync://HOST:PORT/CODE`.
package struct InvitationURL: Hashable, Sendable, CustomStringConvertible {
  /// Digits and capitals without I, L, O and U, which are easily misread (Crockford's Base32).
  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let length = 12

  /// Where the inviting device listens.
  package let address: Address
  /// 60 random bits in 12 characters.
  package let code: String

  package init(address: Address, code: String) {
    self.address = address
    self.code = code
  }

  /// Reads an invitation; letters may be small, and hyphens or spaces between those of the code are skipped.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].lowercased() == "peersync:", parts[1].isEmpty,
      let address = Address(String(parts[2])), address.port > 0
    else { return nil }
    let code = parts[3].uppercased().filter { $0 != "-" && $0 != " " }
    guard code.count == Self.length, code.allSatisfy(Self.letters.contains) else { return nil }
    self.init(address: address, code: code)
  }

  package var description: String { "peersync://\(address)/\(code)" }

  /// A code that nobody has seen before.
  package static func makeCode(using generator: inout some RandomNumberGenerator) -> String {
    String((0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
  }
}
