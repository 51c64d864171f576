/// What a register holds: the first byte of its encoded key.
public enum RegisterKind: UInt8, Sendable, CaseIterable {
  /// One signed snapshot of a store transaction.
  case transaction = 1
  /// One signed state of an auto-renewable subscription.
  case renewalInfo = 2
  /// An explicit date for a line, with the transactions its writer had taken into account.
  case expiration = 3
  /// A grant of an entitlement that no purchase explains.
  case grant = 4
  /// One product of the catalogue.
  case product = 5
  /// A row of a credit's escrow counter.
  case credit = 6
  // 7 was a device of the group: members are not registers.
  /// A small value an app wants on all devices.
  case value = 8
  /// What many signed items of the store share: certificates, or the text of payloads.
  case storePart = 9
  /// What the author's device wants to be called.
  case deviceName = 10

  /// Whether it is what a device decides. Then each author has a register of its own under a key: only an author replaces
  /// what it wrote, and of all that count the greatest stands. The author's hybrid logical clock stamps it; store facts carry
  /// the store's date, rows of a credit the number that they stand at and parts nothing: no drift bound applies to those.
  public var isDecision: Bool {
    switch self {
    case .expiration, .grant, .product, .value, .deviceName: true
    case .transaction, .renewalInfo, .credit, .storePart: false
    }
  }

  /// Whether what is under an encoded key is what a device decides. Kinds of a later version are not judged.
  @inline(__always)
  package static func isDecision(_ key: UnsafeRawBufferPointer) -> Bool {
    key.first.flatMap { RegisterKind(rawValue: $0) }?.isDecision ?? false
  }

  /// Whether what is under an encoded key is what a device decides.
  package static func isDecision(_ key: [UInt8]) -> Bool { key.withUnsafeBytes { isDecision($0) } }

  /// Whether a register of the kind is its author's alone: it holds what a device decides, or a number of a credit. Two who hold the same
  /// registers then know of the same authors; an item of the store each may have from another one.
  public var isOwned: Bool { isDecision || self == .credit }

  /// Whether what is under an encoded key is its author's alone.
  @inline(__always)
  package static func isOwned(_ key: UnsafeRawBufferPointer) -> Bool {
    key.first.flatMap { RegisterKind(rawValue: $0) }?.isOwned ?? false
  }

  /// Whether the store signs what a register of the kind holds, or the store's items are made of it. Such a register is
  /// named by its content and never changes; it counts whoever wrote it, even beyond the cut of its author.
  public var isSignedByStore: Bool {
    switch self {
    case .transaction, .renewalInfo, .storePart: true
    case .expiration, .grant, .product, .credit, .value, .deviceName: false
    }
  }

  /// Whether the store signs what is under an encoded key.
  package static func isSignedByStore(_ key: UnsafeRawBufferPointer) -> Bool {
    key.first.flatMap { RegisterKind(rawValue: $0) }?.isSignedByStore ?? false
  }

  /// Whether the store signs what is under an encoded key.
  package static func isSignedByStore(_ key: [UInt8]) -> Bool { key.withUnsafeBytes { isSignedByStore($0) } }
}
