/// When something has to happen on a session unless something comes, on the monotonic clock.
struct SessionTimes: Sendable {
  /// When the session is given up unless data flows.
  private let handshakeDeadline: UInt64
  /// When it is dead unless something comes.
  private var silenceDeadline: UInt64
  /// From when on it counts as a good one; nil before its welcome.
  private var provenAt: UInt64?
  /// When the next beat is due. Only the side that dialled beats; the other answers.
  var nextBeat: UInt64?

  init(openedAt now: UInt64) {
    handshakeDeadline = now + Limits.handshakeMilliseconds
    silenceDeadline = now + Limits.silenceMilliseconds
  }

  /// Notes that something came.
  mutating func noteHeard(at now: UInt64) { silenceDeadline = now + Limits.silenceMilliseconds }

  /// Makes the peer prove that it lives, sooner than silence would.
  mutating func demandProof(at now: UInt64) {
    silenceDeadline = min(silenceDeadline, now + Limits.handshakeMilliseconds)
  }

  /// Notes that data flows from now on.
  mutating func noteReady(at now: UInt64, nextBeat: UInt64?) {
    provenAt = now + Limits.provenMilliseconds
    self.nextBeat = nextBeat
  }

  func isSilent(at now: UInt64) -> Bool { silenceDeadline <= now }
  func isProven(at now: UInt64) -> Bool { provenAt.map { $0 <= now } ?? false }

  /// When something has to happen next.
  func deadline(isReady: Bool) -> UInt64 {
    isReady ? min(silenceDeadline, nextBeat ?? .max) : handshakeDeadline
  }
}
