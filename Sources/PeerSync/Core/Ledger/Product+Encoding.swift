// A product as the value of its register: each field that it states, after a tag.
extension Product {
  fileprivate enum Tag {
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
    static let from: UInt64 = 16
    static let others: UInt64 = 17
    static let stamp: UInt64 = 18
    static let replaced: UInt64 = 19
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
    ProductRecord(ProductRecord.Entry(self, version: version, isAnswer: isAnswer)).encoded
  }

  /// Writes the fields that it states, but for its id.
  fileprivate func write(_ fields: inout FieldWriter) {
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
  }

  /// Reads what a register value states first.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    self = try ProductRecord(decoding: bytes).head.product
  }

  /// Reads the fields of an entry.
  fileprivate init(id: String, _ fields: FieldReader) throws(WireError) {
    self.init(id: id)
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
    from = try fields.instant(Tag.from)
    // Later versions state fields unknown here, so that their byte may be greater than what is seen.
    guard fields.precedence >= precedence else { throw .malformed }
  }

  /// The version of the catalogue that a register value is of.
  static func version(of bytes: ArraySlice<UInt8>) throws(WireError) -> UInt64 {
    try order(of: bytes).version
  }

  /// What orders a register value among those of others.
  static func order(of bytes: ArraySlice<UInt8>) throws(WireError) -> (
    version: UInt64, isAnswer: Bool, from: Instant?
  ) {
    let fields = try FieldReader(bytes)
    let order = try order(of: fields)
    return (order.version, order.isAnswer, try fields.instant(Tag.from))
  }

  fileprivate static func order(of fields: FieldReader) throws(WireError) -> (
    version: UInt64, isAnswer: Bool
  ) {
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

// The entries of one author as a register value: the first one as if it were alone, so that a value of one entry is what it always
// was, and the others behind it, each as bytes of the same form without an id.
extension ProductRecord {
  /// The value of the register.
  package var encoded: [UInt8] {
    var fields = FieldWriter(precedence: head.product.precedence)
    fields.write(Tag.id, text: head.product.id)
    head.write(&fields, others: others)
    fields.write(Tag.stamp, stamp: head.stamp)
    fields.write(Tag.replaced, entries: replaced)
    return fields.writer.bytes
  }

  /// Reads a register value.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    let fields = try FieldReader(bytes)
    let id = try fields.required(fields.text(Tag.id))
    head = try Entry(id: id, fields)
    others = try Self.entries(fields.bytes(Tag.others), of: id, atMost: Limits.productEntries - 1)
    replaced = try Self.entries(fields.bytes(Tag.replaced), of: id, atMost: Limits.replacedEntries)
    guard isInOrder else { throw .malformed }
  }

  private static func entries(
    _ bytes: ArraySlice<UInt8>?, of id: String, atMost limit: Int
  ) throws(WireError) -> [Entry] {
    guard let bytes else { return [] }
    var (reader, entries) = (ByteReader(bytes), [Entry]())
    while reader.remaining > 0 {
      guard entries.count < limit else { throw .beyondLimit }
      entries.append(try Entry(id: id, FieldReader(reader.bytes(atMost: Limits.valueBytes))))
    }
    guard !entries.isEmpty else { throw .malformed }
    return entries
  }
}

extension ProductRecord.Entry {
  fileprivate typealias Tag = Product.Tag

  /// The entry as a value of its own.
  var encoded: [UInt8] { ProductRecord(self).encoded }

  fileprivate func write(_ fields: inout FieldWriter, others: [ProductRecord.Entry]) {
    product.write(&fields)
    fields.write(Tag.version, number: version == 0 ? nil : Int64(clamping: version))
    fields.write(Tag.isAnswer, byte: isAnswer ? 1 : nil)
    fields.write(Tag.from, instant: product.from)
    fields.write(Tag.others, entries: others)
  }

  /// The entry among others of its product.
  fileprivate var nested: [UInt8] {
    var fields = FieldWriter(precedence: product.precedence)
    write(&fields, others: [])
    fields.write(Tag.stamp, stamp: stamp)
    return fields.writer.bytes
  }

  fileprivate init(id: String, _ fields: FieldReader) throws(WireError) {
    product = try Product(id: id, fields)
    (version, isAnswer) = try Product.order(of: fields)
    stamp = try fields.stamp(Tag.stamp)
  }
}

extension ProductRecord {
  fileprivate typealias Tag = Product.Tag
}

extension FieldWriter {
  fileprivate mutating func write(_ tag: UInt64, stamp: Stamp?) {
    guard let stamp else { return }
    write(tag) { $0.write(varint: stamp.rawValue) }
  }

  fileprivate mutating func write(_ tag: UInt64, entries: [ProductRecord.Entry]) {
    guard !entries.isEmpty else { return }
    write(tag) { inner in
      for entry in entries { inner.write(bytes: entry.nested) }
    }
  }
}

extension FieldReader {
  fileprivate func stamp(_ tag: UInt64) throws(WireError) -> Stamp? {
    guard let bytes = bytes(tag) else { return nil }
    var reader = ByteReader(bytes)
    let stamp = Stamp(rawValue: try reader.varint())
    try reader.finish()
    return stamp
  }
}
