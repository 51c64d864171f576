/// The ledger that follows from the registers, kept up to date when it is asked for.
///
/// A write only leaves its key here; decoding, verifying and folding wait for a reader. A device that takes in a long delta
/// nobody looks at does no more than copy keys.
package struct LedgerCache: Sendable {
  private var ledger: Ledger
  private var reader: StoreReader
  /// Keys of registers that changed since the ledger was last brought up to date, one behind another.
  private var changed: [UInt8] = []
  /// Which decisions count.
  package private(set) var counting = Counting(own: [], ceiling: Stamp(rawValue: .max))
  /// What they were worked out of.
  private(set) var basis: CountingBasis?
  /// Whether each of the takings that were read counts.
  private var takings: [RegisterKey.Taking: Bool] = [:]
  /// Of the lives of which numbers are named that count: who had signed them.
  private var named: [CreditHolder: PublicKey] = [:]
  /// Who names them.
  private(set) var namers: [CreditHolder: ReplicaID] = [:]
  /// The greatest stamp of others' decisions that count, and the least of what does not: a ceiling between the two changes
  /// nothing.
  private var greatestCounted = Stamp(rawValue: 0)
  private var leastLeftOut = Stamp(rawValue: .max)
  /// Whether some register may be about credits. Whoever has none never reads the ledger for them.
  private(set) var mayHoldCredits = false
  /// What is told to people of registers that are odd, as far as was read.
  package private(set) var oddities = Oddities()
  /// Whether devices may be called something else than when somebody last looked.
  private(set) var mayRename = true
  /// Whether so much has changed that the ledger is read anew.
  private var isStale = true
  /// How often it was, with all numbers of credits.
  package private(set) var readings = 0

  /// Keys kept before a full reading is the cheaper way, in bytes.
  private static let changedLimit = 1 << 20

  package init(environment: Environment, bundleId: String, store: StoreVerifier) {
    ledger = Ledger(environment: environment, bundleId: bundleId)
    reader = StoreReader(verifier: store, trustedRoots: [])
  }

  var verifier: StoreVerifier { reader.verifier }
  var environment: Environment { ledger.environment }

  /// One that has read nothing yet.
  var emptied: LedgerCache {
    LedgerCache(environment: ledger.environment, bundleId: ledger.bundleId, store: verifier)
  }

  /// Notes that the registers of these writes have changed.
  mutating func note(_ writes: WriteBatch) {
    // Once, also where all is to be looked for: whoever catches up takes in writes by the hundred thousand.
    if !(mayHoldCredits && mayRename && isStale) {
      writes.forEach { write in
        guard let kind = write.key.first.flatMap({ RegisterKind(rawValue: $0) }) else { return }
        if !mayHoldCredits { noteCredits(write) }
        if kind == .deviceName { mayRename = true }
        guard !isStale else { return }
        if kind == .storePart { noteItems(waitingFor: write.key) }
        if kind.isOfLedger { note(key: write.key) }
      }
    }
    if changed.count > Self.changedLimit { invalidate() }
  }

  /// Looks whether a register may be about credits.
  mutating func noteCredits(_ write: borrowing WriteView) {
    switch write.key.first.flatMap({ RegisterKind(rawValue: $0) }) {
    case .credit: mayHoldCredits = true
    case .product:
      let entries = (try? ProductRecord(decoding: Array(write.value)[...]))?.entries ?? []
      if entries.contains(where: { $0.product.boughtCredit != nil }) { mayHoldCredits = true }
    default: break
    }
  }

  private mutating func note(key: UnsafeRawBufferPointer) {
    changed.append(UInt8(truncatingIfNeeded: key.count >> 8))
    changed.append(UInt8(truncatingIfNeeded: key.count))
    changed.append(contentsOf: key)
  }

  /// A part has come: what was refused for want of it is read again.
  private mutating func noteItems(waitingFor key: UnsafeRawBufferPointer) {
    guard case .storePart(let part)? = try? RegisterKey(decoding: Array(key)[...]) else { return }
    for key in reader.takeWaiting(for: part) { key.withUnsafeBytes { note(key: $0) } }
  }

  /// Notes that much has changed, or that registers may have lost what they held or hold lower stamps than before: all is
  /// read anew.
  mutating func invalidate() {
    isStale = true
    mayRename = true
    changed = []
  }

  /// Notes that the names of the devices were read.
  mutating func noteNames() { mayRename = false }

  /// Whether some decision may not count, as far as was read.
  var leavesOut: Bool { leastLeftOut < Stamp(rawValue: .max) }

  /// Says which decisions count from now on.
  mutating func count(_ counting: Counting, on basis: CountingBasis) {
    self.basis = basis
    // Devices come and go; what was read is read anew only when it counts differently.
    let isSame =
      counting.own == self.counting.own && counting.last == self.counting.last
      && takings.allSatisfy { (counting.takings?.allow($0.key) ?? true) == $0.value }
      && greatestCounted <= counting.ceiling && counting.ceiling < leastLeftOut
    if !isSame { invalidate() }
    self.counting = counting
    if !isStale { knowLives() }
  }

  private mutating func knowLives() {
    ledger.know(counting.takings?.lives.adding(named: named) ?? DeviceLives())
  }

  /// The same with another ceiling.
  mutating func count(upTo ceiling: Stamp) {
    guard ceiling != counting.ceiling else { return }
    if ceiling < greatestCounted || leastLeftOut <= ceiling { invalidate() }
    counting = Counting(
      own: counting.own, ceiling: ceiling, last: counting.last, takings: counting.takings)
  }

  /// Brings the ledger up to date with the registers and hands it out for reading.
  ///
  /// - Parameter roots: SHA-256 of the root certificates that are trusted besides Apple's. When they have changed everything is
  ///   verified again.
  mutating func read<Result>(
    _ registers: RegisterMap, trusting roots: Set<ContentHash>, _ body: (inout Ledger) throws -> Result
  ) rethrows -> Result {
    if roots != reader.trustedRoots { trust(roots) }
    if isStale { readAll(registers) } else { applyChanged(registers) }
    return try body(&ledger)
  }

  /// Which credits are sold, and which were bought, by the registers. Where the ledger is not up to date no number of a credit is read for
  /// it: a member may have made up hundreds of thousands.
  mutating func sold(_ registers: RegisterMap, trusting roots: Set<ContentHash>) -> SoldCredits {
    guard isStale || roots != reader.trustedRoots else {
      return read(registers, trusting: roots) { $0.sold }
    }
    var other = self
    other.trust(roots)
    other.readAll(registers, withNumbers: false)
    return other.ledger.sold
  }

  private mutating func trust(_ roots: Set<ContentHash>) {
    reader = StoreReader(verifier: reader.verifier, trustedRoots: roots)
    invalidate()
  }

  private mutating func readAll(_ registers: RegisterMap, withNumbers: Bool = true) {
    ledger = Ledger(environment: ledger.environment, bundleId: ledger.bundleId)
    (takings, named, namers) = ([:], [:], [:])
    reader = StoreReader(verifier: reader.verifier, trustedRoots: reader.trustedRoots)
    (greatestCounted, leastLeftOut) = (Stamp(rawValue: 0), Stamp(rawValue: .max))
    oddities = Oddities()
    // Products first: what comes before its product is attached to it later, once more. Of a product all that authors state is looked at
    // together, and once.
    var products: Set<[UInt8]> = []
    registers.forEach { write in
      guard write.key.first == RegisterKind.product.rawValue, counts(write, registers) else { return }
      let key = Array(write.key)
      if (try? RegisterKey(decoding: key[...])) != nil {
        products.insert(key)
      } else {
        apply(write, registers)
      }
    }
    for key in products.sorted(by: { $0.precedes($1) }) { decide(key, registers) }
    registers.forEach { write in
      guard let kind = write.key.first.flatMap({ RegisterKind(rawValue: $0) }), kind.isOfLedger,
        kind != .product, withNumbers || kind != .credit, counts(write, registers)
      else { return }
      apply(write, registers)
    }
    changed = []
    isStale = false
    if withNumbers { readings += 1 }
    knowLives()
  }

  private mutating func applyChanged(_ registers: RegisterMap) {
    let lives = named.count
    var position = 0
    while position < changed.count {
      let length = Int(changed[position]) << 8 | Int(changed[position + 1])
      let key = Array(changed[(position + 2)..<(position + 2 + length)])
      position += 2 + length
      if RegisterKind.isDecision(key) {
        decide(key, registers)
      } else {
        registers.forEach(under: key) { write in
          if counts(write, registers) { apply(write, registers) }
        }
      }
    }
    changed.removeAll(keepingCapacity: changed.capacity < 1 << 14)
    if named.count != lives { knowLives() }
  }

  private mutating func apply(_ write: borrowing WriteView, _ registers: RegisterMap) {
    let reading = reader.read(write) { registers.value($0.encoded) }
    ledger.apply(reading)
    let isUnreadable = if case .unreadable = reading { true } else { false }
    // Hardly ever is one of them noted.
    guard isUnreadable || !oddities.unreadable.isEmpty else { return }
    let register = RegisterID(key: Array(write.key), author: write.replica)
    if isUnreadable {
      oddities.note(unreadable: register, by: write.replica)
    } else {
      oddities.forget(unreadable: register)
    }
  }

  /// What the store has signed under the key of an item; nil where that counts nothing here, or is of another environment or app.
  ///
  /// - Parameters:
  ///   - roots: see ``read(_:trusting:_:)``
  ///   - register: the value of another register
  mutating func payload(
    of item: Write, trusting roots: Set<ContentHash>, register: (RegisterKey) -> [UInt8]?
  ) -> (subject: StoreSubject, payload: StorePayload)? {
    if roots != reader.trustedRoots { trust(roots) }
    guard let key = try? RegisterKey(decoding: item.key[...]), let subject = StoreSubject(key),
      ledger.isOwn(subject),
      case .verified(let payload) =
        reader.read(key, value: item.value[...], stamp: item.stamp, register: register)
    else { return nil }
    return (subject, payload)
  }

  /// SHA-256 of the root of the store that signed what the register of an item holds; see ``StoreReader``.
  mutating func root(of item: RegisterKey, in registers: RegisterMap) -> ContentHash? {
    var root: ContentHash?
    registers.forEach(under: item.encoded) { write in
      root = reader.root(of: item, value: Array(write.value)[...], stamp: write.stamp) {
        registers.value($0.encoded)
      }
    }
    return root
  }

  /// Reads anew what the authors that count have decided under a key.
  private mutating func decide(_ key: [UInt8], _ registers: RegisterMap) {
    guard let decoded = try? RegisterKey(decoding: key[...]) else { return }
    var candidates: [(author: ReplicaID, rank: DecisionRank, value: [UInt8])] = []
    registers.forEach(under: key) { write in
      if counts(write, registers) {
        candidates.append((write.replica, DecisionRank(write), Array(write.value)))
      }
    }
    ledger.decide(decoded, among: candidates.map { ($0.rank, $0.value) })
    oddities.review(decoded, candidates)
  }

  /// Whether what a register holds counts, and up to which ceiling that stays so.
  private mutating func counts(_ write: borrowing WriteView, _ registers: RegisterMap) -> Bool {
    guard RegisterKind.isDecision(write.key) else {
      guard let taking = RegisterKey.taking(write) else { return true }
      let counts = counting.takings?.allow(taking) ?? true
      takings[taking] = counts
      if counts, let (life, key) = taking.named {
        named[life] = key
        namers[life] = min(namers[life] ?? write.replica, write.replica)
      }
      // What was named honestly counts no more once the removal is overruled.
      if !counts, taking.reason != .named, taking.namer == nil {
        oddities.note(taking: RegisterID(key: Array(write.key), author: write.replica), by: write.replica)
      }
      return counts
    }
    let counts = counting.includes(write) { registers[$0] != nil }
    if !counts {
      if write.stamp > counting.ceiling { leastLeftOut = min(leastLeftOut, write.stamp) }
    } else if write.stamp <= counting.ceiling {
      greatestCounted = max(greatestCounted, write.stamp)
    }
    return counts
  }
}

/// What else than the time decides which decisions count: worked out anew when it has changed.
struct CountingBasis: Hashable {
  let own: ReplicaID
  /// See ``Replica/knownVersion``.
  let known: [UInt64]
  let mayHoldCredits: Bool
}

extension RegisterKind {
  /// Whether the ledger reads registers of this kind.
  fileprivate var isOfLedger: Bool {
    switch self {
    case .transaction, .renewalInfo, .expiration, .grant, .product, .credit: true
    case .value, .storePart, .deviceName: false
    }
  }
}
