#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A non-blocking TCP socket that closes itself: whoever holds it last (a connection, or what watches it)
/// keeps its descriptor from being used again for something else.
package final class Socket: Sendable {
  /// What a read or a write came to.
  package enum Transfer: Hashable {
    /// So many bytes went through.
    case bytes(Int)
    /// Nothing can go through now.
    case wouldBlock
    /// The other side has ended, or the connection is broken.
    case ended
  }

  package let descriptor: Int32

  private init(owning descriptor: Int32) { self.descriptor = descriptor }

  /// Takes over what a system function has opened.
  static func owning(_ descriptor: Int32) throws(SocketError) -> Socket {
    guard descriptor >= 0 else { throw error(errno) }
    return Socket(owning: descriptor)
  }

  deinit { close(descriptor) }

  /// Refuses an address that is not this machine's own.
  package static func requireLoopback(_ address: Address) throws(SocketError) {
    guard try SocketAddress(address).isLoopback else { throw .notLoopback(address) }
  }

  /// Refuses an address whose host would have to be looked up.
  package static func requireNumeric(_ address: Address) throws(SocketError) {
    _ = try SocketAddress(address)
  }

  /// A socket that listens. Port 0 picks a free one: see ``localAddress``. Whoever listens on `::` takes both families of addresses,
  /// whatever the system's default (`net.ipv6.bindv6only`), and on a system without version 6 the one that there is.
  package static func listening(on address: Address) throws(SocketError) -> Socket {
    let target = try SocketAddress(address)
    let socket: Socket
    do throws(SocketError) { socket = try make(target.family) } catch {
      guard error == .system(EAFNOSUPPORT), address.host == "::" else { throw error }
      return try listening(on: Address(host: "0.0.0.0", port: address.port))
    }
    set(socket.descriptor, SOL_SOCKET, SO_REUSEADDR)
    if target.family == AF_INET6 { set(socket.descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: 0) }
    guard target.with({ bind(socket.descriptor, $0, $1) }) == 0, listen(socket.descriptor, 128) == 0 else {
      // To connect, the same number says that no local port is left.
      throw errno == EADDRNOTAVAIL ? .notHere(address) : failure(at: address)
    }
    return socket
  }

  /// A socket that begins to connect: it becomes writable when ``connectionError`` is known.
  ///
  /// - Parameter segmentBytes: the longest segment to send and to ask for; nil: whatever the path takes
  package static func connecting(
    to address: Address, segmentBytes: Int? = nil
  ) throws(SocketError) -> Socket {
    let target = try SocketAddress(address)
    let socket = try make(target.family)
    prepare(socket.descriptor)
    if let segmentBytes {
      set(socket.descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, to: Int32(clamping: segmentBytes))
    }
    let result = target.with { connect(socket.descriptor, $0, $1) }
    guard result != 0, errno != EINPROGRESS, errno != EINTR else { return socket }
    throw failure(at: address)
  }

  /// The next connection that waits, with its peer's address; nil when none does.
  package func accept() throws(SocketError) -> (Socket, Address)? {
    guard let (descriptor, from) = try acceptNext() else { return nil }
    return (Socket(owning: descriptor), from ?? Address(host: "unknown", port: 0))
  }

  /// The next connection that waits, as a descriptor that the caller closes; nil when none does.
  package func acceptDescriptor() throws(SocketError) -> Int32? { try acceptNext()?.descriptor }

  private func acceptNext() throws(SocketError) -> (descriptor: Int32, from: Address?)? {
    var accepted: Int32 = -1
    let from = SocketAddress.read { address, length in
      accepted = retryingInterrupts { systemAccept(descriptor, address, length) }
      return accepted
    }
    guard accepted >= 0 else { return try Self.nothingAccepted(errno) }
    // accept(2) passes neither on.
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    Self.prepare(accepted)
    return (accepted, from)
  }

  /// Bytes not sent yet that the system holds before a socket takes no more. What has been handed over is then soon on its way,
  /// so that a peer that does not answer is not merely one to which the way is slow.
  private static let unsentBytes: Int32 = 32 * 1024

  private static func prepare(_ descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
    set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: unsentBytes)
  }

  /// Why connecting failed; nil when the connection stands.
  package var connectionError: SocketError? {
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return .system(errno) }
    if number != 0 { return .system(number) }
    // A dial to a port of this machine on which nobody listens may draw that very port as its own, and reach itself.
    guard let peer = remoteAddress, peer != localAddress else { return .disconnected }
    return nil
  }

  /// The address on this side.
  package var localAddress: Address? { SocketAddress.read { getsockname(descriptor, $0, $1) } }
  /// The address on the other side.
  package var remoteAddress: Address? { SocketAddress.read { getpeername(descriptor, $0, $1) } }

  /// The longest segment that is sent; nil: the system does not say.
  package var segmentBytes: Int? {
    var bytes: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &bytes, &length) == 0 else { return nil }
    return Int(bytes)
  }

  /// Reads what is there, up to the size of the buffer.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    Self.transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  /// Writes as much as goes through.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    Self.transfer { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  /// Ends both directions of a connection, or that a socket listens: whoever waits on it returns.
  package static func end(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Lets poll(2) take a socket for readable only once so many bytes are there, or its end.
  package static func wake(_ descriptor: Int32, from count: Int) {
    set(descriptor, SOL_SOCKET, SO_RCVLOWAT, to: Int32(clamping: count))
  }

  /// Tells the other side that nothing more comes; reading goes on.
  package func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  private static func make(_ family: Int32) throws(SocketError) -> Socket {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    return try owning(socket(family, type, 0))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, to value: Int32 = 1) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Calls a system function that reads from a socket or writes to it.
  package static func transfer(_ call: () -> Int) -> Transfer {
    while true {
      let count = call()
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      default: return .ended
      }
    }
  }

  private static func nothingAccepted(_ number: Int32) throws(SocketError) -> (
    descriptor: Int32, from: Address?
  )? {
    switch number {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw .noDescriptors
    // The others are errors of the connection that waited (accept(2)): the next may be fine.
    default: return nil
    }
  }

  private static func failure(at address: Address) -> SocketError {
    switch errno {
    case EADDRINUSE: .addressInUse(address)
    case EACCES, EPERM: .notPermitted(address)
    case let number: error(number)
    }
  }

  private static func error(_ number: Int32) -> SocketError {
    number == EMFILE || number == ENFILE ? .noDescriptors : .system(number)
  }
}

// Inside a type with a member of the same name this would be shadowed.
private func systemAccept(
  _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 {
  accept(descriptor, address, length)
}
