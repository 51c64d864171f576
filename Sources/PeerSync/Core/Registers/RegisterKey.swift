/// The name of one register.
///
/// Encoded it begins with its ``RegisterKind``; each key has one encoding and each encoding one key. Keys are equal and
/// ordered as their encodings are, byte by byte.
public enum RegisterKey: Sendable {
  /// One item about a store transaction, by its content. The device is part of the key in the ``Environment/xcode``
  /// environment alone, where every device counts its ids from "0" [A3]; elsewhere it is ignored.
  case transaction(
    environment: Environment, bundleId: String, transactionId: String, device: DeviceID?, item: StoreItemID)
  /// One item about the renewal of an auto-renewable subscription, by its content. The device is as for transactions.
  case renewalInfo(
    environment: Environment, bundleId: String, originalTransactionId: String, device: DeviceID?,
    item: StoreItemID)
  /// The expiration register of a line.
  case expiration(line: String)
  /// One grant of an entitlement.
  case grant(entitlement: String, id: String)
  /// A product of the catalogue.
  case product(id: String)
  /// How much of a credit a replica has spent.
  case creditRow(credit: String, replica: ReplicaID)
  /// How much of a credit one replica gave to another.
  case creditTransfer(credit: String, from: ReplicaID, to: ReplicaID)
  /// How much of a credit one replica took over from another that cannot give any more.
  case creditTaking(credit: String, from: ReplicaID, by: ReplicaID)
  /// How much of a credit one replica took over from a device that nobody of its group had ever met.
  case creditLost(credit: String, from: ReplicaID, by: ReplicaID)
  /// One of the last spends of a replica, in turn.
  case creditSpend(credit: String, replica: ReplicaID, slot: UInt16)
  /// A spend of an earlier life of a device that lies beyond the cut of its writes, as a later one names it.
  case creditSpendAgain(credit: String, life: ReplicaID, spend: SpendID, by: ReplicaID)
  /// What an earlier life of a device gave to another replica beyond the cut of its writes, as a later one names it.
  case creditTransferAgain(credit: String, from: ReplicaID, to: ReplicaID, by: ReplicaID)
  /// How much a removed device, or an earlier life of a device, had spent beyond the cut of its writes, as another one names it.
  case creditRowAgain(credit: String, life: ReplicaID, by: ReplicaID)
  /// How much a removed device had taken over beyond the cut of its writes, as another one names it.
  case creditTakingAgain(credit: String, taken: CreditTaking, by: ReplicaID)
  /// A value of the app.
  case value(key: String)
  /// A part that signed items of the store share, by its hash.
  case storePart(StorePartID)
  /// What the author's device is called: it names itself, and nobody else.
  case deviceName

  /// What the register holds.
  public var kind: RegisterKind {
    switch self {
    case .transaction: .transaction
    case .renewalInfo: .renewalInfo
    case .expiration: .expiration
    case .grant: .grant
    case .product: .product
    case .creditRow, .creditTransfer, .creditTaking, .creditLost, .creditSpend, .creditSpendAgain,
      .creditTransferAgain, .creditRowAgain, .creditTakingAgain:
      .credit
    case .value: .value
    case .storePart: .storePart
    case .deviceName: .deviceName
    }
  }

  /// The name of the item that the register holds; nil for a register of another kind.
  package var item: StoreItemID? {
    switch self {
    case .transaction(_, _, _, _, let item), .renewalInfo(_, _, _, _, let item): item
    default: nil
    }
  }

  /// Whether every text and the whole key are within ``Limits/textBytes`` and ``Limits/keyBytes``. Others are refused
  /// on decoding; whoever makes a key of outside text asks first.
  public var isWithinLimits: Bool { (try? RegisterKey(decoding: encoded[...])) != nil }
}

/// From whom one replica has taken rights over.
public struct CreditTaking: Hashable, Sendable {
  /// Whose rights they were.
  public let from: ReplicaID
  /// Who took them over.
  public let taker: ReplicaID
  /// Whether a person had said that the device is lost.
  public let isLost: Bool

  package init(from: ReplicaID, by taker: ReplicaID, isLost: Bool) {
    (self.from, self.taker, self.isLost) = (from, taker, isLost)
  }
}

extension RegisterKey: Hashable, Comparable {
  /// Whether both have one encoding.
  public static func == (left: RegisterKey, right: RegisterKey) -> Bool { left.encoded == right.encoded }

  /// The order of the encodings, byte by byte.
  public static func < (left: RegisterKey, right: RegisterKey) -> Bool {
    left.encoded.precedes(right.encoded)
  }

  /// Hashes the encoding.
  public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}
