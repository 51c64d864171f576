import Foundation
import PeerSync
import Testing

/// App Store Server Notifications, taken in by a daemon.
@Suite("Notifications")
struct NotificationTests {
  private static let bundleId = "com.back40.InsomniOwl"
  private static let catalogue = Catalogue(
    products: [Product(id: "monthly", type: .autoRenewableSubscription, entitlements: ["club"])], version: 1)

  /// The store of a device, and what it signs.
  private struct Fixtures {
    let store: SandboxSigner

    init(_ fixture: ControlFixture) throws { store = try SandboxSigner.open(fixture.directory + "/store") }

    func period(_ id: String = "1", from start: String = "2026-01-01", to end: String = "2026-02-01")
      -> Transaction
    {
      var transaction = Transaction(
        transactionId: id, originalTransactionId: "1", productId: "monthly",
        bundleId: NotificationTests.bundleId, environment: .sandbox, purchaseDate: instant(start),
        verification: .unverified)
      transaction.expiresDate = instant(end)
      return transaction
    }

    func notification(
      _ type: NotificationType, _ subtype: NotificationSubtype? = nil, id: String = "u",
      _ transaction: Transaction?, _ info: RenewalInfo? = nil, signed: String = "2026-01-01",
      bundleId: String = NotificationTests.bundleId
    ) throws -> String {
      try text(
        StoreNotification.payload(
          type, subtype, id: id, transaction: transaction.map { try store.sign($0) },
          renewal: info.map { try store.sign($0.payload) }, bundleId: bundleId, environment: .sandbox,
          signed: instant(signed)))
    }

    func text(_ payload: [UInt8]) throws -> String {
      String(decoding: try store.sign(payload).text, as: UTF8.self)
    }

    func text(_ json: String) throws -> String { try text(Array(json.utf8)) }
  }

  @Test("C35: what a notification carries counts, and it is recorded")
  func counts() async throws {
    try await ControlFixture.with(catalogue: Self.catalogue) { (fixture) async throws in
      let sandboxStore = try Fixtures(fixture)
      var info = RenewalInfo(
        originalTransactionId: "1", productId: "monthly", autoRenewStatus: true,
        renewalDate: instant("2026-02-01"), environment: .sandbox, signedDate: instant("2026-02-01"),
        verification: .unverified)
      info.isInBillingRetryPeriod = true
      info.gracePeriodExpiresDate = instant("9999-01-01")
      let text = try sandboxStore.notification(.didFailToRenew, .gracePeriod, sandboxStore.period(), info)
      let result = try #require(try await fixture.daemon.ingest([text]).results.first)
      #expect(
        result.accepted && result.kind == "notification" && result.transactionId == "1" && !result.repeated)
      #expect(result.notification?.notificationType == "DID_FAIL_TO_RENEW")
      #expect(result.notification?.effect == "access" && result.notification?.known == true)
      let subscription = try #require(try await fixture.daemon.status().subscriptions.first)
      #expect(subscription.state == "inGracePeriod" && subscription.accessUntil == instant("9999-01-01"))
      #expect(try await fixture.daemon.entitlement("club").active)
      let why = try await fixture.daemon.why("club")
      #expect(why.subscriptions == [subscription] && why.purchases.count == 1)
      let answer: SubscriptionsAnswer = try await fixture.client.send("GET", "/v1/subscriptions")
      #expect(answer.subscriptions == [subscription])
      let history: NotificationsAnswer = try await fixture.client.send("GET", "/v1/notifications")
      #expect(history.notifications.map(\.subtype) == ["GRACE_PERIOD"])
      #expect(history.notifications.first?.productId == "monthly")
    }
  }

  @Test("I7: the same notification again, or signed anew, changes nothing")
  func again() async throws {
    try await ControlFixture.with(catalogue: Self.catalogue) { (fixture) async throws in
      let sandboxStore = try Fixtures(fixture)
      let text = try sandboxStore.notification(.subscribed, .initialBuy, sandboxStore.period())
      let first = try await fixture.daemon.ingest([text, text]).results
      #expect(first.map(\.repeated) == [false, true])
      let digest = try await fixture.daemon.status().digest
      var later = sandboxStore.period()
      later.signedDate = instant("2026-01-05")
      let anew = try sandboxStore.notification(.subscribed, .initialBuy, later, signed: "2026-01-05")
      for text in [text, anew] {
        let result = try #require(try await fixture.daemon.ingest([text]).results.first)
        #expect(result.accepted && result.repeated)
        #expect(try await fixture.daemon.status().digest == digest)
      }
      #expect(try fixture.daemon.notificationHistory().notifications.count == 1)
    }
  }

  @Test(
    "C31: all 23 types and 17 subtypes are known; those that are about nothing are recorded and change nothing"
  )
  func types() async throws {
    #expect(NotificationType.allCases.count == 23 && NotificationSubtype.allCases.count == 17)
    try await ControlFixture.with(catalogue: Self.catalogue) { (fixture) async throws in
      let sandboxStore = try Fixtures(fixture)
      _ = try await fixture.daemon.ingest([
        String(decoding: try sandboxStore.store.sign(sandboxStore.period()).text, as: UTF8.self)
      ])
      let before = try await fixture.daemon.status()
      var texts = try NotificationType.allCases.enumerated().map { number, type in
        try sandboxStore.notification(type, id: "type \(number)", sandboxStore.period())
      }
      texts += try NotificationSubtype.allCases.enumerated().map { number, subtype in
        try sandboxStore.notification(.didRenew, subtype, id: "subtype \(number)", sandboxStore.period())
      }
      let results = try await fixture.daemon.ingest(texts).results
      #expect(results.allSatisfy { $0.accepted && $0.notification?.known == true })
      let after = try await fixture.daemon.status()
      #expect(after.subscriptions == before.subscriptions && after.entitlements == before.entitlements)
      let effects = results.prefix(23).compactMap { $0.notification?.effect }
      #expect(effects.filter { $0 == "access" }.count == 12 && effects.filter { $0 == "none" }.count == 6)
      #expect(try fixture.daemon.notificationHistory().notifications.count == 40)
    }
  }

  @Test("a type that is not known is recorded, and what it carries counts")
  func unknown() async throws {
    try await ControlFixture.with(catalogue: Self.catalogue) { (fixture) async throws in
      let sandboxStore = try Fixtures(fixture)
      let known = try sandboxStore.notification(.didRenew, nil, sandboxStore.period())
      let payload = try JWS(Array(known.utf8), atMost: Limits.notificationBytes).payload
      let json = String(decoding: payload, as: UTF8.self).replacing("DID_RENEW", with: "DID_SOMETHING")
      let result = try #require(try await fixture.daemon.ingest([try sandboxStore.text(json)]).results.first)
      #expect(result.accepted && result.notification?.known == false && result.notification?.effect == nil)
      #expect(try await fixture.daemon.status().subscriptions.count == 1)
    }
  }

  @Test("a notification without a transaction names its app where its type does")
  func places() async throws {
    try await ControlFixture.with(catalogue: Self.catalogue) { (fixture) async throws in
      let sandboxStore = try Fixtures(fixture)
      func json(_ type: String, _ place: String) -> String {
        "{\"notificationType\":\"\(type)\",\"notificationUUID\":\"\(type)\",\"signedDate\":1767225600000,\(place)}"
      }
      let app = "\"bundleId\":\"\(Self.bundleId)\""
      let cases: [(String, String, Bool)] = [
        ("TEST", "\"data\":{\(app),\"environment\":\"Sandbox\"}", true),
        ("RENEWAL_EXTENSION", "\"summary\":{\(app),\"environment\":\"Sandbox\",\"failedCount\":0}", true),
        ("RESCIND_CONSENT", "\"appData\":{\(app),\"environment\":\"Sandbox\"}", true),
        (
          "EXTERNAL_PURCHASE_TOKEN",
          "\"externalPurchaseToken\":{\(app),\"externalPurchaseId\":\"SANDBOX_1\"}", true
        ),
        ("CONSUMPTION_REQUEST", "\"externalPurchaseToken\":{\(app),\"externalPurchaseId\":\"1\"}", false),
        ("PRICE_CHANGE", "\"data\":{\(app),\"environment\":\"Production\"}", false),
        ("REFUND", "\"data\":{\"bundleId\":\"other\",\"environment\":\"Sandbox\"}", false),
        ("REVOKE", "\"data\":{\(app),\"environment\":\"Sandbox\"},\"summary\":{}", false),
        ("EXPIRED", "\"signedDate2\":1", false),
      ]
      let texts = try cases.map { try sandboxStore.text(json($0.0, $0.1)) }
      let results = try await fixture.daemon.ingest(texts).results
      for (result, expected) in zip(results, cases) {
        #expect(result.accepted == expected.2, "\(expected.0): \(result.reason ?? "")")
      }
      #expect(try fixture.daemon.notificationHistory().notifications.count == 4)
    }
  }

  @Test("one bad item inside, or of another app, and nothing of the notification counts")
  func badInside() async throws {
    try await ControlFixture.with(catalogue: Self.catalogue) { (fixture) async throws in
      let sandboxStore = try Fixtures(fixture)
      let stranger = try SandboxSigner.generate()
      let forged = StoreNotification.payload(
        .didRenew, id: "u", transaction: try stranger.sign(sandboxStore.period()), renewal: nil,
        bundleId: Self.bundleId, environment: .sandbox, signed: instant("2026-01-01"))
      var other = sandboxStore.period()
      other.bundleId = "com.example.other"
      let texts = [try sandboxStore.text(forged), try sandboxStore.notification(.didRenew, nil, other)]
      let results = try await fixture.daemon.ingest(texts).results
      #expect(results.allSatisfy { !$0.accepted && $0.reason?.hasPrefix("signedTransactionInfo: ") == true })
      #expect(try await fixture.daemon.status().subscriptions.isEmpty)
      #expect(try fixture.daemon.notificationHistory().notifications.isEmpty)
    }
  }

  @Test("a notification may be as long as two items and its header, and no longer; an item may not")
  func lengths() async throws {
    try await ControlFixture.with(catalogue: Self.catalogue) { (fixture) async throws in
      let sandboxStore = try Fixtures(fixture)
      func padded(_ count: Int, _ type: String) throws -> String {
        try sandboxStore.text(
          "{\"notificationType\":\"TEST\",\"notificationUUID\":\"\(type)\",\"signedDate\":1767225600000,"
            + "\"padding\":\"\(String(repeating: "x", count: count))\","
            + "\"data\":{\"bundleId\":\"\(Self.bundleId)\",\"environment\":\"Sandbox\"}}")
      }
      let long = try padded(40_000, "a")
      #expect(long.utf8.count > 3 * Limits.jwsBytes && long.utf8.count < Limits.notificationBytes)
      let over = try padded(50_000, "b")
      #expect(over.utf8.count > Limits.notificationBytes)
      let transaction = String(decoding: sandboxStore.period().payload, as: UTF8.self).dropLast()
      let item = try sandboxStore.text(
        "\(transaction),\"padding\":\"\(String(repeating: "x", count: 20_000))\"}")
      let results = try await fixture.daemon.ingest([long, over, item]).results
      #expect(results.map(\.accepted) == [true, false, false])
      #expect(results.dropFirst().allSatisfy { $0.reason?.contains("longer than") == true })
    }
  }
}

/// What a daemon keeps of items that were refused.
@Suite("Refused items")
struct RefusedItemTests {
  @Test("so many are kept, in the ledger and on the disk, where the oldest make room")
  func bounded() async throws {
    try await ControlFixture.with { (fixture) async throws in
      // Signed by a store that nobody here trusts.
      let stranger = try SandboxSigner.generate()
      let items = try (0...Limits.refusedItems).map { number in
        let transaction = Transaction(
          transactionId: "\(number)", productId: "RandomOwls", bundleId: "com.back40.InsomniOwl",
          environment: .sandbox, purchaseDate: instant("2026-01-01"), verification: .unverified)
        return String(decoding: try stranger.sign(transaction).text, as: UTF8.self)
      }
      func refusals() async throws -> Int {
        try await fixture.daemon.read { engine, _ in
          engine.ledger { $0.refusals }.reduce(0) { $0 + $1.count }
        }
      }
      let most = Array(items.dropLast())
      #expect(try await fixture.daemon.ingest(most).results.allSatisfy { !$0.accepted })
      #expect(try await refusals() == Limits.refusedItems)
      _ = try await fixture.daemon.ingest(items.suffix(1))
      #expect(try await refusals() == Limits.refusedItems)
      let kept = try RefusedItems(HeldDirectory(fixture.directory)).all()
      #expect(kept.map(\.item) == Array(items.dropFirst()))
    }
  }
}

/// The file of notifications.
@Suite("Notification log")
struct NotificationLogTests {
  private func record(_ number: Int) -> NotificationAnswer {
    NotificationAnswer(
      notificationUUID: "u\(number)", notificationType: "TEST", subtype: nil, known: true, effect: "none",
      signedDate: .epoch, received: .epoch, transactionId: nil, originalTransactionId: nil, productId: nil)
  }

  private func withDirectory(_ body: (HeldDirectory) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    try body(HeldDirectory(directory.path))
    withExtendedLifetime(directory) {}
  }

  @Test("only the newest are kept, over restarts too, and none twice")
  func bounded() throws {
    try withDirectory { directory in
      let log = NotificationLog(directory)
      for number in 0..<3 { try log.add([record(number), record(number)]) }
      #expect(try log.all().count == 3)
      try log.add((0..<Limits.notifications).map(record))
      for number in 0..<10 { try log.add([record(Limits.notifications + number)]) }
      for log in [log, NotificationLog(directory)] {
        let all = try log.all()
        #expect(all.count == Limits.notifications && all.last == record(Limits.notifications + 9))
        #expect(try log.known(of: ["u9", "u10", "u\(Limits.notifications + 9)", "x"]).count == 2)
      }
      for number in 0..<(2 * Limits.notifications) where number % 512 == 0 {
        try log.add((number..<number + 512).map { record(10_000 + $0) })
      }
      let size =
        try directory.read("notifications.jsonl", limit: 1 << 22)?.split(separator: 0x0a).count ?? 0
      #expect(size <= 2 * Limits.notifications)
      #expect(try NotificationLog(directory).all() == log.all())
    }
  }

  @Test("a line that a crash cut short is lost alone")
  func torn() throws {
    try withDirectory { directory in
      try NotificationLog(directory).add([record(1)])
      let whole = try #require(try directory.read("notifications.jsonl", limit: 1 << 16))
      try directory.replace("notifications.jsonl", with: whole + whole.prefix(20))
      let log = NotificationLog(directory)
      #expect(try log.all() == [record(1)])
      try log.add([record(2)])
      #expect(try NotificationLog(directory).all() == [record(1), record(2)])
    }
  }
}
