/// One register that the ledger understands, decoded.
public enum Fact: Hashable, Sendable {
  /// A snapshot of a transaction. The device that recorded it matters in the ``Environment/xcode`` environment alone.
  case transaction(Transaction, device: DeviceID?)
  /// An explicit date for a line.
  case expiration(line: String, ExpirationRegister)
  /// A grant of an entitlement, or its removal.
  case grant(entitlement: String, id: String, Grant)
  /// A product of the catalogue, and the version of that: up to ``Limits/catalogueVersion``.
  case product(Product, version: UInt64 = 0)
  /// A number of a credit, or one of its spends.
  case credit(String, CreditEntry)
  /// A register that says nothing by itself: signed items and their parts, values of the app.
  case other(RegisterKey, value: [UInt8])

  /// Decodes a register. A value that contradicts its key is malformed.
  package init(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>) throws(WireError) {
    self = try Fact(key: RegisterKey(decoding: key), value: value)
  }

  /// Decodes the value of a register. A value that contradicts its key is malformed.
  package init(key: RegisterKey, value: ArraySlice<UInt8>) throws(WireError) {
    switch key {
    case .transaction where StoreItem.isSigned(value), .renewalInfo:
      _ = try StoreItem.decode(value)
      self = .other(key, value: Array(value))
    case .transaction(_, _, _, let device, _):
      self = .transaction(try Transaction(decoding: value), device: device)
    case .expiration(let line): self = .expiration(line: line, try ExpirationRegister(decoding: value))
    case .grant(let entitlement, let id):
      self = .grant(entitlement: entitlement, id: id, try Grant(decoding: value))
    case .product:
      self = .product(try Product(decoding: value), version: try Product.version(of: value))
    case .storePart:
      _ = try StorePart(decoding: Array(value))
      self = .other(key, value: Array(value))
    case .creditRow(let credit, _), .creditTransfer(let credit, _, _), .creditTaking(let credit, _, _),
      .creditLost(let credit, _, _),
      .creditSpend(let credit, _, _), .creditSpendAgain(let credit, _, _, _),
      .creditTransferAgain(let credit, _, _, _), .creditRowAgain(let credit, _, _),
      .creditTakingAgain(let credit, _, _):
      guard let entry = try CreditEntry(key, value: value) else { throw .malformed }
      self = .credit(credit, entry)
    case .deviceName:
      guard DeviceName(decoding: value) != nil else { throw .malformed }
      self = .other(key, value: Array(value))
    case .value: self = .other(key, value: Array(value))
    }
    guard isAt(key) else { throw .malformed }
  }

  /// Whether a key names it. Whether an item of the store is the very one that its key says is compared when it comes in.
  private func isAt(_ key: RegisterKey) -> Bool {
    if case .transaction(let transaction, _) = self { return transaction.isAt(key) }
    return fixedKey == key
  }

  /// The register that holds it.
  ///
  /// - Parameter stamp: the one that it is written with; a part of the name of what the store says
  package func key(stamp: Stamp, _ cryptography: Cryptography) -> RegisterKey? {
    guard case .transaction(let transaction, let device) = self else { return fixedKey }
    return StoreSubject(transaction, device: device).key(of: value, stamp: stamp, cryptography)
  }

  /// The register that holds it; nil for a transaction, whose register is named by its content.
  private var fixedKey: RegisterKey? {
    switch self {
    case .transaction: nil
    case .expiration(let line, _): .expiration(line: line)
    case .grant(let entitlement, let id, _): .grant(entitlement: entitlement, id: id)
    case .product(let product, _): .product(id: product.id)
    case .credit(let credit, let entry): entry.key(of: credit)
    case .other(let key, _): key
    }
  }

  /// The value of the register that holds it.
  public var value: [UInt8] {
    switch self {
    case .transaction(let transaction, _): transaction.encoded
    case .expiration(_, let register): register.encoded
    case .grant(_, _, let grant): grant.encoded
    case .product(let product, let version): product.encoded(version: version)
    case .credit(_, let entry): entry.value
    case .other(_, let value): value
    }
  }
}
