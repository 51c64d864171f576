#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The addresses of this machine.
package enum Interfaces {
  /// What to tell others about where this device listens. Whoever listens on all addresses (`0.0.0.0`, `::`) can be dialled
  /// at none of that name: the first of this machine's addresses on a network stands in, or loopback without a network.
  package static func announced(_ address: Address) -> Address {
    switch address.host {
    case "0.0.0.0": Address(host: first(AF_INET) ?? "127.0.0.1", port: address.port)
    case "::": Address(host: first(AF_INET6) ?? first(AF_INET) ?? "::1", port: address.port)
    default: address
    }
  }

  /// The first address of a network interface that is up; of those of version 6, none that needs a scope.
  private static func first(_ family: Int32) -> String? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    return sequence(first: list) { $0?.pointee.ifa_next }
      .prefix { $0 != nil }
      .lazy
      .compactMap { $0.flatMap { host(of: $0.pointee, family) } }
      .first { !$0.hasPrefix("fe80:") }
  }

  private static func host(of interface: ifaddrs, _ family: Int32) -> String? {
    let flags = Int32(truncatingIfNeeded: interface.ifa_flags)
    guard flags & Int32(truncatingIfNeeded: IFF_UP) != 0,
      flags & Int32(truncatingIfNeeded: IFF_LOOPBACK) == 0,
      let address = interface.ifa_addr, Int32(address.pointee.sa_family) == family
    else { return nil }
    let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
    }
    return SocketAddress.address(storage)?.host
  }
}
