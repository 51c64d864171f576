/// What a register says. Reading it is one thing, and taking in what it says another: whoever makes ledgers of the same registers again
/// and again reads each once. What was read never changes and is shared.
package enum RegisterReading: Sendable {
  /// One of the items of the store.
  case item(ReadItem)
  /// What a device decides, a number of a credit, or what nobody signed.
  case fact(ReadFact)
  /// It was written by a later version, or is damaged.
  case unreadable

  /// Whether it says the same wherever its parts are and the same stores are trusted. What was refused may lack a part.
  package var isLasting: Bool {
    switch self {
    case .item(let item): item.rejection == nil
    case .fact: true
    case .unreadable: false
    }
  }
}

/// What the register of an item says, once its signature has been looked at.
package final class ReadItem: Sendable {
  let subject: StoreSubject
  let name: StoreItemID
  /// Why it does not count; nil when it does.
  let rejection: JWSRejection?
  /// What it says, or claims; nil where that cannot be read.
  let statement: Statement?

  enum Statement: Sendable {
    case transaction(Snapshot<Transaction>, at: TransactionKey)
    case renewal(Snapshot<RenewalInfo>)
  }

  /// Nil where the key names no item.
  package init?(_ reading: StoreReading, at key: RegisterKey, stamp: Stamp) {
    guard let name = key.item, let subject = StoreSubject(key) else { return nil }
    let payload: StorePayload?
    switch reading {
    case .verified(let verified): (rejection, payload) = (nil, verified)
    case .refused(let reason, let claimed): (rejection, payload) = (reason, claimed)
    }
    statement =
      switch payload {
      case .transaction(let transaction):
        .transaction(
          Snapshot(value: transaction, stamp: stamp, rejection: rejection, item: name),
          at: TransactionKey(subject))
      case .renewalInfo(let info):
        .renewal(Snapshot(value: info, stamp: stamp, rejection: rejection, item: name))
      case .notification, nil: nil
      }
    (self.subject, self.name) = (subject, name)
  }
}

/// What a register says that no store has signed, with what ranks it among others.
package final class ReadFact: Sendable {
  let fact: Fact
  let rank: DecisionRank
  /// All that one author states of a product; nil of anything else.
  let entries: [Decision<Product>]?

  init?(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>, stamp: Stamp) {
    guard let fact = try? Fact(key: key, value: value) else { return nil }
    self.fact = fact
    rank = DecisionRank(key: key, stamp: stamp, value: Array(value))
    if case .product = fact, let record = try? ProductRecord(decoding: value) {
      entries = record.statements(by: stamp).living
    } else {
      entries = nil
    }
  }
}

extension StoreReader {
  /// Reads a register, unless somebody remembers what it says.
  ///
  /// - Parameter register: the value of another register
  mutating func read(
    _ write: borrowing WriteView, register: (RegisterKey) -> [UInt8]?
  ) -> RegisterReading {
    guard let memory = verifier.memory else { return readAnew(write, register) }
    if let known = memory.recall(write, trusting: trustedRoots),
      known.parts.allSatisfy({ holds($0, register) })
    {
      return known.reading
    }
    let reading = readAnew(write, register)
    if reading.isLasting {
      let known = RememberedReading(reading: reading, parts: parts(of: write, register))
      memory.remember(known, of: write, trusting: trustedRoots)
    }
    return reading
  }

  private mutating func readAnew(
    _ write: borrowing WriteView, _ register: (RegisterKey) -> [UInt8]?
  ) -> RegisterReading {
    read(key: Array(write.key)[...], value: Array(write.value)[...], stamp: write.stamp, register: register)
  }

  /// Reads a register.
  ///
  /// - Parameter register: the value of another register
  package mutating func read(
    key: ArraySlice<UInt8>, value: ArraySlice<UInt8>, stamp: Stamp, register: (RegisterKey) -> [UInt8]?
  ) -> RegisterReading {
    guard key.first == RegisterKind.transaction.rawValue || key.first == RegisterKind.renewalInfo.rawValue,
      let name = try? RegisterKey(decoding: key),
      let item = ReadItem(
        read(name, value: value, stamp: stamp, register: register), at: name, stamp: stamp)
    else { return ReadFact(key: key, value: value, stamp: stamp).map(RegisterReading.fact) ?? .unreadable }
    return .item(item)
  }
}

/// Remembers what registers say, byte for byte: for whoever starts devices time and again, each of which reads all that it holds.
package protocol ReadingMemory: Sendable {
  /// What a register says that holds this; nil: nobody has told.
  func recall(_ write: borrowing WriteView, trusting roots: Set<ContentHash>) -> RememberedReading?

  /// Takes in what a register says that holds this, as long as these roots are trusted.
  func remember(_ reading: RememberedReading, of write: borrowing WriteView, trusting roots: Set<ContentHash>)
}

/// What a register says where these parts are there.
package struct RememberedReading: Sendable {
  package let reading: RegisterReading
  package let parts: [StorePartID]
}
