// What the test kit asks of a world besides what a scenario does.
extension World {
  /// Lets faults happen by themselves from now on.
  package func begin(_ faults: Faults) {
    self.faults = faults
    for index in devices.indices { correctClock(index) }
    beginFaults()
  }

  /// Has the checkers hold devices to the true time. The store signs by it, whatever clocks say.
  ///
  /// Not for clocks that are wrong alike: they are right as far as any device can tell.
  package func watchTime(_ isWatched: Bool) { storeIsRight = isWatched }

  /// Lets time pass: up to a limit all that happens in it, and beyond that the calendar alone, as on devices that sleep.
  ///
  /// - Parameters:
  ///   - milliseconds: how much, at least 0
  ///   - limit: how much of it is lived through
  package func pass(_ milliseconds: Int64, livingThrough limit: Int64) {
    setOn(to: trueTime.advanced(byMilliseconds: max(0, milliseconds - limit)))
    run(until: time + UInt64(max(0, min(milliseconds, limit))))
  }

  /// How far a device's wall clock is off, in milliseconds.
  package func clockOffset(_ index: Int) -> Int64 { devices[index].wallOffset }

  /// A random number of this world: everything follows from its seed.
  package func draw() -> UInt64 { random.next() }

  /// Runs until a device is up that a fault has brought down.
  ///
  /// - Parameter limit: milliseconds of virtual time
  /// - Returns: whether it is
  package func wait(for index: Int, within limit: UInt64) -> Bool {
    let end = time + limit
    while !isRunning(index), violations.isEmpty, let next = queue.nextTime, next <= end { step() }
    return isRunning(index)
  }
}
