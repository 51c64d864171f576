import Foundation

/// Why a control API cannot be served at an address.
package enum HTTPServerError: Error, Equatable, CustomStringConvertible {
  case notLoopback(Address)
  case cannotListen(Address, reason: String)

  package var description: String {
    switch self {
    case .notLoopback(let address):
      "the control API listens on loopback only: give 127.0.0.1, [::1] or localhost instead of \(address.host)"
    case .cannotListen(let address, let reason):
      "cannot listen on \(address): \(reason); give another port, or port 0 for any"
    }
  }
}

/// A listening TCP socket on loopback.
struct LoopbackSocket {
  let descriptor: Int32
  /// With the port that was picked.
  let address: Address

  init(_ wanted: Address) throws(HTTPServerError) {
    if wanted.host == "localhost" || wanted.host.hasPrefix("127.") {
      let host = wanted.host == "localhost" ? "127.0.0.1" : wanted.host
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = wanted.port.bigEndian
      guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw .notLoopback(wanted) }
      try self.init(wanted, family: AF_INET, &address, port: { $0.sin_port })
    } else if wanted.host == "::1" {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = wanted.port.bigEndian
      address.sin6_addr = in6addr_loopback
      try self.init(wanted, family: AF_INET6, &address, port: { $0.sin6_port })
    } else {
      throw .notLoopback(wanted)
    }
  }

  private init<SocketAddress>(
    _ wanted: Address, family: Int32, _ address: inout SocketAddress, port: (SocketAddress) -> in_port_t
  ) throws(HTTPServerError) {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .cannotListen(wanted, reason: String(cString: strerror(errno))) }
    guard LoopbackSocket.listen(descriptor, &address) else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw .cannotListen(wanted, reason: reason)
    }
    self.descriptor = descriptor
    self.address = Address(host: wanted.host, port: UInt16(bigEndian: port(address)))
  }

  /// Binds and listens, and puts the address with its port in.
  private static func listen<SocketAddress>(_ descriptor: Int32, _ address: inout SocketAddress) -> Bool {
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var length = socklen_t(MemoryLayout<SocketAddress>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(descriptor, generic, length) == 0 && Glibc.listen(descriptor, 128) == 0
          && getsockname(descriptor, generic, &length) == 0
      }
    }
  }
}
