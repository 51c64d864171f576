#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The addresses of this machine and the state of its links, at one moment.
package struct Interfaces: Hashable, Sendable {
  /// In the order of the system.
  private let entries: [Entry]

  /// None.
  package init() { entries = [] }

  package init(_ entries: [Entry]) { self.entries = entries }

  /// One address of one interface, or the interface itself.
  package struct Entry: Hashable, Sendable {
    let name: String
    /// Empty for the link itself.
    let host: String
    /// How many bits of the address the hosts of its network have in common; 0 where that is not known.
    let prefixBits: Int
    let isRunning: Bool
    let isLoopback: Bool

    package init(
      name: String, host: String, prefixBits: Int, isRunning: Bool = true, isLoopback: Bool = false
    ) {
      (self.name, self.host, self.prefixBits) = (name, host, prefixBits)
      (self.isRunning, self.isLoopback) = (isRunning, isLoopback)
    }
  }

  /// What there is now; nil when the system does not say, for it takes a descriptor to ask.
  package static func now() -> Interfaces? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    return Interfaces(
      sequence(first: list) { $0?.pointee.ifa_next }.prefix { $0 != nil }
        .compactMap { $0.map { Entry($0.pointee) } })
  }

  /// What to tell others about where this device listens, the likeliest first. Whoever listens on all addresses (`0.0.0.0`, `::`)
  /// can be dialled at none of that name: those of this machine on its networks stand in, as long as there are any.
  ///
  /// - Parameter interface: the only interface to look at; nil: all
  package func announced(_ address: Address, on interface: String? = nil) -> [Address] {
    let addresses = reachable(address, on: interface).filter { !$0.isLinkLocal }
    return Array(addresses.prefix(Limits.deviceAddresses))
  }

  /// Whether others can reach whoever listens on an address, if only those on one link, which have to find it there.
  ///
  /// - Parameter interface: the only interface to look at; nil: all
  package func areOpen(to address: Address, on interface: String? = nil) -> Bool {
    !address.isLoopback && !reachable(address, on: interface).isEmpty
  }

  /// Those of version 4 first: they are short, and say more to a person.
  private func reachable(_ address: Address, on interface: String?) -> [Address] {
    guard ["0.0.0.0", "::"].contains(address.host) else { return [address] }
    let candidates = entries.filter {
      !$0.host.isEmpty && $0.isRunning && !$0.isLoopback && (interface == nil || $0.name == interface)
    }
    let (version6, version4) = (
      candidates.filter { $0.host.contains(":") }, candidates.filter { !$0.host.contains(":") }
    )
    return (version4 + (address.host == "::" ? version6 : [])).map {
      Address(host: $0.host, port: address.port)
    }
  }

  /// Whether an address of version 6 is of a network that this machine is on: whoever has it is near.
  package func isOnLink(_ host: String) -> Bool {
    guard let words = SocketAddress.words(ofIPv6: host) else { return false }
    return entries.contains { entry in
      guard entry.isRunning, !entry.isLoopback, entry.prefixBits > 0,
        let own = SocketAddress.words(ofIPv6: entry.host)
      else { return false }
      return (0..<8).allSatisfy { place in
        let bits = min(max(entry.prefixBits - 16 * place, 0), 16)
        return (own[place] ^ words[place]) >> (16 - bits) == 0
      }
    }
  }

  /// Whether this machine still has an address, which may be one of version 4 that was mapped into version 6.
  package func has(_ host: String) -> Bool {
    let plain = host.hasPrefix("::ffff:") && host.contains(".") ? String(host.dropFirst(7)) : host
    // Of loopback every address is there, listed or not.
    if (try? Socket.requireLoopback(Address(host: plain, port: 0))) != nil { return true }
    return entries.contains { $0.host == plain }
  }
}

extension Interfaces.Entry {
  fileprivate init(_ interface: ifaddrs) {
    let flags = Int32(truncatingIfNeeded: interface.ifa_flags)
    func has(_ flag: Int) -> Bool { flags & Int32(truncatingIfNeeded: flag) != 0 }
    self.init(
      name: interface.ifa_name.map { String(cString: $0) } ?? "",
      host: Self.host(of: interface.ifa_addr) ?? "",
      prefixBits: Self.prefixBits(of: interface), isRunning: has(IFF_UP) && has(IFF_RUNNING),
      isLoopback: has(IFF_LOOPBACK))
  }

  private static func prefixBits(of interface: ifaddrs) -> Int {
    guard let mask = host(of: interface.ifa_netmask), let words = SocketAddress.words(ofIPv6: mask) else {
      return 0
    }
    return words.map(\.nonzeroBitCount).reduce(0, +)
  }

  private static func host(of address: UnsafeMutablePointer<sockaddr>?) -> String? {
    guard let address else { return nil }
    let family = Int32(address.pointee.sa_family)
    guard family == AF_INET || family == AF_INET6 else { return nil }
    let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
    }
    return SocketAddress.address(storage)?.host
  }
}
