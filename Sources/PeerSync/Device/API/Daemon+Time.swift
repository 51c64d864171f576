// What time it is.
extension Daemon {
  /// What time it is on this device, and everything that somebody vouches for.
  ///
  /// - Throws: ``StorageError`` when the disk has failed
  public func time() throws -> TimeBoundsAnswer {
    try read { engine, now in TimeBoundsAnswer(engine.time(at: now), engine, at: now) }
  }

  /// Has this device's clock count: drops what peers have vouched for, because a person says that the clock is right. What the
  /// store signed stays.
  ///
  /// - Throws: a ``Problem`` when the device was made so that nobody may; ``DaemonError/stopped`` before ``start()`` and after
  ///   ``stop()``; ``StorageError`` when the disk has failed
  public func acceptTime() async throws -> TimeBoundsAnswer {
    try await require(.acceptTime)
    return try time()
  }
}
