import CMicroHTTPD
import Foundation

/// Ends connections of the control API that take too long to say what they want.
///
/// The library counts idleness anew with each byte that comes, so that a client which sends one now and then could keep a
/// connection, and its thread, for ever. Here time runs from the last answer: a request has to be there, and its body
/// has to come at a certain pace. And when all connections are taken, a new one takes the place of the one that has
/// waited longest for its request to come.
final class ConnectionWatch: Sendable {
  private struct State {
    var connections: [UInt: (socket: Int32, phase: ConnectionPhase, turn: UInt64)] = [:]
    /// Counts the phases that have begun: many do in one millisecond.
    var turn: UInt64 = 0
    var isTicking = false
  }

  private let state = Guarded(State())
  private let queue = DispatchQueue(label: "control API watch")
  /// Connections that there can be.
  let most: Int

  private static let tickMilliseconds = 1_000

  /// Most connections of the library: more, so that those which have been ended have the time to go.
  var mostWithEnding: Int { most + max(most / 2, 4) }

  init(most: Int) { self.most = most }

  /// How many connections there are.
  var count: Int { state.withLock { $0.connections.count } }

  func began(_ connection: OpaquePointer) {
    makeRoom()
    set(connection, socket: peersync_mhd_socket(connection), .waiting(since: Self.now))
  }

  /// The one that has waited longest goes; when none waits, and all are served, the new one will be beyond the limit of
  /// the library some time.
  private func makeRoom() {
    state.withLock { state in
      guard state.connections.values.count(where: { !$0.phase.isCut }) >= most else { return }
      let waiting = state.connections.filter { $0.value.phase.isWaiting }
      guard let longest = waiting.min(by: { $0.value.turn < $1.value.turn }) else { return }
      state.connections[longest.key]?.phase = .cut
      shutdown(longest.value.socket, Int32(SHUT_RDWR))
    }
  }

  /// The head of a request is there.
  func receiving(_ connection: OpaquePointer) { set(connection, .receiving(since: Self.now, bytes: 0)) }

  func received(_ connection: OpaquePointer, bytes: Int) {
    state.withLock { state in
      guard case .receiving(let since, let before)? = state.connections[Self.name(connection)]?.phase else {
        return
      }
      state.connections[Self.name(connection)]?.phase = .receiving(since: since, bytes: before + bytes)
    }
  }

  func answering(_ connection: OpaquePointer) { set(connection, .answering) }

  /// A request has been answered, or has ended otherwise.
  func answered(_ connection: OpaquePointer) { set(connection, .waiting(since: Self.now)) }

  /// The library is about to close the socket: it is not touched any more.
  func ended(_ connection: OpaquePointer) {
    state.withLock { $0.connections[Self.name(connection)] = nil }
  }

  private func set(_ connection: OpaquePointer, socket: Int32? = nil, _ phase: ConnectionPhase) {
    let begins = state.withLock { state in
      let name = Self.name(connection)
      let known = state.connections[name]
      guard let socket = socket ?? known?.socket, known?.phase.isCut != true else { return false }
      state.turn += 1
      state.connections[name] = (socket, phase, state.turn)
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
      for (name, entry) in state.connections where entry.phase.isOverdue(at: now) {
        state.connections[name]?.phase = .cut
        shutdown(entry.socket, Int32(SHUT_RDWR))
      }
      state.isTicking = state.connections.values.contains { $0.phase.isAwaited }
      return state.isTicking
    }
    if goesOn { scheduleTick() }
  }

  private static func name(_ connection: OpaquePointer) -> UInt { UInt(bitPattern: connection) }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }
}

/// What a connection of the control API is about, and since when; times in milliseconds of one clock.
package enum ConnectionPhase: Sendable {
  /// No request is there yet, since then.
  case waiting(since: UInt64)
  /// A body is coming, since then; so many bytes of it are here.
  case receiving(since: UInt64, bytes: Int)
  /// The answer is being made or sent.
  case answering
  /// It has been ended; the library will notice.
  case cut

  /// Whether a request is awaited.
  var isWaiting: Bool { if case .waiting = self { true } else { false } }
  var isCut: Bool { if case .cut = self { true } else { false } }
  /// Whether time runs.
  var isAwaited: Bool {
    switch self {
    case .waiting, .receiving: true
    case .answering, .cut: false
    }
  }

  /// Whether the client has taken longer than it may. A phase may have begun just after `now` was looked at.
  package func isOverdue(at now: UInt64) -> Bool {
    switch self {
    case .waiting(let since): now > since + UInt64(HTTPLimits.idleSeconds) * 1000
    case .receiving(let since, let bytes):
      now > since + HTTPLimits.bodyMilliseconds + UInt64(bytes) / HTTPLimits.bodyBytesPerMillisecond
    case .answering, .cut: false
    }
  }
}
