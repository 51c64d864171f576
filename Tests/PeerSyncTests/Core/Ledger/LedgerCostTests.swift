import PeerSyncCore
import Testing

/// Coarse bounds that hold in a debug build on a busy machine: they catch a wrong order of growth, not a slow minute.
@Suite struct LedgerCostTests {
  private func milliseconds(_ body: () -> Void) -> Double {
    let duration = ContinuousClock().measure(body)
    return Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1000
  }

  private func ledger(purchases: Int, unrelated: Int) -> Ledger {
    var ledger = Fixtures.ledger(products: Fixtures.all + [Fixtures.product("other", "P1M", line: "other")])
    for index in 0..<purchases {
      var purchase = Fixtures.buy("20000001234\(index)", Fixtures.tenDays, "2026-01-01")
      purchase.purchaseDate = purchase.purchaseDate.adding(months: 0, days: index)
      ledger.take(purchase)
    }
    for index in 0..<unrelated {
      ledger.take(Fixtures.buy("u\(index)", Product(id: "unknown"), "2026-01-01"))
    }
    return ledger
  }

  @Test func aFoldOfAThousandPurchasesAndNothingWhenNothingChanged() {
    var ledger = ledger(purchases: 1000, unrelated: 0)
    let now = instant("2026-03-01")
    let cold = milliseconds { _ = ledger.view(at: now) }
    #expect(ledger.view(at: now).lines.first { $0.id == "random" }?.runs.first?.transactions.count == 1000)
    let warm = milliseconds { for _ in 0..<1000 { _ = ledger.view(at: now) } } / 1000
    print("fold: cold \(cold) ms, warm \(warm) ms")
    #expect(cold < 200 && warm < 1)
  }

  @Test func aPurchaseCostsTheSameBesideManyUnrelatedFacts() {
    let now = instant("2026-03-01")
    var costs: [Double] = []
    for unrelated in [10, 20_000] {
      var ledger = ledger(purchases: 10, unrelated: unrelated)
      _ = ledger.view(at: now)
      let cost = milliseconds {
        for index in 0..<50 {
          ledger.take(Fixtures.buy("n\(index)", Fixtures.threeMonths, "2026-02-01"))
          _ = ledger.view(at: now)
        }
      }
      costs.append(cost / 50)
    }
    print("purchase: beside 10 \(costs[0]) ms, beside 20,000 \(costs[1]) ms")
    #expect(costs[1] < costs[0] * 10 + 1)
  }

  @Test func purchasesOfOneLineInRandomOrderAreTakenInBulk() {
    var random = SeededGenerator(seed: 5)
    var ledger = Fixtures.ledger()
    let purchases = (0..<20_000).map { index in
      var purchase = Fixtures.buy("\(index)", Fixtures.tenDays, "2026-01-01")
      purchase.purchaseDate = purchase.purchaseDate.adding(months: 0, days: index)
      return purchase
    }.shuffled(using: &random)
    let cost = milliseconds {
      for purchase in purchases { ledger.take(purchase) }
      _ = ledger.view(at: instant("2026-03-01"))
    }
    print("bulk: \(cost) ms")
    #expect(cost < 10_000)
  }

  @Test("F71: what a member of a thousand lives states of one product")
  func entriesOfManyLives() throws {
    let key = RegisterKey.product(id: "three").encoded
    let candidates = try (0..<1_000).map { life in
      // Of each author the later entry is the greater, and of all authors those that come later begin earlier: the worst order.
      let entries = (0..<Limits.productEntries).map { number in
        var product = Fixtures.product("three", "P\(number + 1)D")
        product.from = instant("2026-01-01").advanced(
          byMilliseconds: Int64(number) * 1_000_000 - Int64(life) * 1_000)
        return ProductRecord.Entry(product, version: 1, isAnswer: true)
      }
      let record = try #require(ProductRecord(stating: entries, over: nil))
      let stamp = Stamp(rawValue: UInt64(2_000 - life) << 16)
      return (rank: DecisionRank(key: key, stamp: stamp, value: record.encoded), value: record.encoded)
    }
    var ledger = Fixtures.ledger(products: [])
    let cost = milliseconds {
      ledger.decide(.product(id: "three"), among: candidates)
      _ = ledger.revalued()
    }
    print("entries: \(cost) ms")
    #expect(!ledger.entries(of: "three").isEmpty)
    #expect(Sanitizer.isOn || cost < 30_000)
  }

  @Test func aRenewalFoldsItsOwnSubscriptionAlone() {
    let now = instant("2026-03-01")
    var costs: [Double] = []
    for others in [10, 2_000] {
      var ledger = Fixtures.ledger()
      func renew(_ number: Int, of original: String) {
        var period = Fixtures.buy("\(original)-\(number)", Fixtures.monthly, "2026-01-01")
        period.originalTransactionId = original
        period.purchaseDate = period.purchaseDate.adding(months: number, days: 0)
        period.expiresDate = period.purchaseDate.adding(months: 1, days: 0)
        ledger.take(period)
      }
      // One other subscription with all these periods.
      for number in 0..<others { renew(number, of: "other") }
      renew(0, of: "own")
      _ = ledger.view(at: now)
      let cost = milliseconds {
        for number in 1...50 {
          renew(number, of: "own")
          _ = ledger.view(at: now)
        }
      }
      costs.append(cost / 50)
    }
    print("renewal: beside 10 \(costs[0]) ms, beside 2,000 \(costs[1]) ms")
    #expect(costs[1] < costs[0] * 10 + 1)
  }
}
