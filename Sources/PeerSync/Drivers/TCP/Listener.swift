import Dispatch

/// Accepts connections on a queue.
package final class Listener {
  /// Where it listens, with the port that was picked.
  package let address: Address

  private let socket: Socket
  private let queue: DispatchQueue
  private let source: any DispatchSourceRead
  private let accepted: (Socket, Address) -> Void
  private let exhausted: () -> Void
  private var isPaused = false
  private var pauseEnd: Delay?
  private var isClosed = false

  /// How long to leave waiting connections alone when there are no descriptors for them, in milliseconds. Without a
  /// pause the source would fire again at once, and again.
  private static let pauseMilliseconds = 200
  /// Connections taken per wake-up, so that a flood of them does not hold up the sessions.
  private static let acceptsPerWakeUp = 32

  /// - Parameters:
  ///   - accepted: called on the queue with each connection and its peer's address
  ///   - exhausted: called on the queue when there was no descriptor for a connection; accepting goes on after a pause
  /// - Throws: ``SocketError`` when the address is a name, or cannot be had.
  package init(
    on address: Address, queue: DispatchQueue, accepted: @escaping (Socket, Address) -> Void,
    exhausted: @escaping () -> Void
  ) throws(SocketError) {
    let socket = try Socket.listening(on: address)
    self.socket = socket
    self.address = socket.localAddress ?? address
    self.queue = queue
    self.accepted = accepted
    self.exhausted = exhausted
    source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.accept() }
    source.setCancelHandler { withExtendedLifetime(socket) {} }
    source.activate()
    // Dispatch opens a descriptor for its timers with the first of them: not when there is none left.
    pauseEnd = Delay(milliseconds: 0, on: queue) {}
  }

  deinit { close() }

  /// Stops accepting. The port is free once the queue has come round.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    source.cancel()
    // A suspended source never delivers its cancellation.
    if isPaused { source.resume() }
    isPaused = false
  }

  private func accept() {
    for _ in 0..<Self.acceptsPerWakeUp where !isClosed {
      do {
        guard let (socket, from) = try socket.accept() else { return }
        accepted(socket, from)
      } catch {
        return pause()
      }
    }
  }

  private func pause() {
    isPaused = true
    source.suspend()
    exhausted()
    pauseEnd = Delay(milliseconds: Self.pauseMilliseconds, on: queue) { [weak self] in self?.resume() }
  }

  private func resume() {
    pauseEnd = nil
    guard isPaused else { return }
    isPaused = false
    source.resume()
  }
}
