/// Accepts connections on a loop.
package final class Listener {
  /// Where it listens, with the port that was picked.
  package let address: Address

  private let loop: EventLoop
  /// Nil once closed.
  private var socket: Socket?
  private var watch: SocketWatch?
  private let accepted: (Socket, Address) -> Void
  private let exhausted: () -> Void
  private var pauseEnd: Delay?

  /// How long to leave waiting connections alone when there are no descriptors for them, in milliseconds. Without a
  /// pause the listener would be told again at once, and again.
  private static let pauseMilliseconds = 200
  /// Connections taken per wake-up, so that a flood of them does not hold up the sessions.
  private static let acceptsPerWakeUp = 32

  /// - Parameters:
  ///   - accepted: called on the loop with each connection and its peer's address
  ///   - exhausted: called on the loop when there was no descriptor for a connection; accepting goes on after a pause
  /// - Throws: ``SocketError`` when the address is a name, or cannot be had.
  package init(
    on address: Address, loop: EventLoop, accepted: @escaping (Socket, Address) -> Void,
    exhausted: @escaping () -> Void
  ) throws(SocketError) {
    let socket = try Socket.listening(on: address)
    self.socket = socket
    self.address = socket.localAddress ?? address
    self.loop = loop
    self.accepted = accepted
    self.exhausted = exhausted
    watch = try SocketWatch(socket, on: loop, for: .read) { [weak self] _ in self?.accept() }
  }

  /// Stops accepting. The port is free.
  package func close() {
    watch = nil
    socket = nil
    pauseEnd = nil
  }

  private func accept() {
    for _ in 0..<Self.acceptsPerWakeUp {
      do {
        guard let (socket, from) = try socket?.accept() else { return }
        accepted(socket, from)
      } catch {
        return pause()
      }
    }
  }

  private func pause() {
    // Taking it out cannot fail.
    try? watch?.wait(for: [])
    exhausted()
    resumeLater()
  }

  private func resumeLater() {
    pauseEnd = Delay(milliseconds: Self.pauseMilliseconds, on: loop.timers) { [weak self] in self?.resume() }
  }

  private func resume() {
    pauseEnd = nil
    do throws(SocketError) { try watch?.wait(for: .read) } catch { resumeLater() }
  }
}
