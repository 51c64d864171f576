/// What time it is on a device, and who says so.
public struct TimeAnswer: Codable, Hashable, Sendable {
  /// Trusted now, for which every view is given: the device's clock, or a later time that somebody vouches for.
  public let now: Instant
  /// Which time is used: `clock` (the device's own), `store` (a fact that the store signed) or `peer` (a paired device).
  public let source: String
  /// The device's own clock.
  public let wall: Instant
  /// Who vouches for a time; null while nobody does. With the source `clock` that time has passed.
  @Nullable public var vouchedBy: Voucher?
  /// When a person last accepted the device's clock against what peers vouched for, by that clock; null: nobody ever did.
  @Nullable public var accepted: Instant?

  /// Who vouches for a time.
  public struct Voucher: Codable, Hashable, Sendable {
    /// `store` or `peer`.
    public let source: String
    /// The time that is vouched for, moved on to the present.
    public let time: Instant
    /// When the store signed the fact; null for a peer.
    @Nullable public var signed: Instant?
    /// The paired device; null for the store.
    @Nullable public var device: String?
    /// What people call that device.
    @Nullable public var name: String?
  }
}

extension TimeAnswer {
  init(_ reading: TimeReading, _ engine: EngineView) {
    self.init(
      now: reading.now, source: reading.voucher.map(\.source) ?? "clock", wall: reading.wall,
      vouchedBy: reading.evidence.map { Voucher($0, engine) }, accepted: reading.accepted)
  }
}

extension TimeAnswer.Voucher {
  init(_ evidence: TrustedTime.Evidence, _ engine: EngineView) {
    let source = evidence.voucher.source
    switch evidence.voucher {
    case .store(let date):
      self.init(source: source, time: evidence.instant, signed: date, device: nil, name: nil)
    case .peer(let device):
      let name = engine.group.device(device)?.name
      self.init(
        source: source, time: evidence.instant, signed: nil, device: device.description, name: name)
    }
  }
}
