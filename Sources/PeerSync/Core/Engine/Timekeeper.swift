/// Keeps the time of a device: what is vouched for, when that is to be made durable, when somebody has set the clock, and what
/// has happened to the time since the start. A value that knows no session and no store: the engine tells it what they say.
package struct Timekeeper: Sendable {
  /// What time it is, and who vouches for it.
  package var trusted: TrustedTime
  /// When the floor is next kept and the store's dates are looked at, on the monotonic clock; nil before the first reading.
  package private(set) var nextCheck: UInt64?
  /// Writes that were stamped anew since the engine started.
  package var stampedAnew = 0
  /// What others had decided and two clocks found stamped ahead, so that it left the registers, since the engine started: of each
  /// author the last.
  package private(set) var takenOut: [ReplicaID: (dot: Dot, stamp: Stamp)] = [:]
  /// Bounds that fell since the engine started: the last of each supplier, in the order in which they did.
  package private(set) var withdrawals: [TrustedTime.Withdrawal] = []
  /// The clocks when they were last read.
  private var last: Now?
  /// The floor and the running time as they were last handed out to be kept.
  private var persistedFloor: Instant?
  private var persistedRan: Int64
  /// Whether something has changed that does not wait.
  private var hasNews = false

  package init(_ kept: TrustedTime.Persisted) {
    trusted = TrustedTime(kept)
    persistedFloor = kept.evidence?.instant
    persistedRan = kept.ran
  }

  // MARK: Clocks

  /// Reads the clocks.
  ///
  /// - Returns: by how much somebody has set the wall clock since they were read last, if that is more than the drift allowed
  package mutating func read(_ now: Now) -> Int64? {
    trusted.begin(now)
    defer { last = now }
    guard let last else {
      nextCheck = now.monotonic + Limits.timeKeptMilliseconds
      return nil
    }
    let passed = Int64(clamping: now.monotonic) - Int64(clamping: last.monotonic)
    let jump = now.wall.milliseconds - last.wall.milliseconds - passed
    return abs(jump) > Limits.clockDriftMilliseconds ? jump : nil
  }

  /// Whether the store's dates are to be looked at: asked once when they are.
  package mutating func takeCheck(_ now: Now) -> Bool {
    guard let check = nextCheck, check <= now.monotonic else { return false }
    nextCheck = now.monotonic + Limits.timeKeptMilliseconds
    return true
  }

  // MARK: Bounds

  /// See ``TrustedTime/know(_:)``.
  package mutating func know(_ members: some Sequence<DeviceID>) {
    if trusted.know(members) { hasNews = true }
  }

  /// See ``TrustedTime/withdraw(_:at:)``.
  ///
  /// - Parameter last: the last write of this device
  package mutating func withdraw(
    _ clocks: [(device: DeviceID, wall: Instant)], after last: Dot, at now: Now
  ) -> [TrustedTime.Withdrawal] {
    let fallen = trusted.withdraw(clocks, at: now)
    guard !fallen.isEmpty else { return [] }
    hasNews = true
    withdrawals.removeAll { before in fallen.contains { $0.supplier == before.supplier } }
    withdrawals += fallen
    trusted.fallen = fallen.map(\.lead).max().map { FallenBounds(lead: $0, last: last, fell: now.wall) }
    return fallen
  }

  /// See ``TrustedTime/accept(at:)``.
  ///
  /// - Parameter last: the last write of this device
  package mutating func accept(after last: Dot, at now: Now) -> Int64 {
    hasNews = true
    // What a store has signed says nothing of the clock that made a stamp.
    if let lead = trusted.leadOfPeers(at: now) {
      trusted.fallen = FallenBounds(lead: lead, last: last, fell: now.wall)
    }
    return trusted.accept(at: now)
  }

  /// Notes what left the registers.
  package mutating func note(takenOut ahead: [Write]) {
    for write in ahead where takenOut[write.dot.replica].map({ $0.dot.sequence < write.dot.sequence }) ?? true
    {
      takenOut[write.dot.replica] = (write.dot, write.stamp)
    }
  }

  // MARK: Keeping

  /// What is to be made durable now; nil: nothing.
  ///
  /// - Parameter isAlongside: whether there is a transaction anyway
  package mutating func takeToKeep(at now: Now, isAlongside: Bool) -> TrustedTime.Persisted? {
    let floor = trusted.evidence(at: now)?.instant
    guard hasNews || isDue(floor, at: now, isAlongside: isAlongside) else { return nil }
    let kept = trusted.persisted(at: now)
    hasNews = false
    persistedFloor = floor
    persistedRan = kept.ran
    // Without a floor the dates of the store are looked at as planned: they may give one.
    if floor != nil { nextCheck = now.monotonic + Limits.timeKeptMilliseconds }
    return kept
  }

  private func isDue(_ floor: Instant?, at now: Now, isAlongside: Bool) -> Bool {
    let least = isAlongside ? Limits.timeKeptAlongMilliseconds : Limits.timeKeptMilliseconds
    guard let floor else {
      // The running time alone wakes no disk.
      return isAlongside && UInt64(clamping: trusted.ran(at: now) - persistedRan) >= least
    }
    return persistedFloor.map { UInt64(clamping: floor.milliseconds - $0.milliseconds) >= least } ?? true
  }
}
