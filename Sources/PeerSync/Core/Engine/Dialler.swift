/// Which addresses to dial, and when: with back-off that doubles, and jitter, so that devices that lost each other at
/// the same moment do not all come back at the same moment.
struct Dialler: Sendable {
  private var targets: [Address: Target] = [:]

  private struct Target {
    var device: DeviceID?
    var isStatic: Bool
    var isBusy = false
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

  /// The addresses to dial now; they count as busy from then on.
  mutating func due(at now: UInt64, except isConnected: (DeviceID) -> Bool) -> [Address] {
    let due = targets.filter { isDue($0.value, at: now, isConnected) }.keys.sorted()
    for address in due { targets[address]?.isBusy = true }
    return due
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
