/// When something has to happen on a session unless something comes, on the monotonic clock.
package struct SessionTimes: Sendable {
  /// When the session is given up unless data flows.
  private let handshakeDeadline: UInt64
  /// When it is dead unless something comes.
  private var silenceDeadline: UInt64
  /// From when on it counts as a good one; nil before its welcome.
  private var provenAt: UInt64?
  /// When the peer was first asked for something that it has not answered with anything; nil: it owes no answer.
  private var wantingSince: UInt64?
  /// Whether that has left this device. What waits here for a slow peer is minded by its pace.
  private var isHandedOver = false
  /// When the next beat is due. Only the side that dialled beats; the other answers.
  private var nextBeat: UInt64?
  /// When the side that beats compares once more, because the two claimed the same and held something else.
  private var nextLook: UInt64?
  /// When the peer is told where this side stands, unless it has heard of it by then.
  var nextReport: UInt64?

  /// When the peer may be told where devices listen.
  private var tellings = Turns(atOnce: Limits.tellings, every: Limits.tellingMilliseconds)
  /// When it may be told of forks.
  private var forkTellings = Turns(atOnce: Limits.tellings, every: Limits.tellingMilliseconds)
  /// When it may be asked to compare because of what others have brought.
  private var askings = Turns(atOnce: Limits.askings, every: Limits.askingMilliseconds)
  /// Whether it is to be asked.
  private var owesProbe = false

  init(openedAt now: UInt64) {
    handshakeDeadline = now + Limits.handshakeMilliseconds
    silenceDeadline = now + Limits.silenceMilliseconds
  }

  /// Notes that something came: whoever sends anything lives.
  mutating func noteHeard(at now: UInt64) {
    silenceDeadline = now + Limits.silenceMilliseconds
    wantingSince = nil
    isHandedOver = false
  }

  /// Makes the peer prove that it lives, sooner than silence would.
  mutating func demandProof(at now: UInt64) {
    silenceDeadline = min(silenceDeadline, now + Limits.proofMilliseconds)
  }

  /// Notes that this side beats, and when it does so again.
  mutating func noteBeat(next: UInt64) { (nextBeat, nextLook) = (next, nil) }

  /// Has the side that beats do so once more by then.
  mutating func lookAgain(by time: UInt64) { if nextBeat != nil { nextLook = nextLook ?? time } }

  /// Notes that there is no difference any more.
  mutating func noteAlike() { nextLook = nil }

  /// Notes that something is sent that the peer has to answer.
  mutating func noteWanting(at now: UInt64) { wantingSince = wantingSince ?? now }

  /// Notes that everything has been handed to the system: from here on it is the peer's turn.
  mutating func noteHandedOver(at now: UInt64) {
    guard wantingSince != nil, !isHandedOver else { return }
    wantingSince = now
    isHandedOver = true
  }

  /// When the peer is dead unless it says something.
  private var deathDeadline: UInt64 {
    guard isHandedOver, let wantingSince else { return silenceDeadline }
    return min(silenceDeadline, wantingSince + Limits.answerMilliseconds)
  }

  /// Notes that data flows from now on.
  mutating func noteReady(at now: UInt64, nextBeat: UInt64?) {
    provenAt = now + Limits.provenMilliseconds
    self.nextBeat = nextBeat
  }

  /// Takes note that there is something to tell of where devices listen.
  ///
  /// - Returns: whether the peer may be told now
  mutating func tell(at now: UInt64, hasRoom: Bool) -> Bool { tellings.take(at: now, hasRoom: hasRoom) }

  /// Takes note that there is evidence of forks to tell.
  ///
  /// - Returns: whether the peer may be told now
  mutating func tellForks(at now: UInt64, hasRoom: Bool) -> Bool {
    forkTellings.take(at: now, hasRoom: hasRoom)
  }

  /// Notes that the peer is to be asked to compare, once it may.
  mutating func oweProbe() { owesProbe = true }

  /// Takes note of that the peer is to be asked.
  ///
  /// - Returns: whether it is asked now
  mutating func ask(at now: UInt64) -> Bool { owesProbe && askings.take(at: now) }

  /// Notes that the peer is asked, for whatever reason.
  mutating func noteProbe() {
    owesProbe = false
    askings.forgo()
  }

  func isSilent(at now: UInt64) -> Bool { deathDeadline <= now }
  func isBeatDue(at now: UInt64) -> Bool { min(nextBeat ?? .max, nextLook ?? .max) <= now }
  func isReportDue(at now: UInt64) -> Bool { nextReport.map { $0 <= now } ?? false }
  /// Whether data has flowed.
  var wasReady: Bool { provenAt != nil }
  func isProven(at now: UInt64) -> Bool { provenAt.map { $0 <= now } ?? false }

  /// When something has to happen next.
  func deadline(isReady: Bool) -> UInt64 {
    guard isReady else { return handshakeDeadline }
    let next = [nextBeat, nextLook, nextReport, tellings.next, forkTellings.next, askings.next].compactMap(
      \.self
    ).min()
    return min(deathDeadline, next ?? .max)
  }
}
