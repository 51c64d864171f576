/// Which addresses to dial, and when: with back-off that doubles, and jitter, so that devices that lost each other at
/// the same moment do not all come back at the same moment.
///
/// The addresses of one device are dialled side by side, each with a short lead before the next (RFC 8305): the first that stands
/// is kept.
///
/// Several devices may be said to be at one address, for anybody may say so: each keeps its claim to it, whatever becomes of the others'.
struct Dialler: Sendable {
  private var targets: [Address: Target] = [:]
  /// Until when another address of a device waits for the one that was dialled last.
  private var leads: [DeviceID: UInt64] = [:]

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
    /// The fingerprint of the records that were shown there, and did not make it known.
    var shownInVain: ContentHash?
    /// The fingerprint of the records by which whoever is there last said that it knows this device now.
    var recognized: ContentHash?
    var failures: UInt64 = 0
    var next: UInt64 = 0

    /// The devices for which it is dialled, the likeliest first.
    var devices: [DeviceID] {
      if let proven { return [proven] }
      return claims.sorted { ($0.value.rank, $0.key) < ($1.value.rank, $1.key) }.map(\.key)
    }

    func isOf(_ device: DeviceID) -> Bool { proven == device || claims[device] != nil }

    mutating func changeClaim(of device: DeviceID, _ change: (inout Claim) -> Void) {
      var claim = claims[device] ?? Claim()
      change(&claim)
      claims[device] = claim.isEmpty ? nil : claim
      if claim.isEmpty, proven == device, !isStatic { proven = nil }
    }
  }

  /// Who says that a device is at an address, and at which place among all of its addresses.
  private struct Claim {
    /// Its place among those that the device says it has; nil: it does not.
    var told: Int?
    /// Its place among those at which it was seen on the local network, before all others; nil: it was not.
    var sighted: Int?

    var rank: Int { sighted ?? told ?? 0 }
    var isEmpty: Bool { told == nil && sighted == nil }
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
    for address in targets.keys where !addresses.contains(address) {
      change(address, of: device) { $0.told = nil }
    }
    leads[device] = nil
    for (rank, address) in addresses.enumerated() {
      if targets[address]?.claims[device]?.told == nil { targets[address]?.proven = nil }
      targets[address, default: Target(isStatic: false)].changeClaim(of: device) { $0.told = rank }
    }
  }

  /// Notes that a device is at these addresses now, the likeliest first: they are dialled at once, before all others that it has.
  mutating func sight(_ addresses: [Address], of device: DeviceID) {
    unsight(device, but: addresses)
    leads[device] = nil
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

  /// What to dial now; the addresses count as busy from then on.
  mutating func due(at now: UInt64, except isConnected: (DeviceID) -> Bool) -> [DialTarget] {
    typealias Ready = (address: Address, target: Target, device: DeviceID?, rank: Int)
    let ready = targets.filter { isDue($0.value, at: now, isConnected) }.map { address, target -> Ready in
      let device = device(of: target, isConnected)
      return (address, target, device, device.flatMap { target.claims[$0]?.rank } ?? 0)
    }.sorted {
      ($0.target.failures, $0.rank, $0.address) < ($1.target.failures, $1.rank, $1.address)
    }
    var due: [(key: Address, value: Target)] = []
    for (address, target, device, _) in ready where device.map({ leads[$0, default: 0] <= now }) ?? true {
      due.append((address, target))
      if let device { leads[device] = now + Limits.dialLeadMilliseconds }
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
    for (address, target) in targets where target.isOf(device) {
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

  /// Notes that whoever answers at the address says that by what it was shown it knows this device now: the back-off starts anew. Of the
  /// same records once: who is off the network, or does not say the truth, says so each time, and goes on not to know it.
  ///
  /// - Parameter records: the fingerprint of what there was to show
  mutating func recognized(at address: Address, showing records: ContentHash) {
    guard let target = targets[address], target.recognized != records else { return }
    targets[address]?.recognized = records
    targets[address]?.failures = 0
  }

  private func isDue(_ target: Target, at now: UInt64, _ isConnected: (DeviceID) -> Bool) -> Bool {
    guard !target.isBusy, target.next <= now else { return false }
    let devices = target.devices
    return devices.isEmpty || !devices.allSatisfy(isConnected)
  }

  /// The device for which an address is dialled; nil: nobody knows who is there.
  private func device(of target: Target, _ isConnected: (DeviceID) -> Bool) -> DeviceID? {
    target.devices.first { !isConnected($0) }
  }

  /// When the next address is due.
  func nextDeadline(except isConnected: (DeviceID) -> Bool) -> UInt64? {
    targets.values.filter { isDue($0, at: .max, isConnected) }
      .map { max($0.next, device(of: $0, isConnected).flatMap { leads[$0] } ?? 0) }.min()
  }

  /// Notes that nobody answered, or that a connection has ended.
  mutating func failed(_ address: Address, at now: UInt64, random: UInt64) {
    guard var target = targets[address] else { return }
    // The next address of the device need not wait.
    for device in target.devices { leads[device] = nil }
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
  mutating func identified(_ address: Address, as device: DeviceID) { targets[address]?.proven = device }

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
