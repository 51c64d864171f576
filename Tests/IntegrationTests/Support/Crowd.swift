import Foundation
import PeerSync
import Testing

/// Clients that come to daemons and go, one after another on each of several threads.
final class Crowd: Sendable {
  /// What they do.
  enum Kind: CaseIterable {
    /// Closes at once.
    case close
    /// Breaks off, as a lost machine does.
    case reset
    /// Half of the first message of a handshake, and off.
    case halfHello
    /// No handshake at all.
    case garbage
    /// A handshake with a key that nobody knows.
    case stranger
    /// A handshake with the key of a removed device.
    case removed
    /// A member's session that breaks in the middle of a message.
    case session
    /// The control API: half a request, an answer, an event stream; and off.
    case api
  }

  private struct Door: Sendable {
    let peers: String
    let api: String
    let token: String
  }

  private struct State {
    var come = 0
    var met: [Kind: Int] = [:]
  }

  private let doors: [Door]
  private let stranger: DeviceKey
  private let removed: StolenMember
  private let member: StolenMember
  /// Counts the member's sessions: one at a time, and a later one stands for the device.
  private let bootID = Guarded<UInt64>(0)
  private let state = Guarded(State())

  /// How many come to a soak; PEERSYNC_SOAK in the environment says otherwise.
  static let size = ProcessInfo.processInfo.environment["PEERSYNC_SOAK"].flatMap { Int($0) } ?? 5_000

  private static let threads = 4
  private static let step = 100
  /// After so many it is told how far they are.
  private static let told = 10_000

  init(at devices: [PeerdProcess], removed: StolenMember, member: StolenMember) async throws {
    doors = try devices.map { device in
      let ready = try #require(device.ready)
      return Door(
        peers: try #require(ready.listen), api: String(ready.http.dropFirst("http://".count)),
        token: try DataDirectory(device.data).readControlFile().token)
    }
    stranger = try .generate()
    (self.removed, self.member) = (removed, member)
  }

  /// So many come and go, beside a few that say nothing until they are cut.
  ///
  /// - Returns: tells each time that some more have gone, and ends with the last
  func come(_ count: Int) -> AsyncThrowingStream<Void, any Error> {
    let (steps, stepping) = AsyncThrowingStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    Task {
      do {
        try await comeAndGo(count) { stepping.yield() }
        stepping.finish()
      } catch { stepping.finish(throwing: error) }
    }
    return steps
  }

  private func comeAndGo(_ count: Int, _ step: @escaping @Sendable () -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, door) in doors.enumerated() {
        let silent = try RawConnection(to: door.peers, from: "127.0.5.\(number + 2)")
        group.addTask {
          let answer = try await silent.readToEnd()
          #expect(answer != nil, "a silent one was not cut")
        }
      }
      for thread in 0..<Self.threads {
        group.addTask {
          try await onThread {
            for number in stride(from: thread, to: count, by: Self.threads) {
              try self.come(number, thread)
              if number.isMultiple(of: Self.step) { step() }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// They came as far as they should, but for a few that found too many at the door.
  func expectMet() {
    let (come, met) = state.withLock { ($0.come, $0.met) }
    for kind in Kind.allCases {
      #expect(met[kind, default: 0] * Kind.allCases.count > come * 9 / 10, "\(kind) of \(come): \(met)")
    }
  }

  private func come(_ number: Int, _ thread: Int) throws {
    let turn = number / Self.threads
    let kind = Kind.allCases[(turn + thread) % Kind.allCases.count]
    let door = doors[turn / Kind.allCases.count % doors.count]
    let isMet = try come(kind, to: door, from: "127.0.4.\(2 + 50 * thread + turn % 50)", turn)
    let come = state.withLock { state in
      state.come += 1
      if isMet { state.met[kind, default: 0] += 1 }
      return state.come
    }
    if come.isMultiple(of: Self.told) { print("soak: \(come) have come and gone") }
  }

  /// - Returns: whether it came as far as it should
  private func come(_ kind: Kind, to door: Door, from source: String, _ turn: Int) throws -> Bool {
    switch kind {
    case .close: _ = try RawConnection(to: door.peers, from: source)
    case .reset: try RawConnection(to: door.peers, from: source).reset()
    case .halfHello:
      let hello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] + [UInt8](repeating: 7, count: 200)
      try RawConnection(to: door.peers, from: source).send(hello)
    case .garbage:
      let connection = try RawConnection(to: door.peers, from: source)
      connection.send([UInt8](repeating: 0xff, count: 2_000))
      while try connection.receive() != nil {}
    case .stranger: return try isTurnedAway(MemberConnection(to: door.peers, key: stranger, from: source))
    case .removed: return try isTurnedAway(removed.handshake(with: door.peers, from: source))
    case .session: try breakSession(with: door)
    case .api: return try ask(door, turn)
    }
    return true
  }

  /// Whether it came to a handshake, after which it heard nothing.
  private func isTurnedAway(_ connection: MemberConnection) throws -> Bool {
    try connection.next() == nil && connection.isEstablished
  }

  private func breakSession(with door: Door) throws {
    try bootID.withLock { bootID in
      bootID += 1
      let connection = try member.session(with: door.peers, bootID: bootID)
      connection.send([0, 0, 0x10, 0, 5, 1, 2, 3])
      connection.reset()
    }
  }

  private func ask(_ door: Door, _ turn: Int) throws -> Bool {
    let connection = try RawConnection(to: door.api)
    let path = turn.isMultiple(of: 2) ? "status" : "events"
    let head = "GET /v1/\(path) HTTP/1.1\r\nHost: \(door.api)\r\nAuthorization: Bearer \(door.token)\r\n"
    connection.send(Array(head.utf8))
    if turn.isMultiple(of: 3) { return true }
    connection.send(Array("\r\n".utf8))
    return try connection.receive()?.starts(with: Array("HTTP/1.1 200".utf8)) == true
  }
}
