import Foundation
import PeerSync

/// Ends connections of the control API that take too long to say what they want.
///
/// Were idleness counted anew with each byte that comes, a client which sends one now and then could keep a connection for
/// ever. Here time runs from the beginning: the head of the request has to be there, and its body has to come at a certain
/// pace, as its answer has to be read. And when all connections are taken, a new one takes the place of the one that has waited
/// longest for its request to come, or to have read what anybody may read; or else of the body that has been on its way longest, unless it comes
/// quickly; or else of the stream of events that began first, which its client takes up again.
final class ConnectionWatch: Sendable {
  private struct Entry {
    var phase: ConnectionPhase
    var turn: UInt64
    /// Bytes of all its requests so far.
    var requested: UInt64 = 0
  }

  private struct State {
    /// By their sockets.
    var connections: [Int32: Entry] = [:]
    /// Counts the phases that have begun: many do in one millisecond.
    var turn: UInt64 = 0
    var isTicking = false

    /// How many have not been ended.
    var alive: Int { connections.values.count { !$0.phase.isCut } }

    /// The socket whose phase began first, of those that are so.
    func first(where isSo: (ConnectionPhase) -> Bool) -> Int32? {
      connections.filter { isSo($0.value.phase) }.min { $0.value.turn < $1.value.turn }?.key
    }
  }

  private let state = Guarded(State())
  private let queue = DispatchQueue(label: "control API watch")
  /// Connections that there can be.
  let most: Int
  /// How long one may wait for a request to come, in milliseconds.
  private let idle: UInt64
  private let body: UInt64

  private static let tickMilliseconds = 1_000

  /// Most connections with those that have been ended and need a moment to go, which is also the limit of the library.
  var mostWithEnding: Int { most + max(most / 2, 4) }

  init(most: Int, idleSeconds: UInt32, bodyMilliseconds: UInt64) {
    self.most = most
    (idle, body) = (UInt64(idleSeconds) * 1000, bodyMilliseconds)
  }

  /// How many connections there are.
  var count: Int { state.withLock { $0.connections.count } }

  func began(_ socket: Int32) {
    makeRoom()
    set(socket, .waiting(since: Self.now), isNew: true)
  }

  /// The one that has waited or read longest goes, else the oldest of the slow bodies, else the oldest stream; when there is none, and all
  /// are served, the new one will be beyond the limit some time.
  private func makeRoom() {
    state.withLock { state in
      guard state.alive >= most else { return }
      let now = Self.now
      let longest =
        state.first { $0.mayGo } ?? state.first { $0.isSlow(at: now) } ?? state.first { $0.isStream }
      guard let longest else { return }
      state.connections[longest]?.phase = .cut
      Socket.end(longest)
    }
  }

  /// The head of a request is there, which will have so many bytes.
  func receiving(_ socket: Int32, requested bytes: UInt64) {
    set(socket, .receiving(since: Self.now, bytes: 0))
    state.withLock { $0.connections[socket]?.requested &+= bytes }
  }

  /// How many bytes its requests have, taken together.
  func requested(_ socket: Int32) -> UInt64 { state.withLock { $0.connections[socket]?.requested } ?? 0 }

  /// Its request was answered: another may come.
  func waiting(_ socket: Int32) { set(socket, .waiting(since: Self.now)) }

  func received(_ socket: Int32, bytes: Int) {
    state.withLock { state in
      guard case .receiving(let since, let before)? = state.connections[socket]?.phase else { return }
      state.connections[socket]?.phase = .receiving(since: since, bytes: before + bytes)
    }
  }

  func answering(_ socket: Int32) { set(socket, .answering) }

  /// Events are sent from now on.
  func streaming(_ socket: Int32) { set(socket, .streaming) }

  /// Its answer is there, and as long as that.
  ///
  /// - Parameter isOpen: whether anybody may read it
  func sending(_ socket: Int32, bytes: Int, isOpen: Bool) {
    set(socket, .sending(since: Self.now, bytes: bytes, isOpen: isOpen))
  }

  /// Its head was refused, and the answer to that sent.
  func refused(_ socket: Int32) { set(socket, .refused(since: Self.now)) }

  /// The socket is about to be closed: it is not touched any more.
  func ended(_ socket: Int32) { state.withLock { $0.connections[socket] = nil } }

  private func set(_ socket: Int32, _ phase: ConnectionPhase, isNew: Bool = false) {
    let begins = state.withLock { state in
      guard isNew || state.connections[socket]?.phase.isCut == false else { return false }
      state.turn += 1
      state.connections[socket, default: Entry(phase: phase, turn: 0)].phase = phase
      state.connections[socket]?.turn = state.turn
      guard phase.isAwaited, !state.isTicking else { return false }
      state.isTicking = true
      return true
    }
    if begins { scheduleTick() }
  }

  private func scheduleTick() {
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.tickMilliseconds)) { [weak self] in self?.tick() }
  }

  /// Wakes up only as long as somebody is awaited.
  private func tick() {
    let now = Self.now
    let goesOn = state.withLock { state in
      // Those that come now could not be taken before long: see ``makeRoom()``.
      let isCrowded = state.alive > most
      for (socket, entry) in state.connections
      where entry.phase.isOverdue(at: now, idle: idle, body: body)
        || isCrowded && entry.phase.isSlow(at: now)
      {
        state.connections[socket]?.phase = .cut
        Socket.end(socket)
      }
      state.isTicking = state.connections.values.contains { $0.phase.isAwaited }
      return state.isTicking
    }
    if goesOn { scheduleTick() }
  }

  /// Milliseconds of the clock that phases are measured with.
  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }
}

/// What a connection of the control API is about, and since when; times in milliseconds of one clock.
package enum ConnectionPhase: Sendable {
  /// No request is there yet, since then.
  case waiting(since: UInt64)
  /// A body is coming, since then; so many bytes of it are here.
  case receiving(since: UInt64, bytes: Int)
  /// It was told so and will not be served, since then.
  case refused(since: UInt64)
  /// The answer is being made.
  case answering
  /// Events are sent.
  case streaming
  /// An answer of so many bytes is being sent, since then. What is open may be read by anybody.
  case sending(since: UInt64, bytes: Int, isOpen: Bool)
  /// It has been ended; who reads from it will notice.
  case cut

  /// Whether it may go for another: no request has come, none that will be answered, or one that anybody may make.
  package var mayGo: Bool {
    switch self {
    case .waiting, .refused: true
    case .sending(_, _, let isOpen): isOpen
    case .receiving, .answering, .streaming, .cut: false
    }
  }
  /// Whether a body is coming that goes where others want its place.
  package func isSlow(at now: UInt64) -> Bool {
    guard case .receiving(let since, let bytes) = self else { return false }
    return now > since + HTTPLimits.crowdedBodyMilliseconds
      + UInt64(bytes) / HTTPLimits.bodyBytesPerMillisecond
  }
  var isStream: Bool { if case .streaming = self { true } else { false } }
  var isCut: Bool { if case .cut = self { true } else { false } }
  /// Whether time runs.
  var isAwaited: Bool {
    switch self {
    case .waiting, .receiving, .refused, .sending: true
    case .answering, .streaming, .cut: false
    }
  }

  /// Whether the client has taken longer than it may. A phase may have begun just after `now` was looked at.
  ///
  /// - Parameters:
  ///   - idle: how long it may wait for a request to come
  ///   - body: how long a body may take, besides the time for its bytes
  package func isOverdue(
    at now: UInt64, idle: UInt64, body: UInt64 = HTTPLimits.bodyMilliseconds
  ) -> Bool {
    switch self {
    case .waiting(let since): now > since + idle
    case .receiving(let since, let bytes), .sending(let since, let bytes, _):
      now > since + body + UInt64(bytes) / HTTPLimits.bodyBytesPerMillisecond
    case .refused(let since): now > since + HTTPLimits.refusedMilliseconds
    case .answering, .streaming, .cut: false
    }
  }
}
