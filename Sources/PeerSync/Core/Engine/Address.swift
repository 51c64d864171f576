/// Where a device listens: HOST:PORT, with an IPv6 host in brackets.
public struct Address: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// A host name or an IP address, without brackets.
  public let host: String
  /// A TCP port, 0 to 65535. Only a listener may ask for port 0, "pick one".
  public let port: UInt16

  /// Makes an address from its parts.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT` or `[IPv6]:PORT`; nil for anything else, or beyond ``Limits/addressBytes``.
  public init?(_ text: String) {
    guard text.utf8.count <= Limits.addressBytes, let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// `HOST:PORT`, with an IPv6 host in brackets.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether it means something on one link alone (169.254.0.0/16, fe80::/10): no device passes such an address on.
  package var isLinkLocal: Bool {
    if host.hasPrefix("169.254.") { return true }
    return host.contains(":") && ["fe8", "fe9", "fea", "feb"].contains(String(host.prefix(3)).lowercased())
  }

  /// By host, then by port.
  public static func < (left: Address, right: Address) -> Bool {
    (left.host, left.port) < (right.host, right.port)
  }
}
