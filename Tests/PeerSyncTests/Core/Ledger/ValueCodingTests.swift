import PeerSyncCore
import Testing

extension SeededGenerator {
  mutating func maybe<Value>(_ value: Value) -> Value? { chance(2) ? value : nil }

  mutating func instant() -> Instant {
    Instant(clamping: Int64(pick(-1_000_000_000_000...4_000_000_000_000)))
  }

  mutating func transaction() -> Transaction {
    var transaction = Transaction(
      transactionId: keyText(), originalTransactionId: keyText(), productId: keyText(), bundleId: keyText(),
      environment: pick(Environment.allCases), purchaseDate: instant(), quantity: pick(1...Limits.quantity),
      signedDate: instant(), verification: pick(Verification.allCases))
    transaction.type = maybe(pick(ProductType.allCases))
    transaction.revocationDate = maybe(instant())
    transaction.revocationReason = maybe(pick(0...255))
    transaction.revocationType = maybe(pick(RevocationType.allCases))
    transaction.revocationPercentage = maybe(pick(0...100_000))
    transaction.expiresDate = maybe(instant())
    transaction.isUpgraded = chance(2)
    transaction.ownership = pick(Ownership.allCases)
    transaction.price = maybe(Int64(pick(-5...9_999_999)))
    transaction.currency = maybe("EUR")
    transaction.storefront = maybe("USA")
    transaction.offer = maybe(offer())
    let tokens = ["5f6e0b52-6ab7-4c4e-b3a5-000000000001", CreditHolder(replica()).accountToken]
    transaction.accountToken = maybe(pick(tokens))
    return transaction
  }

  mutating func offer() -> StoreOffer {
    StoreOffer(code: pick(0...255), id: maybe("spring"), payment: maybe(pick(StoreOffer.Payment.allCases)))
  }

  mutating func renewalInfo() -> RenewalInfo {
    func date() -> Instant { Instant(clamping: max(0, instant().milliseconds)) }
    var info = RenewalInfo(
      originalTransactionId: "\(pick(0...999))", productId: maybe("monthly"), autoRenewStatus: chance(2),
      renewalDate: maybe(date()), environment: pick(Environment.allCases), signedDate: date(),
      verification: .unverified)
    info.autoRenewProductId = maybe("yearly")
    info.expirationIntent = maybe(pick(0...255))
    info.isInBillingRetryPeriod = chance(2)
    info.gracePeriodExpiresDate = maybe(date())
    info.priceIncreaseStatus = maybe(pick(0...255))
    info.renewalPrice = maybe(Int64(pick(0...9_999_999)))
    info.currency = maybe("KRW")
    info.offer = maybe(offer())
    return info
  }

  mutating func product() -> Product {
    var product = Product(id: keyText())
    product.type = maybe(pick(ProductType.allCases))
    product.line = maybe(keyText())
    product.period = maybe(Period(months: pick(0...3), days: pick(1...9))).flatMap(\.self)
    product.entitlements = maybe([keyText(), keyText(), keyText()])
    product.credit = maybe(keyText())
    product.amount = maybe(pick(0...Limits.creditAmount))
    product.text = maybe(keyText())
    product.price = maybe("4.99")
    product.level = maybe(pick(1...Limits.products))
    return product
  }

  mutating func fact() -> Fact {
    switch pick(0...5) {
    case 5:
      let spend = CreditSpend(id: "s" + keyText(), amount: Int64(pick(1...Int(Limits.creditTotal))))
      let entries: [CreditEntry] = [
        .spent(by: replica()), .moved(from: replica(), to: replica()), .taken(from: replica(), by: replica()),
        .spend(by: replica(), slot: UInt16(pick(0...1023)), spend),
        .spentAgain(replica(), spend, by: replica()),
        .movedAgain(from: replica(), to: replica(), by: replica()),
        .spentInAll(replica(), by: replica()),
        .takenAgain(CreditTaking(from: replica(), by: replica(), isLost: chance(2)), by: replica()),
      ]
      return .credit(keyText(), pick(entries))
    case 0:
      let transaction = transaction()
      return .transaction(transaction, device: transaction.environment == .xcode ? device() : nil)
    case 1: return .product(product())
    case 2:
      return .expiration(
        line: keyText(), ExpirationRegister(expires: maybe(instant()), covers: [keyText(), keyText()]))
    case 3:
      let grant = Grant(
        present: chance(2), until: maybe(instant()), transactionId: maybe(keyText()), note: maybe(keyText()))
      return .grant(entitlement: keyText(), id: keyText(), grant)
    default: return .other(.value(key: keyText()), value: [1, 2, 3])
    }
  }
}

@Suite struct ValueCodingTests {
  @Test func aProductNamesSoManyEntitlements() throws {
    var product = Product(id: "a")
    product.entitlements = (0..<Limits.entitlementsPerProduct).map { "e\($0 + 100)" }
    #expect(try Product(decoding: product.encoded[...]).entitlements?.count == Limits.entitlementsPerProduct)
    product.entitlements?.append("more")
    #expect(throws: WireError.beyondLimit) { try Product(decoding: product.encoded[...]) }
  }

  @Test(arguments: Seeds.all) func roundTripAndHostileBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var ledger = Fixtures.ledger()
    for _ in 0..<2_000 {
      let fact = random.fact()
      let stamp = Stamp(rawValue: random.next())
      let (key, value) = (try #require(fact.key(stamp: stamp, .simulated)).encoded, fact.value)
      let decoded = try Fact(key: key[...], value: value[...])
      #expect(decoded.key(stamp: stamp, .simulated)?.encoded == key && decoded.value == value)
      // Nothing of this may trap, whatever comes out.
      for length in 0..<value.count {
        ledger.apply(key: key[...], value: value[..<length], stamp: Stamp(rawValue: random.next()))
      }
      var flipped = value
      for _ in 0..<20 where !value.isEmpty {
        flipped[random.pick(0...(value.count - 1))] ^= 1 << UInt8(random.pick(0...7))
        ledger.apply(key: key[...], value: flipped[...], stamp: Stamp(rawValue: random.next()))
      }
      if random.chance(50) { _ = ledger.view(at: random.instant()) }
    }
    #expect(ledger.unreadable > 0)
    _ = ledger.view(at: instant("2026-01-01"))
  }

  @Test func unknownFieldsOfLaterVersionsAreSkipped() throws {
    let transaction = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    let later = transaction.encoded + [200, 1, 2, 7, 7]
    var expected = transaction
    expected.verification = .unverified
    #expect(try Transaction(decoding: later[...]) == expected)
    #expect(throws: WireError.malformed) { try Transaction(decoding: (later + [30, 0])[...]) }
  }

  @Test func theFirstByteOfARevokedSnapshotIsGreater() throws {
    let transaction = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    let first = try #require(transaction.encoded.first)
    #expect(try #require(transaction.refunded("2026-01-01").encoded.first) > first)
    var forged = transaction.encoded
    forged[0] = 2
    #expect(throws: WireError.malformed) { try Transaction(decoding: forged[...]) }
  }

  @Test func aValueMustBelongToItsKey() throws {
    let fact = Fact.transaction(Fixtures.buy("1", Fixtures.owl, "2026-01-01"), device: nil)
    let other = Fact.transaction(Fixtures.buy("2", Fixtures.owl, "2026-01-01"), device: nil)
    let key = try #require(fact.key(stamp: Stamp(rawValue: 1), .simulated)).encoded
    #expect(throws: WireError.malformed) { try Fact(key: key[...], value: other.value[...]) }
    var ledger = Fixtures.ledger()
    ledger.apply(key: key[...], value: other.value[...], stamp: Stamp(rawValue: 1))
    #expect(ledger.unreadable == 1 && ledger.transactions().isEmpty)
  }

  @Test func whatIsBeyondTheLimitsIsRefused() {
    var transaction = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
    #expect(transaction.isWithinLimits)
    transaction.quantity = Limits.quantity + 1
    #expect(!transaction.isWithinLimits)
    transaction.quantity = 0
    #expect(!transaction.isWithinLimits)
    let many = (0...Limits.coveredTransactions).map { "\($0)" }
    #expect(!ExpirationRegister(expires: nil, covers: many).isWithinLimits)
    #expect(ExpirationRegister(expires: nil, covers: Array(many.dropLast())).isWithinLimits)
    #expect(throws: WireError.self) {
      try Grant(decoding: Grant(note: String(repeating: "x", count: 256)).encoded[...])
    }
  }

  @Test func aProductBeyondTheLimitsSaysSo() {
    let long = String(repeating: "x", count: Limits.textBytes + 1)
    let changes: [(inout Product) -> Void] = [
      { $0.id = long }, { $0.line = long }, { $0.displayName = long }, { $0.amount = -1 },
      { $0.amount = Limits.creditAmount + 1 }, { $0.level = 0 }, { $0.level = Limits.products + 1 },
      { $0.entitlements = (0...Limits.entitlementsPerProduct).map { "e\($0)" } },
      { $0.text = String(repeating: "x", count: Limits.valueBytes) },
    ]
    for (index, change) in changes.enumerated() {
      var product = Fixtures.threeMonths
      change(&product)
      #expect(!product.isWithinLimits, "change \(index)")
    }
    var product = Fixtures.threeMonths
    product.id = String(long.dropLast())
    product.entitlements = (0..<Limits.entitlementsPerProduct).map { "e\($0)" }.reversed()
    (product.amount, product.level) = (Limits.creditAmount, 1)
    #expect(product.isWithinLimits)
  }

  @Test func aProductThatSaysMoreHasTheGreaterFirstByte() throws {
    var bare = Product(id: "three")
    bare.type = .nonRenewingSubscription
    #expect(try #require(bare.encoded.first) < #require(Fixtures.threeMonths.encoded.first))
  }
}
