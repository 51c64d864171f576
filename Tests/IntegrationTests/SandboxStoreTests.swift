import Foundation
import PeerSync
import PeerSyncSandboxServer
import Testing

/// The sandbox store and devices that use it, as real processes.
@Suite("The sandbox store at work", .paced, .noHang)
struct SandboxStoreTests {
  @Test(
    "a purchase reaches the account's other device without a peer, is finished once it is durable, and outlives kills"
  )
  func purchase() async throws {
    let store = try StoreProcess()
    try await store.start()
    let phone = try await PeerdProcess.using(store)
    let tablet = try await PeerdProcess.using(store, "Tablet")
    let bought: PurchaseResult = try await phone.json("buy", "CarefreeOwl")
    let id = try #require(bought.transaction?.transactionId)
    #expect(bought.outcome == "purchased" && bought.transaction?.verification == "simulated")
    // Not paired; but the store brings it to the account's other device, which it does not do with what is used up.
    #expect(!bought.onThisDeviceOnly)
    #expect(try await !phone.run("buy", "CarefreeOwl").output.contains("on this device only"))
    let usedUp: PurchaseResult = try await phone.json("buy", "RandomOwls")
    #expect(usedUp.onThisDeviceOnly)
    #expect(try await store.state().purchases.map(\.finished) == [true, true])
    try await tablet.wait(for: "the purchase") { $0.purchased == ["CarefreeOwl"] }
    // The same product again is the same purchase.
    let again: PurchaseResult = try await tablet.json("buy", "CarefreeOwl")
    #expect(again.transaction?.transactionId == id)
    try await store.killAndRestart()
    let owls = try #require(usedUp.transaction?.transactionId)
    #expect(try await store.state().purchases.map(\.transactionId) == [id, owls])
    try await phone.killAndRestart()
    #expect(try await Set(phone.transactions()) == [id, owls])
    let refunded: TransactionResult = try await tablet.json("refund", id)
    #expect(refunded.transaction.revocationDate != nil)
    #expect(try await store.stop() == 0)
  }

  @Test("a device knows what its store sells, also what that gains later, and overrides nobody")
  func adopted() async throws {
    func product(_ id: String, _ line: String) -> String {
      #"{"id": "\#(id)", "type": "nonRenewingSubscription", "line": "\#(line)", "period": "P1M", "entitlements": ["\#(line)"]}"#
    }
    func catalogue(_ products: String...) -> String {
      "{\"products\": [\(products.joined(separator: ", "))]}"
    }
    let store = try StoreProcess()
    try await store.start(catalogue: catalogue(product("month", "club"), product("owl", "owls")))
    // One that has never heard of any product, and one whose catalogue is older than what it meets and says something else.
    let phone = try await PeerdProcess("Phone", catalogue: nil)
    let tablet = try await PeerdProcess("Tablet", catalogue: catalogue(product("owl", "night")))
    try await phone.start(options: ["--store", store.url])
    try await tablet.start()
    try await phone.wait(for: "the lines") { $0.lines.map(\.id) == ["club", "owls"] && $0.warnings.isEmpty }
    let _: PurchaseResult = try await phone.json("buy", "month")
    try await phone.wait(for: "the month") { $0.entitlements.contains { $0.id == "club" && $0.active } }
    let invitation: InvitationAnswer = try await phone.json("invite")
    #expect(try await tablet.run("join", #require(invitation.url)).status == 0)
    for device in [phone, tablet] {
      let status = try await device.wait(for: "one catalogue") { $0.lines.map(\.id) == ["club", "night"] }
      // But the tablet does not know the store that has signed what the phone bought.
      #expect(status.warnings.allSatisfy { $0.contains("trusted roots") }, "\(status.warnings)")
    }
    // What it heard from the store it lists, and writes down once.
    let heard: NotificationsAnswer = try await phone.json("notifications")
    #expect(heard.notifications.map(\.notificationType) == ["ONE_TIME_CHARGE"])
    #expect(heard.notifications.first?.productId == "month")
    #expect(try await phone.run("notifications").output.contains("ONE_TIME_CHARGE"))
    // The store is away when the device starts, and comes back with one more.
    let port = String(store.url.split(separator: ":").last ?? "0")
    _ = try await store.stop()
    try await phone.killAndRestart()
    try await store.start(catalogue: catalogue(product("new", "later"), product("month", "other")), at: port)
    let status = try await phone.wait(for: "the new product") {
      $0.lines.map(\.id) == ["club", "later", "night"]
    }
    #expect(status.entitlements.contains { $0.id == "club" && $0.active })
    try await store.tell("refund", "month")
    try await phone.wait(for: "the refund") { !$0.entitlements.contains { $0.id == "club" && $0.active } }
    let both: NotificationsAnswer = try await phone.json("notifications")
    #expect(both.notifications.map(\.notificationType) == ["ONE_TIME_CHARGE", "REFUND"])
    // A store that runs gains nothing; one that comes back while a device listens is asked again.
    try await store.killAndRestart()
    _ = try await store.stop()
    try await store.start(catalogue: catalogue(product("last", "last")), at: port)
    try await phone.wait(for: "the last product") { $0.lines.map(\.id).contains("last") }
    #expect(phone.log.contains("products that the store sells are known here now: 2"))
  }

  @Test(
    "what a store sells that was put back from a copy is heard, and takes the place of nothing"
  )
  func putBack() async throws {
    let store = try StoreProcess()
    try await store.start()
    let port = String(store.url.split(separator: ":").last ?? "0")
    let phone = try await PeerdProcess.using(store)
    let _: PurchaseResult = try await phone.json("buy", "RandomOwls")
    _ = try await store.stop()
    try FileManager.default.copyItem(atPath: store.data, toPath: store.data + "-copy")
    try await store.start(at: port)
    for _ in 0..<3 { let _: PurchaseResult = try await phone.json("buy", "RandomOwls") }
    try await store.tell("buy", "monthly")
    try await phone.wait(for: "all of it") { $0.entitlements.contains { $0.id == "plan" && $0.active } }
    let bought = try await Set(phone.transactions())
    _ = try await store.stop()
    try FileManager.default.removeItem(atPath: store.data)
    try FileManager.default.moveItem(atPath: store.data + "-copy", toPath: store.data)
    // It sells before the phone, which has heard of more than this store knows, finds it again.
    try await store.start()
    try await store.tell("buy", "CarefreeOwl")
    _ = try await store.stop()
    try await store.start(at: port)
    try await phone.wait(for: "what it sold") { $0.purchased == ["CarefreeOwl"] }
    let _: PurchaseResult = try await phone.json("buy", "RandomOwls")
    let all = try await Set(phone.transactions())
    #expect(bought.count == 5 && all.count == 7 && all.isSuperset(of: bought))
    #expect(try await phone.status().warnings.isEmpty)
    #expect(try await store.stop() == 0)
  }

  @Test("[C39] cancelled, failed, and waiting for approval, which arrives although the device was away")
  func outcomes() async throws {
    let store = try StoreProcess()
    try await store.start()
    let phone = try await PeerdProcess.using(store)
    try await store.tell("purchases", "cancel", "--once")
    let cancelled = try await phone.run("buy", "RandomOwls")
    #expect(cancelled.status == 1 && cancelled.errors.contains("cancelled"))
    try await store.tell("fail-billing")
    let failed = try await phone.run("buy", "RandomOwls")
    #expect(failed.status == 1 && failed.errors.contains("payment"))
    try await store.tell("fix-billing")
    try await store.tell("purchases", "ask")
    let pending: PurchaseResult = try await phone.json("buy", "RandomOwls")
    #expect(pending.outcome == "pending" && pending.request == 1 && pending.transaction == nil)
    #expect(try await phone.transactions().isEmpty)
    try await phone.stop()
    try await store.tell("approve")
    #expect(try await store.state().purchases.map(\.finished) == [false])
    try await phone.start(options: ["--store", store.url])
    try await phone.wait(for: "the approved purchase") { $0.credits.first?.available == 5 }
    for _ in 0..<200 where try await !store.state().purchases.allSatisfy(\.finished) { await Task.yield() }
    #expect(try await store.state().purchases.map(\.finished) == [true])
    let nothing = try await Peerd.run(["store", "approve", "--data", store.data])
    #expect(nothing.status == 1 && nothing.errors.contains("nothing waits"))
  }

  @Test(
    "a subscription's life: renewed, unpaid, in grace, recovered, turned off, over; devices follow the store's clock"
  )
  func life() async throws {
    let store = try StoreProcess()
    try await store.start(options: ["--time-rate", "manual"])
    let phone = try await PeerdProcess.using(store)
    let _: PurchaseResult = try await phone.json("buy", "monthly")
    let tablet = try await PeerdProcess.using(store, "Tablet")
    try await tablet.wait(for: "the subscription") {
      $0.entitlements.contains { $0.id == "plan" && $0.active }
    }
    try await store.tell("advance", "P2M")
    let sold = try await store.state()
    #expect(sold.purchases.count == 3)
    let expires = sold.subscriptions.first?.expires
    try await tablet.wait(for: "the renewals") {
      $0.subscriptions.first?.expires == expires && $0.entitlements.contains { $0.id == "plan" && $0.active }
    }
    #expect(try await tablet.transactions().count == 3)
    try await store.tell("fail-billing")
    try await store.tell("advance", "P1M")
    #expect(try await store.state().subscriptions.map(\.state) == ["inGracePeriod"])
    try await store.tell("fix-billing")
    #expect(try await store.state().subscriptions.map(\.state) == ["subscribed"])
    let watch = try Peerd.Lines(["watch", "--data", phone.data])
    // It listens.
    _ = try await watch.next()
    try await store.tell("turn-off", "monthly")
    // In a sentence, not only in the state, which stays what it was.
    try await watch.skip(to: "does not renew")
    try await store.tell("advance", "P2M")
    try await phone.wait(for: "the end") { !$0.entitlements.contains { $0.id == "plan" && $0.active } }
    let state = try await store.state()
    #expect(state.subscriptions.map(\.reason) == ["turnedOff"])
    #expect(state.notifications.last?.subtype == "VOLUNTARY")
    try await store.killAndRestart()
    #expect(try await store.state().now == state.now)
  }

  @Test("a code is redeemed, a promotional offer bought on a device; each device says which price is next")
  func offers() async throws {
    let store = try StoreProcess()
    try await store.start(options: ["--time-rate", "manual"])
    let phone = try await PeerdProcess.using(store)
    let refused = try await phone.run("buy", "monthly", "--offer", "half")
    #expect(refused.status == 1 && refused.errors.contains("'half' is only for subscribers"))
    let products = try await Peerd.run(["store", "products", "--data", store.data])
    #expect(products.output.contains("winter") && products.output.contains("1.49"))
    try await store.tell("redeem", "winter")
    try await phone.wait(for: "the code") { $0.subscriptions.first?.offer?.id == "winter" }
    let again = try await Peerd.run(["store", "redeem", "winter", "--data", store.data])
    #expect(again.status == 1 && again.errors.contains("'winter' is only for new subscribers"))
    let unknown = try await Peerd.run(["store", "redeem", "half", "--data", store.data])
    #expect(unknown.status == 1 && unknown.errors.contains("no code 'half'"))
    let _: PurchaseResult = try await phone.json("buy", "monthly", "--offer", "half")
    try await phone.wait(for: "the next price") { $0.subscriptions.first?.nextOffer?.id == "half" }
    #expect(try await store.state().notifications.last?.type == "OFFER_REDEEMED")
    try await store.tell("advance", "P1W")
    try await phone.wait(for: "the offer") { $0.subscriptions.first?.offer?.id == "half" }
    try await store.killAndRestart()
    try await store.tell("advance", "P2M")
    try await phone.wait(for: "the usual price") {
      $0.subscriptions.first?.offer == nil && $0.subscriptions.first?.state == "subscribed"
    }
    #expect(try await store.state().purchases.count == 4)
  }

  @Test("where nothing was bought the exit status is 1, and what stands is there again after --once")
  func nothingBought() async throws {
    let store = try StoreProcess()
    try await store.start()
    func buy(_ more: String...) async throws -> Peerd.Outcome {
      try await Peerd.run(["store", "buy", "RandomOwls", "--data", store.data] + more)
    }
    try await store.tell("purchases", "fail")
    try await store.tell("purchases", "cancel", "--once")
    let cancelled = try await buy()
    #expect(cancelled.status == 1 && cancelled.output.isEmpty)
    #expect(cancelled.errors.hasPrefix("peerd: nothing was bought: the purchase was cancelled; `peerd store"))
    for _ in 1...2 {
      let failed = try await buy("--json")
      #expect(failed.status == 1 && failed.errors.isEmpty)
      #expect(try failed.json(SandboxAnswer.self).outcome == .failed)
    }
    let redeemed = try await Peerd.run(["store", "redeem", "winter", "--data", store.data])
    #expect(redeemed.status == 1 && redeemed.errors.contains("the payment was refused"))
    try await store.tell("purchases", "ask")
    for account in ["ann", "bob"] {
      let asked = try await store.tell("buy", "RandomOwls", "--account", account)
      #expect(asked.outcome == .pending)
    }
    try await store.tell("fail-billing", "--account", "bob")
    let unpaid = try await Peerd.run(["store", "approve", "--account", "bob", "--data", store.data])
    #expect(unpaid.status == 1 && unpaid.errors.contains("the payment was refused"))
    // Who declines has got what he wanted.
    #expect(try await store.tell("decline", "--account", "ann").outcome == nil)
    #expect(try await store.state().purchases.isEmpty)
  }

  @Test("show says what it leaves out, and how to see it; it can be of one account")
  func leavingOut() async throws {
    let store = try StoreProcess()
    try await store.start()
    for account in ["ann", "bob", "bob", "bob"] {
      try await store.tell("buy", "RandomOwls", "--account", account)
    }
    func show(_ words: String...) async throws -> Peerd.Outcome {
      try await Peerd.run(["store", "show", "--data", store.data] + words)
    }
    let all = try await show()
    #expect(all.status == 0 && !all.output.contains("left out"))
    let some = try await show("--last", "3")
    for what in ["purchases", "notifications"] {
      #expect(some.output.contains("older \(what) left out: 1; `peerd store show --last 4` shows them"))
    }
    let bobs = try await show("--account", "bob", "--last", "2", "--json").json(SandboxState.self)
    #expect(bobs.accounts.map(\.id) == ["bob"] && bobs.purchases.map(\.account) == ["bob", "bob"])
    #expect(bobs.purchasesLeftOut == 1 && bobs.notifications.count == 2 && bobs.notificationsLeftOut == 1)
    let nobody = try await show("--account", "eve")
    #expect(nobody.status == 1 && nobody.errors.contains("nobody with the account 'eve'"))
    let theirs = try await Peerd.run([
      "store", "refund", bobs.purchases[0].transactionId, "--account", "ann", "--data", store.data,
    ])
    #expect(theirs.status == 1 && theirs.errors.contains("is not of the account 'ann'"))
  }

  @Test("products shows what is true of each: to buy, to renew, subscribed, withdrawn, and at which offers")
  func whatIsTrue() async throws {
    let store = try StoreProcess()
    try await store.start()
    let device = try await PeerdProcess.using(store)
    for product in ["monthly", "3monthsOfRandom"] {
      #expect(try await device.run("buy", product).status == 0)
    }
    try await store.tell("withdraw", "premium")
    let text = try await device.run("products").output
    let lines = text.split(separator: "\n")
    for (product, action) in [
      ("monthly", "Subscribed"), ("premium", "Withdrawn"), ("3monthsOfRandom", "Renew"),
      ("RandomOwls", "Buy"),
    ] {
      #expect(
        lines.contains { $0.hasPrefix("\(product) ") && "\($0) ".contains(" \(action) ") },
        "\(product): \(text)")
    }
    #expect(text.contains("winter, half") && text.contains("every month"), "\(text)")
  }

  @Test("verbs of the whole store tell what followed for one account, and products lists what is open to it")
  func ofOneAccount() async throws {
    let store = try StoreProcess()
    try await store.start(options: ["--time-rate", "manual"])
    for account in ["ann", "bob"] { try await store.tell("buy", "monthly", "--account", account) }
    let anns = try #require(try await store.state().purchases.first { $0.account == "ann" })
    let raised = try await store.tell("raise-price", "monthly", "9.99", "--account", "ann")
    #expect(raised.notifications.map(\.type) == ["PRICE_INCREASE"])
    #expect(raised.notifications.map(\.transactionId) == [anns.transactionId])
    // It happens to everybody all the same.
    #expect(try await store.state().notifications.count { $0.type == "PRICE_INCREASE" } == 2)
    #expect(try await store.tell("withdraw", "monthly").notifications.isEmpty)
    let passed = try await Peerd.run(["store", "advance", "P2M", "--account", "bob", "--data", store.data])
    #expect(passed.status == 0 && passed.output.contains("\ntold        EXPIRED"))
    #expect(passed.output.split(separator: "\n").count == 2)
    let nobody = try await Peerd.run(["store", "grace", "off", "--account", "eve", "--data", store.data])
    #expect(nobody.status == 1 && nobody.errors.contains("nobody with the account 'eve'"))
    func offers(_ account: String) async throws -> [String?] {
      let words = ["store", "products", "--account", account, "--data", store.data, "--json"]
      return try await Peerd.run(words).json(SandboxProductsAnswer.self).products.flatMap(\.offers).map(\.id)
    }
    try await store.tell("buy", "RandomOwls", "--account", "new")
    let (new, past) = (try await offers("new"), try await offers("ann"))
    #expect(new.contains("winter") && !new.contains("half") && !past.contains("winter"))
  }

  @Test("restoring: the store brings back what it restores, peers the rest")
  func restore() async throws {
    let store = try StoreProcess()
    try await store.start()
    let phone = try await PeerdProcess.using(store)
    for product in ["CarefreeOwl", "monthly", "RandomOwls", "3monthsOfRandom"] {
      let _: PurchaseResult = try await phone.json("buy", product)
    }
    let tablet = try await PeerdProcess.using(store, "Tablet")
    let first: RestoreAnswer = try await tablet.json("restore")
    #expect(first.fromStore == 2 && first.fromPeers == 0)
    try await tablet.join(phone)
    try await tablet.waitInSync(with: 1)
    let second: RestoreAnswer = try await tablet.json("restore")
    #expect(second.fromStore == 2 && second.fromPeers == 2)
    let sources = Dictionary(grouping: second.transactions, by: \.from).mapValues { Set($0.map(\.productId)) }
    #expect(sources == ["store": ["monthly", "CarefreeOwl"], "peers": ["3monthsOfRandom", "RandomOwls"]])
    let other = try await PeerdProcess.using(store, "Other", account: "you@example.com")
    let none: RestoreAnswer = try await other.json("restore")
    #expect(none.fromStore == 0 && none.fromPeers == 0)
  }

  @Test("a store that is not there is said so, and a device that knows it starts all the same")
  func unreachable() async throws {
    let store = try StoreProcess()
    try await store.start()
    let phone = try await PeerdProcess.using(store)
    #expect(try await store.stop() == 0)
    let bought = try await phone.run("buy", "CarefreeOwl")
    #expect(bought.status == 1 && bought.errors.contains("peerd store"))
    try await phone.stop()
    try await phone.start(options: ["--store", store.url])
    let stranger = try await PeerdProcess("Stranger", catalogue: Catalogues.plans)
    await #expect(throws: PeerdProcess.NotReady.self) {
      try await stranger.start(options: ["--store", store.url])
    }
    let run = try await Peerd.run(["run", "--data", stranger.data, "--store", store.url])
    #expect(run.status == 1 && run.errors.split(separator: "\n").count == 1)
    #expect(run.errors.hasPrefix("peerd: the store at \(store.url) cannot be reached"), "\(run.errors)")
    let verb = try await Peerd.run(["store", "show", "--data", store.data])
    #expect(verb.status == 3 && verb.errors.contains("peerd store --data"))
    let misplaced = try await Peerd.run(["store", "--data", phone.data])
    #expect(misplaced.status == 1 && misplaced.errors.contains("holds a device"))
    let confused = try await Peerd.run(["store", "show", "--data", phone.data])
    #expect(confused.status == 3 && confused.errors.contains("no sandbox store"))
  }
}
