// A transaction without a signature as the value of its register: each field that it states, after a tag. It says nothing
// of who vouches for it: that is nobody, wherever it is read.
extension Transaction {
  fileprivate enum Tag {
    static let transactionId: UInt64 = 1
    static let originalTransactionId: UInt64 = 2
    static let productId: UInt64 = 3
    static let bundleId: UInt64 = 4
    static let environment: UInt64 = 5
    static let type: UInt64 = 6
    static let purchaseDate: UInt64 = 7
    static let quantity: UInt64 = 8
    static let signedDate: UInt64 = 9
    static let revocationDate: UInt64 = 10
    static let revocationReason: UInt64 = 11
    static let revocationType: UInt64 = 12
    static let revocationPercentage: UInt64 = 13
    static let expiresDate: UInt64 = 14
    static let isUpgraded: UInt64 = 15
    static let ownership: UInt64 = 16
    static let price: UInt64 = 17
    static let currency: UInt64 = 18
    static let storefront: UInt64 = 19
    static let offerCode: UInt64 = 20
    static let offerId: UInt64 = 21
    static let offerPayment: UInt64 = 22
    static let accountToken: UInt64 = 40
  }

  /// The first byte of the value: of two snapshots signed at one instant the revoked one wins.
  var precedence: UInt8 { revocation.isInForce ? 2 : 1 }

  /// The snapshot as a register value.
  public var encoded: [UInt8] {
    var fields = FieldWriter(precedence: precedence)
    fields.write(Tag.transactionId, text: transactionId)
    fields.write(Tag.originalTransactionId, text: originalTransactionId)
    fields.write(Tag.productId, text: productId)
    fields.write(Tag.bundleId, text: bundleId)
    fields.write(Tag.environment, byte: environment.code)
    fields.write(Tag.type, byte: type?.code)
    fields.write(Tag.purchaseDate, instant: purchaseDate)
    fields.write(Tag.quantity, number: Int64(quantity))
    fields.write(Tag.signedDate, instant: signedDate)
    revocation.write(to: &fields)
    fields.write(Tag.expiresDate, instant: expiresDate)
    if isUpgraded { fields.write(Tag.isUpgraded, byte: 1) }
    fields.write(Tag.ownership, byte: ownership.code)
    fields.write(Tag.price, number: price)
    fields.write(Tag.currency, text: currency)
    fields.write(Tag.storefront, text: storefront)
    fields.write(Tag.offerCode, number: (offer?.code).map(Int64.init))
    fields.write(Tag.offerId, text: offer?.id)
    fields.write(Tag.offerPayment, text: offer?.payment?.rawValue)
    fields.write(Tag.accountToken, text: accountToken)
    return fields.writer.bytes
  }

  /// Reads a register value, as unverified.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    let fields = try FieldReader(bytes)
    self.init(
      transactionId: try fields.required(fields.text(Tag.transactionId)),
      originalTransactionId: try fields.required(fields.text(Tag.originalTransactionId)),
      productId: try fields.required(fields.text(Tag.productId)),
      bundleId: try fields.required(fields.text(Tag.bundleId)),
      environment: try Environment(code: fields.required(fields.byte(Tag.environment))),
      purchaseDate: try fields.required(fields.instant(Tag.purchaseDate)),
      quantity: try fields.required(fields.number(Tag.quantity, in: 1...Limits.quantity)),
      signedDate: try fields.required(fields.instant(Tag.signedDate)),
      verification: .unverified)
    try decodeOptional(fields)
    guard fields.precedence == precedence else { throw .malformed }
  }

  private mutating func decodeOptional(_ fields: FieldReader) throws(WireError) {
    if let code = try fields.byte(Tag.type) { type = try ProductType(code: code) }
    revocation = try Revocation(fields)
    expiresDate = try fields.instant(Tag.expiresDate)
    if let flag = try fields.byte(Tag.isUpgraded) {
      guard flag == 1 else { throw .malformed }
      isUpgraded = true
    }
    ownership = try fields.member(Tag.ownership, code: \.code)
    price = try fields.number(Tag.price)
    currency = try fields.text(Tag.currency)
    storefront = try fields.text(Tag.storefront)
    offer = try Transaction.offer(fields)
    accountToken = try fields.text(Tag.accountToken)
  }

  private static func offer(_ fields: FieldReader) throws(WireError) -> StoreOffer? {
    let (id, payment) = (try fields.text(Tag.offerId), try fields.text(Tag.offerPayment))
    guard let code = try fields.number(Tag.offerCode, in: 0...255) else {
      guard id == nil, payment == nil else { throw .malformed }
      return nil
    }
    guard let payment else { return StoreOffer(code: code, id: id) }
    return StoreOffer(
      code: code, id: id, payment: try fields.required(StoreOffer.Payment(rawValue: payment)))
  }
}

extension Transaction.Revocation {
  fileprivate func write(to fields: inout FieldWriter) {
    fields.write(Transaction.Tag.revocationDate, instant: date)
    fields.write(Transaction.Tag.revocationReason, number: reason.map(Int64.init))
    fields.write(Transaction.Tag.revocationType, byte: type?.code)
    fields.write(Transaction.Tag.revocationPercentage, number: percentage.map(Int64.init))
  }

  fileprivate init(_ fields: FieldReader) throws(WireError) {
    date = try fields.instant(Transaction.Tag.revocationDate)
    reason = try fields.number(Transaction.Tag.revocationReason, in: 0...255)
    if fields.bytes(Transaction.Tag.revocationType) != nil {
      type = try fields.member(Transaction.Tag.revocationType, code: \.code)
    }
    percentage = try fields.number(
      Transaction.Tag.revocationPercentage, in: 0...Transaction.wholeMilliunits)
  }
}

extension FieldReader {
  /// A field that holds the code of one of a few cases.
  fileprivate func member<Value: CaseIterable>(_ tag: UInt64, code: (Value) -> UInt8) throws(WireError)
    -> Value
  {
    let byte = try required(byte(tag))
    return try required(Value.allCases.first { code($0) == byte })
  }
}
