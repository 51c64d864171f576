/// One entry of the catalogue.
///
/// The store never tells how long a non-renewing product lasts or what it is for, so the catalogue does. Two files may
/// each state a part: what no file states is nil.
public struct Product: Hashable, Sendable {
  /// The store's product identifier, Apple's `productID`.
  public var id: String
  /// What kind of purchase it is. Until some file says so the product counts as unknown [B22].
  public var type: ProductType?
  /// The line that a purchase extends: all products of one line stack.
  public var line: String?
  /// How long one unit lasts.
  public var period: Period?
  /// The entitlements it gives, in byte order, each once.
  public var entitlements: [String]?
  /// The credit that it buys.
  public var credit: String?
  /// Credits bought by one unit, 0 to ``Limits/creditAmount``; nil counts as 1.
  public var amount: Int?
  /// The name a customer reads.
  public var displayName: String?
  /// One sentence for the customer.
  public var text: String?
  /// The price as a decimal number without a currency sign, such as `4.99`.
  public var price: String?
  /// The ISO 4217 code of the price's currency.
  public var currency: String?
  /// The group within which auto-renewable subscriptions replace each other.
  public var subscriptionGroup: String?
  /// The level of service within that group, 1 to ``Limits/products``: 1 is the highest.
  public var level: Int?
  /// Since when purchases count by this entry; one before it counts by the entry before. Nil: all do [F71].
  public var from: Instant?

  /// Makes a product of which nothing more than its identifier is known.
  public init(id: String) { self.id = id }

  /// Makes a product of the fields that decide what it grants. Entitlements are sorted.
  public init(
    id: String, type: ProductType, line: String? = nil, period: Period? = nil, entitlements: [String] = [],
    credit: String? = nil, amount: Int? = nil
  ) {
    self.id = id
    self.type = type
    self.line = line
    self.period = period
    self.entitlements = entitlements.sortedUniqueNames()
    self.credit = credit
    self.amount = amount
  }

  /// Takes over every field that a later entry for the same product states, but for when it begins to count.
  public mutating func add(_ later: Product) {
    type = later.type ?? type
    line = later.line ?? line
    period = later.period ?? period
    entitlements = later.entitlements ?? entitlements
    credit = later.credit ?? credit
    amount = later.amount ?? amount
    displayName = later.displayName ?? displayName
    text = later.text ?? text
    price = later.price ?? price
    currency = later.currency ?? currency
    subscriptionGroup = later.subscriptionGroup ?? subscriptionGroup
    level = later.level ?? level
  }

  /// Whether every field is within ``Limits``, its id fits a register, and it so can be replicated.
  public var isWithinLimits: Bool {
    RegisterKey.product(id: id).isWithinLimits && (try? Product(decoding: encoded[...])) != nil
  }

  /// Whether a purchase of it is good for anything, as far as is said here.
  package var givesSomething: Bool { line != nil || credit != nil || !(entitlements ?? []).isEmpty }

  /// Whether units of it add up: only what the store does not renew by itself does [A5].
  var stacks: Bool { type == .nonRenewingSubscription || type == .consumable }
  /// The line its purchases extend.
  package var stackingLine: String? { stacks ? line : nil }
  /// The credit its purchases buy.
  package var boughtCredit: String? { stacks ? credit : nil }
}
