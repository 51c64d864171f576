/// One attempt to connect.
package final class Dial {
  private let socket: Socket
  private var watch: SocketWatch?
  private var timeout: Delay?
  private var finished: ((Result<Socket, SocketError>) -> Void)?

  /// Longest wait for the other side, in milliseconds.
  private static let timeoutMilliseconds = 5000

  /// - Parameters:
  ///   - segmentBytes: the longest segment to ask for; nil: whatever the path takes
  ///   - finished: called once on the loop, unless the dial is cancelled before
  /// - Throws: ``SocketError`` when the dial cannot even begin.
  package init(
    _ address: Address, segmentBytes: Int? = nil, on loop: EventLoop,
    finished: @escaping (Result<Socket, SocketError>) -> Void
  ) throws(SocketError) {
    let socket = try Socket.connecting(to: address, segmentBytes: segmentBytes)
    self.socket = socket
    self.finished = finished
    watch = try SocketWatch(socket, on: loop, for: .write) { [weak self] _ in self?.connected() }
    timeout = Delay(milliseconds: Self.timeoutMilliseconds, on: loop.timers) { [weak self] in
      self?.finish(.failure(.timedOut))
    }
  }

  deinit { cancel() }

  /// Gives up without a word.
  package func cancel() {
    finished = nil
    watch = nil
    timeout = nil
  }

  private func connected() {
    finish(socket.connectionError.map { .failure($0) } ?? .success(socket))
  }

  private func finish(_ result: Result<Socket, SocketError>) {
    let finished = finished
    cancel()
    finished?(result)
  }
}
