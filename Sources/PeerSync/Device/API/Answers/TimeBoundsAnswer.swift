/// What time it is on a device, and everything that somebody vouches for.
public struct TimeBoundsAnswer: Codable, Hashable, Sendable {
  /// Trusted now, for which every view is given.
  public let now: Instant
  /// Which time is used: `clock` (the device's own), `store` (a fact that the store signed) or `peer` (a paired device).
  public let source: String
  /// The device's own clock.
  public let wall: Instant
  /// When a person last accepted the device's clock against what peers vouched for, by that clock; null: nobody ever did.
  @Nullable public var accepted: Instant?
  /// Whether a person may.
  public let mayAccept: Bool
  /// The present is no earlier than any of these. The store's first, then those of peers by their ids.
  public let bounds: [Bound]

  /// A time that somebody vouches for.
  public struct Bound: Codable, Hashable, Sendable {
    /// `store` or `peer`.
    public let source: String
    /// The paired device; null for the store.
    @Nullable public var device: String?
    /// What people call that device; null also where it never was a member.
    @Nullable public var name: String?
    /// The time that is vouched for, moved on to the present.
    public let time: Instant
    /// When it was vouched for last: by the store the date that it signed, by a peer the earlier of the two clocks then.
    public let vouched: Instant
  }
}

extension TimeBoundsAnswer {
  init(_ reading: TimeReading, _ engine: EngineView, at now: Now) {
    let time = TimeAnswer(reading, engine)
    self.init(
      now: time.now, source: time.source, wall: time.wall, accepted: time.accepted,
      mayAccept: engine.mayAcceptTime,
      bounds: engine.engine.timeBounds(at: now).map { evidence, vouched in
        let voucher = TimeAnswer.Voucher(evidence, engine)
        return Bound(
          source: voucher.source, device: voucher.device, name: voucher.name, time: voucher.time,
          vouched: vouched)
      })
  }
}
