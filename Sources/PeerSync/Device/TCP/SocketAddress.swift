#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An ``Address`` in the form in which the system takes it.
package struct SocketAddress {
  private var storage = sockaddr_storage()
  private var length: socklen_t = 0

  /// Whether it is this machine's own and no other's: 127.0.0.0/8 or `::1`.
  let isLoopback: Bool

  /// - Throws: ``SocketError/notNumeric(_:)`` for names other than `localhost`. They are not looked up here: a resolver may
  ///   block, and its answer may change.
  package init(_ address: Address) throws(SocketError) {
    let host = address.host == "localhost" ? "127.0.0.1" : address.host
    if let version4 = Self.parse(host, AF_INET, as: in_addr.self) {
      self.init(version4, port: address.port)
    } else if let version6 = Self.parse(host, AF_INET6, as: in6_addr.self) {
      self.init(version6, scope: 0, port: address.port)
    } else if let (version6, scope) = Self.scoped(host), address.isLinkLocal {
      self.init(version6, scope: scope, port: address.port)
    } else {
      throw .notNumeric(address)
    }
  }

  /// An address of one link and the interface to it, as in `fe80::1%eth0` and `fe80::1%2` (RFC 4007, section 11); nil for anything else,
  /// or where there is no such interface.
  private static func scoped(_ host: String) -> (in6_addr, scope: UInt32)? {
    let parts = host.split(separator: "%", maxSplits: 1)
    guard parts.count == 2, let plain = parse(String(parts[0]), AF_INET6, as: in6_addr.self) else {
      return nil
    }
    let scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
    return scope > 0 ? (plain, scope) : nil
  }

  /// Which family of addresses it is.
  var family: Int32 { Int32(storage.ss_family) }

  /// Calls a system function that takes an address.
  package func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// Calls a system function that fills an address in; nil when it fails or the family is another.
  static func read(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Address? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
    }
    return result >= 0 ? address(storage) : nil
  }

  private init(_ host: in_addr, port: UInt16) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = host
    isLoopback = UInt32(bigEndian: host.s_addr) >> 24 == 127
    copy(address)
  }

  private init(_ host: in6_addr, scope: UInt32, port: UInt16) {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = host
    address.sin6_scope_id = scope
    isLoopback = withUnsafeBytes(of: host) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    copy(address)
  }

  private mutating func copy<Form>(_ form: Form) {
    withUnsafeMutableBytes(of: &storage) { target in
      withUnsafeBytes(of: form) { target.copyMemory(from: $0) }
    }
    length = socklen_t(MemoryLayout<Form>.size)
  }

  private static func parse<Form>(_ host: String, _ family: Int32, as: Form.Type) -> Form? {
    withUnsafeTemporaryAllocation(of: Form.self, capacity: 1) { buffer in
      inet_pton(family, host, buffer.baseAddress) == 1 ? buffer[0] : nil
    }
  }

  /// The eight words of an IPv6 address; nil when the text is none.
  static func words(ofIPv6 host: String) -> [UInt16]? {
    var parsed = in6_addr()
    guard inet_pton(AF_INET6, host, &parsed) == 1 else { return nil }
    return withUnsafeBytes(of: parsed) { bytes in
      (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
    }
  }

  static func address(_ storage: sockaddr_storage) -> Address? {
    var text = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let port: UInt16 = withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        var form = bytes.load(as: sockaddr_in.self)
        return format(AF_INET, &form.sin_addr, &text) ? UInt16(bigEndian: form.sin_port) : 0
      case AF_INET6:
        var form = bytes.load(as: sockaddr_in6.self)
        return format(AF_INET6, &form.sin6_addr, &text) ? UInt16(bigEndian: form.sin6_port) : 0
      default: return 0
      }
    }
    let host = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    return host.isEmpty ? nil : Address(host: host, port: port)
  }

  private static func format(_ family: Int32, _ host: UnsafeRawPointer, _ text: inout [UInt8]) -> Bool {
    let capacity = socklen_t(text.count)
    return text.withUnsafeMutableBytes {
      inet_ntop(family, host, $0.assumingMemoryBound(to: CChar.self).baseAddress, capacity) != nil
    }
  }
}

extension Address {
  /// Whether it is this machine's own and no other's.
  package var isLoopback: Bool { (try? SocketAddress(self).isLoopback) ?? false }
}
