/// One credit.
public struct CreditAnswer: Codable, Hashable, Sendable {
  /// The name that products give it.
  public let id: String
  /// Credits left in the whole group.
  public let balance: Int64
  /// Credits that this device may spend at once.
  public let available: Int64
  /// Credits spent and refunded afterwards; the next purchase pays them first.
  public let debt: Int64
  /// Who holds rights to it, the most first. Devices that nobody knows are one.
  public let holders: [CreditHolderAnswer]
  /// What was taken over for good from devices that nobody had met, and that were lost, by whom.
  public let fromLost: [LostCreditsAnswer]
}

/// Credits that were taken over from devices of which a person said that they were lost before anybody had met them.
public struct LostCreditsAnswer: Codable, Hashable, Sendable {
  /// How many.
  public let amount: Int64
  /// The name of the device that took them over, or of one that names it.
  public let by: String
  /// Whether it was lost: what is taken over from a device that turns up later does not count.
  public let counts: Bool
  /// True where devices that never were members took them over: ``by`` names them, and may do so honestly.
  public var named: Bool?
}

/// Rights to a credit, and who holds them.
public struct CreditHolderAnswer: Codable, Hashable, Sendable {
  /// `this` device, an `earlier` incarnation of it, a `member`, a `removed` device, `nobody` yet, or one `unknown` here.
  public let kind: String
  /// The other device; null where it is none.
  @Nullable public var device: String?
  /// Its name; null where it is none.
  @Nullable public var name: String?
  /// Credits that it may spend; less than nothing when it spent what was refunded since, or when what it was given is
  /// not known here yet.
  public let rights: Int64
}

/// Credits that were spent.
public struct SpendAnswer: Codable, Hashable, Sendable {
  /// Names the spend: asking for it again changes nothing.
  public let id: String
  /// Credits spent.
  public let spent: Int64
  /// Credits left in the whole group.
  public let balance: Int64
  /// False when as many had been spent under that id before.
  public var changed: Bool?
}

/// The credits.
public struct CreditsAnswer: Codable, Hashable, Sendable {
  /// By id.
  public let credits: [CreditAnswer]
}
