/// What a removal takes back of what the device had decided.
public struct TakenBackAnswer: Codable, Hashable, Sendable {
  /// How many decisions, those among them that somebody else had outbid.
  public let count: Int
  /// Those that stood, and what stands in their place; at most ``Limits/takenBack``.
  public let decisions: [TakenDecisionAnswer]
  /// How many writes the device had replaced itself: they are gone, and nothing of them stands again.
  public let replaced: UInt64
  /// Whether decisions of the device are held back here for their stamps: once it is removed they never count. Left out by daemons of an
  /// earlier version.
  public var heldBack: Bool?
  /// Who is a member again by the removal, by seniority: whoever is removed had put them out, or removed them. Left out by daemons of an
  /// earlier version.
  public var membersAgain: [MemberAgainAnswer]?
  /// Who besides whoever is removed is a member no more, by seniority: those that are disowned with whom they let in, those of a group that a
  /// recovery key leads out of, and whom the removal could not name. Left out by daemons of an earlier version.
  public var membersOut: [RemovedDeviceAnswer]?
}

/// A device that is a member again once another one is removed.
public struct MemberAgainAnswer: Codable, Hashable, Sendable {
  /// Four groups of seven characters.
  public let id: String
  /// What people call it.
  public let name: String
  /// Whether the one that is removed had let it in: then it can go with that one.
  public let letIn: Bool
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
