import Foundation
import PeerSync
import Testing

/// What a store has signed, taken in by a daemon of its own process.
@Suite("Ingest", .paced, .timeLimit(.minutes(5)))
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
    let (store, stranger) = (try SandboxStore.open(directory.path + "/store"), try SandboxStore.generate())
    let phone = try await PeerdProcess(options: ["--trust-root", directory.path + "/store/root.pem"])
    try await phone.start(listen: nil)
    let good = text(try store.sign(purchase("1", "3monthsOfRandom", "2026-01-01")))
    let forged = text(try stranger.sign(purchase("2", "6monthsOfRandom", "2026-01-02")))
    var production = try purchase("3", "3monthsOfRandom", "2026-01-03")
    production.environment = .production
    let lines = [good, "rubbish", forged, "", text(try store.sign(production)), good]
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
    #expect(try RefusedItems(DataDirectory(phone.data)).all().count == 3)
    let digest = try await phone.status().digest
    let again = try await phone.run("ingest", "-", input: good)
    #expect(again.status == 0 && again.output.contains("accepted"))
    #expect(try await phone.status().digest == digest)
  }

  @Test("what is signed with another root counts for nothing, and such a root is refused in production")
  func roots() async throws {
    let store = try SandboxStore.generate()
    let phone = try await PeerdProcess()
    try await phone.start(listen: nil)
    let signed = text(try store.sign(purchase("1", "3monthsOfRandom", "2026-01-01")))
    let outcome = try await phone.run("ingest", "-", input: signed)
    #expect(outcome.status == 1 && outcome.output.contains("none of the trusted roots"))
    let directory = try TemporaryDirectory()
    _ = try SandboxStore.open(directory.path + "/store")
    let refused = try await Peerd.run(
      [
        "init", "--data", directory.path + "/data", "--environment", "production", "--trust-root",
        directory.path + "/store/root.pem",
      ])
    #expect(refused.status == 1 && refused.errors.contains("--trust-root"))
  }
}
