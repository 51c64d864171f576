import PeerSyncCore
import PeerSyncSandbox

/// One line of a scenario.
package enum ScenarioStep: Hashable, Sendable {
  /// The environment of all devices.
  case environment(Environment)
  /// Products that devices know from their beginning, or from when they learn them.
  case products([Product])
  /// Devices of one new group, paired by invitation; a single one is alone.
  case devices([String])
  /// Something happens to the link between two devices.
  case link(String, String, LinkChange)
  /// The device leaves the network, as its user wants.
  case offline(String)
  /// The device comes back to the network.
  case online(String)
  /// The device dies: what its disk does not have is gone.
  case crash(String)
  /// The device starts from its disk.
  case start(String)
  /// The device's wall clock is off by so many milliseconds from now on.
  case clock(String, offset: Int64)
  /// Time passes, in milliseconds.
  case wait(UInt64)
  /// Time passes until devices that can reach each other, directly or through others, hold the same.
  case settle
  /// A device that is alone joins the group of another.
  case joins(String, host: String)
  /// The device tries to connect with another at its address, paired or not, from now on.
  case calls(String, String)
  /// The device's app learns of a product.
  case learns(String, product: String)
  /// A reduced price that the sandbox store will sell at.
  case offer(ScenarioOffer)
  /// From here on there is a sandbox store, which sells the products stated so far.
  case store
  /// Devices buy in the sandbox store with this account from now on.
  case account(String, devices: [String])
  /// The device buys in the sandbox store.
  case orders(String, ScenarioOrder)
  /// The device's user brings back what was bought; how much comes from where, where the story says so.
  case restores(String, ScenarioRestored?)
  /// Something happens in the sandbox store, by itself or because a device's user wants it. Purchases have the story's names;
  /// where something is bought by it, this must come of that.
  case demands(SandboxDemand, by: String?, outcome: ScenarioOrder.Outcome = .purchased)
  /// The device buys from the store that it simulates for itself, and the story names what it bought.
  case buysItself(String, PurchaseOrder, as: String)
  /// The device has the store that it simulates for itself take a purchase back.
  case refundsItself(String, purchase: String)
  /// The store sells something and delivers it to the device.
  case buys(String, ScenarioPurchase)
  /// The store delivers a purchase (again): its newest snapshot, or the one of the purchase.
  case gets(String, purchase: String, asBought: Bool)
  /// The store takes a purchase back, but for a part in milliunits, and tells the device.
  case refunds(String, purchase: String, at: Instant, keeping: Int?)
  /// The family shares a purchase no longer, and the store tells the device.
  case unshared(String, purchase: String, at: Instant)
  /// The store takes a refund back and tells the device.
  case reverses(String, purchase: String, at: Instant)
  /// The store says that an upgrade replaced a purchase, and tells the device.
  case upgraded(String, purchase: String, at: Instant)
  /// The store tells the device of a subscription, as a renewal info or as a notification.
  case hears(String, ScenarioNews)
  /// The device's user or app spends credits, or is refused them.
  case spends(String, Spending, refused: ScenarioRefusal?)
  /// The device's user takes over what earlier incarnations of the device hold.
  case reclaims(String, credit: String, fromLost: Bool)
  /// A person says that its clock is right.
  case accepts(String)
  /// The device removes another one, by its own right or by the recovery key of that one.
  case removes(String, String, byRecoveryKey: Bool, ScenarioTakingBack)
  /// The device's disk is copied.
  case backup(String)
  /// The copy is put back, and the device starts from it; whether it can tell.
  case restore(String, isNoticed: Bool)
  /// The device's disk is copied, and the copy is started beside it under another name.
  case copy(String, name: String)
  /// The device's user or app writes an explicit date for a line.
  case sets(String, line: String, to: Instant?)
  /// The device's user or app grants an entitlement.
  case grants(String, entitlement: String, until: Instant?)
  /// The device's user or app takes the grant of an entitlement back.
  case revokes(String, entitlement: String)
  /// Something must be so.
  case expect(ScenarioExpectation)
}

extension ScenarioStep {
  /// Whether it only looks.
  package var isExpectation: Bool { if case .expect = self { true } else { false } }

  /// What is to come of a purchase; nil where none is made at a store.
  package var purchaseOutcome: ScenarioOrder.Outcome? {
    switch self {
    case .orders(_, let order): order.outcome
    case .demands(_, _, let outcome): outcome
    case .environment, .products, .devices, .link, .offline, .online, .crash, .start, .clock, .wait, .settle,
      .joins,
      .calls, .learns, .offer, .store, .account, .restores, .buysItself, .refundsItself, .buys, .gets,
      .refunds,
      .unshared, .reverses, .upgraded, .hears, .spends, .reclaims, .accepts, .removes, .backup, .restore,
      .copy, .sets,
      .grants, .revokes, .expect:
      nil
    }
  }
}

/// What a device buys.
package struct ScenarioPurchase: Hashable, Sendable {
  /// What the scenario calls it: the store's transaction id.
  package let name: String
  package let product: String
  package let quantity: Int
  package let date: Instant
  /// When an auto-renewable subscription ends.
  package var until: Instant?
  /// The purchase that this one renews or restores; it may be one that nobody has seen.
  package var original: String?
  /// Nil: the environment of the devices.
  package var environment: Environment?
  /// Whether nobody vouches for it.
  package var isUnverified = false
  /// Whether the family shares it.
  package var isShared = false
  /// How an offer of it is paid.
  package var offer: StoreOffer.Payment?
  /// Whether it carries what only the device can check that bought it.
  package var isBound = false
  /// Whether it does not say on which device it was made.
  package var isUnmarked = false

  package init(name: String, product: String, quantity: Int, date: Instant) {
    self.name = name
    self.product = product
    self.quantity = quantity
    self.date = date
  }
}

/// What a device buys in the sandbox store.
package struct ScenarioOrder: Hashable, Sendable {
  /// What comes of it.
  package enum Outcome: String, Hashable, Sendable {
    case purchased = "purchased"
    case pending = "pending"
    case cancelled = "cancelled"
    case failed = "failed"
  }

  package let product: String
  package let quantity: Int
  /// At the price of which offer; nil: none is asked for.
  package var offer: String?
  /// What the scenario calls it.
  package var name: String?
  /// What must come of it.
  package var outcome = Outcome.purchased

  package init(product: String, quantity: Int = 1) {
    self.product = product
    self.quantity = quantity
  }
}

/// That a device may not spend as much, and who else holds rights then.
///
/// Whether those are connected is left out, and so is the order in which the device names them: both depend on how quickly a
/// cut is noticed and on ids that are drawn.
package struct ScenarioRefusal: Hashable, Sendable {
  /// In words such as `Phone holds 3`, in byte order; nil: whoever it is.
  package let holders: [String]?

  package init(holders: [String]?) { self.holders = holders.map(Self.ordered) }

  /// What is wrong with a device's own account; nil: it is as expected.
  package func objection(to seen: [RightsHeld]) -> ScenarioProblem? {
    guard let holders else { return nil }
    // One of the phrases has commas of its own.
    let words = Self.ordered(seen.flatMap { $0.words.split(separator: ",").map(String.init) })
    return words == holders
      ? nil : .expected("`\(Self.text(holders))`", saw: "`\(Self.text(words))`")
  }

  private static func ordered(_ words: [String]) -> [String] {
    words.map { String($0.replacing(" and is not connected", with: "").drop { $0 == " " }) }
      .map(Name.init).sorted().map(\.text)
  }

  private static func text(_ words: [String]) -> String {
    words.isEmpty ? "none" : words.joined(separator: ", ")
  }
}

/// How many transactions came back, and from where.
package struct ScenarioRestored: Hashable, Sendable, CustomStringConvertible {
  package let fromStore: Int
  /// Those that are known from peers alone.
  package let fromPeers: Int

  package init(fromStore: Int, fromPeers: Int) {
    self.fromStore = fromStore
    self.fromPeers = fromPeers
  }

  package var description: String { "\(fromStore) from the store \(fromPeers) from peers" }
}

/// What the store tells of a purchase or its renewal.
package struct ScenarioNews: Hashable, Sendable {
  /// Apple's type of the notification, with a subtype behind a slash; nil: a renewal info by itself.
  package let type: String?
  package let purchase: String
  /// When it is signed.
  package let date: Instant
  /// Nil: nothing is said of the renewal.
  package var renewal: ScenarioRenewal?
  /// Whether somebody else signs it.
  package var isUnverified = false

  package init(type: String?, purchase: String, date: Instant) {
    self.type = type
    self.purchase = purchase
    self.date = date
  }
}

/// What the store says of a renewal.
package struct ScenarioRenewal: Hashable, Sendable {
  package let renews: Bool
  /// Nil: as what it is.
  package var product: String?
  package var due: Instant?
  package var isRetrying = false
  package var grace: Instant?
  package var consent: PriceConsent?
  package var ended: ExpiryReason?

  package init(renews: Bool) { self.renews = renews }
}

/// What must be so at this point of a scenario.
package enum ScenarioExpectation: Hashable, Sendable {
  /// All running devices have one digest.
  case sameDigest
  /// Two devices have different digests.
  case differ(String, String)
  /// A device, or each running device when nil, answers this.
  case answer(String?, ScenarioAnswer)
}

/// What a device must answer.
package enum ScenarioAnswer: Hashable, Sendable {
  /// When a line's cover ends.
  case until(line: String, Instant?)
  /// All runs of a line.
  case runs(line: String, [ScenarioInterval])
  /// Whether an entitlement holds at an instant; nil: now, as the device knows the time.
  case active(entitlement: String, Bool, at: Instant?)
  /// The days that remain of a line at an instant.
  case days(line: String, Int, at: Instant)
  /// What is left of a credit.
  case balance(credit: String, Int64)
  /// What the device may spend of a credit.
  case available(credit: String, Int64)
  /// What is owed of a credit.
  case debt(credit: String, Int64)
  /// The products bought for good, in byte order.
  case purchased([String])
  /// How a subscription stands at an instant, in words that must all be among those of the answer.
  case subscription(String, at: Instant, [String])
  /// Which time the device uses: its clock's, or one that the store or a peer vouches for.
  case time(source: String)
  /// Whether the device decides nothing because another copy of it is at work.
  case fenced(Bool)
  /// Words of the proof of an entitlement.
  case why(entitlement: String, String)
}

/// Time from a start to an end that does not belong to it.
package struct ScenarioInterval: Hashable, Sendable, CustomStringConvertible {
  package let start: Instant
  package let end: Instant

  package init(start: Instant, end: Instant) {
    self.start = start
    self.end = end
  }

  package var description: String { "\(start.short)..\(end.short)" }
}
