/// Watches a socket on a loop for as long as the value lives, and keeps the socket open as long.
package final class SocketWatch {
  /// What is awaited now.
  package private(set) var interest: Poller.Interest

  private let socket: Socket
  private let loop: EventLoop
  private let token: UInt64

  /// - Parameters:
  ///   - interest: what to wait for; nothing for now, if it is empty
  ///   - handler: called on the loop with what there is of it, again and again for as long as it is there; all of it, when
  ///     the connection is broken
  /// - Throws: ``SocketError`` when the system watches no more, or this loop watches the socket already
  package init(
    _ socket: Socket, on loop: EventLoop, for interest: Poller.Interest,
    _ handler: @escaping (Poller.Interest) -> Void
  ) throws(SocketError) {
    token = try loop.poller.add(socket.descriptor, for: interest, handler)
    self.socket = socket
    self.loop = loop
    self.interest = interest
  }

  deinit { loop.poller.remove(token) }

  /// Waits for something else from now on; for nothing, if it is empty.
  ///
  /// - Throws: ``SocketError``; what was awaited before still is
  package func wait(for interest: Poller.Interest) throws(SocketError) {
    try loop.poller.change(token, to: interest)
    self.interest = interest
  }
}
