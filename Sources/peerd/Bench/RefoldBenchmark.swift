import PeerSync

/// `refold`: a notification that a subscription was renewed, on a ledger of 10,000 transactions: looked at, verified with
/// OpenSSL, written to the registers, folded and asked for. Nothing is written to a disk.
enum RefoldBenchmark {
  private static let transactions = 10_000
  private static let rounds = 200
  /// The length of a period, in milliseconds: short, for the certificates are not valid for ever.
  private static let period: Int64 = 60_000
  private static let now = Instant(clamping: 1_800_000_000_000)

  static func run() throws -> Figures {
    var figures = Figures(.refold)
    figures.add("transactions", transactions)
    let one = try measure(subscriptions: 1)
    let many = try measure(subscriptions: 1_000)
    figures.add("oneSubscriptionMicroseconds", one.refold * 1e6)
    figures.add("thousandSubscriptionsMicroseconds", many.refold * 1e6)
    figures.add("withSignaturesMicroseconds", one.whole * 1e6)
    let alone = try measure(subscriptions: 1, of: 10)
    figures.add("besideTenMicroseconds", alone.refold * 1e6)
    figures.add("ratioToTen", one.refold / alone.refold)
    return figures
  }

  /// The time for one notification: all of it, and from verified items to the view alone.
  private static func measure(
    subscriptions: Int, of transactions: Int = transactions
  ) throws -> (whole: Double, refold: Double) {
    let store = try SandboxSigner.generate()
    let device = NewDevice.simulated(seed: 1, bundleId: Workload.bundleId)
    var engine = Engine(
      device, signer: .simulated(seed: 1), .openSSL, seed: 1, store: StoreKitVerifier().verifier,
      trustedRoots: [store.rootHash])
    let product = Product(id: "club", type: .autoRenewableSubscription, entitlements: ["club"])
    write(
      [
        LocalWrite(
          key: RegisterKey.product(id: product.id).encoded, stamp: Stamp(rawValue: 0), value: product.encoded)
      ], &engine)
    for first in stride(from: 0, to: transactions, by: 100) {
      let numbers = first..<min(first + 100, transactions)
      write(try numbers.flatMap { try writes($0, subscriptions, store) }, &engine)
    }
    _ = engine.ledger { $0.view(at: now) }
    var (whole, refold): ([Double], [Double]) = ([], [])
    for number in transactions..<transactions + rounds {
      let text = try text(number, subscriptions, store)
      var item: IngestedItem?
      let looking = timed { item = look(at: text, store, engine) }
      guard let item, item.reason == nil else {
        throw BenchmarkError("a good notification was refused", "올바른 알림이 거부되었습니다")
      }
      let folding = timed {
        write(item.writes(engine.identity, .openSSL), &engine)
        _ = engine.ledger { $0.view(at: now) }
      }
      whole.append(looking + folding)
      refold.append(folding)
    }
    return (Percentiles(whole).p50, Percentiles(refold).p50)
  }

  private static func look(at text: String, _ store: SandboxSigner, _ engine: Engine) -> IngestedItem {
    IngestedItem(text, engine.identity, engine.storeVerifier, trusting: [store.rootHash])
  }

  /// A renewal: its transaction, and what the store says of the next one.
  private static func renewal(_ number: Int, _ subscriptions: Int) -> (Transaction, RenewalInfo) {
    let original = String(2_000_000_000_000_000 + number % subscriptions)
    var transaction = Transaction(
      transactionId: String(2_000_000_000_000_000 + number), originalTransactionId: original,
      productId: "club", bundleId: Workload.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: 1_700_000_000_000 + Int64(number / subscriptions) * period),
      verification: .unverified)
    transaction.expiresDate = transaction.purchaseDate.advanced(byMilliseconds: period)
    let info = RenewalInfo(
      originalTransactionId: original, productId: "club", autoRenewStatus: true,
      renewalDate: transaction.expiresDate, environment: .sandbox, signedDate: transaction.signedDate,
      verification: .unverified)
    return (transaction, info)
  }

  private static func writes(
    _ number: Int, _ subscriptions: Int, _ store: SandboxSigner
  ) throws -> [LocalWrite] {
    let (transaction, _) = renewal(number, subscriptions)
    return StoreItem.writes(
      of: try store.sign(transaction), about: StoreSubject(transaction, device: nil), rank: .standing,
      stamp: transaction.stamp, .openSSL)
  }

  /// The renewal of a subscription as the store tells servers.
  private static func text(_ number: Int, _ subscriptions: Int, _ store: SandboxSigner) throws -> String {
    let (transaction, info) = renewal(number, subscriptions)
    let jws = try store.sign(
      StoreNotification.payload(
        .didRenew, id: "notification \(number)", transaction: store.sign(transaction),
        renewal: store.sign(info.payload), bundleId: Workload.bundleId, environment: .sandbox,
        signed: transaction.signedDate))
    return String(decoding: jws.text, as: UTF8.self)
  }

  private static func write(_ writes: [LocalWrite], _ engine: inout Engine) {
    _ = engine.handle(
      [.requested(RequestID(rawValue: 1), .write(writes))], now: Now(wall: now, monotonic: 0))
  }
}
