import PeerSyncCore
import Testing

/// Entries of a catalogue that count from a date on [F71].
@Suite struct DatedEntryTests {
  /// One entry as some author states it.
  struct Stated {
    var product: Product
    var version: UInt64
    var stamp: UInt64
  }

  /// The slow obvious twin: of all entries that have begun by a date the newest.
  private static func twin(_ stated: [Stated], at date: Instant) -> Product? {
    func isLess(_ left: Stated, _ right: Stated) -> Bool {
      if left.version != right.version { return left.version < right.version }
      if left.stamp != right.stamp { return left.stamp < right.stamp }
      return (left.product.from?.milliseconds ?? .min) < (right.product.from?.milliseconds ?? .min)
    }
    let begun = stated.filter { entry in entry.product.from.map { $0 <= date } ?? true }
    return begun.max(by: isLess)?.product
  }

  private static func day(_ number: Int) -> Instant {
    instant("2026-01-01").advanced(byMilliseconds: Int64(number) * 86_400_000)
  }

  private static func stated(_ random: inout SeededGenerator) -> [Stated] {
    (0..<random.pick(1...12)).map { place in
      var product = Fixtures.product(
        "three", "P\(random.pick(1...60))D", line: random.chance(6) ? "other" : "random")
      product.from = random.chance(3) ? nil : day(random.pick(0...9) * 10)
      return Stated(
        product: product, version: UInt64(random.pick(0...2)), stamp: UInt64(place / random.pick(1...2) + 1))
    }
  }

  @Test("F71: in any order of arrival, as the slow twin says", arguments: Seeds.all)
  func asTheTwin(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var stated = Self.stated(&random)
      // Of one version and stamp there is one entry of each date.
      var seen: Set<[Int64]> = []
      stated.removeAll {
        !seen.insert([
          Int64($0.version), Int64($0.stamp), $0.product.from?.milliseconds ?? -1,
        ]).inserted
      }
      let bought = (0..<random.pick(1...8)).map {
        Fixtures.buy(
          "\($0)", Fixtures.threeMonths, "\(Self.day(random.pick(0...100)))", quantity: random.pick(1...2))
      }
      let lines = ["random", "other"].map { line in
        Fold(
          bought.compactMap { transaction -> Purchase? in
            guard let product = Self.twin(stated, at: transaction.purchaseDate), product.line == line else {
              return nil
            }
            return Purchase(
              id: transaction.transactionId, date: transaction.purchaseDate, period: product.period,
              quantity: transaction.quantity)
          }.sorted { $0.precedes($1) }
        ).expires
      }
      for _ in 0..<4 {
        var ledger = Fixtures.ledger(products: [])
        var steps = stated.map { Fact.product($0.product, version: $0.version) }.indices.map { ($0, true) }
        steps += bought.indices.map { ($0, false) }
        steps.shuffle(using: &random)
        for (place, isEntry) in steps {
          if isEntry {
            let entry = stated[place]
            ledger.apply(
              .product(entry.product, version: entry.version), stamp: Stamp(rawValue: entry.stamp << 16))
          } else {
            ledger.take(bought[place])
          }
        }
        for number in stride(from: -1, through: 101, by: 5) {
          let date = Self.day(number)
          #expect(ledger.product("three", at: date) == Self.twin(stated, at: date))
        }
        #expect(["random", "other"].map { ledger.expires($0) } == lines)
      }
    }
  }

  // MARK: What a purchase gives

  @Test("F71: what is bought for good, and what is subscribed to, gives what its entry says")
  func entitlements()
    throws
  {
    var old = Product(id: "owl", type: .nonConsumable, entitlements: ["early", "owl"])
    var new = Product(id: "owl", type: .nonConsumable, entitlements: ["owl"])
    new.from = instant("2026-03-01")
    var ledger = Fixtures.ledger(products: [])
    ledger.apply(.product(old), stamp: Stamp(rawValue: 1 << 16))
    ledger.apply(.product(new), stamp: Stamp(rawValue: 2 << 16))
    ledger.take(Fixtures.buy("2", old, "2026-03-01"))
    #expect(ledger.entitlement("owl", at: "2026-04-01")?.active == true)
    #expect(ledger.entitlement("early", at: "2026-04-01")?.active == false)
    #expect(ledger.why("early", at: instant("2026-04-01"))?.purchases.isEmpty == true)
    #expect(
      ledger.why("owl", at: instant("2026-04-01"))?.purchases.map(\.entryFrom) == [instant("2026-03-01")])
    // A copy that was restored after the date is the purchase of before.
    var restored = Fixtures.buy("3", old, "2026-03-02")
    restored.originalTransactionId = "1"
    ledger.take(restored)
    #expect(ledger.entitlement("early", at: "2026-04-01")?.active == false, "the original may be missing")
    ledger.take(Fixtures.buy("1", old, "2026-01-01"))
    #expect(ledger.entitlement("early", at: "2026-04-01")?.active == true)

    old = Product(id: "monthly", type: .autoRenewableSubscription, entitlements: ["club"])
    new = Product(id: "monthly", type: .autoRenewableSubscription, entitlements: ["club", "lounge"])
    new.from = instant("2026-02-01")
    ledger.apply(.product(old), stamp: Stamp(rawValue: 1 << 16))
    ledger.apply(.product(new), stamp: Stamp(rawValue: 2 << 16))
    for (id, from, until) in [("7", "2026-01-01", "2026-02-01"), ("8", "2026-02-01", "2026-03-01")] {
      var period = Fixtures.buy(id, old, from)
      period.originalTransactionId = "7"
      period.expiresDate = instant(until)
      ledger.take(period)
      #expect(ledger.entitlement("club", at: from)?.active == true)
      #expect(ledger.entitlement("lounge", at: from)?.active == (id == "8"))
    }
  }

  @Test("F71: a purchase before every entry is kept, and counts once there is one") func beforeAll() throws {
    var dated = Fixtures.threeMonths
    dated.from = instant("2026-02-01")
    var ledger = Fixtures.ledger(products: [])
    ledger.apply(.product(dated), stamp: Stamp(rawValue: 2 << 16))
    ledger.take(Fixtures.buy("1", dated, "2026-01-31"))
    #expect(ledger.expires() == nil && ledger.transactions().count == 1)
    let why = ledger.why("random", at: instant("2026-02-01"))
    #expect(why?.unknown.map(\.record.reference) == ["1"])
    #expect(ledger.catalogue.gaps.count == 1)
    ledger.apply(.product(Fixtures.product("three", "P1M")), stamp: Stamp(rawValue: 1 << 16))
    #expect(ledger.expires() == instant("2026-02-28") && ledger.catalogue.gaps.isEmpty)
    // What buying would do now follows the entry of now.
    #expect(ledger.offer("three", at: instant("2026-02-20"))?.expires == instant("2026-05-31"))
    #expect(ledger.offer("three", at: instant("2026-01-31"))?.product.period == period("P1M"))
  }

  // MARK: What purchases were worth

  @Test("F71: a newest entry without a date that changes what was bought is told of") func revalued() {
    var ledger = Fixtures.ledger(products: [])
    func state(_ length: String, _ date: String, from: String? = nil) {
      var product = Fixtures.product("three", length)
      product.from = from.map(instant)
      ledger.apply(.product(product), stamp: Stamp(instant(date)))
    }
    state("P1M", "2026-01-01")
    ledger.take(Fixtures.buy("0", Fixtures.threeMonths, "2025-12-01"))
    ledger.take(Fixtures.buy("1", Fixtures.threeMonths, "2026-01-15"))
    #expect(ledger.revalued().isEmpty)
    // One with a date says what it means, even of what was bought before it was stated.
    state("P2M", "2026-02-01", from: "2026-01-15")
    #expect(ledger.revalued().isEmpty)
    state("P3M", "2026-03-01")
    #expect(ledger.revalued().map(\.count) == [2])
    ledger.take(Fixtures.buy("2", Fixtures.threeMonths, "2026-03-01"))
    #expect(ledger.revalued().map(\.count) == [2], "what was bought since is what it was")
    // Put right: the former entry for then, and the new one from its date on.
    state("P1M", "2026-04-01")
    state("P3M", "2026-04-02", from: "2026-03-01")
    #expect(ledger.revalued().isEmpty)
  }

  // MARK: Registers

  private func record(_ entries: [ProductRecord.Entry], over old: ProductRecord? = nil) throws
    -> ProductRecord
  {
    try #require(ProductRecord(stating: entries, over: old))
  }

  private func entry(_ length: String, from: String? = nil, version: UInt64 = 0) -> ProductRecord.Entry {
    var product = Fixtures.product("three", length)
    product.from = from.map(instant)
    return ProductRecord.Entry(product, version: version)
  }

  @Test("F71: a register of one entry is what it always was") func bytesOfOneEntry() throws {
    let value: [UInt8] = [
      4, 1, 1, 0x61, 2, 1, 3, 3, 1, 0x6c, 4, 2, 3, 0, 5, 2, 1, 0x65, 14, 1, 14,
    ]
    let product = Product(
      id: "a", type: .nonRenewingSubscription, line: "l", period: period("P3M"), entitlements: ["e"])
    #expect(product.encoded(version: 7) == value)
    #expect(try ProductRecord(decoding: value[...]) == ProductRecord(.init(product, version: 7)))
    let written = try record([.init(product, version: 7)])
    #expect(written.encoded == value)
    // Written again with another price it is one entry as well.
    var dearer = product
    dearer.price = "1.99"
    let again = try record([.init(dearer, version: 7)], over: written.decided(by: Stamp(rawValue: 1)))
    #expect(again.encoded == dearer.encoded(version: 7))
  }

  @Test("F71: several entries in one register, and what they replaced") func severalEntries() throws {
    let first = try record([entry("P1M"), entry("P2M", from: "2026-02-01")])
    #expect(first.head.product.from == instant("2026-02-01") && first.entries.count == 2)
    let old = first.decided(by: Stamp(instant("2026-01-10")))
    // One more, before them: it replaces none.
    let between = try record([entry("P4M", from: "2026-03-01")], over: old)
    #expect(between.entries.count == 3 && between.replaced.isEmpty)
    #expect(try ProductRecord(decoding: between.encoded[...]) == between)
    // One for all replaces them, and they are remembered.
    let all = try record([entry("P5M")], over: between.decided(by: Stamp(instant("2026-01-20"))))
    #expect(all.entries.count == 1 && all.replaced.count == 3)
    #expect(try ProductRecord(decoding: all.encoded[...]) == all)
    // Nothing is dated later than the register.
    let early = Stamp(instant("2026-01-01"))
    #expect(all.decided(by: early).replaced.allSatisfy { $0.stamp == early })
    _ = try record([entry("P6M")], over: all.decided(by: early))
    // A lesser version counts for what nothing greater does.
    let lesser = try record(
      [entry("P1M")], over: try record([entry("P2M", from: "2026-02-01", version: 3)]).decided(by: early))
    #expect(lesser.head.version == 3 && lesser.others.map(\.version) == [0])
  }

  @Test("F71: bounded") func limits() throws {
    let many = (0...Limits.productEntries).map { number in
      var product = Fixtures.threeMonths
      product.from = Self.day(number)
      return ProductRecord.Entry(product, version: 0)
    }
    #expect(ProductRecord(stating: many, over: nil) == nil)
    let most = try record(Array(many.dropLast()))
    #expect(try ProductRecord(decoding: most.encoded[...]).entries.count == Limits.productEntries)
    var over = most
    over.others.append(many[Limits.productEntries])
    over.others.sort { $0.product.from ?? .epoch < $1.product.from ?? .epoch }
    #expect(throws: WireError.self) { try ProductRecord(decoding: over.encoded[...]) }
    // What was replaced goes, the oldest first.
    var record = try record([entry("P1D")])
    for number in 2...20 {
      record = try self.record(
        [entry("P\(number)D")], over: record.decided(by: Stamp(rawValue: UInt64(number) << 16)))
    }
    #expect(record.replaced.count == Limits.replacedEntries)
    #expect(record.replaced.last?.product.period == period("P19D"))
    var odd = record
    odd.replaced.reverse()
    #expect(throws: WireError.malformed) { try ProductRecord(decoding: odd.encoded[...]) }
    odd = most
    odd.others[0].product.from = odd.head.product.from
    #expect(throws: WireError.malformed) { try ProductRecord(decoding: odd.encoded[...]) }
    // Longer than a value may be: as much as fits is remembered, and what counts has to fit.
    var long = Fixtures.threeMonths
    long.text = String(repeating: "x", count: 20_000)
    let large = try self.record([ProductRecord.Entry(long, version: 0)])
    long.period = period("P7M")
    let larger = try self.record(
      [ProductRecord.Entry(long, version: 0)], over: large.decided(by: Stamp(rawValue: 1)))
    #expect(larger.replaced.isEmpty)
    long.from = Self.day(1)
    #expect(
      ProductRecord(
        stating: [ProductRecord.Entry(long, version: 0)], over: larger.decided(by: Stamp(rawValue: 2))) == nil
    )
  }
}
