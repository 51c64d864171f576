/// What one register of a credit says. How much is the register's stamp: it only grows, so the greater always wins, and
/// nobody can take back what it once wrote. Each register has one author, which its key names.
public enum CreditEntry: Hashable, Sendable {
  /// How much a replica has spent, ever.
  case spent(by: ReplicaID)
  /// How much one replica gave to another, ever.
  case moved(from: ReplicaID, to: ReplicaID)
  /// How much one replica took over from another that cannot give any more, or from nobody, ever.
  case taken(from: ReplicaID, by: ReplicaID)
  /// How much one replica took over from a device that nobody of its group had ever met, ever.
  case lost(from: ReplicaID, by: ReplicaID)
  /// One of the last spends of a replica. Its stamp is how much the replica had spent with it.
  case spend(by: ReplicaID, slot: UInt16, CreditSpend)
  /// A spend of an earlier life of a device beyond the cut of its writes, as the device says in a later one. Its stamp is how
  /// much that life had spent with it.
  case spentAgain(ReplicaID, CreditSpend, by: ReplicaID)
  /// How much a life that was cut gave to a replica, ever, beyond that cut, as its device says in a later life, or another one names it.
  case movedAgain(from: ReplicaID, to: ReplicaID, by: ReplicaID)
  /// How much a replica had spent, ever, beyond the cut of its writes, as another one names it.
  case spentInAll(ReplicaID, by: ReplicaID)
  /// How much a replica had taken over, ever, beyond the cut of its writes, as another one names it.
  case takenAgain(CreditTaking, by: ReplicaID)

  /// Reads the value of a register. Numbers have none: their stamp says it all.
  init?(_ key: RegisterKey, value: ArraySlice<UInt8>) throws(WireError) {
    switch key {
    case .creditRow(_, let replica): self = .spent(by: replica)
    case .creditTransfer(_, let from, let to): self = .moved(from: from, to: to)
    case .creditTaking(_, let from, let taker): self = .taken(from: from, by: taker)
    case .creditLost(_, let from, let taker): self = .lost(from: from, by: taker)
    // Beside what shows them: that was looked at when they came.
    case .creditTransferAgain(_, let from, let to, let carrier):
      self = .movedAgain(from: from, to: to, by: carrier)
      return
    case .creditRowAgain(_, let life, let namer):
      self = .spentInAll(life, by: namer)
      return
    case .creditTakingAgain(_, let taken, let namer):
      self = .takenAgain(taken, by: namer)
      return
    case .creditSpend(_, let replica, let slot):
      self = .spend(by: replica, slot: slot, try CreditSpend(decoding: value))
      return
    case .creditSpendAgain(_, let life, let name, let carrier):
      let spend = try CreditSpend(decoding: value)
      guard spend.name == name else { throw .malformed }
      self = .spentAgain(life, spend, by: carrier)
      return
    default: return nil
    }
    guard value.isEmpty else { throw .malformed }
  }

  /// The replica that says it.
  var author: ReplicaID {
    switch self {
    case .spent(let author), .moved(let author, _), .taken(_, let author), .lost(_, let author),
      .spend(let author, _, _), .spentAgain(_, _, let author), .movedAgain(_, _, let author),
      .spentInAll(_, let author), .takenAgain(_, let author):
      author
    }
  }

  /// The register of a credit that says it.
  public func key(of credit: String) -> RegisterKey {
    switch self {
    case .spent(let replica): .creditRow(credit: credit, replica: replica)
    case .moved(let from, let to): .creditTransfer(credit: credit, from: from, to: to)
    case .taken(let from, let taker): .creditTaking(credit: credit, from: from, by: taker)
    case .lost(let from, let taker): .creditLost(credit: credit, from: from, by: taker)
    case .spend(let replica, let slot, _): .creditSpend(credit: credit, replica: replica, slot: slot)
    case .spentAgain(let life, let spend, let carrier):
      .creditSpendAgain(credit: credit, life: life, spend: spend.name, by: carrier)
    case .movedAgain(let from, let to, let carrier):
      .creditTransferAgain(credit: credit, from: from, to: to, by: carrier)
    case .spentInAll(let life, let namer): .creditRowAgain(credit: credit, life: life, by: namer)
    case .takenAgain(let taken, let namer): .creditTakingAgain(credit: credit, taken: taken, by: namer)
    }
  }

  /// The value of its register; of what is named of others, without what shows it.
  public var value: [UInt8] {
    switch self {
    case .spend(_, _, let spend), .spentAgain(_, let spend, _): spend.encoded
    case .spent, .moved, .taken, .lost, .movedAgain, .spentInAll, .takenAgain: []
    }
  }
}

/// What a ``SpendID`` names.
public enum SpendKind: IdentifierKind {}

/// A spend by its id, in 16 bytes: so that it has room in a key. It is neither a secret nor a proof of anything.
public typealias SpendID = Identifier<SpendKind>

/// One spend, as it is remembered: asking for it again changes nothing.
public struct CreditSpend: Hashable, Sendable {
  /// The name that whoever spent gave it.
  public let id: String
  /// How many credits.
  public let amount: Int64
  /// Which spend of its life it is, from 1. Two in one place are of one branch of that life only if ``Limits/rememberedSpends``
  /// lie between them [F66]. Nil where an earlier version has spent, and where the spend is named by another life.
  package let number: UInt64?

  /// Makes a spend. Values are not checked here: ``isWithinLimits`` does.
  public init(id: String, amount: Int64) { self.init(id: id, amount: amount, number: nil) }

  package init(id: String, amount: Int64, number: UInt64?) {
    self.id = id
    self.amount = amount
    self.number = number
  }

  /// Whether it can be replicated: an id of 1 to ``Limits/textBytes`` bytes, an amount of 1 to ``Limits/creditTotal``.
  public var isWithinLimits: Bool { (try? CreditSpend(decoding: encoded[...])) != nil }

  /// Its id as a key holds it.
  var name: SpendID {
    var hash = SipHash(wide: true)
    Array(id.utf8).withUnsafeBytes { hash.combine(last: $0) }
    let digest = hash.finish128()
    return SpendID(high: digest.high, low: digest.low)
  }

  private enum Tag {
    static let id: UInt64 = 1
    static let amount: UInt64 = 2
    static let number: UInt64 = 3
  }

  /// The register's value as bytes.
  public var encoded: [UInt8] {
    var fields = FieldWriter(precedence: 0)
    fields.write(Tag.id, text: id)
    fields.write(Tag.amount, number: amount)
    fields.write(Tag.number, number: number.map { Int64(clamping: $0) })
    return fields.writer.bytes
  }

  /// Reads a register value.
  package init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    let fields = try FieldReader(bytes)
    guard fields.precedence == 0 else { throw .malformed }
    id = try fields.required(fields.text(Tag.id))
    let amount = try fields.required(fields.number(Tag.amount))
    guard !id.isEmpty, (1...Limits.creditTotal).contains(amount) else { throw .beyondLimit }
    self.amount = amount
    number = try fields.number(Tag.number, in: 1...Int(Limits.sequence)).map { UInt64($0) }
  }
}
