/// Which addresses to dial, and when: with back-off that doubles, and jitter, so that devices that lost each other at
/// the same moment do not all come back at the same moment.
struct Dialler: Sendable {
  private var targets: [Address: Target] = [:]

  private struct Target {
    var device: DeviceID?
    var isStatic: Bool
    var isBusy = false
    /// Whether who answers there seems not to know this device: it introduces itself next.
    var isUnknownThere = false
    /// Whether it introduced itself there the last time.
    var isIntroduced = false
    /// The fingerprint of the records that were shown there, and did not make it known.
    var shownInVain: ContentHash?
    var failures: UInt64 = 0
    var next: UInt64 = 0
  }

  /// Adds an address that the user named; it is never forgotten.
  ///
  /// - Parameter isBusy: whether there is a session with it, so that it is not dialled until ``failed(_:at:random:)``
  mutating func addStatic(_ address: Address, isBusy: Bool = false) {
    targets[address, default: Target(isStatic: true)].isStatic = true
    if isBusy { targets[address]?.isBusy = true }
  }

  /// Notes where a device listens now, and forgets where it listened before.
  mutating func set(_ address: Address, of device: DeviceID) {
    for (old, target) in targets where target.device == device && old != address && !target.isStatic {
      targets[old] = nil
    }
    targets[address, default: Target(isStatic: false)].device = device
  }

  /// What to dial now; the addresses count as busy from then on.
  mutating func due(at now: UInt64, except isConnected: (DeviceID) -> Bool) -> [DialTarget] {
    let due = targets.filter { isDue($0.value, at: now, isConnected) }.sorted { $0.key < $1.key }
    for (address, target) in due {
      targets[address]?.isBusy = true
      targets[address]?.isIntroduced = target.isUnknownThere
      targets[address]?.isUnknownThere = false
    }
    return due.map { DialTarget(address: $0.key, isIntroduction: $0.value.isUnknownThere) }
  }

  /// Notes that whoever answers at the address does not know this device: the next dial is to introduce it, and follows at
  /// once. Where that was in vain it is not done again before there is something else to show.
  ///
  /// - Parameter records: the fingerprint of what there is to show
  mutating func unknown(at address: Address, showing records: ContentHash) {
    guard let target = targets[address] else { return }
    if target.isIntroduced { targets[address]?.shownInVain = records }
    targets[address]?.isUnknownThere = !target.isIntroduced && target.shownInVain != records
  }

  private func isDue(_ target: Target, at now: UInt64, _ isConnected: (DeviceID) -> Bool) -> Bool {
    !target.isBusy && target.next <= now && !(target.device.map(isConnected) ?? false)
  }

  /// When the next address is due.
  func nextDeadline(except isConnected: (DeviceID) -> Bool) -> UInt64? {
    targets.values.filter { isDue($0, at: .max, isConnected) }.map(\.next).min()
  }

  /// Notes that nobody answered, or that a connection has ended.
  mutating func failed(_ address: Address, at now: UInt64, random: UInt64) {
    guard var target = targets[address] else { return }
    guard !target.isUnknownThere else {
      targets[address]?.isBusy = false
      targets[address]?.next = now
      return
    }
    let wait = min(
      Limits.redialMinimumMilliseconds << min(target.failures, 16), Limits.redialMaximumMilliseconds)
    target.isBusy = false
    target.failures += 1
    target.next = now + wait / 2 + random % (wait / 2 + 1)
    targets[address] = target
  }

  /// Notes which device answers at the address: it is not dialled while there is a session with that device, whoever
  /// opened it.
  mutating func identified(_ address: Address, as device: DeviceID) { targets[address]?.device = device }

  /// Notes that a session with the address was a good one: the back-off starts anew.
  mutating func succeeded(_ address: Address) { targets[address]?.failures = 0 }

  /// Forgets an address that turned out to be this device's own.
  mutating func forget(_ address: Address) { targets[address] = nil }

  /// Makes every address due at once.
  mutating func reset() {
    for address in targets.keys {
      targets[address]?.failures = 0
      targets[address]?.next = 0
    }
  }
}
