import Dispatch

/// One attempt to connect.
package final class Dial {
  private let socket: Socket
  private let source: any DispatchSourceWrite
  private var timeout: Delay?
  private var finished: ((Result<Socket, SocketError>) -> Void)?

  /// Longest wait for the other side, in milliseconds.
  private static let timeoutMilliseconds = 5000

  /// - Parameter finished: called once on the queue, unless the dial is cancelled before
  /// - Throws: ``SocketError`` when the dial cannot even begin.
  package init(
    _ address: Address, queue: DispatchQueue, finished: @escaping (Result<Socket, SocketError>) -> Void
  ) throws(SocketError) {
    let socket = try Socket.connecting(to: address)
    self.socket = socket
    self.finished = finished
    source = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.connected() }
    source.setCancelHandler { withExtendedLifetime(socket) {} }
    timeout = Delay(milliseconds: Self.timeoutMilliseconds, on: queue) { [weak self] in
      self?.finish(.failure(.timedOut))
    }
    source.activate()
  }

  deinit { cancel() }

  /// Gives up without a word.
  package func cancel() {
    finished = nil
    source.cancel()
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
