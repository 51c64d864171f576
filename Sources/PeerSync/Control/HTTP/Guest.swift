import Foundation
import PeerSync

/// A connection of which the head of a request is awaited, or which was refused.
///
/// The head is looked at and left where it is: the library then reads the very bytes that were checked. Who is refused gets
/// one answer from here. How long each may take, the watch knows, which ends their connections.
struct Guest {
  /// What has become of it.
  enum Outcome {
    /// It waits on.
    case stays
    /// The head is good; the request will have so many bytes.
    case admitted(bytes: UInt64)
    /// It ended, or will not be served any more.
    case gone
  }

  let descriptor: Int32
  private let watch: ConnectionWatch
  /// Nil once it was refused: then what comes is thrown away, until the other side has ended or was given time to read
  /// the answer. Closed with something unread, the connection would be reset, and the answer might be lost.
  private var check: HTTPHeadCheck? = HTTPHeadCheck()
  /// The system has told of bytes that were seen before: until then it is not asked about them.
  private var restsUntil: UInt64 = 0

  /// How long to wait before the system is asked again for what it could not give, in milliseconds.
  static let pauseMilliseconds: UInt64 = 20
  /// How much is thrown away at once, in bytes: more than the system keeps for a connection.
  private static let mostThrownAway = 8 * 1024 * 1024
  /// Of poll(2): the other side has ended. The macro is not imported.
  private static let pollEnd: Int16 = 0x2000

  init(descriptor: Int32, watch: ConnectionWatch) {
    self.descriptor = descriptor
    self.watch = watch
  }

  /// Waits until the head of a request is there, and blocks the thread until then.
  ///
  /// - Returns: how many bytes the request will have; nil: there will be none
  mutating func wait() -> UInt64? {
    while true {
      let now = ConnectionWatch.now
      var waits = pollfd(fd: descriptor, events: events(at: now), revents: 0)
      poll(&waits, 1, rests(at: now) ? Int32(Self.pauseMilliseconds) : -1)
      switch serve(waits.revents) {
      case .stays: continue
      case .admitted(let bytes): return bytes
      case .gone: return nil
      }
    }
  }

  func rests(at now: UInt64) -> Bool { restsUntil > now }

  /// What to ask poll(2) for.
  func events(at now: UInt64) -> Int16 {
    guard !rests(at: now) else { return 0 }
    return Int16(POLLIN) | Self.pollEnd | (check == nil ? 0 : Int16(POLLPRI))
  }

  /// Looks at what poll(2) has told.
  mutating func serve(_ events: Int16) -> Outcome {
    guard events != 0 else { return .stays }
    guard var check else { return throwAway(events) }
    guard events & Int16(POLLPRI) == 0 else {
      // Some readers take it for a part of the head, and others do not.
      let detail = Phrase("there is urgent data in the head", "헤더에 긴급 데이터가 있습니다")
      return refuse(Problem(.malformedRequest, detail), isHead: false)
    }
    let seen = check.seen
    var bytes = [UInt8](repeating: 0, count: HTTPHeadCheck.mostBytes)
    let transfer = bytes.withUnsafeMutableBytes { bytes in
      Socket.transfer { recv(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_PEEK)) }
    }
    guard case .bytes(let count) = transfer else { return transfer == .ended ? .gone : .stays }
    switch check.look(at: bytes[..<count]) {
    case .good(let size):
      Socket.wake(descriptor, from: 1)
      return .admitted(bytes: size)
    case .refused(let problem):
      return refuse(problem, isHead: bytes.starts(with: Array("HEAD ".utf8)))
    case .incomplete:
      self.check = check
      // Nothing follows, or nobody is awaited any more.
      guard events & ~Int16(POLLIN) == 0 else { return .gone }
      // Short of memory, the system does not wait for as much.
      if count == seen { restsUntil = ConnectionWatch.now + Self.pauseMilliseconds }
      Socket.wake(descriptor, from: count + 1)
      return .stays
    }
  }

  private func throwAway(_ events: Int16) -> Outcome {
    let transfer = Socket.transfer { recv(descriptor, nil, Self.mostThrownAway, Int32(MSG_TRUNC)) }
    return transfer == .ended || events & ~(Int16(POLLIN) | Self.pollEnd) != 0 ? .gone : .stays
  }

  private mutating func refuse(_ problem: Problem, isHead: Bool) -> Outcome {
    let answer = problem.response.refusal(withBody: !isHead)
    let sent = answer.withUnsafeBytes { bytes in
      Socket.transfer { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
    // Whoever has not taken the answers before this one does not get it.
    guard sent == .bytes(answer.count) else { return .gone }
    shutdown(descriptor, Int32(SHUT_WR))
    Socket.wake(descriptor, from: 1)
    watch.refused(descriptor)
    check = nil
    restsUntil = 0
    return .stays
  }
}
