// A product as the value of its register: each field that it states, after a tag.
extension Product {
  private enum Tag {
    static let id: UInt64 = 1
    static let type: UInt64 = 2
    static let line: UInt64 = 3
    static let period: UInt64 = 4
    static let entitlements: UInt64 = 5
    static let credit: UInt64 = 6
    static let amount: UInt64 = 7
    static let displayName: UInt64 = 8
    static let text: UInt64 = 9
    static let price: UInt64 = 10
    static let currency: UInt64 = 11
    static let subscriptionGroup: UInt64 = 12
    static let level: UInt64 = 13
    static let version: UInt64 = 14
    static let isAnswer: UInt64 = 15
  }

  /// How many fields are stated: the first byte of the value. Of two entries of one version and one stamp the one that says
  /// more wins.
  var precedence: UInt8 {
    let stated: [Any?] = [
      type, line, period, entitlements, credit, amount, displayName, text, price, currency, subscriptionGroup,
      level,
    ]
    return UInt8(stated.count { $0 != nil })
  }

  /// The product as a register value of a catalogue without a version.
  public var encoded: [UInt8] { encoded(version: 0) }

  /// The product as a register value.
  ///
  /// - Parameters:
  ///   - version: the catalogue's
  ///   - isAnswer: whether it stands above what others had written before it: see ``DecisionRank/settled(among:)``
  package func encoded(version: UInt64, isAnswer: Bool = false) -> [UInt8] {
    var fields = FieldWriter(precedence: precedence)
    fields.write(Tag.id, text: id)
    fields.write(Tag.type, byte: type?.code)
    fields.write(Tag.line, text: line)
    if let period {
      fields.write(Tag.period) { inner in
        inner.write(varint: UInt64(period.months))
        inner.write(varint: UInt64(period.days))
      }
    }
    fields.write(Tag.entitlements, texts: entitlements?.sortedUniqueNames())
    fields.write(Tag.credit, text: credit)
    fields.write(Tag.amount, number: amount.map(Int64.init))
    fields.write(Tag.displayName, text: displayName)
    fields.write(Tag.text, text: text)
    fields.write(Tag.price, text: price)
    fields.write(Tag.currency, text: currency)
    fields.write(Tag.subscriptionGroup, text: subscriptionGroup)
    fields.write(Tag.level, number: level.map(Int64.init))
    fields.write(Tag.version, number: version == 0 ? nil : Int64(clamping: version))
    fields.write(Tag.isAnswer, byte: isAnswer ? 1 : nil)
    return fields.writer.bytes
  }

  /// Reads a register value.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    let fields = try FieldReader(bytes)
    self.init(id: try fields.required(fields.text(Tag.id)))
    if let code = try fields.byte(Tag.type) { type = try ProductType(code: code) }
    line = try fields.text(Tag.line)
    period = try Product.period(fields.bytes(Tag.period))
    entitlements = try fields.names(Tag.entitlements, atMost: Limits.entitlementsPerProduct)
    credit = try fields.text(Tag.credit)
    amount = try fields.number(Tag.amount, in: 0...Limits.creditAmount)
    displayName = try fields.text(Tag.displayName)
    text = try fields.text(Tag.text, atMost: Limits.valueBytes)
    price = try fields.text(Tag.price)
    currency = try fields.text(Tag.currency)
    subscriptionGroup = try fields.text(Tag.subscriptionGroup)
    level = try fields.number(Tag.level, in: 1...Limits.products)
    // Later versions state fields unknown here, so that their byte may be greater than what is seen.
    guard fields.precedence >= precedence else { throw .malformed }
  }

  /// The version of the catalogue that a register value is of.
  static func version(of bytes: ArraySlice<UInt8>) throws(WireError) -> UInt64 {
    try order(of: bytes).version
  }

  /// What orders a register value among those of others.
  static func order(of bytes: ArraySlice<UInt8>) throws(WireError) -> (version: UInt64, isAnswer: Bool) {
    let fields = try FieldReader(bytes)
    let version = UInt64(try fields.number(Tag.version, in: 1...Limits.catalogueVersion) ?? 0)
    return (version, try fields.byte(Tag.isAnswer) == 1)
  }

  private static func period(_ bytes: ArraySlice<UInt8>?) throws(WireError) -> Period? {
    guard let bytes else { return nil }
    var reader = ByteReader(bytes)
    let months = try reader.count(atMost: Limits.periodMonths)
    let days = try reader.count(atMost: Limits.periodDays)
    try reader.finish()
    guard let period = Period(months: months, days: days) else { throw .malformed }
    return period
  }
}
