/// One device of the group.
public struct DeviceAnswer: Codable, Hashable, Sendable {
  /// 28 characters in four groups of seven, the last two of which check the others.
  public let id: String
  /// What people call it.
  public let name: String
  /// Whether it is the device that answers.
  public let isSelf: Bool
  /// Where it was last known to listen.
  @Nullable public var address: String?
  /// Whether data flows between it and the device that answers.
  public let connected: Bool
  /// Whether both are known to hold all that either holds.
  public let inSync: Bool
  /// When the device that answers last heard from it, by its own clock.
  @Nullable public var lastSeen: Instant?
  /// The id of the device that let it in, be it removed since; null for the first.
  @Nullable public var letInBy: String?

  private enum CodingKeys: String, CodingKey {
    case id, name, address, connected, inSync, lastSeen, letInBy
    case isSelf = "self"
  }
}

/// The group's devices.
public struct DevicesAnswer: Codable, Hashable, Sendable {
  /// The group.
  public let group: String
  /// The most senior first: who outranks whom when devices remove each other.
  public let devices: [DeviceAnswer]
  /// Those that were removed.
  public let removed: [RemovedDeviceAnswer]
  /// What a removal has taken back; null where nothing was removed.
  @Nullable public var takenBack: TakenBackAnswer?
}

/// The group a device has joined.
public struct MembershipAnswer: Codable, Hashable, Sendable {
  /// The group.
  public let group: StatusAnswer.GroupSummary
}
