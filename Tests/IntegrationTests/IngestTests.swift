import Foundation
import PeerSync
import Testing

/// What a store has signed, taken in by a daemon of its own process.
@Suite("Ingest", .paced, .noHang)
struct IngestTests {
  private static let bundleId = "com.example.app"

  private func purchase(_ id: String, _ product: String, _ date: String) throws -> Transaction {
    let date = try #require(Instant(date))
    return Transaction(
      transactionId: id, productId: product, bundleId: Self.bundleId, environment: .sandbox,
      purchaseDate: date,
      verification: .unverified)
  }

  private func text(_ jws: JWS) -> String { String(decoding: jws.text, as: UTF8.self) }

  @Test("good items count among bad ones, which are kept with their reason")
  func goodAmongBad() async throws {
    let directory = try TemporaryDirectory()
    let (store, stranger) = (try SandboxSigner.open(directory.path + "/store"), try SandboxSigner.generate())
    let phone = try await PeerdProcess(options: ["--trust-root", directory.path + "/store/root.pem"])
    try await phone.start(listen: nil)
    let good = text(try store.sign(purchase("1", "3monthsOfRandom", "2026-01-01")))
    let forged = text(try stranger.sign(purchase("2", "6monthsOfRandom", "2026-01-02")))
    var production = try purchase("3", "3monthsOfRandom", "2026-01-03")
    production.environment = .production
    let lines = [good, "garbage", forged, "", text(try store.sign(production)), good]
    let outcome = try await Peerd.run(
      ["ingest", "--data", phone.data, "--json", "-"], input: lines.joined(separator: "\n"))
    #expect(outcome.status == 1)
    let results = try outcome.json(IngestAnswer.self).results
    #expect(results.map(\.line) == [1, 2, 3, 5, 6])
    #expect(results.map(\.accepted) == [true, false, false, false, true])
    #expect(results.map(\.transactionId) == ["1", nil, "2", nil, "1"])
    #expect(results.map(\.kind) == ["transaction", nil, "transaction", "transaction", "transaction"])
    #expect(results.allSatisfy { ($0.reason == nil) == $0.accepted })
    let why: WhyAnswer = try await phone.json("why", "random-owls")
    let steps = try #require(why.lines.first).steps
    #expect(steps.map(\.transaction.transactionId) == ["1", "2"])
    #expect(steps.map(\.transaction.verification) == ["simulated", "unverified"])
    #expect(try #require(why.lines.first).expires == Instant("2026-04-01"))
    #expect(try RefusedItems(HeldDirectory(phone.data)).all().count == 3)
    let digest = try await phone.status().digest
    let again = try await phone.run("ingest", "-", input: good)
    #expect(again.status == 0 && again.output.contains("accepted"))
    #expect(try await phone.status().digest == digest)
  }

  @Test("of a file of something else one line tells, and programs get them all")
  func otherFile() async throws {
    let phone = try await PeerdProcess()
    try await phone.start(listen: nil)
    let file = (1...101).map { "  entry \($0)" }.joined(separator: "\n")
    let outcome = try await phone.run("ingest", "-", input: file)
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    for words in ["none of its 101 lines", "line 1, for example, is `entry 1`", "two dots"] {
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    let all = try await phone.run("ingest", "-", "--json", input: file).json(IngestAnswer.self)
    #expect(all.results.count == 101)
    let one = try await phone.run("ingest", "-", input: "garbage")
    #expect(one.status == 1 && one.output.contains("two dots"))
  }

  @Test("what is signed with another root counts for nothing, and such a root is refused in production")
  func roots() async throws {
    let store = try SandboxSigner.generate()
    let phone = try await PeerdProcess()
    try await phone.start(listen: nil)
    let signed = text(try store.sign(purchase("1", "3monthsOfRandom", "2026-01-01")))
    let outcome = try await phone.run("ingest", "-", input: signed)
    #expect(outcome.status == 1 && outcome.output.contains("none of the trusted roots"))
    let directory = try TemporaryDirectory()
    _ = try SandboxSigner.open(directory.path + "/store")
    let refused = try await Peerd.run(
      [
        "init", "--data", directory.path + "/data", "--environment", "production", "--trust-root",
        directory.path + "/store/root.pem",
      ])
    #expect(refused.status == 1 && refused.errors.contains("--trust-root"))
  }

  @Test("C35: a notification from a store, and what people read of it in their language")
  func notification() async throws {
    let directory = try TemporaryDirectory()
    try Data(
      #"{"products": [{"id": "monthly", "type": "autoRenewableSubscription", "entitlements": ["club"]}]}"#
        .utf8
    ).write(to: URL(fileURLWithPath: directory.path + "/monthly.json"))
    let store = try SandboxSigner.open(directory.path + "/store")
    let phone = try await PeerdProcess(options: [
      "--trust-root", directory.path + "/store/root.pem", "--catalog", directory.path + "/monthly.json",
    ])
    try await phone.start(listen: nil)
    var period = try purchase("1", "monthly", "2026-01-01")
    period.expiresDate = Instant("2026-02-01")
    var info = RenewalInfo(
      originalTransactionId: "1", productId: "monthly", autoRenewStatus: true,
      renewalDate: period.expiresDate, environment: .sandbox, signedDate: try #require(Instant("2026-02-01")),
      verification: .unverified)
    info.gracePeriodExpiresDate = Instant("9999-01-01")
    let payload = StoreNotification.payload(
      .didFailToRenew, .gracePeriod, id: "u", transaction: try store.sign(period),
      renewal: try store.sign(info.payload), bundleId: Self.bundleId, environment: .sandbox,
      signed: info.signedDate)
    let line = text(try store.sign(payload))
    #expect(try await phone.run("ingest", "-", input: line).output.contains("DID_FAIL_TO_RENEW GRACE_PERIOD"))
    #expect(try await phone.run("ingest", "-", input: line).output.contains("known already"))
    let status = try await phone.status()
    #expect(status.subscriptions.map(\.state) == ["inGracePeriod"])
    #expect(status.entitlements.first { $0.id == "club" }?.active == true)
    let history: NotificationsAnswer = try await phone.json("notifications")
    #expect(history.notifications.map(\.notificationUUID) == ["u"])
    #expect(try await phone.run("notifications").output.contains("GRACE_PERIOD"))
    #expect(try await phone.run("status").output.contains("monthly could not be billed"))
    #expect(try await phone.run("why", "club").output.contains("monthly could not be billed"))
    let korean = try await Peerd.run(
      ["status", "--data", phone.data], environment: ["LC_ALL": "ko_KR.UTF-8", "TZ": "Asia/Seoul"])
    #expect(korean.output.contains("2026-02-01 09:00에 끝났으나 결제하지 못했습니다"))
  }
}
