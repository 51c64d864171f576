import PeerSyncCore

/// What whoever simulates can make happen: the verbs of `peerd store`.
package enum SandboxVerb: String, Codable, CaseIterable, Sendable {
  case advance = "advance"
  case buy = "buy"
  case redeem = "redeem"
  case approve = "approve"
  case decline = "decline"
  case refund = "refund"
  case reverseRefund = "reverse-refund"
  case declineRefund = "decline-refund"
  case requestConsumption = "request-consumption"
  case turnOff = "turn-off"
  case turnOn = "turn-on"
  case raisePrice = "raise-price"
  case agree = "agree"
  case refuse = "refuse"
  case failBilling = "fail-billing"
  case fixBilling = "fix-billing"
  case expireCard = "expire-card"
  case purchases = "purchases"
  case grace = "grace"
  case share = "share"
  case unshare = "unshare"
  case withdraw = "withdraw"
  case offer = "offer"
  case testNotification = "test-notification"

  /// Whether it is about all accounts: then an account that is named says of whom the answer tells.
  package var isOfTheWholeStore: Bool {
    switch self {
    case .advance, .raisePrice, .withdraw, .offer, .grace, .testNotification: true
    case .buy, .redeem, .approve, .decline, .refund, .reverseRefund, .declineRefund, .requestConsumption,
      .turnOff, .turnOn, .agree, .refuse, .failBilling, .fixBilling, .expireCard, .purchases, .share,
      .unshare:
      false
    }
  }
}

/// `POST /v1/demands`: one verb with what it takes.
package struct SandboxDemand: Codable, Hashable, Sendable {
  package var verb: SandboxVerb
  /// The transaction, product, account, family or number that it is about.
  package var subject: String?
  /// The second word.
  package var value: String?
  /// Whose purchase is meant, or of whom the answer tells; nil: the newest of anybody, and of everybody.
  package var account: String?
  package var step: SandboxStep?
  /// A part in per cent, 1 to 100.
  package var percent: Int?
  package var date: Instant?
  /// The offer at which it is bought.
  package var offer: String?
  /// `--once` and `--consent`.
  package var flag: Bool?

  package init(_ verb: SandboxVerb, subject: String? = nil, value: String? = nil, account: String? = nil) {
    self.verb = verb
    self.subject = subject
    self.value = value
    self.account = account
  }
}

extension SandboxDemand {
  /// What the store is to do; nil: something about its time.
  package func command(_ sandboxStore: SandboxStore, bundleId: String) throws(SandboxRefusal)
    -> SandboxCommand?
  {
    switch verb {
    case .advance: return nil
    case .buy: return .buy(order(bundleId, subject ?? "", at: offer))
    case .redeem: return .buy(order(bundleId, try product(sandboxStore), at: subject))
    case .approve: return .approve(request: try request(sandboxStore))
    case .decline: return .decline(request: try request(sandboxStore))
    case .refund: return .refund(transaction: try transaction(sandboxStore), percentage: try part)
    case .reverseRefund: return .reverseRefund(transaction: try transaction(sandboxStore))
    case .declineRefund: return .declineRefund(transaction: try transaction(sandboxStore))
    case .requestConsumption: return .requestConsumption(transaction: try transaction(sandboxStore))
    case .turnOff: return .setRenewal(transaction: try transaction(sandboxStore), isOn: false)
    case .turnOn: return .setRenewal(transaction: try transaction(sandboxStore), isOn: true)
    case .agree: return .answerIncrease(transaction: try transaction(sandboxStore), agrees: true)
    case .refuse: return .answerIncrease(transaction: try transaction(sandboxStore), agrees: false)
    case .raisePrice, .withdraw, .offer, .failBilling, .fixBilling, .expireCard, .purchases, .grace, .share,
      .unshare,
      .testNotification:
      return try setting(sandboxStore, bundleId)
    }
  }

  private func setting(_ sandboxStore: SandboxStore, _ bundleId: String) throws(SandboxRefusal)
    -> SandboxCommand?
  {
    switch verb {
    case .raisePrice:
      return .raisePrice(product: subject ?? "", price: try price, needsConsent: flag ?? false)
    case .withdraw: return .withdraw(product: subject ?? "", isWithdrawn: true)
    case .offer: return .withdraw(product: subject ?? "", isWithdrawn: false)
    case .failBilling: return .setBilling(account: subject ?? SandboxDemand.somebody, isFailing: true)
    case .fixBilling: return .setBilling(account: subject ?? SandboxDemand.somebody, isFailing: false)
    case .expireCard: return .setCard(account: subject ?? SandboxDemand.somebody, expires: date)
    case .purchases:
      guard let mood = subject.flatMap(SandboxMood.init(rawValue:)) else {
        throw wrong("succeed, fail, cancel or ask")
      }
      return .setMood(mood, account: account, isOnce: flag ?? false)
    case .grace:
      guard subject == "on" || subject == "off" else { throw wrong("on or off") }
      return .setGrace(subject == "on")
    case .share: return .joinFamily(account: value ?? "", family: subject ?? "")
    case .unshare: return .leaveFamily(account: subject ?? "")
    case .testNotification: return .testNotification(bundleId: subject ?? bundleId)
    case .advance, .buy, .redeem, .approve, .decline, .refund, .reverseRefund, .declineRefund,
      .requestConsumption,
      .turnOff, .turnOn, .agree, .refuse:
      return nil
    }
  }

  /// The account of whoever names none: one customer with several devices.
  package static let somebody = "customer@example.com"

  private func order(_ bundleId: String, _ product: String, at offer: String?) -> SandboxOrder {
    SandboxOrder(
      account: account ?? SandboxDemand.somebody, bundleId: bundleId, productId: product, offer: offer)
  }

  /// The product whose offer a code is for: the first by its id, should several have one of that name.
  private func product(_ sandboxStore: SandboxStore) throws(SandboxRefusal) -> String {
    let code = subject ?? ""
    let products = sandboxStore.products.values.filter { product in
      product.offers.contains { $0.kind == .code && $0.id.map(Name.init) == Name(code) }
    }
    guard let product = products.min(by: { Name($0.id) < Name($1.id) }) else { throw .unknownCode(code) }
    return product.id
  }

  /// A transaction by its id, or the newest one of a product that stands.
  private func transaction(_ sandboxStore: SandboxStore) throws(SandboxRefusal) -> UInt64 {
    let subject = subject ?? ""
    if let id = UInt64(subject), let bought = sandboxStore.transaction(id) {
      guard isMeant(bought.account) else {
        throw .notTheirs("transaction \(id)", account: account ?? "")
      }
      return id
    }
    let owned = sandboxStore.transactions.filter { isMeant($0.account) }
    let found = owned.last { Name($0.productId) == Name(subject) && wants($0) }
    if let found { return found.id }
    if let id = UInt64(subject) { throw .unknownTransaction(id) }
    throw .nothingBought(subject)
  }

  /// Whether it may be about something of an account.
  private func isMeant(_ owner: String) -> Bool { account.map { Name($0) == Name(owner) } ?? true }

  private func wants(_ bought: SandboxTransaction) -> Bool {
    bought.ownership == .purchased && (verb == .reverseRefund) == (bought.revocation != nil)
  }

  /// The number of a purchase that waits; without one, the oldest.
  private func request(_ sandboxStore: SandboxStore) throws(SandboxRefusal) -> UInt64 {
    if let subject {
      guard let number = UInt64(subject) else { throw wrong("the number of a purchase that waits") }
      if let known = sandboxStore.requests.first(where: { $0.id == number }), !isMeant(known.order.account) {
        throw .notTheirs("purchase number \(number)", account: account ?? "")
      }
      return number
    }
    let waiting = sandboxStore.requests.filter { $0.state == .pending && isMeant($0.order.account) }
    guard let oldest = waiting.first else { throw .nothingWaits }
    return oldest.id
  }

  private var part: Int? {
    get throws(SandboxRefusal) {
      guard let percent else { return nil }
      guard (1...100).contains(percent) else { throw .wrongPart(percent) }
      return percent * (Transaction.wholeMilliunits / 100)
    }
  }

  private var price: Int64 {
    get throws(SandboxRefusal) {
      guard let value, let price = Price.milliunits(value) else { throw .wrongPrice }
      return price
    }
  }

  private func wrong(_ what: String) -> SandboxRefusal {
    .wrongWord(verb: verb.rawValue, what: what, subject: subject ?? "")
  }
}
