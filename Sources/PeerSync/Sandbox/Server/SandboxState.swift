import PeerSync
import PeerSyncSandbox

/// `GET /v1/state`: what `peerd store show` prints. Of purchases and notifications the newest; all else in full.
package struct SandboxState: Codable, Hashable, Sendable {
  package struct Account: Codable, Hashable, Sendable {
    package let id: String
    @Nullable package var family: String?
    @Nullable package var purchases: String?
    /// What becomes of the next one alone.
    @Nullable package var nextPurchase: String?
    package let billingFails: Bool
    @Nullable package var cardExpires: Instant?
  }

  package struct Subscription: Codable, Hashable, Sendable {
    package let originalTransactionId: String
    package let account: String
    package let productId: String
    package let state: String
    package let expires: Instant
    package let willRenew: Bool
    package let renewsAs: String
    @Nullable package var reason: String?
    package let warnings: [String]
  }

  package struct Purchase: Codable, Hashable, Sendable {
    package let transactionId: String
    package let originalTransactionId: String
    package let orderId: String
    package let account: String
    package let productId: String
    package let purchaseDate: Instant
    @Nullable package var expires: Instant?
    package let finished: Bool
    @Nullable package var revocationDate: Instant?
    package let ownership: String
    /// Apple's `transactionReason`; null from a store of an earlier version.
    @Nullable package var reason: String?
  }

  package struct Request: Codable, Hashable, Sendable {
    package let number: UInt64
    package let account: String
    package let productId: String
    package let made: Instant
  }

  package struct Notification: Codable, Hashable, Sendable {
    package let number: UInt64
    package let type: String
    @Nullable package var subtype: String?
    @Nullable package var transactionId: String?
    package let signed: Instant
    package let attempts: Int
    package let delivered: Bool
    /// Whether it is not tried any more.
    package let failed: Bool
  }

  package let now: Instant
  package let manual: Bool
  /// When something will happen by itself.
  @Nullable package var next: Instant?
  /// What becomes of purchases of accounts for which nothing else was said; null from a store of an earlier version.
  @Nullable package var outcome: String?
  /// What becomes of the next one alone.
  @Nullable package var nextOutcome: String?
  package let accounts: [Account]
  package let subscriptions: [Subscription]
  package let purchases: [Purchase]
  /// How many older purchases are left out.
  package let purchasesLeftOut: Int
  package let waiting: [Request]
  package let notifications: [Notification]
  /// How many older notifications are left out.
  package let notificationsLeftOut: Int
}

/// What of a store is shown.
package struct SandboxView: Equatable, Sendable {
  /// How many of the newest purchases, and of the newest notifications.
  package var last: Int
  /// Whose; nil: everybody's.
  package var account: String?

  /// How many are shown where nobody says.
  package static let usual = 50

  package init(last: Int = usual, account: String? = nil) {
    self.last = min(max(last, 1), Limits.sandboxTransactions)
    self.account = account
  }

  fileprivate func takes(_ owner: String?) -> Bool {
    account == nil || account.map(Name.init) == owner.map(Name.init)
  }

  fileprivate func takes(_ told: SandboxNotification, in sandboxStore: SandboxStore) -> Bool {
    takes(told.transaction.flatMap(sandboxStore.transaction)?.account)
  }
}

/// One product, as the store sells it.
package struct SandboxProductAnswer: Codable, Hashable, Sendable {
  /// A reduced price.
  package struct Offer: Codable, Hashable, Sendable {
    package let kind: String
    @Nullable package var id: String?
    package let payment: String
    package let period: String
    package let periods: Int
    package let price: String
    package let customers: [String]
  }

  package let id: String
  @Nullable package var name: String?
  package let type: String
  package let price: String
  package let currency: String
  @Nullable package var period: String?
  @Nullable package var group: String?
  package let rank: Int
  package let forSale: Bool
  package let offers: [Offer]
}

/// What the store sells.
package struct SandboxProductsAnswer: Codable, Hashable, Sendable {
  package let storefront: String
  package let products: [SandboxProductAnswer]
}

extension SandboxStoreServer {
  /// - Parameter account: whose offers: those that it may have now; nil: all offers
  func productList(openTo account: String? = nil) throws -> SandboxProductsAnswer {
    try read { sandboxStore, _ in
      if let account { _ = try sandboxStore.require(account: account) }
      return SandboxProductsAnswer(
        storefront: sandboxStore.terms.storefront,
        products: sandboxStore.products.values.sorted { Name($0.id) < Name($1.id) }.map { product in
          let isPlan = product.type == .autoRenewableSubscription
          return SandboxProductAnswer(
            id: product.id, name: product.name, type: product.type.rawValue, price: Price.text(product.price),
            currency: product.currency,
            period: product.period?.description, group: isPlan ? product.group : nil, rank: product.rank,
            forSale: !product.isWithdrawn,
            offers: (account.map { sandboxStore.offers(of: product, openTo: $0) } ?? product.offers)
              .map(SandboxProductAnswer.Offer.init))
        })
    }
  }

  /// What the store has told since a notification of that number.
  func told(since number: UInt64, _ view: SandboxView) throws -> (
    shown: [SandboxState.Notification], leftOut: Int
  ) {
    try read { sandboxStore, _ in
      let told = sandboxStore.notifications.drop { $0.number <= number }.filter {
        view.takes($0, in: sandboxStore)
      }
      let shown = told.suffix(view.last)
      return (shown.map(SandboxState.Notification.init), told.count - shown.count)
    }
  }

  package func state(_ view: SandboxView = SandboxView()) throws -> SandboxState {
    try read { sandboxStore, _ in
      if let account = view.account { _ = try sandboxStore.require(account: account) }
      let bought = sandboxStore.transactions.filter { view.takes($0.account) }
      let told = sandboxStore.notifications.filter { view.takes($0, in: sandboxStore) }
      let (purchases, notifications) = (bought.suffix(view.last), told.suffix(view.last))
      return SandboxState(
        now: sandboxStore.time, manual: sandboxStore.terms.isManual, next: sandboxStore.nextDeadline,
        outcome: sandboxStore.terms.mood.rawValue, nextOutcome: sandboxStore.terms.moodOnce?.rawValue,
        accounts: sandboxStore.accounts.values.filter { view.takes($0.id) }.sorted {
          Name($0.id) < Name($1.id)
        }
        .map(SandboxState.Account.init),
        subscriptions: sandboxStore.subscriptions.filter { view.takes($0.account) }.map(
          SandboxState.Subscription.init),
        purchases: purchases.map(SandboxState.Purchase.init),
        purchasesLeftOut: bought.count - purchases.count,
        waiting: sandboxStore.requests.filter { $0.state == .pending && view.takes($0.order.account) }
          .map(SandboxState.Request.init),
        notifications: notifications.map(SandboxState.Notification.init),
        notificationsLeftOut: told.count - notifications.count)
    }
  }
}

extension SandboxState.Request {
  fileprivate init(_ request: SandboxRequest) {
    self.init(
      number: request.id, account: request.order.account, productId: request.order.productId,
      made: request.made)
  }
}

extension SandboxProductAnswer.Offer {
  fileprivate init(_ offer: SandboxOffer) {
    self.init(
      kind: offer.kind.rawValue, id: offer.id, payment: offer.mode.rawValue, period: offer.period.description,
      periods: offer.periods, price: Price.text(offer.price), customers: offer.customers.map(\.rawValue))
  }
}

extension SandboxState.Account {
  fileprivate init(_ account: SandboxAccount) {
    self.init(
      id: account.id, family: account.family, purchases: account.mood?.rawValue,
      nextPurchase: account.moodOnce?.rawValue, billingFails: account.isBillingFailing,
      cardExpires: account.cardExpires)
  }
}

extension SandboxState.Subscription {
  fileprivate init(_ subscription: SandboxSubscription) {
    self.init(
      originalTransactionId: String(subscription.original), account: subscription.account,
      productId: subscription.productId, state: subscription.state.seen.rawValue,
      expires: subscription.expires,
      willRenew: subscription.willRenew, renewsAs: subscription.nextProductId,
      reason: subscription.reason.map { ExpiryReason(expirationIntent: $0.rawValue).rawValue },
      warnings: subscription.warnings)
  }
}

extension SandboxSubscription.State {
  /// As devices show it.
  fileprivate var seen: SubscriptionState {
    switch self {
    case .subscribed: .subscribed
    case .expired: .expired
    case .inBillingRetry: .inBillingRetry
    case .inGracePeriod: .inGracePeriod
    case .revoked: .revoked
    }
  }
}

extension SandboxState.Purchase {
  fileprivate init(_ transaction: SandboxTransaction) {
    self.init(
      transactionId: String(transaction.id), originalTransactionId: String(transaction.original),
      orderId: transaction.orderId, account: transaction.account, productId: transaction.productId,
      purchaseDate: transaction.purchaseDate, expires: transaction.expires, finished: transaction.isFinished,
      revocationDate: transaction.revocation?.date, ownership: transaction.ownership.rawValue,
      reason: transaction.reason)
  }
}

extension SandboxState.Notification {
  fileprivate init(_ told: SandboxNotification) {
    self.init(
      number: told.number, type: told.type, subtype: told.subtype,
      transactionId: told.transaction.map { String($0) },
      signed: told.signed, attempts: told.attempts.count, delivered: told.isDelivered,
      failed: told.isGivenUp)
  }
}
