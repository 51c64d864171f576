import PeerSyncCore

/// What devices know the time to be after: nobody vouches for a time that has not come, and what was vouched for stays
/// [B24], [B25].
package struct KnownFloors {
  /// Right clocks differ from the true time by less, in milliseconds.
  package static let skewLimit = Limits.clockDriftMilliseconds / 2

  /// Whether the store dates what it signs by the true time. In a scenario it sells whenever the file says.
  package var storeIsRight = false
  /// What each device knew when last looked at.
  private var floors: [Int: (floor: Instant, monotonic: UInt64?)] = [:]

  package init() {}

  /// A device has started: its floor is what its disk has. Time did not pass for it while it was not running.
  package mutating func started(_ device: Int, with floor: Instant?) {
    floors[device] = floor.map { ($0, nil) }
  }

  /// A device has said that what was vouched for was withdrawn, or that a person accepts its clock.
  package mutating func forget(_ device: Int) { floors[device] = nil }

  /// Looks at a device.
  ///
  /// - Parameters:
  ///   - floor: what it knows now
  ///   - now: its reading of its clocks
  /// - Returns: what is wrong with it
  package mutating func faults(
    of device: Int, _ floor: Instant?, at now: Now, trueTime: Instant
  ) -> [String] {
    var faults: [String] = []
    if let floor, storeIsRight, floor > trueTime.advanced(byMilliseconds: Self.skewLimit) {
      faults.append("device \(device) takes \(floor) for vouched for at \(trueTime)")
    }
    if let known = floors[device],
      floor ?? .epoch < known.floor.advanced(by: now, since: known.monotonic)
    {
      faults.append("device \(device) knew it to be after \(known.floor), and forgets")
    }
    floors[device] = floor.map { ($0, now.monotonic) }
    return faults
  }
}

extension Instant {
  /// This instant moved on by the monotonic time since then.
  fileprivate func advanced(by now: Now, since monotonic: UInt64?) -> Instant {
    guard let monotonic, now.monotonic > monotonic else { return self }
    return advanced(byMilliseconds: Int64(clamping: now.monotonic - monotonic))
  }
}
