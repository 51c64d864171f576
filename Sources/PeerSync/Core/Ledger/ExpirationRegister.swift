/// An explicit date for a line, written by an app, an import or support: rule 3.4.
///
/// It stands in for the transactions it covers, those its writer had taken into account; all others are folded on top.
public struct ExpirationRegister: Hashable, Sendable {
  /// When cover ends; nil for no cover at all.
  public let expires: Instant?
  /// The references of the transactions it stands in for, in byte order, each once.
  public let covers: [String]

  /// Makes a register. `covers` are sorted.
  public init(expires: Instant?, covers: [String]) {
    self.expires = expires
    self.covers = covers.sortedUniqueNames()
  }

  /// Whether it has at most ``Limits/coveredTransactions`` and fits ``Limits/valueBytes``, and so can be replicated.
  public var isWithinLimits: Bool { (try? ExpirationRegister(decoding: encoded[...])) != nil }

  private enum Tag {
    static let expires: UInt64 = 1
    static let covers: UInt64 = 2
  }

  /// The first byte of the value: of two dates written with one stamp, a date wins over none.
  var precedence: UInt8 { expires == nil ? 1 : 2 }

  /// The register's value as bytes.
  public var encoded: [UInt8] {
    var fields = FieldWriter(precedence: precedence)
    fields.write(Tag.expires, instant: expires)
    fields.write(Tag.covers, texts: covers.isEmpty ? nil : covers)
    return fields.writer.bytes
  }

  /// Reads a register value.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    let fields = try FieldReader(bytes)
    expires = try fields.instant(Tag.expires)
    covers = try fields.names(Tag.covers, atMost: Limits.coveredTransactions) ?? []
    guard fields.precedence == precedence else { throw .malformed }
  }
}
