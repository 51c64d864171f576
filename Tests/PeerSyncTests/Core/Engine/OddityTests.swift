import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What a dishonest member writes of products and of credits: who it was is known, and it can be put right [F57 to F59].
@Suite struct OddityTests {
  private static let month = Fixtures.threeMonths
  private static var key: [UInt8] { RegisterKey.product(id: month.id).encoded }

  /// Three members that have met, and know the products.
  private func group() -> Harness {
    let harness = Harness(3)
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.request(.addProducts([Self.month, Fixtures.credits], version: 1), of: 0)
    harness.settle()
    return harness
  }

  private func product(_ harness: Harness, _ index: Int) -> Product? {
    var product: Product?
    harness.adjust(index) { engine in product = engine.ledger { $0.product(Self.month.id) } }
    return product
  }

  private func oddities(_ harness: Harness, _ index: Int) -> Oddities {
    _ = product(harness, index)
    return harness.engines[index].oddities
  }

  /// A value of another type under a version.
  private static func other(version: UInt64) -> [UInt8] {
    Product(id: month.id, type: .nonConsumable).encoded(version: version)
  }

  @Test("F57: the greatest version, another type") func greatestVersion() throws {
    let harness = group()
    let greatest = UInt64(Limits.catalogueVersion)
    harness.request(
      .addProducts([Product(id: Self.month.id, type: .nonConsumable)], version: greatest), of: 1)
    harness.settle()
    for index in [0, 2] {
      #expect(product(harness, index)?.type == .nonConsumable)
      let dispute = try #require(oddities(harness, index).products[Name(Self.month.id)])
      #expect(dispute.author == harness.replica(1).id && dispute.isGreatest)
      #expect(dispute.others == [harness.replica(0).id])
    }
    // Written again it counts, on every device, and once.
    let request = harness.request(.putProducts([Self.month, Fixtures.credits]), of: 2)
    #expect(harness.answers[request] == .done(changed: 1))
    harness.settle()
    for index in 0..<3 { #expect(product(harness, index) == Self.month) }
    let again = harness.request(.putProducts([Self.month]), of: 0)
    #expect(harness.answers[again] == .done(changed: 0))
    // And taken back there is nothing to tell.
    let removal = Request.remove(
      harness.identities[1].device, recoveryKey: nil, takingBack: .everything)
    let removed = harness.request(removal, of: 0)
    #expect(harness.answers[removed] == .done(changed: 1))
    harness.settle()
    #expect(product(harness, 0) == Self.month)
    #expect(oddities(harness, 0).products.values.allSatisfy { $0.others.isEmpty })
    // What was written again keeps no later catalogue out.
    #expect(oddities(harness, 0).products.isEmpty)
    var later = Self.month
    later.line = "later"
    harness.request(.addProducts([later], version: 2), of: 0)
    harness.settle()
    for index in [0, 2] { #expect(product(harness, index) == later) }
  }

  /// An answer is of one version more than what it answers, on every device, for as long as that counts.
  @Test("F57: answers rank above what was there, and fall with it") func answers() {
    func rank(_ version: UInt64, at stamp: UInt64, answers: Bool = false) -> DecisionRank {
      let value = Self.month.encoded(version: version, isAnswer: answers)
      return DecisionRank(key: Self.key, stamp: Stamp(rawValue: stamp << 16), value: value)
    }
    let (greatest, older) = (UInt64(Limits.catalogueVersion), rank(7, at: 1))
    let (thief, first, second) = (
      rank(greatest, at: 3), rank(1, at: 4, answers: true), rank(1, at: 5, answers: true)
    )
    let all = StatedVersions([older, thief, first, second])
    #expect(first.settled(among: all) > thief && second.settled(among: all) > first.settled(among: all))
    #expect(thief.settled(among: all) == thief)
    // What comes later and is of a greater version stands above it.
    #expect(first.settled(among: StatedVersions([older, first])).version == 8)
    #expect(rank(8, at: 9) > first.settled(among: StatedVersions([older, first, rank(8, at: 9)])))
    #expect(first.settled(among: StatedVersions([first])).version == 1)
    #expect(!first.settled(among: all).states(greatest) && thief.states(greatest))
  }

  @Test("F57: another type in an entry behind one that all agree with") func hiddenType() throws {
    let harness = group()
    var late = Self.month
    late.from = instant("2100-01-01")
    let record = try #require(
      ProductRecord(
        stating: [
          ProductRecord.Entry(Product(id: Self.month.id, type: .nonConsumable), version: 4),
          ProductRecord.Entry(late, version: 5),
        ], over: nil))
    harness.request(.write([LocalWrite(key: Self.key, value: record.encoded)]), of: 1)
    harness.settle()
    for index in [0, 2] {
      #expect(product(harness, index)?.type == Self.month.type)
      harness.adjust(index) { engine in
        let now = engine.ledger { $0.product(Self.month.id, at: instant("2026-01-01")) }
        #expect(now?.type == .nonConsumable)
      }
      let dispute = try #require(oddities(harness, index).products[Name(Self.month.id)])
      #expect(dispute.author == harness.replica(1).id && !dispute.isGreatest)
      #expect(dispute.others == [harness.replica(0).id] && dispute.agreeing.isEmpty)
    }
  }

  @Test("F71: a product that buys no credits any more still has those that it bought") func formerCredits() {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    var later = Product(id: Fixtures.credits.id, type: .consumable, line: "random", period: period("P1M"))
    later.from = instant("2100-01-01")
    harness.request(.addProducts([Fixtures.credits, later], version: 1), of: 0)
    buy(harness, 0)
    harness.advance(1_000)
    harness.settle()
    var available: [Int64] = []
    for index in 0..<2 { harness.adjust(index) { available.append($0.available("owls")) } }
    #expect(available.reduce(0, +) == 5 && available[1] > 0, "\(available)")
  }

  @Test("F57: odd bytes, and versions that there are not")
  func unreadable() throws {
    let short = Array(Self.month.encoded(version: 3).dropLast())
    let values = [short, [], [1, 2, 3], Self.other(version: UInt64(Limits.catalogueVersion) + 1)]
    for value in values {
      let harness = group()
      harness.request(.write([LocalWrite(key: Self.key, value: value)]), of: 1)
      harness.settle()
      for index in [0, 2] {
        #expect(product(harness, index) == Self.month)
        #expect(Array(oddities(harness, index).unreadable.values) == [harness.replica(1).id])
        harness.restart(index)
        #expect(Array(oddities(harness, index).unreadable.values) == [harness.replica(1).id])
      }
      // It hides nothing that is written later, and is forgotten once its author writes sense.
      var changed = Self.month
      changed.line = "other"
      harness.request(.putProducts([changed]), of: 0)
      harness.request(.write([LocalWrite(key: Self.key, value: Self.month.encoded(version: 1))]), of: 1)
      harness.connect(0, 1)
      harness.connect(0, 2)
      harness.settle()
      #expect(product(harness, 2) == changed && product(harness, 0) == changed)
      #expect(oddities(harness, 0).unreadable.isEmpty)
    }
  }

  private func buy(_ harness: Harness, _ index: Int) {
    var transaction = Fixtures.buy("\(index)", Fixtures.credits, "2026-01-01", quantity: 1)
    transaction.bundleId = Harness.bundleId
    transaction.accountToken = CreditHolder(harness.replica(index).id).accountToken
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: index)
    harness.settle()
  }

  private func available(_ harness: Harness) -> [Int64] {
    harness.engines.indices.map { index in
      var available: Int64 = 0
      harness.adjust(index) { available = $0.available("owls") }
      return available
    }
  }

  private func balance(_ harness: Harness, _ index: Int) -> Int64 {
    var balance: Int64 = 0
    harness.adjust(index) { engine in balance = engine.ledger { $0.balance("owls") } }
    return balance
  }

  @Test("F59: takings from devices that no removal names move nothing") func takings() throws {
    let harness = group()
    buy(harness, 0)
    harness.advance(1_000)
    let before = available(harness)
    #expect(before.reduce(0, +) == 5)
    let victims = [harness.replica(0).id, harness.replica(2).id, ReplicaID(high: 77, low: 1)]
    harness.perform(1) { engine, _, effects in
      for victim in victims {
        engine.holdings.write([.taken(from: victim, by: engine.replica.id)], total: 5, of: "owls", &effects)
      }
    }
    harness.settle()
    for index in 0..<3 { #expect(balance(harness, index) == 5) }
    #expect(available(harness).reduce(0, +) == 5 && available(harness)[1] <= before[1])
    #expect(Set(oddities(harness, 0).takings.values) == [harness.replica(1).id])
  }

  @Test("F59: a device takes over from a life of its own that nobody else has met") func ownLife() throws {
    let harness = Harness(3)
    var transaction = Fixtures.buy("first", Fixtures.credits, "2026-01-01", quantity: 1)
    transaction.bundleId = Harness.bundleId
    transaction.accountToken = CreditHolder(harness.replica(0).id).accountToken
    let next = Author(1, life: 1).incarnation
    harness.perform(0) { engine, now, effects in engine.begin(next, now: now, &effects) }
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.request(.addProducts([Fixtures.credits], version: 1), of: 2)
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: 2)
    harness.settle()
    #expect(available(harness) == [0, 0, 0] && balance(harness, 1) == 5)
    let first = harness.author(0).replica
    #expect(harness.replica(0).vector[first] == 0)
    harness.perform(0) { engine, _, effects in
      engine.holdings.write([.lost(from: first, by: engine.replica.id)], total: 5, of: "owls", &effects)
    }
    harness.settle()
    for index in 0..<3 {
      #expect(balance(harness, index) == 5 && oddities(harness, index).takings.isEmpty, "engine \(index)")
      harness.adjust(index) { engine in #expect(engine.ledger { $0.doubts(of: "owls") }.isEmpty) }
    }
    harness.advance(1_000)
    #expect(available(harness).reduce(0, +) == 5)
  }

  @Test("F59: what was bought on a device that nobody has met is taken over for good") func lost() throws {
    let harness = group()
    let dead = ReplicaID(high: 0x8123, low: 2 << 62 | 77)
    var transaction = Fixtures.buy("dead", Fixtures.credits, "2026-01-01", quantity: 1)
    transaction.bundleId = Harness.bundleId
    transaction.accountToken = CreditHolder(dead).accountToken
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: 2)
    harness.settle()
    #expect(available(harness) == [0, 0, 0] && balance(harness, 0) == 5)
    // Members are known, whatever somebody says: to those who are senior nothing happens.
    let senior = harness.replica(0).id
    harness.perform(1) { engine, _, effects in
      engine.holdings.write(
        [.lost(from: senior, by: engine.replica.id)], total: 5, of: "owls", &effects)
    }
    harness.settle()
    #expect(available(harness) == [0, 0, 0])
    #expect(Set(oddities(harness, 0).takings.values) == [harness.replica(1).id])
    harness.perform(0) { engine, _, effects in
      engine.holdings.write([.lost(from: dead, by: engine.replica.id)], total: 5, of: "owls", &effects)
    }
    harness.settle()
    harness.advance(1_000)
    #expect(available(harness).reduce(0, +) == 5 && balance(harness, 2) == 5)
    let liar = harness.replica(1).id
    var lost: [ReplicaID] = []
    harness.adjust(2) { engine in
      engine.look { lost = $0.takenFromLost(of: "owls").map(\.by) }
      engine.look { view in #expect(view.voidTakings(of: "owls").map(\.by) == [liar]) }
    }
    #expect(lost == [harness.replica(0).id])
  }

  /// A group of two, and five that were bought on a device that nobody has met.
  private func pairWithLostCredits() -> Harness {
    let harness = JoiningTests.pair()
    harness.request(.join(harness.address(0), JoiningTests.key), of: 1)
    harness.advance(1_000)
    harness.request(.addProducts([Fixtures.credits], version: 1), of: 0)
    var transaction = Fixtures.buy("dead", Fixtures.credits, "2026-01-01", quantity: 1)
    transaction.bundleId = Harness.bundleId
    transaction.accountToken = CreditHolder(ReplicaID(high: 0x8123, low: 2 << 62 | 77)).accountToken
    harness.request(.write(SimulatedStore.writes(of: transaction)), of: 1)
    harness.settle()
    harness.advance(1_000)
    return harness
  }

  private func letIn(_ index: Int, _ harness: Harness) {
    harness.add(isAlone: true)
    harness.start(index)
    harness.request(.invite(JoiningTests.invitation(harness)), of: 0)
    harness.request(.join(harness.address(0), JoiningTests.key), of: index)
    harness.advance(1_000)
    #expect(harness.engines[0].readySessions == index)
  }

  @Test("F59: of two who ask for what is lost at once the custodian alone takes it over") func lostAtOnce() {
    let harness = pairWithLostCredits()
    let asked = (0...1).map { harness.request(.reclaimLost(credit: "owls"), of: $0) }
    harness.settle()
    harness.advance(1_000)
    #expect(harness.answers[asked[0]] == .done(changed: 1))
    #expect(harness.answers[asked[1]] == .refused(.notCustodian(harness.identities[0].device)))
    #expect(available(harness).reduce(0, +) == 5 && balance(harness, 1) == 5)
  }

  @Test("a taking waits for sessions that it begins anew, for they had begun with other records")
  func takingWaits() {
    let harness = pairWithLostCredits()
    letIn(2, harness)
    // One that does not come back is not waited for for long.
    harness.isCut = true
    let first = harness.request(.reclaimLost(credit: "owls"), of: 0)
    #expect(harness.answers[first] == nil && harness.engines[0].readySessions == 1)
    harness.advance(Limits.spendWaitMilliseconds + 1)
    let parted = harness.identities[1].device
    #expect(harness.answers[first] == .refused(.notComplete([parted])))
    let second = harness.request(.reclaimLost(credit: "owls"), of: 0)
    #expect(harness.answers[second] == .refused(.notComplete([parted])))
    harness.isCut = false
    harness.advance(Limits.redialMaximumMilliseconds)
    #expect(harness.engines[0].readySessions == 2)
    // Once more with other records.
    letIn(3, harness)
    let third = harness.request(.reclaimLost(credit: "owls"), of: 0)
    #expect(harness.answers[third] == nil)
    harness.advance(1_000)
    #expect(harness.answers[third] == .done(changed: 1) && balance(harness, 2) == 5)
  }

  @Test("F59: who is senior takes nothing of a member that has written") func seniorTakesNothing() {
    let harness = group()
    buy(harness, 2)
    harness.advance(1_000)
    let (before, victim) = (available(harness), harness.replica(2).id)
    #expect(before.reduce(0, +) == 5)
    harness.perform(0) { engine, _, effects in
      engine.holdings.write([.lost(from: victim, by: engine.replica.id)], total: 5, of: "owls", &effects)
    }
    harness.settle()
    #expect(available(harness) == before)
    for index in 0..<3 {
      #expect(Set(oddities(harness, index).takings.values) == [harness.replica(0).id], "engine \(index)")
      // It is told all the same: who was lost may turn up after the credits were spent.
      let taker = harness.replica(0).id
      harness.adjust(index) { engine in
        engine.look { view in
          #expect(view.voidTakings(of: "owls").map(\.by) == [taker])
          #expect(view.voidTakings(of: "owls").map(\.amount) == [5] && view.voidTakings(of: "other").isEmpty)
          let said = view.history(at: Instant(clamping: Harness.wall), atMost: 100).filter {
            $0.what == .reclaimed(5, of: "owls", counts: false)
          }
          #expect(said.count == 1)
        }
      }
    }
  }

  @Test("F58: a number of 10^12 costs others no more than what was given") func rows() throws {
    let harness = group()
    buy(harness, 0)
    harness.advance(1_000)
    let held = available(harness)[1]
    harness.perform(1) { engine, _, effects in
      engine.holdings.write([.spent(by: engine.replica.id)], total: Limits.creditTotal, of: "owls", &effects)
    }
    harness.settle()
    for index in [0, 2] { #expect(balance(harness, index) == 5 - held) }
    var doubts: [CreditHolder] = []
    harness.adjust(0) { engine in doubts = engine.ledger { $0.doubts(of: "owls").map(\.holder) } }
    #expect(doubts == [CreditHolder(harness.replica(1).id)])
    // What is bought then counts in full, and nobody gives of it to the device that lacks so much.
    buy(harness, 2)
    #expect(balance(harness, 0) == 10 - held)
    harness.advance(10 * Limits.rebalanceMilliseconds)
    #expect(balance(harness, 0) == 10 - held)
    let vector = harness.replica(0).vector
    harness.advance(10 * Limits.rebalanceMilliseconds)
    #expect(harness.replica(0).vector == vector)
  }
}
