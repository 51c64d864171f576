/// What one side of a session knows of the other's clock, and what each does not count yet of what the other sent.
package struct PeerClock: Hashable, Sendable {
  /// By how many milliseconds the peer's wall clock is ahead of this device's; nil until it was measured.
  private(set) var skew: Int64?
  /// When it was last measured, on the monotonic clock.
  private var measured: UInt64?
  /// When the question was asked that waits for an answer, on the monotonic clock.
  private(set) var asked: UInt64?
  /// Questions asked on this session.
  private(set) var questions: UInt64 = 0
  /// What of the peer's last messages does not count here yet.
  private(set) var heldBackHere: HeldBack?
  /// When the peer was last told of such, on the monotonic clock.
  private var toldHeldBack: UInt64?
  /// What of this device's own decisions the peer does not count yet.
  var heldBackThere: HeldBack?

  /// A measurement that differs by less is the same: nobody need hear of it.
  private static let resolution: Int64 = 1000

  /// Whether the peer's clock was measured and differs by more than the drift that is allowed.
  var differs: Bool { skew.map { abs($0) > Limits.clockDriftMilliseconds } ?? false }

  /// Whether to ask at a beat: now and then, and every time while the clocks differ.
  func isDue(at monotonic: UInt64) -> Bool { differs || isOld(at: monotonic) }

  private func isOld(at monotonic: UInt64) -> Bool {
    measured.map { monotonic >= $0 + Limits.peerClockMilliseconds } ?? true
  }

  /// Whether to ask back when the peer asks and tells what its clock says. Not merely because the clocks differ: or two
  /// devices would ask each other without end.
  func isDue(onHearing wall: Instant, at now: Now) -> Bool {
    !isWaiting(at: now.monotonic) && (isOld(at: now.monotonic) || isNews(wall, at: now))
  }

  /// Whether a question waits for its answer.
  private func isWaiting(at monotonic: UInt64) -> Bool {
    asked.map { monotonic < $0 + Limits.clockAnswerMilliseconds } ?? false
  }

  /// Notes that the peer is asked now.
  ///
  /// - Returns: the number of the question.
  mutating func ask(at monotonic: UInt64) -> UInt64 {
    asked = monotonic
    questions += 1
    return questions
  }

  /// Takes the answer to the last question, as NTP does (RFC 5905, section 8): the peer's clock was read halfway between
  /// the question and the answer.
  ///
  /// - Returns: what the peer's wall clock says now; nil for an answer to another question, or one that took too long.
  mutating func take(_ answer: ClockReading, at now: Now) -> Instant? {
    guard let asked, answer.question == questions, now.monotonic >= asked else { return nil }
    self.asked = nil
    let roundTrip = now.monotonic - asked
    guard roundTrip <= Limits.clockAnswerMilliseconds else { return nil }
    let wall = answer.wall.advanced(byMilliseconds: Int64(roundTrip / 2))
    let skew = wall.milliseconds - now.wall.milliseconds
    if self.skew.map({ abs($0 - skew) >= Self.resolution }) ?? true { self.skew = skew }
    measured = now.monotonic
    return wall
  }

  /// Notes what is held back.
  ///
  /// - Returns: whether to tell the peer
  mutating func holdBack(_ held: HeldBack, at monotonic: UInt64) -> Bool {
    heldBackHere = held
    if let told = toldHeldBack, monotonic < told + Limits.heldBackToldMilliseconds { return false }
    toldHeldBack = monotonic
    return true
  }

  /// Notes that the peer has nothing that is not here.
  ///
  /// - Returns: whether something was held back until now
  mutating func endHoldingBack() -> Bool {
    defer { heldBackHere = nil }
    return heldBackHere != nil
  }

  /// Notes that this device's own clock was set.
  mutating func shift(by milliseconds: Int64) { skew = skew.map { $0 - milliseconds } }

  /// Whether a clock that the peer tells of is another one than was measured.
  private func isNews(_ wall: Instant, at now: Now) -> Bool {
    guard let skew else { return true }
    return abs(wall.milliseconds - now.wall.milliseconds - skew) > Limits.clockDriftMilliseconds
  }
}
