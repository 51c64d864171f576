/// Which addresses to dial, and when: with back-off that doubles, and jitter, so that devices that lost each other at
/// the same moment do not all come back at the same moment.
///
/// The addresses of one device are dialled side by side, each with a short lead before the next (RFC 8305): the first that stands
/// is kept.
struct Dialler: Sendable {
  private var targets: [Address: Target] = [:]
  /// Until when another address of a device waits for the one that was dialled last.
  private var leads: [DeviceID: UInt64] = [:]

  private struct Target {
    var device: DeviceID?
    var isStatic: Bool
    /// Its place among the addresses of the device.
    var rank = 0
    /// Its place among those that the device says it has; nil: it does not.
    var toldRank: Int?
    /// Whether it was seen on the local network, whatever addresses the device says it has.
    var isSighted = false
    /// Whether long segments seem to vanish on the way.
    var usesSmallSegments = false
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

  /// Notes where a device listens now, the likeliest address first, and forgets where it listened before.
  mutating func set(_ addresses: [Address], of device: DeviceID) {
    for (old, target) in targets where target.device == device && !addresses.contains(old) {
      targets[old]?.toldRank = nil
      if !target.isStatic, !target.isSighted { targets[old] = nil }
    }
    leads[device] = nil
    for (rank, address) in addresses.enumerated() {
      targets[address, default: Target(isStatic: false)].device = device
      targets[address]?.rank = rank
      targets[address]?.toldRank = rank
    }
  }

  /// Notes that a device is at these addresses now, the likeliest first: they are dialled at once, before all others that it has.
  mutating func sight(_ addresses: [Address], of device: DeviceID) {
    unsight(device, but: addresses)
    leads[device] = nil
    for (place, address) in addresses.enumerated() {
      targets[address, default: Target(isStatic: false)].device = device
      targets[address]?.isSighted = true
      targets[address]?.rank = place - addresses.count
    }
    for (address, target) in targets where target.device == device {
      targets[address]?.failures = 0
      targets[address]?.next = 0
    }
  }

  /// Notes that a device is not announced any more, or only at some addresses: others that nobody but its announcement has told are
  /// forgotten. Anybody may have repeated that, elsewhere and with other addresses.
  mutating func unsight(_ device: DeviceID, but addresses: [Address] = []) {
    for (old, target) in targets where target.device == device && target.isSighted && !addresses.contains(old)
    {
      targets[old]?.isSighted = false
      targets[old]?.rank = target.toldRank ?? 0
      if target.toldRank == nil, !target.isStatic { targets[old] = nil }
    }
  }

  /// What to dial now; the addresses count as busy from then on.
  mutating func due(at now: UInt64, except isConnected: (DeviceID) -> Bool) -> [DialTarget] {
    let ready = targets.filter { isDue($0.value, at: now, isConnected) }.sorted {
      ($0.value.failures, $0.value.rank, $0.key) < ($1.value.failures, $1.value.rank, $1.key)
    }
    var due: [(key: Address, value: Target)] = []
    for (address, target) in ready where target.device.map({ leads[$0, default: 0] <= now }) ?? true {
      due.append((address, target))
      if let device = target.device { leads[device] = now + Limits.dialLeadMilliseconds }
      targets[address]?.isBusy = true
      targets[address]?.isIntroduced = target.isUnknownThere
      targets[address]?.isUnknownThere = false
    }
    return due.sorted { $0.key < $1.key }.map {
      DialTarget(
        address: $0.key, isIntroduction: $0.value.isUnknownThere,
        usesSmallSegments: $0.value.usesSmallSegments)
    }
  }

  /// Notes that somebody answers at the address, and nothing more comes: long segments may vanish on the way. Where short ones
  /// do no better it was something else.
  mutating func stalled(at address: Address) { targets[address]?.usesSmallSegments.toggle() }

  /// Notes that a session with a device has fallen silent, whoever dialled it.
  mutating func silent(_ device: DeviceID) {
    for (address, target) in targets where target.device == device {
      targets[address]?.usesSmallSegments = true
    }
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
    targets.values.filter { isDue($0, at: .max, isConnected) }
      .map { max($0.next, $0.device.flatMap { leads[$0] } ?? 0) }.min()
  }

  /// Notes that nobody answered, or that a connection has ended.
  mutating func failed(_ address: Address, at now: UInt64, random: UInt64) {
    guard var target = targets[address] else { return }
    // The next address of the device need not wait.
    if let device = target.device { leads[device] = nil }
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

  /// Makes every address due at once, as if it had never been dialled.
  mutating func reset() {
    leads = [:]
    for address in targets.keys {
      targets[address]?.failures = 0
      targets[address]?.next = 0
      targets[address]?.usesSmallSegments = false
    }
  }
}
