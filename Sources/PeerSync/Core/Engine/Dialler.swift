/// Which addresses to dial, and when: with back-off that doubles, and jitter, so that devices that lost each other at
/// the same moment do not all come back at the same moment.
///
/// The addresses of one device are dialled side by side, each with a short lead before the next (RFC 8305): the first that stands
/// is kept.
///
/// Several devices may be said to be at one address, for anybody may say so: each keeps its claim to it, whatever becomes of the others'.
///
/// Where a device said itself that it is, or is seen to be, goes before what others tell of it, which is hearsay: somebody may listen there who
/// passes on what both say for as long as it likes, and then holds it. However many addresses are told, so many dials are made for a device.
struct Dialler: Sendable {
  private var targets: [Address: Target] = [:]
  private var courses: [DeviceID: Course] = [:]
  /// Whether this device was removed.
  private var isOut = false
  /// Who was removed; all others where this device was. They are dialled no more, but for this.
  private var removed: Set<DeviceID> = []
  /// Those of them that have yet to be shown the records by which they are out. They may not have heard, and may take this device for
  /// removed.
  private var unaware: Set<DeviceID> = []
  /// When a device that is out shows all others again what it knows.
  private var askAgain: UInt64?

  /// How the dials for one device go, whatever the address.
  private struct Course {
    /// Until when another address waits for the one that was dialled last.
    var lead: UInt64 = 0
    /// How many dials may still be made: see ``Limits/dials``.
    var budget = TokenBucket(capacity: Limits.dials * Limits.dialMilliseconds, perMillisecond: 1)
    /// Sessions in a row that have ended before they were good ones.
    var breaks: UInt64 = 0

    /// When the next dial may be made.
    var next: UInt64 { max(lead, budget.time(of: Limits.dialMilliseconds)) }

    /// Takes note of a dial, if it may be made now.
    mutating func begin(at now: UInt64) -> Bool {
      guard lead <= now, budget.take(Limits.dialMilliseconds, now: now) else { return false }
      lead = now + Limits.dialLeadMilliseconds
      return true
    }
  }

  /// How far a device has been reached by now.
  enum Reach: Comparable {
    case none
    /// A handshake is under way at an address that others tell.
    case byHearsay
    /// Data flows, or a handshake is under way where the device itself says that it is.
    case settled
  }

  private struct Target {
    var isStatic: Bool
    /// The devices that are said to be there.
    var claims: [DeviceID: Claim] = [:]
    /// The device that has answered there, until another is said to be there anew.
    var proven: DeviceID?
    /// Whether long segments seem to vanish on the way.
    var usesSmallSegments = false
    var isBusy = false
    /// Whether who answers there seems not to know this device: it introduces itself next.
    var isUnknownThere = false
    /// Whether it introduced itself there the last time.
    var isIntroduced = false
    /// Who has proved its key on the last dial.
    var answered: DeviceID?
    /// The fingerprint of the records that were shown there, and did not make it known, and to whom: nil where nobody proved its key.
    var shownInVain: (records: ContentHash, to: DeviceID?)?
    /// The fingerprint of the records by which whoever is there last said that it knows this device now.
    var recognized: ContentHash?
    var failures: UInt64 = 0
    var next: UInt64 = 0
    /// Whether it has to be dialled in vain before the hearsay of the same device is dialled: that is alive, for a session with it has
    /// ended just now.
    var isAwaited = false

    /// The devices for which it is dialled, the likeliest first. Whoever has answered there keeps nobody else away: the next time another
    /// may be there again.
    var devices: [DeviceID] {
      let claimed = claims.sorted { ($0.value.rank, $0.key) < ($1.value.rank, $1.key) }.map(\.key)
      guard let proven else { return claimed }
      return [proven] + claimed.filter { $0 != proven }
    }

    /// Whether whoever is said to be there was shown these records already: others may have answered in its place.
    func wasInVain(_ records: ContentHash) -> Bool {
      guard let shownInVain, shownInVain.records == records else { return false }
      return claims.isEmpty || shownInVain.to.map { claims[$0] != nil } ?? false
    }

    func isOf(_ device: DeviceID) -> Bool { proven == device || claims[device] != nil }

    /// Whether at most others tell that the device is there: also where it has answered while somebody else is said to be there.
    func isHearsay(of device: DeviceID) -> Bool { !isStatic && claims[device]?.isHearsay ?? true }

    mutating func changeClaim(of device: DeviceID, _ change: (inout Claim) -> Void) {
      var claim = claims[device] ?? Claim()
      change(&claim)
      claims[device] = claim.isEmpty ? nil : claim
      if claim.isEmpty, proven == device, !isStatic { proven = nil }
    }
  }

  /// Who says that a device is at an address, and at which place among all of its addresses.
  private struct Claim {
    /// Its place among those at which it is said to be; nil: it is not.
    var told: Int?
    /// Whether the device has said so itself.
    var isOwnWord = false
    /// Its place among those at which it was seen on the local network, before all others; nil: it was not.
    var sighted: Int?

    var rank: Int { sighted ?? told ?? 0 }
    var isEmpty: Bool { told == nil && sighted == nil }
    var isHearsay: Bool { sighted == nil && !isOwnWord }
  }

  /// Adds an address that the user named; it is never forgotten.
  ///
  /// - Parameter isBusy: whether there is a session with it, so that it is not dialled until ``failed(_:at:random:)``
  mutating func addStatic(_ address: Address, isBusy: Bool = false) {
    targets[address, default: Target(isStatic: true)].isStatic = true
    if isBusy { targets[address]?.isBusy = true }
  }

  /// Notes where a device listens now, the likeliest address first, and forgets where it listened before.
  ///
  /// - Parameters:
  ///   - own: where it says itself that it does
  ///   - hearsay: where others say that it does
  mutating func set(_ own: [Address], hearsay: [Address], of device: DeviceID) {
    let addresses = own + hearsay.filter { !own.contains($0) }
    for address in targets.keys where !addresses.contains(address) {
      change(address, of: device) { ($0.told, $0.isOwnWord) = (nil, false) }
    }
    for (rank, address) in addresses.enumerated() {
      if targets[address]?.claims[device]?.told == nil { targets[address]?.proven = nil }
      targets[address, default: Target(isStatic: false)].changeClaim(of: device) {
        ($0.told, $0.isOwnWord) = (rank, rank < own.count)
      }
    }
  }

  /// Notes that a device is at these addresses now, the likeliest first: they are dialled at once, before all others that it has.
  mutating func sight(_ addresses: [Address], of device: DeviceID) {
    unsight(device, but: addresses)
    courses[device]?.lead = 0
    for (place, address) in addresses.enumerated() {
      if targets[address]?.proven != device { targets[address]?.proven = nil }
      targets[address, default: Target(isStatic: false)].changeClaim(of: device) {
        $0.sighted = place - addresses.count
      }
    }
    for (address, target) in targets where target.isOf(device) {
      targets[address]?.failures = 0
      targets[address]?.next = 0
    }
  }

  /// Notes that a device is not announced any more, or only at some addresses: others that nobody but its announcement has told are
  /// forgotten. Anybody may have repeated that, elsewhere and with other addresses.
  mutating func unsight(_ device: DeviceID, but addresses: [Address] = []) {
    for address in targets.keys where !addresses.contains(address) {
      change(address, of: device) { $0.sighted = nil }
    }
  }

  /// Changes what is said of a device at an address, which is forgotten once nobody is said to be there.
  private mutating func change(
    _ address: Address, of device: DeviceID, _ change: (inout Claim) -> Void
  ) {
    guard targets[address]?.claims[device] != nil else { return }
    targets[address]?.changeClaim(of: device, change)
    if let target = targets[address], target.claims.isEmpty, !target.isStatic { targets[address] = nil }
  }

  // MARK: Who was removed

  /// Notes who belongs to the group. To whom the records say something new they are to be shown, at once. A device that is out itself shows
  /// all others what it knows, and dials nobody for anything else: by that one of them may be a member again, or be none any more.
  ///
  /// - Parameter before: the group as it was; nil: nothing is known to have been shown
  mutating func know(_ group: MembershipGroup, before: MembershipGroup?, own: DeviceID) {
    let wereRemoved = removed
    isOut = !group.members.contains { $0.id == own }
    let heard = Dictionary(before?.removed.map { ($0.device.id, $0.records) } ?? []) { first, _ in first }
    var news = Set(group.removed.filter { heard[$0.device.id] != $0.records }.map(\.device.id))
    removed = Set(group.removed.map(\.device.id))
    if isOut {
      removed.formUnion(group.members.map(\.id))
      news = removed
    }
    removed.remove(own)
    askAgain = nil
    unaware = unaware.union(news).intersection(removed)
    // Those that were out before wait as long as they have to: they may make something up to be dialled without end.
    let fresh = unaware.subtracting(wereRemoved)
    for (address, target) in targets where !fresh.isDisjoint(with: target.devices) {
      targets[address]?.failures = 0
      targets[address]?.next = 0
    }
  }

  /// Notes that a device was shown the records. One that is out asks again after a while: others may have told why it is not.
  mutating func showed(_ device: DeviceID, at now: UInt64) {
    unaware.remove(device)
    if isOut { askAgain = askAgain ?? now + Limits.outMilliseconds }
  }

  /// Whether a device is not dialled any more.
  private func isDone(_ device: DeviceID) -> Bool { removed.contains(device) && !unaware.contains(device) }

  // MARK: Dialling

  /// What to dial now; the addresses count as busy from then on.
  ///
  /// - Parameter reach: how far each device has been reached
  mutating func due(at now: UInt64, _ reach: (DeviceID) -> Reach) -> [DialTarget] {
    if let time = askAgain, time <= now { (unaware, askAgain) = (removed, nil) }
    typealias Ready = (address: Address, target: Target, device: DeviceID?, isHearsay: Bool, rank: Int)
    let awaited = awaited
    let ready = targets.compactMap { address, target -> Ready? in
      guard isDue(target, at: now, awaited, reach) else { return nil }
      guard let device = device(of: target, awaited, reach) else { return (address, target, nil, false, 0) }
      return (address, target, device, target.isHearsay(of: device), target.claims[device]?.rank ?? 0)
    }.sorted {
      ($0.isHearsay ? 1 : 0, $0.target.failures, $0.rank, $0.address)
        < ($1.isHearsay ? 1 : 0, $1.target.failures, $1.rank, $1.address)
    }
    var due: [(key: Address, value: Target)] = []
    for (address, var target, device, _, _) in ready
    where device.map({ courses[$0, default: Course()].begin(at: now) }) ?? true {
      if device.map(removed.contains) == true { target.isUnknownThere = true }
      due.append((address, target))
      targets[address]?.isBusy = true
      targets[address]?.isIntroduced = target.isUnknownThere
      targets[address]?.answered = nil
      targets[address]?.isUnknownThere = false
    }
    return due.sorted { $0.key < $1.key }.map {
      DialTarget(
        address: $0.key, isIntroduction: $0.value.isUnknownThere,
        usesSmallSegments: $0.value.usesSmallSegments)
    }
  }

  /// Whether at most others tell that a device is at an address: also where they have told something else since it was dialled.
  func isHearsay(_ address: Address, of device: DeviceID) -> Bool {
    targets[address]?.isHearsay(of: device) ?? true
  }

  /// Notes that somebody answers at the address, and nothing more comes: long segments may vanish on the way. Where short ones
  /// do no better it was something else.
  mutating func stalled(at address: Address) { targets[address]?.usesSmallSegments.toggle() }

  /// Notes that a session with a device has fallen silent, whoever dialled it.
  mutating func silent(_ device: DeviceID) {
    for (address, target) in targets where target.isOf(device) {
      targets[address]?.usesSmallSegments = true
    }
  }

  /// Notes that whoever answers at the address does not know this device: the next dial is to introduce it, and follows at
  /// once. Where that was in vain it is not done again before there is something else to show.
  ///
  /// - Parameter records: the fingerprint of what there is to show
  /// - Returns: whether there is nothing more to show
  mutating func unknown(at address: Address, showing records: ContentHash) -> Bool {
    guard let target = targets[address] else { return false }
    if target.isIntroduced { targets[address]?.shownInVain = (records, target.answered) }
    targets[address]?.isUnknownThere = !target.isIntroduced && !target.wasInVain(records)
    return target.isIntroduced
  }

  /// The members that were reached and do not know this device, whatever it shows.
  ///
  /// - Parameters:
  ///   - records: the fingerprint of what there is to show
  ///   - members: who belongs to the group: one that was removed knows nobody any more, and anybody may refuse who proves no key
  func strangers(showing records: ContentHash, among members: Set<DeviceID>) -> Set<DeviceID> {
    let shown = targets.values.compactMap { $0.shownInVain?.records == records ? $0.shownInVain?.to : nil }
    return members.intersection(shown)
  }

  /// Notes that whoever answers at the address says that by what it was shown it knows this device now: the back-off starts anew. Of the
  /// same records once: who is off the network, or does not say the truth, says so each time, and goes on not to know it.
  ///
  /// - Parameter records: the fingerprint of what there was to show
  mutating func recognized(at address: Address, showing records: ContentHash) {
    guard let target = targets[address], target.recognized != records,
      target.devices.isEmpty || !removed.isSuperset(of: target.devices)
    else { return }
    targets[address]?.recognized = records
    targets[address]?.failures = 0
  }

  private func isDue(
    _ target: Target, at now: UInt64, _ awaited: Set<DeviceID>, _ reach: (DeviceID) -> Reach
  ) -> Bool {
    guard !target.isBusy, target.next <= now else { return false }
    if device(of: target, awaited, reach) != nil { return true }
    // Where the user says that somebody is it is dialled whoever was there.
    return !isOut && (target.isStatic || target.devices.isEmpty) && target.devices.allSatisfy(isDone)
  }

  /// The device for which an address is dialled; nil: nobody knows who is there, or there is no need to.
  private func device(
    of target: Target, _ awaited: Set<DeviceID>, _ reach: (DeviceID) -> Reach
  ) -> DeviceID? {
    target.devices.first {
      guard !isDone($0) else { return false }
      return target.isHearsay(of: $0) ? reach($0) < .byHearsay && !awaited.contains($0) : reach($0) < .settled
    }
  }

  /// The devices of which no hearsay is dialled.
  private var awaited: Set<DeviceID> {
    Set(
      targets.values.filter(\.isAwaited).flatMap { target in
        target.devices.filter { !target.isHearsay(of: $0) }
      })
  }

  /// When the next address is due.
  func nextDeadline(_ reach: (DeviceID) -> Reach) -> UInt64? {
    let awaited = awaited
    let next = targets.values.filter { isDue($0, at: .max, awaited, reach) }
      .map { max($0.next, device(of: $0, awaited, reach).flatMap { courses[$0]?.next } ?? 0) }.min()
    return [next, askAgain].compactMap(\.self).min()
  }

  /// Notes that nobody answered, or that a connection has ended.
  mutating func failed(_ address: Address, at now: UInt64, random: UInt64) {
    guard var target = targets[address] else { return }
    // The next address of the device need not wait.
    for device in target.devices { courses[device]?.lead = 0 }
    target.isAwaited = false
    guard !target.isUnknownThere else {
      targets[address]?.isBusy = false
      targets[address]?.next = now
      return
    }
    target.isBusy = false
    target.next = now + wait(after: target.failures, random)
    target.failures += 1
    targets[address] = target
  }

  /// Notes that the last session with a device has ended, whoever dialled it: where the device itself said that it is it is dialled soon,
  /// however long nobody answered there, and nowhere else before that was in vain.
  ///
  /// - Parameter wasGood: whether it was a good one: sessions that break at once are not dialled four times a second
  mutating func parted(from device: DeviceID, wasGood: Bool, at now: UInt64, random: UInt64) {
    let breaks = wasGood ? 0 : courses[device, default: Course()].breaks
    courses[device, default: Course()].breaks = breaks + 1
    let next = now + wait(after: breaks, random)
    for (address, target) in targets where target.devices.contains(device) && !target.isHearsay(of: device) {
      targets[address]?.isAwaited = true
      targets[address]?.next = min(target.next, next)
    }
  }

  private func wait(after failures: UInt64, _ random: UInt64) -> UInt64 {
    let wait = min(
      Limits.redialMinimumMilliseconds << min(failures, 16), Limits.redialMaximumMilliseconds)
    return wait / 2 + random % (wait / 2 + 1)
  }

  /// Notes which device answers at the address: it is not dialled while there is a session with that device, whoever
  /// opened it, unless another one is said to be there.
  mutating func identified(_ address: Address, as device: DeviceID) {
    targets[address]?.proven = device
    targets[address]?.answered = device
  }

  /// Notes that a device has dialled itself: that has its lead as well, and one in which messages may take long. One after the other does
  /// not make it longer: somebody may pass them on and hold them.
  mutating func noteHandshake(by device: DeviceID, at now: UInt64) {
    guard courses[device, default: Course()].lead <= now else { return }
    courses[device, default: Course()].lead = now + Limits.dialMilliseconds
  }

  /// Notes that a session with the address was a good one: the back-off starts anew.
  mutating func succeeded(_ address: Address) { targets[address]?.failures = 0 }

  /// Forgets an address that turned out to be this device's own.
  mutating func forget(_ address: Address) { targets[address] = nil }

  /// Makes every address due at once, as if it had never been dialled.
  mutating func reset() {
    courses = [:]
    for address in targets.keys {
      targets[address]?.failures = 0
      targets[address]?.next = 0
      targets[address]?.usesSmallSegments = false
    }
  }
}
