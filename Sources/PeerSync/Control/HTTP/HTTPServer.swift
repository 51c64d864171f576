import CMicroHTTPD
import Foundation
import PeerSync

/// A small HTTP/1.1 server on loopback, one thread per connection (GNU libmicrohttpd), with a doorkeeper in front of it
/// which takes no request that two readers could understand in two ways.
///
/// A connection's thread waits for the task that makes its response, so that many clients can wait for one commit
/// at the same time.
package final class HTTPServer: Sendable {
  /// Where it listens, with the port that was picked.
  package let address: Address
  let application: HTTPApplication
  /// How long a connection may say nothing.
  let idleSeconds: UInt32
  let watch: ConnectionWatch
  private let state = Guarded(State())
  /// Entered by every request from its first byte until its answer is sent.
  let underWay = DispatchGroup()

  /// Entered by the thread of the doorkeeper.
  private let accepting = DispatchGroup()

  private struct State {
    var daemon: OpaquePointer?
    /// Nil once it stops.
    var listener: Socket?
    var isStopping = false
    var pending: [ObjectIdentifier: Pending] = [:]
    var streams: [ObjectIdentifier: EventPipe] = [:]
  }

  /// Listens and serves.
  ///
  /// - Parameters:
  ///   - idleSeconds: how long a connection may say nothing
  ///   - bodyMilliseconds: see ``HTTPLimits/bodyMilliseconds``
  /// - Throws: ``HTTPServerError``; ``SocketError`` when the address cannot be had
  package init(
    address: Address, application: HTTPApplication, idleSeconds: UInt32 = HTTPLimits.idleSeconds,
    bodyMilliseconds: UInt64 = HTTPLimits.bodyMilliseconds
  ) throws {
    let socket = try HTTPServer.listen(on: address)
    self.address = socket.localAddress ?? address
    self.application = application
    self.idleSeconds = idleSeconds
    watch = ConnectionWatch(
      most: DescriptorBudget.current.requests, idleSeconds: idleSeconds, bodyMilliseconds: bodyMilliseconds)
    guard let daemon = startDaemon() else { throw HTTPServerError.notStarted }
    state.withLock { ($0.daemon, $0.listener) = (daemon, socket) }
    // The library's threads know this object by its address until `stop()`.
    _ = Unmanaged.passRetained(self)
    accepting.enter()
    Thread.detachNewThread { [self] in
      var doorkeeper = Doorkeeper(listener: socket, watch: watch) { [self] descriptor, bytes in
        admit(descriptor, bytes: bytes, to: state.withLock { $0.daemon })
      }
      doorkeeper.run()
      accepting.leave()
    }
  }

  private static func listen(on address: Address) throws -> Socket {
    do throws(SocketError) { try Socket.requireLoopback(address) } catch {
      throw HTTPServerError.notLoopback(address)
    }
    return try Socket.listening(on: address)
  }

  /// Takes no more connections, gives requests under way a second, ends event streams, and returns when all
  /// threads are gone. Stopping again does nothing. Blocks the calling thread.
  package func stop() {
    let listener = state.withLock { state in
      defer { state.listener = nil }
      state.isStopping = true
      return state.listener
    }
    guard let listener else { return }
    Socket.end(listener.descriptor)
    accepting.wait()
    for stream in state.withLock({ Array($0.streams.values) }) { stream.close() }
    if underWay.wait(timeout: .now() + .milliseconds(HTTPLimits.stopMilliseconds)) == .timedOut {
      for pending in state.withLock({ Array($0.pending.values) }) {
        pending.fulfil(Problem(.stopping).response)
      }
      _ = underWay.wait(timeout: .now() + .milliseconds(HTTPLimits.lastWordsMilliseconds))
    }
    MHD_stop_daemon(state.withLock { $0.daemon })
    Unmanaged.passUnretained(self).release()
  }
}

extension HTTPServer {
  /// How many connections there can be.
  package var mostConnections: Int { watch.most }

  /// Blocks the connection's thread until the application has answered.
  func response(from answer: @escaping @Sendable () async -> HTTPResponse) -> HTTPResponse {
    let pending = Pending()
    let isStopping = state.withLock { state in
      guard !state.isStopping else { return true }
      state.pending[ObjectIdentifier(pending)] = pending
      return false
    }
    guard !isStopping else { return Problem(.stopping).response }
    defer { state.withLock { $0.pending[ObjectIdentifier(pending)] = nil } }
    return pending.wait(for: answer)
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// A pipe that ``stop()`` will close.
  func openStream(socket: Int32) -> EventPipe {
    let pipe = EventPipe(socket: socket)
    let isStopping = state.withLock { state in
      state.streams[ObjectIdentifier(pipe)] = pipe
      return state.isStopping
    }
    if isStopping { pipe.close() }
    return pipe
  }

  func forget(_ pipe: EventPipe) {
    pipe.close()
    state.withLock { $0.streams[ObjectIdentifier(pipe)] = nil }
  }
}
