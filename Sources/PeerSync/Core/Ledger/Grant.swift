/// A grant of an entitlement that no purchase explains, such as a promotion.
public struct Grant: Hashable, Sendable {
  /// Whether it holds; false once it was taken back.
  public let present: Bool
  /// When it ends; nil for never.
  public let until: Instant?
  /// The reference of the transaction it stands for, if any. The store's revocation of that transaction outranks it.
  public let transactionId: String?
  /// Why it was given, for people.
  public let note: String?

  /// Makes a grant, or with `present` false its removal.
  public init(present: Bool = true, until: Instant? = nil, transactionId: String? = nil, note: String? = nil)
  {
    self.present = present
    self.until = until
    self.transactionId = transactionId
    self.note = note
  }

  private enum Tag {
    static let until: UInt64 = 1
    static let transactionId: UInt64 = 2
    static let note: UInt64 = 3
  }

  /// The first byte of the value: of two decisions with one stamp, the removal wins.
  var precedence: UInt8 { present ? 1 : 2 }

  /// The register's value as bytes.
  public var encoded: [UInt8] {
    var fields = FieldWriter(precedence: precedence)
    fields.write(Tag.until, instant: until)
    fields.write(Tag.transactionId, text: transactionId)
    fields.write(Tag.note, text: note)
    return fields.writer.bytes
  }

  /// Reads a register value.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    let fields = try FieldReader(bytes)
    guard (1...2).contains(fields.precedence) else { throw .malformed }
    present = fields.precedence == 1
    until = try fields.instant(Tag.until)
    transactionId = try fields.text(Tag.transactionId)
    note = try fields.text(Tag.note)
  }
}
