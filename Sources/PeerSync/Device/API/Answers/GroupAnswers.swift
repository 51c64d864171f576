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

/// What a removal takes back of what the device had decided.
public struct TakenBackAnswer: Codable, Hashable, Sendable {
  /// How many decisions, those among them that somebody else had outbid.
  public let count: Int
  /// Those that stood, and what stands in their place; at most ``Limits/takenBack``.
  public let decisions: [TakenDecisionAnswer]
  /// How many writes the device had replaced itself: they are gone, and nothing of them stands again.
  public let replaced: UInt64
}

/// A decision that stands no more.
public struct TakenDecisionAnswer: Codable, Hashable, Sendable {
  /// `expiration`, `grant`, `product` or `value`.
  public let kind: String
  /// The line, the entitlement, the product or the key of the value.
  public let id: String
  /// What was decided, in a few words.
  public let said: String
  /// ``said`` in Korean; nil from a daemon of an earlier version.
  public var saidInKorean: String?
  /// What stands in its place, in a few words; null: nothing.
  @Nullable public var stands: String?
  /// ``stands`` in Korean; left out where nothing does, and by daemons of an earlier version.
  public var standsInKorean: String?
  /// Who had decided that: the name of a device.
  @Nullable public var by: String?
}

/// A device that was removed from the group.
public struct RemovedDeviceAnswer: Codable, Hashable, Sendable {
  /// Four groups of seven characters.
  public let id: String
  /// What people called it.
  public let name: String
}

/// An open invitation. Whoever presents it in time joins the group, once.
public struct InvitationAnswer: Codable, Hashable, Sendable {
  /// What `peerd join` takes on the new device, on any network; null where this device has no address that others could be told.
  @Nullable public var url: String?
  /// The code alone: 12 characters.
  public let code: String
  /// Whether the code alone is enough on this device's local network: discovery announces it there.
  public let announced: Bool
  /// When it runs out.
  public let expires: Instant
}

/// The group a device has joined.
public struct MembershipAnswer: Codable, Hashable, Sendable {
  /// The group.
  public let group: StatusAnswer.GroupSummary
}

/// Where a peer has reached this device.
public struct DialBackAnswer: Codable, Hashable, Sendable {
  /// The id of the peer that was asked; null where none is connected.
  @Nullable public var peer: String?
  /// The addresses that this device announces and the peer has dialled: none where it did not answer in time, or knows of none.
  public let addresses: [Dialled]

  /// An address that was dialled.
  public struct Dialled: Codable, Hashable, Sendable {
    /// Where this device says that it listens.
    public let address: String
    /// Whether this device answered there, and proved who it is.
    public let reached: Bool
  }
}

/// Whether the device is on the network.
public struct NetworkAnswer: Codable, Hashable, Sendable {
  /// False: cut off from its peers.
  public let online: Bool
}
