import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks names up.
package enum Resolver {
  /// Whether a host is a name that can be looked up (RFC 1123, section 2.1; home networks have names with underscores, too). One
  /// whose last label is a number would be an IPv4 address, and a wrong one. A dot at the end says that the name is complete.
  package static func isName(_ host: String) -> Bool {
    let name = host.utf8.last == dot ? host.utf8.dropLast() : host.utf8[...]
    let labels = name.split(separator: dot, omittingEmptySubsequences: false)
    guard name.count <= 253, let last = labels.last, !last.allSatisfy(isDigit) else { return false }
    return labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
        && label.allSatisfy { isDigit($0) || isLetter($0) || $0 == hyphen || $0 == UInt8(ascii: "_") }
    }
  }

  private static let dot = UInt8(ascii: ".")
  private static let hyphen = UInt8(ascii: "-")

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Looks a name up on a thread of its own, for the system may take long over it.
  ///
  /// - Parameter found: called on that thread with the addresses in the order in which the system would try them, up to
  ///   ``Limits/resolvedAddresses``; none when the name cannot be looked up
  package static func resolve(_ name: Address, found: @escaping @Sendable ([Address]) -> Void) {
    Thread.detachNewThread { found(addresses(of: name)) }
  }

  private static func addresses(of name: Address) -> [Address] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name.host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    let found = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
      .compactMap { $0.flatMap { host(of: $0.pointee) } }
    return found.prefix(Limits.resolvedAddresses).map { Address(host: $0, port: name.port) }
  }

  private static func host(of entry: addrinfo) -> String? {
    guard let address = entry.ai_addr, entry.ai_addrlen <= MemoryLayout<sockaddr_storage>.size else {
      return nil
    }
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
    }
    return SocketAddress.address(storage)?.host
  }
}
