import PeerSyncCore
import PeerSyncSimulation

/// `fold`: a line of 1,000 purchases.
enum FoldBenchmark {
  private static let purchases = 1_000
  private static let now = Instant(clamping: 1_800_000_000_000)

  static func run() throws -> Figures {
    var figures = Figures(.fold)
    figures.add("purchases", purchases)
    let cold = (0..<20).map { _ in coldFold() }.min() ?? 0
    figures.add("coldMilliseconds", cold * 1_000)
    var ledger = filled()
    _ = ledger.view(at: now)
    figures.add(
      "warmMicroseconds",
      (0..<100).map { _ in timed { _ = ledger.view(at: now) } }.min().map { $0 * 1e6 } ?? 0)
    let few = onePurchase(beside: 10)
    let many = onePurchase(beside: 100_000)
    figures.add("onePurchaseBeside10Microseconds", few * 1e6)
    figures.add("onePurchaseBeside100000Microseconds", many * 1e6)
    figures.add("ratioManyToFew", many / few)
    return figures
  }

  private static func filled() -> Ledger {
    var ledger = Ledger(environment: .sandbox, bundleId: Workload.bundleId)
    ledger.apply(.product(Workload.product("m", line: "line")), stamp: Stamp(rawValue: 0))
    for number in 0..<purchases { apply(Workload.purchase(number, of: "m"), to: &ledger) }
    return ledger
  }

  private static func apply(_ transaction: Transaction, to ledger: inout Ledger) {
    ledger.apply(.transaction(transaction, device: nil), stamp: transaction.stamp)
  }

  private static func coldFold() -> Double {
    var ledger = filled()
    return timed { _ = ledger.view(at: now) }
  }

  /// One more purchase in the line and the view after it, in an engine that holds as many unrelated registers.
  private static func onePurchase(beside unrelated: Int) -> Double {
    let device = NewDevice.simulated(seed: 1, bundleId: Workload.bundleId)
    var engine = Engine(
      device, signer: .simulated(seed: 1), .simulated, seed: 1, store: .simulated,
      trustedRoots: SimulatedStore.trustedRoots)
    let product = Workload.product("m", line: "line")
    var writes = Workload.values(unrelated)
    writes.append(
      LocalWrite(
        key: RegisterKey.product(id: product.id).encoded, stamp: Stamp(rawValue: 0), value: product.encoded))
    writes += (0..<purchases).flatMap { Workload.writes(Workload.purchase($0, of: "m"), .simulated) }
    write(writes, &engine)
    _ = engine.ledger { $0.view(at: now) }
    let times = (0..<50).map { round in
      timed {
        write(Workload.writes(Workload.purchase(purchases + round, of: "m"), .simulated), &engine)
        _ = engine.ledger { $0.view(at: now) }
      }
    }
    return Percentiles(times).p50
  }

  private static func write(_ writes: [LocalWrite], _ engine: inout Engine) {
    _ = engine.handle(
      [.requested(RequestID(rawValue: 1), .write(writes))], now: Now(wall: now, monotonic: 0))
  }
}
