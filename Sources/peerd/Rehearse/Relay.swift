import Dispatch
import PeerSync

/// The way from one device to another on loopback, by which it dials: what is cut, stalled or slow is this and not the device.
///
/// Whoever dials ``address`` is connected with ``target``. Bytes pass as they are: sessions are encrypted from end to end.
package final class Relay {
  /// What becomes of connections.
  package enum Condition: Hashable, Sendable {
    case open
    /// They are ended, and new ones as soon as they come.
    case cut
    /// They stand, and nothing gets through.
    case stalled
    /// All that is sent arrives so many milliseconds later.
    case delayed(milliseconds: Int)

    fileprivate var delay: Int { if case .delayed(let milliseconds) = self { milliseconds } else { 0 } }
  }

  /// Where the one device dials.
  package let address: Address

  private let loop: EventLoop
  private let state = State()

  /// What belongs to the loop.
  private final class State: @unchecked Sendable {
    var listener: Listener?
    var target: Address?
    var condition = Condition.open
    var connections: [ObjectIdentifier: RelayedConnection] = [:]
  }

  /// - Throws: ``SocketError`` when no port is left.
  package init(on loop: EventLoop) throws(SocketError) {
    self.loop = loop
    let state = state
    let listener = try loop.perform { () throws(SocketError) in
      try Listener(
        on: Address(host: "127.0.0.1", port: 0), loop: loop,
        accepted: { [weak loop] socket, _ in if let loop { Relay.accept(socket, state, loop) } },
        exhausted: {})
    }
    address = listener.address
    loop.queue.sync { state.listener = listener }
  }

  deinit {
    loop.queue.async { [state] in
      state.listener?.close()
      state.connections = [:]
    }
  }

  /// Where the other device listens; nil: it is not there, and whoever dials it is turned away.
  package func setTarget(_ target: Address?) { loop.queue.sync { state.target = target } }

  /// Changes what becomes of connections, of those that stand as well.
  package func set(_ condition: Condition) {
    loop.queue.sync {
      state.condition = condition
      if condition == .cut { state.connections = [:] }
      for connection in state.connections.values { connection.pass(condition) }
    }
  }

  /// Ends all connections; new ones may come at once.
  package func reset() { loop.queue.sync { state.connections = [:] } }

  private static func accept(_ socket: Socket, _ state: State, _ loop: EventLoop) {
    guard state.condition != .cut, let target = state.target,
      state.connections.count < RelayedConnection.limit,
      let connection = try? RelayedConnection(socket, to: target, state.condition, on: loop)
    else { return }
    state.connections[ObjectIdentifier(connection)] = connection
    connection.begin { [weak connection] in
      if let connection { state.connections[ObjectIdentifier(connection)] = nil }
    }
  }
}

/// One connection, and the one that goes on from it.
private final class RelayedConnection {
  /// Most of them at a time.
  static let limit = 64

  private let ways: [OneWay]
  private var ended: () -> Void = {}

  init(_ socket: Socket, to target: Address, _ condition: Relay.Condition, on loop: EventLoop)
    throws(SocketError)
  {
    let ends = (
      try RelayEnd(socket, on: loop), try RelayEnd(try Socket.connecting(to: target), on: loop)
    )
    ways = [OneWay(from: ends.0, to: ends.1, on: loop), OneWay(from: ends.1, to: ends.0, on: loop)]
    pass(condition)
  }

  func begin(_ ended: @escaping () -> Void) {
    self.ended = ended
    for way in ways { way.begin { [weak self] in self?.wayEnded() } }
  }

  func pass(_ condition: Relay.Condition) {
    for way in ways { way.set(isStalled: condition == .stalled, delay: condition.delay) }
  }

  private func wayEnded() { if ways.allSatisfy(\.isEnded) { ended() } }
}

/// A socket that is read by one way and written by the other.
private final class RelayEnd {
  let socket: Socket
  private var watch: SocketWatch?
  var readable: () -> Void = {}
  var writable: () -> Void = {}

  init(_ socket: Socket, on loop: EventLoop) throws(SocketError) {
    self.socket = socket
    watch = try SocketWatch(socket, on: loop, for: []) { [weak self] interest in
      if interest.contains(.write) { self?.writable() }
      if interest.contains(.read) { self?.readable() }
    }
  }

  /// Waits for one kind more, or less.
  func wait(for kind: Poller.Interest, _ isAwaited: Bool) {
    guard let watch else { return }
    let interest = isAwaited ? watch.interest.union(kind) : watch.interest.subtracting(kind)
    // What cannot be watched is not heard of any more: the devices end what is silent.
    if interest != watch.interest { try? watch.wait(for: interest) }
  }
}

/// The bytes of one direction: they are read, wait as long as they have to, and are written.
private final class OneWay {
  private struct Piece {
    var bytes: ArraySlice<UInt8>
    /// On the monotonic clock, in milliseconds.
    let due: UInt64
  }

  private(set) var isEnded = false
  private let (source, sink): (RelayEnd, RelayEnd)
  private let timers: Timers
  private var pieces: [Piece] = []
  private var isRead = false
  private var isStalled = false
  private var delay: UInt64 = 0
  private var wakeUp: Delay?
  private var ended: () -> Void = {}

  /// Pieces that wait at most; meanwhile nothing is read.
  private static let piecesLimit = 64
  private static let pieceBytes = 16 * 1024

  init(from source: RelayEnd, to sink: RelayEnd, on loop: EventLoop) {
    (self.source, self.sink) = (source, sink)
    timers = loop.timers
  }

  func begin(_ ended: @escaping () -> Void) {
    self.ended = ended
    source.readable = { [weak self] in self?.read() }
    sink.writable = { [weak self] in self?.write() }
    look()
  }

  func set(isStalled: Bool, delay: Int) {
    (self.isStalled, self.delay) = (isStalled, UInt64(clamping: delay))
    look()
  }

  private func look() {
    guard !isEnded else { return }
    source.wait(for: .read, !isRead && !isStalled && pieces.count < Self.piecesLimit)
    guard let first = pieces.first, !isStalled else {
      sink.wait(for: .write, false)
      return isRead && pieces.isEmpty ? end() : ()
    }
    let now = DispatchTime.now().milliseconds
    sink.wait(for: .write, first.due <= now)
    wakeUp =
      first.due > now
      ? Delay(milliseconds: Int(clamping: first.due - now), on: timers) { [weak self] in self?.look() } : nil
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
    switch buffer.withUnsafeMutableBytes({ source.socket.read(into: $0) }) {
    case .bytes(let count):
      pieces.append(
        Piece(bytes: buffer[..<count], due: DispatchTime.now().milliseconds + delay))
    case .wouldBlock: break
    case .ended: isRead = true
    }
    look()
  }

  private func write() {
    guard var piece = pieces.first else { return look() }
    switch piece.bytes.withUnsafeBytes({ sink.socket.write($0) }) {
    case .bytes(let count):
      piece.bytes = piece.bytes.dropFirst(count)
      if piece.bytes.isEmpty { pieces.removeFirst() } else { pieces[0] = piece }
    case .wouldBlock: break
    case .ended:
      // Nobody takes it any more.
      pieces = []
      isRead = true
    }
    look()
  }

  private func end() {
    isEnded = true
    source.wait(for: .read, false)
    sink.wait(for: .write, false)
    sink.socket.finishWriting()
    ended()
  }
}

extension EventLoop {
  /// Does something on the queue, now.
  fileprivate func perform<Success, Failure: Error>(
    _ body: () throws(Failure) -> Success
  ) throws(Failure) -> Success {
    try queue.sync { Result(catching: body) }.get()
  }
}

extension DispatchTime {
  fileprivate var milliseconds: UInt64 { uptimeNanoseconds / 1_000_000 }
}
