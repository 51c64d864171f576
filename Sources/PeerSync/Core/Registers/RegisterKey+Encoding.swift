/// Tells the sorts of credit register apart.
private enum CreditForm {
  static let row: UInt8 = 0
  static let transfer: UInt8 = 1
  static let taking: UInt8 = 2
  static let spend: UInt8 = 3
  static let spendAgain: UInt8 = 4
  static let lost: UInt8 = 5
  static let transferAgain: UInt8 = 6
  static let rowAgain: UInt8 = 7
  static let takingAgain: UInt8 = 8
  static let lostAgain: UInt8 = 9
}

extension RegisterKey {
  /// The key as bytes: its kind, then its fields in the order of the case.
  public var encoded: [UInt8] {
    var writer = ByteWriter(reserving: 64)
    writer.write(byte: kind.rawValue)
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout ByteWriter) {
    switch self {
    case .transaction(let environment, let bundleId, let id, let device, let item),
      .renewalInfo(let environment, let bundleId, let id, let device, let item):
      writer.write(byte: environment.code)
      writer.write(text: bundleId)
      writer.write(text: id)
      if environment == .xcode { writer.write(device ?? DeviceID(high: 0, low: 0)) }
      writer.write(item)
    case .grant(let entitlement, let id):
      writer.write(text: entitlement)
      writer.write(text: id)
    // The author comes right behind the credit: see `creditAuthor(of:)`.
    case .creditRow(let credit, let replica): writer.write(CreditForm.row, credit, replica)
    case .creditTransfer(let credit, let from, let to):
      writer.write(CreditForm.transfer, credit, from)
      writer.write(to)
    case .creditTaking(let credit, let from, let taker):
      writer.write(CreditForm.taking, credit, taker)
      writer.write(from)
    case .creditLost(let credit, let from, let taker):
      writer.write(CreditForm.lost, credit, taker)
      writer.write(from)
    case .creditSpend(let credit, let replica, let slot):
      writer.write(CreditForm.spend, credit, replica)
      writer.write(short: slot)
    case .creditSpendAgain(let credit, let life, let spend, let replica):
      writer.write(CreditForm.spendAgain, credit, replica)
      writer.write(life)
      writer.write(spend)
    case .creditTransferAgain(let credit, let from, let to, let replica):
      writer.write(CreditForm.transferAgain, credit, replica)
      writer.write(from)
      writer.write(to)
    case .creditRowAgain(let credit, let life, let replica):
      writer.write(CreditForm.rowAgain, credit, replica)
      writer.write(life)
    case .creditTakingAgain(let credit, let taken, let replica):
      writer.write(taken.isLost ? CreditForm.lostAgain : CreditForm.takingAgain, credit, replica)
      writer.write(taken.taker)
      writer.write(taken.from)
    case .storePart(let part): writer.write(part)
    case .deviceName: break
    case .expiration(let name), .product(let name), .value(let name): writer.write(text: name)
    }
  }

  /// Reads a key that ``encoded`` made.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    guard bytes.count <= Limits.keyBytes else { throw .beyondLimit }
    var reader = ByteReader(bytes)
    guard let kind = RegisterKind(rawValue: try reader.byte()) else { throw .malformed }
    self = try RegisterKey.read(kind, from: &reader)
    try reader.finish()
  }

  private static func read(_ kind: RegisterKind, from reader: inout ByteReader) throws(WireError)
    -> RegisterKey
  {
    switch kind {
    case .transaction, .renewalInfo: try readItem(kind, from: &reader)
    case .expiration: .expiration(line: try reader.text())
    case .grant: .grant(entitlement: try reader.text(), id: try reader.text())
    case .product: .product(id: try reader.text())
    case .credit: try readCredit(from: &reader)
    case .value: .value(key: try reader.text())
    case .storePart: .storePart(try reader.identifier())
    case .deviceName: .deviceName
    }
  }

  private static func readItem(_ kind: RegisterKind, from reader: inout ByteReader) throws(WireError)
    -> RegisterKey
  {
    let environment = try Environment(code: reader.byte())
    let bundleId = try reader.text()
    let id = try reader.text()
    let device: DeviceID? = environment == .xcode ? try reader.identifier() : nil
    let item: StoreItemID = try reader.identifier()
    guard kind == .transaction else {
      return .renewalInfo(
        environment: environment, bundleId: bundleId, originalTransactionId: id, device: device, item: item)
    }
    return .transaction(
      environment: environment, bundleId: bundleId, transactionId: id, device: device, item: item)
  }

  private static func readCredit(from reader: inout ByteReader) throws(WireError) -> RegisterKey {
    let form = try reader.byte()
    let credit = try reader.text()
    let author: ReplicaID = try reader.identifier()
    switch form {
    case CreditForm.row: return .creditRow(credit: credit, replica: author)
    case CreditForm.transfer:
      return .creditTransfer(credit: credit, from: author, to: try reader.identifier())
    case CreditForm.taking: return .creditTaking(credit: credit, from: try reader.identifier(), by: author)
    case CreditForm.lost: return .creditLost(credit: credit, from: try reader.identifier(), by: author)
    case CreditForm.spend:
      let slot = try reader.short()
      guard slot < Limits.rememberedSpends else { throw .beyondLimit }
      return .creditSpend(credit: credit, replica: author, slot: slot)
    case CreditForm.spendAgain:
      let life: ReplicaID = try reader.identifier()
      return .creditSpendAgain(credit: credit, life: life, spend: try reader.identifier(), by: author)
    case CreditForm.transferAgain:
      let from: ReplicaID = try reader.identifier()
      return .creditTransferAgain(credit: credit, from: from, to: try reader.identifier(), by: author)
    case CreditForm.rowAgain:
      return .creditRowAgain(credit: credit, life: try reader.identifier(), by: author)
    case CreditForm.takingAgain, CreditForm.lostAgain:
      let taker: ReplicaID = try reader.identifier()
      let from: ReplicaID = try reader.identifier()
      return .creditTakingAgain(
        credit: credit, taken: CreditTaking(from: from, by: taker, isLost: form == CreditForm.lostAgain),
        by: author)
    default: throw .malformed
    }
  }

  /// The only replica that may write the register of a credit; nil for bytes that are not a key of one.
  package static func creditAuthor(of key: UnsafeRawBufferPointer) -> ReplicaID? {
    var reader = ByteReader(Array(key)[...])
    guard (try? reader.byte()) == RegisterKind.credit.rawValue, (try? reader.byte()) != nil,
      (try? reader.text()) != nil
    else { return nil }
    return try? reader.identifier()
  }
}

extension WriteView {
  /// Whether it names what another device has signed, with what shows it.
  var isNaming: Bool { RegisterKey.isNaming(key) && !value.isEmpty }
}

extension RegisterKey {
  /// Why one replica states something of another one's rights.
  package enum TakingReason: Hashable, Sendable {
    /// It takes them over, from a device that was removed, or from a life of its own.
    case left
    /// It takes them over from a device that a person says is lost.
    case lost
    /// It names a spend of an earlier life of its own.
    case carried
    /// It names a number of the other one that is void: of an earlier life of its own, or of a device that was removed.
    case named
  }

  /// Whose rights are taken over by whom, or lowered by what it spent or gave.
  package struct Taking: Hashable, Sendable {
    package let from: ReplicaID
    package let by: ReplicaID
    package let reason: TakingReason
    /// Who names it, where its own statement is void.
    package var namer: ReplicaID?
    /// Who had signed what is named, where that is shown.
    package var signer: PublicKey?
    /// Whether the signer had said so in another life than the one that it is of.
    package var isCarried = false

    /// The life that is named, and whose it is; nil where nothing is named by a signature.
    var named: (life: CreditHolder, key: PublicKey)? {
      signer.map { (CreditHolder(reason == .named ? from : by), $0) }
    }
  }

  /// What a register says of rights that are taken over; nil for any other register.
  package static func taking(_ write: borrowing WriteView) -> Taking? {
    guard let form = creditForm(of: write.key),
      ![CreditForm.row, CreditForm.transfer, CreditForm.spend].contains(form)
    else { return nil }
    let signer = isNaming(write.key) ? NumberProof.signer(of: write.value) : nil
    switch try? RegisterKey(decoding: Array(write.key)[...]) {
    case .creditTaking(_, let from, let taker): return Taking(from: from, by: taker, reason: .left)
    case .creditLost(_, let from, let taker): return Taking(from: from, by: taker, reason: .lost)
    case .creditSpendAgain(_, let life, _, let carrier):
      return Taking(from: life, by: carrier, reason: .carried)
    case .creditRowAgain(_, let life, let namer):
      return Taking(from: life, by: namer, reason: .named, signer: signer)
    case .creditTransferAgain(_, let life, _, let namer):
      let isCarried = signer != nil && NumberProof.isCarried(write.value)
      return Taking(from: life, by: namer, reason: .named, signer: signer, isCarried: isCarried)
    case .creditTakingAgain(_, let taken, let namer):
      return Taking(
        from: taken.from, by: taken.taker, reason: taken.isLost ? .lost : .left, namer: namer, signer: signer)
    default: return nil
    }
  }
}

extension RegisterKey {
  /// Whether a device writes again, or names, in a later life what it wrote to a register in one that was cut: of credits the
  /// spends and gifts, its own and those of lives before, but neither how much the one life had spent nor what it took over.
  package static func isWrittenAgain(_ key: UnsafeRawBufferPointer) -> Bool {
    guard key.first == RegisterKind.credit.rawValue else { return true }
    return key.count > 1
      && [CreditForm.spend, CreditForm.spendAgain, CreditForm.transfer, CreditForm.transferAgain].contains(
        key[1])
  }

  /// Whether an encoded key is of a number of a credit that may be named: of one of all spends, gifts or takings.
  static func isNumber(_ key: UnsafeRawBufferPointer) -> Bool {
    creditForm(of: key) != nil && !isOfSpend(key)
  }

  /// Whether an encoded key is of one of the last spends of a credit, its author's or of another life.
  static func isOfSpend(_ key: UnsafeRawBufferPointer) -> Bool {
    creditForm(of: key).map { [CreditForm.spend, CreditForm.spendAgain].contains($0) } ?? false
  }

  /// Whether an encoded key is of what one replica says that another one had spent, given or taken over.
  static func isNaming(_ key: UnsafeRawBufferPointer) -> Bool {
    let forms = [
      CreditForm.transferAgain, CreditForm.rowAgain, CreditForm.takingAgain, CreditForm.lostAgain,
    ]
    return creditForm(of: key).map(forms.contains) ?? false
  }

  private static func creditForm(of key: UnsafeRawBufferPointer) -> UInt8? {
    key.first == RegisterKind.credit.rawValue && key.count > 1 ? key[1] : nil
  }

  /// Whether an encoded key is of one of the last spends of a credit.
  static func isSpend(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count > 1 && key[0] == RegisterKind.credit.rawValue && key[1] == CreditForm.spend
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ form: UInt8, _ credit: String, _ author: ReplicaID) {
    write(byte: form)
    write(text: credit)
    write(author)
  }
}
