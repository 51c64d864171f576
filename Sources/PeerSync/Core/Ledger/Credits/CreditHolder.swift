/// Who holds rights to a credit: one incarnation of a device's store, or nobody yet.
///
/// It is written as a UUID of version 8 (RFC 9562), so that a purchase can name it: an app that buys passes it to the store
/// as `appAccountToken`, the store signs it, and every device knows where the rights were issued [D43]. Six bits of the
/// replica's id give way to the version; the other 122 name it.
public struct CreditHolder: Hashable, Comparable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// A replica that this holder stands for. Of the real one's id six bits are lost.
  var replica: ReplicaID { ReplicaID(high: high, low: low) }

  /// Holds the rights of purchases that name no replica, until somebody takes them into custody.
  public static let nobody = CreditHolder(high: 0, low: 0)

  /// Stands for a group of holders that nobody knows where it is worked out who pays. No replica is it, and no purchase names it.
  static func strangers(_ group: Int) -> CreditHolder { CreditHolder(high: 0, low: 1 + UInt64(group)) }

  /// The group that it stands for.
  var placeOfGroup: Int? { high == 0 && self != .nobody ? Int(low - 1) : nil }

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The holder that a replica is. The replica of zeros alone stands for ``nobody``.
  public init(_ replica: ReplicaID) {
    guard replica != ReplicaID(high: 0, low: 0) else {
      self = .nobody
      return
    }
    self.init(high: replica.high & ~0xf000 | 0x8000, low: replica.low & ~(3 << 62) | 2 << 62)
  }

  /// Reads the `appAccountToken` of a purchase; nil for one that is an app's own, and names nobody here.
  public init?(accountToken: String) {
    let text = accountToken.utf8.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
    guard let bytes = UUIDText.bytes(text[...], isUpper: false) else { return nil }
    var reader = ByteReader(bytes)
    guard let id = try? reader.identifier(ReplicaID.self), id.high >> 12 & 0xf == 8, id.low >> 62 == 2 else {
      return nil
    }
    self.init(high: id.high, low: id.low)
  }

  /// The holder as an `appAccountToken`.
  public var accountToken: String {
    var writer = ByteWriter()
    writer.write(word: high)
    writer.write(word: low)
    return String(decoding: UUIDText.text(writer.bytes, isUpper: false), as: UTF8.self)
  }

  /// By the bytes, most significant first; ``nobody`` is the first of all.
  public static func < (left: CreditHolder, right: CreditHolder) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension Transaction {
  /// Where the rights to the credits that it buys are issued [D43].
  public var issuedTo: CreditHolder { accountToken.flatMap(CreditHolder.init(accountToken:)) ?? .nobody }
}
