import Foundation
import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer
import Testing

/// The sandbox store's process without a process: its disk, its signatures, and who waits for news.
@Suite("The store of a sandbox store") struct SandboxStoreServerTests {
  private let me = SandboxCustomer(account: "me", bundleId: "app", device: "phone")
  private let order = SandboxOrder(account: "me", bundleId: "app", productId: "owl", device: "phone")

  /// Runs a test's body in a directory that is removed after it.
  private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    try await body(directory.path + "/store")
    withExtendedLifetime(directory) {}
  }

  @Test("what it has done is there again after a restart, signed with the same bytes")
  func restart() async throws {
    try await withDirectory { directory in
      let first = try await SandboxStoreServer.selling(in: directory)
      let bought = try await first.buy(order)
      #expect(throws: StorageError.self) { try DataDirectory(directory).takeLock() }
      let before = try await first.read { sandboxStore, _ in sandboxStore }
      await first.stop()
      let second = try await SandboxStoreServer.selling(in: directory)
      let items = try await second.list(.history, me)
      #expect(items.transactions == [bought.transaction])
      #expect(try await second.read { sandboxStore, _ in sandboxStore.transactions } == before.transactions)
      #expect(try await second.read { sandboxStore, _ in sandboxStore.terms.firstId } == before.terms.firstId)
      await second.stop()
    }
  }

  @Test("put back from a copy it names nothing as before, and who has heard more is told all of it")
  func copy() async throws {
    try await withDirectory { directory in
      let first = try await SandboxStoreServer.selling(in: directory)
      let kept = try await first.buy(order)
      await first.stop()
      try FileManager.default.copyItem(atPath: directory, toPath: directory + "-copy")
      let second = try await SandboxStoreServer.selling(in: directory)
      for _ in 0..<3 { _ = try await second.buy(order) }
      let heard = try await second.changes(since: 0, for: me, seconds: 0)
      let ids = try await second.read { sandboxStore, _ in sandboxStore.transactions.map(\.id) }
      await second.stop()
      let third = try await SandboxStoreServer.selling(in: directory + "-copy")
      let sold = try await third.buy(order)
      let others = try await third.read { sandboxStore, _ in sandboxStore.transactions.map(\.id) }
      #expect(others.count == 2 && Set(ids).intersection(others) == [ids[0]])
      let news = try await third.changes(
        since: heard.revision, of: heard.run, told: heard.told, for: me, seconds: 0)
      #expect(news.transactions == [kept.transaction, sold.transaction] && news.run != heard.run)
      #expect(news.notifications?.count == 2 && news.revision < heard.revision)
      // Of its own run it tells what is new.
      let later = try await third.changes(since: news.revision, of: news.run, for: me, seconds: 0)
      #expect(later.transactions.isEmpty)
      await third.stop()
      let fourth = try await SandboxStoreServer.selling(in: directory + "-copy")
      #expect(try await fourth.list(.history, me).transactions == news.transactions)
      await fourth.stop()
    }
  }

  @Test("a new store begins when it is told, runs on from there, and an old one goes on")
  func begin() async throws {
    let begin = try #require(Instant("2026-01-01"))
    for pace in [SandboxPace.manual, .scale(.real)] {
      try await withDirectory { directory in
        func store(_ begin: Instant) async throws -> SandboxStoreServer {
          let store = try SandboxStoreServer(
            SandboxStoreServer.Configuration(
              directory: directory, pace: pace, begin: begin, log: Log(level: .error)))
          try await store.start()
          return store
        }
        let first = try await store(begin)
        let now = try await first.read { sandboxStore, _ in sandboxStore.time }
        #expect(
          pace == .manual ? now == begin : now >= begin && now < begin.advanced(byMilliseconds: 600_000))
        #expect(try await first.facts().isSetOn)
        await first.stop()
        let second = try await store(begin.adding(months: 0, days: 100))
        #expect(
          try await second.read { sandboxStore, _ in sandboxStore.time } < begin.adding(months: 0, days: 1))
        await second.stop()
      }
    }
  }

  @Test("what it signs verifies against its root")
  func signatures() async throws {
    try await withDirectory { directory in
      let store = try await SandboxStoreServer.selling(in: directory)
      let root = try #require(Data(base64Encoded: try await store.facts().root))
      let text = try #require(try await store.buy(order).transaction)
      let items = try StoreKitVerifier().verifier.verifyAll(
        JWS(Array(text.utf8)), environment: .sandbox, bundleId: "app",
        trusting: [Cryptography.openSSL.hash(of: Array(root))])
      guard case .transaction(let bought)? = items.first?.payload else { return #expect(Bool(false)) }
      #expect(bought.productId == "owl" && bought.storefront == "USA" && bought.verification == .simulated)
      await store.stop()
    }
  }

  @Test("a notification carries its transaction and renewal info as they were then, also of who shares")
  func carried() async throws {
    try await withDirectory { directory in
      let plan =
        #"{"id": "plan", "type": "autoRenewableSubscription", "period": "P1M", "familyShareable": true}"#
      let store = try SandboxStoreServer(
        SandboxStoreServer.Configuration(
          directory: directory,
          catalogue: try SandboxCatalogue([("a", Array(#"{"products": [\#(plan)]}"#.utf8))]),
          pace: .manual, begin: Instant("2026-01-01"), log: Log(level: .error)))
      try await store.start()
      let root = try #require(Data(base64Encoded: try await store.facts().root))
      for account in ["me", "you"] {
        _ = try await store.perform(.joinFamily(account: account, family: "owls"))
      }
      let order = SandboxOrder(account: "me", bundleId: "app", productId: "plan")
      _ = try await store.perform(.buy(order))
      try await store.advance(by: try #require(SandboxStep(months: 3, days: 0, milliseconds: 0)))
      let latest = try await store.read { sandboxStore, _ in sandboxStore.subscriptions.first?.latest ?? 0 }
      _ = try await store.perform(.refund(transaction: latest, percentage: nil))
      let told = try await store.read { sandboxStore, lookup in
        sandboxStore.notifications.compactMap(lookup.notification)
      }
      var seen: [String] = []
      for text in told {
        let items = try StoreKitVerifier().verifier.verifyAll(
          JWS(Array(text.utf8), atMost: Limits.notificationBytes), environment: .sandbox, bundleId: "app",
          trusting: [Cryptography.openSSL.hash(of: Array(root))])
        guard items.count == 3, case .notification(let notification) = items[0].payload,
          case .transaction(let transaction) = items[1].payload,
          case .renewalInfo(let info) = items[2].payload
        else { return #expect(Bool(false), "\(items)") }
        #expect(info.originalTransactionId == transaction.originalTransactionId)
        if info.autoRenewStatus == true { #expect(info.renewalDate == transaction.expiresDate) }
        #expect((info.autoRenewStatus == true) == (transaction.revocationDate == nil))
        #expect(notification.signedDate >= info.signedDate.advanced(byMilliseconds: -100))
        seen.append(
          "\(notification.notificationType)\(transaction.ownership == .familyShared ? " shared" : "")")
      }
      let renewals = Array(repeating: ["DID_RENEW", "DID_RENEW shared"], count: 3).flatMap(\.self)
      #expect(
        seen == ["SUBSCRIBED", "SUBSCRIBED shared"] + renewals
          + ["REFUND", "DID_CHANGE_RENEWAL_STATUS", "REVOKE shared"])
      await store.stop()
    }
  }

  @Test(
    "a device is told what servers are of what it sees, after what it knows, and not before how things stand")
  func notifications() async throws {
    try await withDirectory { directory in
      let store = try await SandboxStoreServer.selling(in: directory)
      let other = SandboxOrder(account: "you", bundleId: "app", productId: "owl", device: "phone")
      let elsewhere = SandboxOrder(account: "me", bundleId: "app", productId: "owl", device: "tablet")
      for order in [order, other, elsewhere] { _ = try await store.buy(order) }
      for bundle in ["app", "another"] {
        _ = try await store.perform(.testNotification(bundleId: bundle))
      }
      let all = try await store.read { sandboxStore, _ in sandboxStore.notifications.map(\.uuid) }
      #expect(all.count == 5)
      let first = try await store.changes(since: 0, for: me, seconds: 0)
      #expect(first.notifications?.count == 2 && first.told == all[3])
      let again = try await store.changes(since: 0, told: first.told, for: me, seconds: 0)
      #expect(again.notifications == [] && again.told == first.told && again.transactions.count == 1)
      let rest = try await store.changes(since: 0, told: all[0], for: me, seconds: 0)
      #expect(rest.notifications == first.notifications.map { Array($0.suffix(1)) })
      let unknown = try await store.changes(since: 0, told: "unknown", for: me, seconds: 0)
      #expect(unknown.notifications == first.notifications)
      // More than one answer has: what the device needs first.
      for _ in 0...Limits.sandboxAnswerItems { _ = try await store.buy(order) }
      let part = try await store.changes(since: 0, told: first.told, for: me, seconds: 0)
      #expect(part.transactions.count == Limits.sandboxAnswerItems && part.notifications == [])
      let more = try await store.changes(since: part.revision, told: part.told, for: me, seconds: 0)
      #expect(more.notifications?.count == Limits.sandboxAnswerItems)
      let last = try await store.changes(since: more.revision, told: more.told, for: me, seconds: 0)
      #expect(last.notifications?.count == 1)
      await store.stop()
    }
  }

  private struct Told: Equatable {
    let catalogue: Catalogue
    let name: String?
  }

  /// What a store tells devices that starts with a file of these products, or goes on without one.
  private func told(in directory: String, by products: String?) async throws -> Told {
    let files = products.map { [("a.json", Array("{\"products\": [\($0)]}".utf8))] }
    let server = try SandboxStoreServer(
      SandboxStoreServer.Configuration(
        directory: directory, catalogue: try files.map { try SandboxCatalogue($0) }, log: Log(level: .error)))
    try await server.start()
    let items = try await server.changes(since: 0, for: me, seconds: 0)
    await server.stop()
    let file = try CatalogueFile(server.deviceCatalogue, name: "told")
    return Told(catalogue: file.catalogue, name: items.catalogue)
  }

  @Test("what a purchase gives is told to devices, is there again after a restart, and grows with the files")
  func told() async throws {
    try await withDirectory { directory in
      func store(_ products: String?) async throws -> Told { try await told(in: directory, by: products) }
      let month = #"{"id": "month", "type": "nonRenewingSubscription", "line": "club", "period": "P1M"}"#
      let later = #"{"id": "month", "from": "2026-07-01", "period": "P2M"}"#
      let unsold = #"{"id": "nothing", "line": "club"}"#
      let first = try await store("\(month), \(later), \(unsold)")
      #expect(first.catalogue.products.map(\.line) == ["club", "club"])
      #expect(first.catalogue.products.map(\.period) == [Period("P1M"), Period("P2M")])
      #expect(first.catalogue.products.last?.from == Instant("2026-07-01"))
      let again = try await store(nil)
      #expect(again == first)
      let owl = #"{"id": "owl", "type": "nonConsumable", "entitlements": ["owl"]}"#
      let more = try await store("\(owl), \(month)")
      #expect(more.catalogue.ids == ["month", "owl"] && more.catalogue.products.count == 2)
      #expect(more.name != first.name && more.name != nil)
      #expect(try await store(nil) == more)
    }
  }

  @Test("a long poll ends when something happens, when the clock is set on, and when the store stops")
  func waiting() async throws {
    try await withDirectory { directory in
      let store = try await SandboxStoreServer.selling(in: directory)
      async let news = store.changes(since: 0, for: me, seconds: 50)
      _ = try await store.buy(order)
      let heard = try await news
      #expect(heard.transactions.count == 1 && heard.unfinished.count == 1)
      async let later = store.changes(since: heard.revision, for: me, seconds: 50)
      var isSetOn = false
      while !isSetOn {
        // The question may come after the clock was set on; then the next setting on ends it.
        try await store.advance(by: try #require(SandboxStep(months: 0, days: 1, milliseconds: 0)))
        isSetOn = try await store.facts().isSetOn
      }
      #expect(try await store.changes(since: heard.revision, for: me, seconds: 0).transactions.isEmpty)
      await store.stop()
      _ = try? await later
      await #expect(throws: Problem.self) { try await store.changes(since: 0, for: me, seconds: 0) }
    }
  }

  @Test("who begins to wait as something happens, or as the store stops, is told at once", arguments: 0..<10)
  func meanwhile(round: Int) async throws {
    try await withDirectory { directory in
      let store = try await SandboxStoreServer.selling(in: directory)
      let took = try await withTaskExecutorPreference(SerialTaskExecutor(label: "clients")) {
        let start = ContinuousClock.now
        async let news = store.changes(since: 0, for: me, seconds: Limits.sandboxWaitSeconds)
        async let bought = store.buy(order)
        let (heard, item) = try await (news, bought)
        #expect(heard.transactions == [item.transaction])
        async let end = store.end()
        async let later = store.changes(since: .max, for: me, seconds: Limits.sandboxWaitSeconds)
        await store.stop()
        #expect(await end == nil)
        _ = try? await later
        return ContinuousClock.now - start
      }
      #expect(took < .seconds(Limits.sandboxWaitSeconds), "somebody waited in vain")
    }
  }

  @Test("servers need a token that is signed, for this store, and in time")
  func tokens() async throws {
    try await withDirectory { directory in
      try DataDirectory(directory).create()
      let key = try ServerKey.open(directory)
      let good = #"{"iss":"\#(ServerKey.issuer)","aud":"appstoreconnect-v1","bid":"app","exp":1000}"#
      func bundle(_ header: String, _ payload: String, spoil: Bool = false, at time: Int64 = 900) throws
        -> String?
      {
        var token = try key.sign(header: Array(header.utf8), payload: Array(payload.utf8))
        if spoil {
          token = JWS(
            header: token.header, payload: token.payload, signature: Array(token.signature.reversed()))
        }
        return key.bundleId(of: "Bearer " + String(decoding: token.text, as: UTF8.self), at: time)
      }
      let header = #"{"alg":"ES256","kid":"\#(key.id)"}"#
      #expect(try bundle(header, good) == "app")
      #expect(try bundle(header, good, spoil: true) == nil)
      #expect(try bundle(header, good, at: 1000) == nil)
      #expect(try bundle(header, good, at: -10_000) == nil)
      #expect(try bundle(#"{"alg":"none","kid":"\#(key.id)"}"#, good) == nil)
      #expect(try bundle(#"{"alg":"ES256","kid":"x"}"#, good) == nil)
      #expect(try bundle(header, good.replacing("appstoreconnect", with: "other")) == nil)
      #expect(key.bundleId(of: nil, at: 900) == nil && key.bundleId(of: "Bearer x", at: 900) == nil)
      #expect(try ServerKey.open(directory).bundleId(of: nil, at: 0) == nil)
    }
  }
}
