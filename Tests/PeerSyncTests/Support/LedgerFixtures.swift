import PeerSyncCore
import Testing

/// The instant of a text that a test knows to be one.
func instant(_ text: String) -> Instant {
  guard let instant = Instant(text) else {
    Issue.record("\(text) is not a time")
    return .epoch
  }
  return instant
}

/// The period of a text that a test knows to be one.
func period(_ text: String) -> Period? {
  let period = Period(text)
  if period == nil { Issue.record("\(text) is not a period") }
  return period
}

/// What the tests of the ledger buy.
enum Fixtures {
  static let bundleId = "com.example.owls"
  static let threeMonths = product("three", "P3M")
  static let sixMonths = product("six", "P6M")
  static let tenDays = product("ten", "P10D")
  static let owl = Product(id: "owl", type: .nonConsumable, entitlements: ["owl"])
  static let credits = Product(
    id: "five", type: .consumable, entitlements: ["random"], credit: "owls", amount: 5)
  static let monthly = Product(id: "monthly", type: .autoRenewableSubscription, entitlements: ["club"])
  static let all = [threeMonths, sixMonths, tenDays, owl, credits, monthly]

  static func product(_ id: String, _ length: String, line: String = "random") -> Product {
    Product(
      id: id, type: .nonRenewingSubscription, line: line, period: period(length), entitlements: ["random"])
  }

  static func buy(
    _ id: String, _ product: Product, _ date: String, quantity: Int = 1, environment: Environment = .sandbox
  ) -> Transaction {
    Transaction(
      transactionId: id, productId: product.id, bundleId: bundleId, environment: environment,
      purchaseDate: instant(date), quantity: quantity,
      verification: environment == .production ? .verified : .simulated)
  }

  /// A ledger that knows these products.
  static func ledger(_ environment: Environment = .sandbox, products: [Product] = all) -> Ledger {
    var ledger = Ledger(environment: environment, bundleId: bundleId)
    for product in products { ledger.apply(.product(product), stamp: Stamp(rawValue: 0)) }
    return ledger
  }
}

extension Ledger {
  /// Takes in a snapshot under its own stamp.
  mutating func take(_ transaction: Transaction, device: DeviceID? = nil) {
    apply(.transaction(transaction, device: device), stamp: transaction.stamp)
  }

  /// The expiry of a line.
  mutating func expires(_ line: String = "random", at now: String = "2026-01-01") -> Instant? {
    view(at: instant(now)).lines.first { $0.id == line }?.expires
  }

  mutating func entitlement(_ id: String, at now: String) -> EntitlementView? {
    view(at: instant(now)).entitlements.first { $0.id == id }
  }
}

extension Transaction {
  /// The snapshot that the store signs after taking it back.
  func refunded(_ date: String, type: RevocationType = .refundFull, percentage: Int? = nil) -> Transaction {
    var copy = self
    copy.refund(at: instant(date))
    copy.revocationType = type
    copy.revocationPercentage = percentage
    return copy
  }

  /// The snapshot that the store signs after giving it back.
  func reinstated(_ date: String) -> Transaction {
    var copy = self
    copy.revocation = Transaction.Revocation()
    copy.signedDate = instant(date)
    return copy
  }
}

/// Every order of a few values.
func permutations<Value>(_ values: [Value]) -> [[Value]] {
  guard !values.isEmpty else { return [[]] }
  return values.indices.flatMap { index in
    var rest = values
    let first = rest.remove(at: index)
    return permutations(rest).map { [first] + $0 }
  }
}

// MARK: Items of the store

extension Transaction {
  /// The write of a snapshot that nobody has signed.
  func unsigned(stamp: Stamp? = nil) -> LocalWrite {
    let stamp = stamp ?? self.stamp
    let key = StoreSubject(self, device: nil).key(of: encoded, stamp: stamp, .simulated)
    return LocalWrite(key: key.encoded, stamp: stamp, value: encoded)
  }
}

extension Write {
  /// The same under the name of its content, which goes behind the key.
  var named: Write {
    var named = self
    let item = StoreItemID(of: value, stamp: stamp, .simulated)
    for word in [item.high, item.low] {
      named.key += withUnsafeBytes(of: word.bigEndian) { Array($0) }
    }
    return named
  }

  /// A write that somebody makes of one.
  init(_ write: LocalWrite, dot: Dot) {
    self.init(key: write.key, stamp: write.stamp ?? Stamp(rawValue: 0), value: write.value, dot: dot)
  }
}
