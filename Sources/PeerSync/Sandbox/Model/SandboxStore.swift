import PeerSyncCore

/// The sandbox store as one value: it plays the App Store for all simulated devices.
///
/// It takes *(command, now)* and answers with what changed, in order, as snapshots: whoever runs it signs those, keeps
/// them, and posts the notifications. It reads no clock and draws no random numbers, so that a process and a simulation
/// can run it alike. Between commands the time passes by ``advance(to:)``, and ``nextDeadline`` says when something is
/// due: a renewal, the end of a period, of grace, or of the attempts to charge.
///
/// Time never goes back here. Everything that was due happens at its own instant, in order, however late it is noticed.
package struct SandboxStore: Sendable, Equatable {
  /// The time that the store has reached.
  package internal(set) var time: Instant
  /// What does not belong to any customer.
  package internal(set) var terms: SandboxTerms
  package internal(set) var products: [Name: SandboxProduct] = [:]
  package internal(set) var accounts: [Name: SandboxAccount] = [:]
  /// By id, from ``SandboxTerms/firstId`` on. There is a gap where the store was started again: see ``begin(run:)``.
  package internal(set) var transactions: [SandboxTransaction] = []
  /// In the order of their first transactions.
  package internal(set) var subscriptions: [SandboxSubscription] = []
  package internal(set) var requests: [SandboxRequest] = []
  /// The newest: nine tenths of ``Limits/sandboxNotifications`` at least, once there were so many.
  package internal(set) var notifications: [SandboxNotification] = []
  /// Counts the changes of transactions and subscriptions.
  package internal(set) var revision: UInt64 = 0

  /// What has changed since it was last handed out.
  var events: [SandboxEvent] = []
  /// Where the subscription of a first transaction stands.
  var places: [UInt64: Int] = [:]
  /// When the list of win-back offers of a subscription that is over is next to be signed anew, by first transactions.
  var openings: [UInt64: Instant] = [:]

  package init(terms: SandboxTerms, at time: Instant) {
    self.terms = terms
    self.time = time
  }

  /// Starts the store that a directory has kept. It may be a copy of one whose store has gone on, as from a backup: what that one
  /// has sold and told since must not have the names of what this one will, for devices and servers would take them for the same.
  /// So ids go on beyond a gap as random as the run.
  ///
  /// - Parameter run: a random number, as no other run has it
  package mutating func begin(run: UInt64) {
    let next = transactions.last.map { $0.id + 1 } ?? terms.firstId
    terms.run = run
    terms.nextId = next + (next < Limits.sandboxIdWithGap ? run % Limits.sandboxIdGap : 0)
  }

  /// The run, as devices name it.
  package var runName: String? { terms.run.map(hexadecimal) }

  // MARK: Commands

  /// Does business on other terms from now on.
  package mutating func setTerms(_ change: (inout SandboxTerms) -> Void) {
    let scale = terms.scale
    change(&terms)
    // Offers wait as much longer or shorter.
    if terms.scale != scale { lookAtWinBack() }
  }

  /// Does what it is told. What it refuses changes nothing but the time.
  package mutating func handle(_ command: SandboxCommand, now: Instant) throws(SandboxRefusal)
    -> SandboxResult
  {
    try advance(to: now)
    let result = try perform(command)
    // What was put off may be due now.
    try advance(to: time)
    return result
  }

  private mutating func perform(_ command: SandboxCommand) throws(SandboxRefusal) -> SandboxResult {
    switch command {
    case .buy(let order): return try buy(order)
    case .finish(let account, let ids): return finish(ids, of: account)
    case .approve(let request): return try approve(request)
    case .decline(let request): return try decline(request)
    case .refund(let id, let percentage): return try refund(id, percentage)
    case .reverseRefund(let id): return try reverseRefund(id)
    case .declineRefund(let id): return try tell("REFUND_DECLINED", about: id)
    case .requestConsumption(let id): return try tell("CONSUMPTION_REQUEST", about: id)
    case .joinFamily(let account, let family): return try join(account, family)
    case .leaveFamily(let account): return try leave(account)
    case .setRenewal(let id, let isOn): return try setRenewal(id, isOn)
    case .raisePrice(let id, let price, let needsConsent): return try raisePrice(id, price, needsConsent)
    case .answerIncrease(let id, let agrees): return try answerIncrease(id, agrees)
    case .setBilling(let account, let isFailing): return try setBilling(account, isFailing)
    case .setCard(let account, let expires): return try setCard(account, expires)
    case .withdraw(let id, let isWithdrawn): return try withdraw(id, isWithdrawn)
    case .setMood(let mood, let account, let isOnce): return try setMood(mood, account, isOnce)
    case .setGrace(let isOn):
      terms.hasGrace = isOn
      return .done
    case .testNotification(let bundleId): return .notification(notify("TEST", bundleId: bundleId))
    case .posted(let number, let attempt, let isDelivered): return posted(number, attempt, isDelivered)
    }
  }

  /// Hands out what has changed since the last time, oldest first.
  package mutating func takeEvents() -> [SandboxEvent] {
    defer { events = [] }
    return events
  }

  /// Sells these products as well from now on.
  package mutating func stock(_ catalogue: [SandboxProduct]) throws(SandboxRefusal) {
    guard catalogue.count <= Limits.products else { throw .full("products") }
    for product in catalogue {
      var product = product
      // A price that was raised by command stays: the file is read at every start.
      if let known = products[Name(product.id)] {
        product.price = max(product.price, known.price)
        product.isWithdrawn = known.isWithdrawn
      }
      let known = products[Name(product.id)]
      guard known != product || known?.names != product.names else { continue }
      products[Name(product.id)] = product
      events.append(.product(product))
    }
    lookAtWinBack()
  }
}

/// The terms on which the sandbox store does business.
package struct SandboxTerms: Codable, Hashable, Sendable {
  /// Every id is counted from here, so that two stores have different ones.
  package let firstId: UInt64
  /// Makes the names of notifications, with the run.
  package let seed: UInt64
  /// Tells the runs of a store apart; nil: it never was started from a directory.
  package var run: UInt64?
  /// From where on ids are counted in this run; nil: from the first.
  package var nextId: UInt64?
  package var scale: SandboxScale
  /// Whether the clock stands still until somebody sets it on.
  package var isManual: Bool
  /// How far the clock was set on, in milliseconds.
  package var lead: Int64 = 0
  /// Whether a subscription whose payment failed keeps its access for a while.
  package var hasGrace = true
  /// What becomes of purchases of accounts that have no mood of their own.
  package var mood = SandboxMood.succeed
  /// What becomes of the next of those purchases; nil: the same.
  package var moodOnce: SandboxMood?
  /// Whether every renewal fails, as the `.storekit` file wants it.
  package var isBillingFailing = false
  /// The number of the newest purchase that had to wait for approval.
  package var requests: UInt64 = 0
  /// The number of the newest notification that was dropped.
  package var notificationsGone: UInt64 = 0
  /// ISO 3166-1 alpha-3 code of the country.
  package var storefront: String

  /// Whether the clock does not show what the wall clock shows.
  package var isSetOn: Bool { isManual || lead != 0 }

  /// - Parameter seed: makes ids and names; the same seed gives the same ones
  package init(
    seed: UInt64, scale: SandboxScale = .real, isManual: Bool = false, storefront: String = "USA"
  ) {
    self.seed = seed
    // Sixteen digits, as the App Store has them, and a million between two stores.
    firstId = 2_000_000_000_000_000 + seed % 1_000_000_000 * 1_000_000
    self.scale = scale
    self.isManual = isManual
    self.storefront = storefront
  }
}
