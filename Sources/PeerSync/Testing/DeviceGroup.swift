import PeerSync

/// The devices of one person, paired, in virtual time or as real daemons: see ``Testbed``.
public final class DeviceGroup: Sendable {
  /// What the group is made after.
  public let testbed: Testbed
  /// What all follows from in virtual time; nil with real daemons.
  public let seed: UInt64?
  let backend: any Backend
  let records = Guarded(Records())

  init(_ testbed: Testbed, on backend: any Backend, seed: UInt64?) {
    self.testbed = testbed
    self.backend = backend
    self.seed = seed
  }

  /// The devices, in the order of the testbed.
  public var devices: [TestDevice] { testbed.devices.indices.map { TestDevice(group: self, index: $0) } }

  /// The device of a name.
  ///
  /// - Throws: a ``TestFailure`` when there is none
  public subscript(name: String) -> TestDevice {
    get throws {
      guard let index = testbed.devices.firstIndex(of: name) else {
        throw TestFailure.misuse(
          "no device is called '\(name)': there are \(testbed.devices.joined(separator: ", "))")
      }
      return TestDevice(group: self, index: index)
    }
  }

  /// Where real daemons keep what they hold; nil in virtual time.
  package var directory: String? { (backend as? DaemonBackend)?.directory }

  // MARK: What happens to all

  /// Cuts devices of different sides off from each other. Those that no side names are a side of their own; those of one side
  /// reach each other, whatever was before.
  ///
  /// Real daemons are taken offline for it, so that no more than one side may have several devices.
  public func partition(_ sides: [TestDevice]...) async throws { try await partition(sides) }

  /// See ``partition(_:)-(TestDevice...)``.
  func partition(_ sides: [[TestDevice]]) async throws {
    let named = sides.map { $0.map(\.index) }
    var seen: Set<Int> = []
    for index in named.joined() where !seen.insert(index).inserted {
      throw TestFailure.misuse("\(testbed.devices[index]) cannot be on two sides")
    }
    let rest = testbed.devices.indices.filter { !seen.contains($0) }
    try await backend.part((named + [rest]).filter { !$0.isEmpty })
  }

  /// Ends a partition: every device reaches every other one, and those that are offline come back. What is down stays down.
  public func reconnect() async throws {
    try await backend.part([Array(testbed.devices.indices)])
    for device in devices where await !backend.isStopped(device.index) { try await device.setOnline(true) }
  }

  /// Ends everything that is wrong: partitions, devices that are offline or down, wrong clocks, and faults that happen by
  /// themselves.
  public func heal() async throws { try await backend.heal() }

  /// A power cut: all devices die at once, with what their disks do not have. ``TestDevice/start()`` brings one back.
  ///
  /// Of a real daemon nothing is flushed and nobody hears a good-bye; what it had handed to the system is not lost.
  public func powerCut() async throws { try await backend.crash(Array(testbed.devices.indices)) }

  /// Lets time pass on all devices. In virtual time ten minutes at most are lived through, and beyond that the calendar goes
  /// on, as on devices that sleep. Real daemons are started again with later clocks.
  public func advance(by duration: Duration) async throws {
    let milliseconds = duration.inMilliseconds
    guard milliseconds >= 0 else { throw TestFailure.misuse("time does not go back: see setClock(off:)") }
    try await backend.pass(milliseconds: milliseconds)
  }

  // MARK: What is expected

  /// Expects something; the error tells the seed.
  ///
  /// - Throws: a ``TestFailure`` with the comment
  public func expect(_ condition: Bool, _ comment: @autoclosure () -> String = "an expectation does not hold")
    throws
  {
    guard !condition else { return }
    throw TestFailure(.expectation, comment())
  }

  /// Waits until something is so.
  ///
  /// - Parameters:
  ///   - expectation: what is waited for, for the error
  ///   - limit: how long; nil: as long as devices may take to converge
  ///   - condition: looked at again whenever something has changed
  /// - Throws: a ``TestFailure`` that tells how the devices differ, when it is not
  public func wait(
    for expectation: String, within limit: Duration? = nil, until condition: () async throws -> Bool
  ) async throws {
    let patience = await backend.patience
    let milliseconds = limit.map { UInt64(clamping: $0.inMilliseconds) } ?? patience
    if try await come(within: milliseconds, condition) { return }
    throw TestFailure(
      .expectation,
      "not so within \(milliseconds) ms: \(expectation)\n" + (try await observed()).differences)
  }

  /// Expects that all devices come to be connected, to hold the same and to answer the same, that nothing is missing that one
  /// of them has acknowledged to this test, and that no more credits were spent than bought. In virtual time every checker looks at every
  /// device once more.
  ///
  /// - Parameter limit: how long it may take; nil: 390 s in virtual time, 30 s with real daemons
  /// - Throws: a ``TestFailure`` that tells how the devices differ, or which ``Invariant`` is broken
  public func expectConverged(within limit: Duration? = nil) async throws {
    let patience = await backend.patience
    let milliseconds = limit.map { UInt64(clamping: $0.inMilliseconds) } ?? patience
    var last: [ObservedDevice] = []
    let converged = try await come(within: milliseconds) {
      last = try await observed()
      return last.isConverged
    }
    guard converged else {
      throw TestFailure(
        .notConverged, "the devices do not converge within \(milliseconds) ms\n" + last.differences)
    }
    try records.withLock { records in try records.check(last, testbed.catalogue) }
    try await backend.checkConverged()
  }

  private func come(within milliseconds: UInt64, _ condition: () async throws -> Bool) async throws -> Bool {
    let limit = await backend.clock &+ milliseconds
    while true {
      let seen = await backend.changes
      if try await condition() { return true }
      guard await backend.clock < limit else { return false }
      try await backend.change(since: seen, until: limit)
    }
  }

  /// How every device stands, all asked about one instant.
  private func observed() async throws -> [ObservedDevice] {
    var observed: [ObservedDevice] = []
    var present: Instant?
    for device in devices {
      guard await !backend.isStopped(device.index) else {
        observed.append(ObservedDevice(name: device.name))
        continue
      }
      let (name, instant) = (device.name, present)
      let seen = try await backend.look(at: device.index) { ObservedDevice(name, &$0, $1, as: instant) }
      present = seen.present
      observed.append(seen)
    }
    return observed
  }
}
