/// The present as far as somebody vouches for it: the later of the wall clock and a floor that no clock can turn back
/// [B24].
///
/// A wall clock alone is not evidence, neither this device's nor a peer's, so that a clock that jumps ahead and is corrected leaves
/// nothing behind [B25]. What is vouched for is kept as bounds, one for each supplier:
///
/// - **the store**: the newest `signedDate` of a fact that counts here. In production Apple alone can sign one, and any is
///   believed. Elsewhere a simulated store signs, with the clock of some device: its date counts only as far as it leads
///   the time that this device has run since it was made by no more than ``Limits/simulatedLeadMilliseconds``. No such date
///   moves what the next one is measured against [F70].
/// - **a peer**: two clocks that agree. While the wall clocks of this device and a paired one differ by no more than
///   ``Limits/clockDriftMilliseconds``, the earlier of the two is evidence. Where they differ by more nobody can tell
///   which one is wrong, and neither counts. So a peer never carries the floor beyond this device's own clock.
///
/// The greatest bound is the floor. A peer's bound falls once two clocks that were wrong alike are put right
/// (``withdraw(_:at:)``), or a person says that this device's clock is right (``accept(at:)``) [F68].
///
/// Bounds move on with monotonic time, which does not run while a machine is off. So each is kept as its *origin*: what it
/// would be had the device not run at all. Origins stand still, and are compared without a clock.
package struct TrustedTime: Hashable, Sendable {
  /// Who vouches for a time.
  package enum Voucher: Hashable, Sendable {
    /// The store, by a fact that it signed then.
    case store(signed: Instant)
    /// A paired device, whose clock agreed with this one's.
    case peer(DeviceID)

    /// What answers call it.
    package var source: String {
      switch self {
      case .store: "store"
      case .peer: "peer"
      }
    }
  }

  /// A time that has been reached, and who says so.
  package struct Evidence: Hashable, Sendable {
    package let instant: Instant
    package let voucher: Voucher

    package init(instant: Instant, voucher: Voucher) {
      self.instant = instant
      self.voucher = voucher
    }
  }

  /// A peer's bound that fell, for the clocks that had made it say otherwise now.
  package struct Withdrawal: Hashable, Sendable {
    /// Whose bound it was.
    package let supplier: DeviceID
    /// Whose clock bears out the other two.
    package let witness: DeviceID
    /// By how many milliseconds the bound was ahead of what the clocks say.
    package let lead: Int64
  }

  private var kept: Persisted
  /// The greatest bound; nil while nobody has vouched for any time.
  private var floor: Persisted.Floor?
  /// Monotonic time of the first reading; nil before it.
  private var began: UInt64?
  /// Who belongs to the group besides this device; nil: nobody has said so since the start.
  private var members: Set<DeviceID>?

  package init(_ kept: Persisted = Persisted()) {
    self.kept = kept
    floor = kept.floor
  }

  /// Notes the first reading of the clocks after a start, from which monotonic time counts. Later ones change nothing.
  package mutating func begin(_ now: Now) {
    guard began == nil else { return }
    began = now.monotonic
    kept.made = kept.made ?? now.wall
  }

  /// What is to outlive a restart.
  package func persisted(at now: Now) -> Persisted {
    var kept = kept
    kept.ran = ran(at: now)
    return kept
  }

  /// See ``Persisted/fallen``.
  package var fallen: FallenBounds? {
    get { kept.fallen }
    set { kept.fallen = newValue }
  }

  /// Whether a person may have this device's clock count against what peers vouch for.
  package var mayAccept: Bool { kept.mayAccept }

  // MARK: What time it is

  /// The floor now; nil while nobody has vouched for any time.
  package func evidence(at now: Now) -> Evidence? {
    floor.map { Evidence(instant: instant(of: $0.origin, at: now), voucher: $0.voucher) }
  }

  /// What time it is, and who says so.
  package func reading(at now: Now) -> TimeReading {
    TimeReading(wall: now.wall, evidence: evidence(at: now), accepted: kept.accepted)
  }

  /// The latest time that bears out a stamp: by the wall clock, or vouched for by a peer, or by a store whose signatures are verified.
  package func borneOut(in environment: Environment, at now: Now) -> Instant {
    let bounds = kept.bounds.filter { bound in
      if case .store = bound.voucher { environment.requiresVerification } else { true }
    }
    return bounds.reduce(now.wall) { max($0, instant(of: $1.bound.origin, at: now)) }
  }

  /// When a person last accepted the device's clock, by that clock.
  package var accepted: Instant? { kept.accepted }

  /// Every bound and when it was vouched for last: by the store the date that it signed, by a peer the earlier of the two clocks
  /// then. The store's first, then those of peers by their ids.
  package func bounds(at now: Now) -> [(evidence: Evidence, vouched: Instant)] {
    kept.bounds.map { voucher, bound in
      (Evidence(instant: instant(of: bound.origin, at: now), voucher: voucher), bound.vouched)
    }
  }

  /// How long the device has run since it was made, in milliseconds.
  package func ran(at now: Now) -> Int64 {
    guard let began, now.monotonic > began else { return kept.ran }
    return kept.ran.addingClamped(Int64(clamping: now.monotonic - began))
  }

  private func instant(of origin: Int64, at now: Now) -> Instant {
    Instant(clamping: origin.addingClamped(ran(at: now)))
  }

  private func origin(of instant: Instant, at now: Now) -> Int64 {
    instant.milliseconds.subtractingClamped(ran(at: now))
  }

  // MARK: The store

  /// The last date of a store's fact that counts as evidence. No evidence moves it.
  package func storeLimit(in environment: Environment, at now: Now) -> Instant {
    guard !environment.requiresVerification else { return Instant(clamping: .max) }
    return (kept.made ?? now.wall).advanced(byMilliseconds: ran(at: now))
      .advanced(byMilliseconds: Limits.simulatedLeadMilliseconds)
  }

  /// Takes a date that the store has signed, one within ``storeLimit(in:at:)``.
  package mutating func note(signed date: Instant, at now: Now) {
    let bound = Bound(origin: origin(of: date, at: now), vouched: date)
    guard kept.store.map({ bound.origin > $0.origin }) ?? true else { return }
    kept.store = bound
    floor = kept.floor
  }

  // MARK: Peers

  /// Notes who belongs to the group besides this device. Who is new is no witness against what was vouched for before: a
  /// freshly paired device lowers nobody's bound. Who was a member before is not new, or whoever removes it for a moment would
  /// be rid of a witness.
  ///
  /// - Returns: whether that rests on something that has to be kept now
  package mutating func know(_ members: some Sequence<DeviceID>) -> Bool {
    let members = Set(members)
    self.members = members
    forgetFormer(but: members)
    let new = members.subtracting(kept.peers.map(\.device))
    guard !new.isEmpty else { return false }
    kept.peers += new.map { Peer(device: $0, since: floor?.origin) }
    kept.peers.sort { $0.device < $1.device }
    return floor != nil
  }

  /// Of those that were members ``Limits/membershipRecords`` are remembered: first who vouches for the latest time, and of those that
  /// vouch for nothing who was known first. So devices made up for it crowd out none that were there before them.
  private mutating func forgetFormer(but members: Set<DeviceID>) {
    let former = kept.peers.filter { !members.contains($0.device) }
    guard former.count > Limits.membershipRecords else { return }
    let ranked = former.sorted { left, right in
      (left.bound?.origin ?? .min, right.since ?? .min) > (right.bound?.origin ?? .min, left.since ?? .min)
    }
    let forgotten = Set(ranked.dropFirst(Limits.membershipRecords).map(\.device))
    kept.peers.removeAll { forgotten.contains($0.device) }
  }

  /// Takes note of the wall clock of a paired device, one that is known to belong to the group.
  ///
  /// - Returns: whether it agrees with this device's.
  @discardableResult package mutating func note(_ clock: Instant, of peer: DeviceID, at now: Now) -> Bool {
    guard Self.agree(clock, now.wall) else { return false }
    guard let index = kept.place(of: peer) else { return true }
    let earlier = min(clock, now.wall)
    var bound = Bound(origin: origin(of: earlier, at: now), vouched: earlier)
    if let known = kept.peers[index].bound {
      // An earlier time than it has vouched for does not count by itself.
      guard known.origin <= bound.origin.addingClamped(Limits.clockDriftMilliseconds) else { return true }
      bound.origin = max(bound.origin, known.origin)
    }
    kept.peers[index].bound = bound
    floor = kept.floor
    return true
  }

  /// Lowers the bounds of peers whose clocks were wrong and have been put right.
  ///
  /// A peer's bound falls to what its clock and this device's say now if these two and the clock of a witness agree on an earlier
  /// time. A witness is a member that vouches for nothing so late itself, and that was a member before anybody had vouched for
  /// it. So of devices that were wrong alike none is the witness of another, and what had been reached when a device came in it
  /// does not undo. Whoever is no member any more is not asked: this device's clock and a witness are enough, unless a person may not decide
  /// either.
  ///
  /// - Parameter clocks: the wall clocks of the members that this device is connected with
  package mutating func withdraw(_ clocks: [(device: DeviceID, wall: Instant)], at now: Now) -> [Withdrawal] {
    guard let floor, floor.origin > origin(of: now.wall, at: now) else { return [] }
    let clocks = clocks.filter { Self.agree($0.wall, now.wall) }.sorted { $0.device < $1.device }
    let gone = kept.peers.filter { $0.bound != nil && isGone($0.device) }.map(\.device)
    var withdrawals: [Withdrawal] = []
    for supplier in clocks.filter({ !gone.contains($0.device) }) + gone.map({ ($0, now.wall) }) {
      guard let bound = kept.place(of: supplier.device).flatMap({ kept.peers[$0].bound }) else { continue }
      let witness = clocks.first { isWitness($0, against: bound, of: supplier, at: now) }
      guard let witness else { continue }
      let lead = bound.origin.subtractingClamped(origin(of: min(supplier.wall, now.wall), at: now))
      withdrawals.append(Withdrawal(supplier: supplier.device, witness: witness.device, lead: lead))
    }
    // Only now: what a supplier had said until then makes it no witness.
    let fallen = Set(withdrawals.map(\.supplier))
    for index in kept.peers.indices where fallen.contains(kept.peers[index].device) {
      kept.peers[index].bound = nil
    }
    for (device, wall) in clocks where fallen.contains(device) { note(wall, of: device, at: now) }
    self.floor = kept.floor
    // Nobody came in after what nobody vouches for any more.
    if !withdrawals.isEmpty, let floor = self.floor { lowerSince(to: floor.origin) }
    return withdrawals
  }

  /// Whether a device is no member any more, and its bound may fall without it: only where a person could drop it as well, or
  /// whoever wants to turn the time back would remove a device for it.
  private func isGone(_ device: DeviceID) -> Bool { mayAccept && !(members?.contains(device) ?? true) }

  private mutating func lowerSince(to origin: Int64) {
    for index in kept.peers.indices {
      kept.peers[index].since = kept.peers[index].since.map { min($0, origin) }
    }
  }

  /// Whether one of these members could be the witness of a clock that is right, and of the floor's supplier.
  package func hasWitness(among members: [DeviceID], at now: Now) -> Bool {
    let latest = latest(now.wall, at: now)
    return members.compactMap(kept.place).map { kept.peers[$0] }.contains { peer in
      floor?.voucher != .peer(peer.device) && peer.latest.map { $0 <= latest } ?? true
    }
  }

  private func isWitness(
    _ witness: (device: DeviceID, wall: Instant), against bound: Bound,
    of supplier: (device: DeviceID, wall: Instant), at now: Now
  ) -> Bool {
    guard witness.device != supplier.device, Self.agree(witness.wall, supplier.wall),
      let index = kept.place(of: witness.device)
    else { return false }
    let latest = latest(min(witness.wall, supplier.wall, now.wall), at: now)
    return bound.origin > latest && kept.peers[index].latest.map { $0 <= latest } ?? true
  }

  /// The origin of the latest bound that clocks which say this agree with.
  private func latest(_ clock: Instant, at now: Now) -> Int64 {
    origin(of: clock, at: now).addingClamped(Limits.clockDriftMilliseconds)
  }

  /// Whether two clocks differ by no more than what is allowed.
  private static func agree(_ left: Instant, _ right: Instant) -> Bool {
    abs(left.milliseconds - right.milliseconds) <= Limits.clockDriftMilliseconds
  }

  // MARK: A person

  /// By how many milliseconds the latest that peers have vouched for is ahead of this device's clock; nil: it is not.
  package func leadOfPeers(at now: Now) -> Int64? {
    let present = origin(of: now.wall, at: now)
    let lead = kept.peers.compactMap(\.bound?.origin).max().map { $0.subtractingClamped(present) }
    return lead.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Drops what peers have vouched for: a person says that this device's clock is right. What the store signed stays.
  ///
  /// - Returns: by how many milliseconds the floor was ahead of the clock, at least 0
  package mutating func accept(at now: Now) -> Int64 {
    let present = origin(of: now.wall, at: now)
    let lead = (floor?.origin ?? present).subtractingClamped(present)
    for index in kept.peers.indices {
      kept.peers[index].bound = nil
    }
    lowerSince(to: present)
    kept.accepted = now.wall
    floor = kept.floor
    return max(lead, 0)
  }
}

extension Int64 {
  /// The sum, held at the ends of the range.
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, held at the ends of the range.
  func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}
