/// An auto-renewable subscription of one account in one group: what its transactions together amount to.
///
/// It is kept as one object with the fields of all its parts, which can be read as if they stood here.
@dynamicMemberLookup package struct SandboxSubscription: Codable, Hashable, Sendable {
  /// Apple's `status`.
  package enum State: Int, Codable, Hashable, Sendable {
    case subscribed = 1
    case expired = 2
    case inBillingRetry = 3
    case inGracePeriod = 4
    case revoked = 5
  }

  /// Apple's `expirationIntent`: why it ended.
  package enum Reason: Int, Codable, Hashable, Sendable {
    case turnedOff = 1
    case billingError = 2
    case priceNotAccepted = 3
    case productUnavailable = 4
    case other = 5
  }

  package private(set) var contract: Contract
  package var course: Course
  package var renewal: Renewal
  package var offers = Offers()
  package var version: SandboxVersion

  /// The subscription that a first transaction begins.
  init(_ first: SandboxTransaction, of product: SandboxProduct, _ version: SandboxVersion) {
    contract = Contract(
      original: first.id, account: first.account, bundleId: first.bundleId, group: product.group,
      currency: product.currency, token: first.token)
    course = Course(first, of: product)
    renewal = Renewal(nextProductId: product.id)
    self.version = version
  }

  package init(from decoder: any Decoder) throws {
    contract = try Contract(from: decoder)
    course = try Course(from: decoder)
    renewal = try Renewal(from: decoder)
    offers = try Offers(from: decoder)
    version = try SandboxVersion(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    try contract.encode(to: encoder)
    try course.encode(to: encoder)
    try renewal.encode(to: encoder)
    try offers.encode(to: encoder)
    try version.encode(to: encoder)
  }

  package subscript<Value>(dynamicMember fact: KeyPath<Contract, Value>) -> Value { contract[keyPath: fact] }
  package subscript<Value>(dynamicMember fact: KeyPath<Course, Value>) -> Value { course[keyPath: fact] }
  package subscript<Value>(dynamicMember fact: KeyPath<Renewal, Value>) -> Value { renewal[keyPath: fact] }
  package subscript<Value>(dynamicMember fact: KeyPath<Offers, Value>) -> Value { offers[keyPath: fact] }
  package subscript<Value>(dynamicMember fact: KeyPath<SandboxVersion, Value>) -> Value {
    version[keyPath: fact]
  }

  /// As it is told to one of the family who shares it: under the number of his own transactions, and without the buyer's
  /// token.
  ///
  /// - Parameter transaction: his newest
  func shared(by transaction: SandboxTransaction) -> SandboxSubscription {
    var shared = self
    shared.contract.pass(to: transaction)
    shared.version.rise(to: transaction.version)
    return shared
  }

  /// The offer at whose price the next period is sold.
  package var comingOffer: SandboxOffer? { offers.coming(for: renewal.nextProductId) }

  /// Goes on with a transaction, as if nothing had ever stood in the way.
  mutating func run(_ transaction: SandboxTransaction) {
    course.run(transaction)
    renewal.run()
  }

  /// Whose it is.
  package struct Contract: Codable, Hashable, Sendable {
    /// The first transaction.
    package private(set) var original: UInt64
    package private(set) var account: String
    package let bundleId: String
    package let group: String
    package let currency: String
    package private(set) var token: String?

    init(
      original: UInt64, account: String, bundleId: String, group: String, currency: String, token: String?
    ) {
      (self.original, self.account, self.bundleId) = (original, account, bundleId)
      (self.group, self.currency, self.token) = (group, currency, token)
    }

    /// Puts one who shares it in the place of the buyer.
    mutating func pass(to transaction: SandboxTransaction) {
      (original, account, token) = (transaction.original, transaction.account, nil)
    }
  }
}
