import Foundation
import PeerSync
import Testing

@Suite("Export and import", .paced, .noHang)
struct ExportTests {
  /// An exported register, as far as its content goes.
  private struct Entry: Hashable {
    let kind: String
    let key: String
    let stamp: String
    let value: String
  }

  private func entries(_ export: String) throws -> Set<Entry> {
    let document = try JSON.decode(JSONValue.self, from: Array(export.utf8))
    guard case .array(let registers)? = document["registers"] else { return [] }
    func text(_ value: JSONValue?) -> String { if case .string(let text)? = value { text } else { "" } }
    return Set(
      registers.map {
        Entry(
          kind: text($0["kind"]), key: text($0["raw"]?["key"]), stamp: text($0["raw"]?["stamp"]),
          value: text($0["raw"]?["value"]))
      })
  }

  @Test("an export holds every register; imported elsewhere it gives the same facts, and no members")
  func roundTrip() async throws {
    let group = try await PeerdGroup(2)
    let phone = group[0]
    let bought: TransactionResult = try await phone.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    let _: TransactionResult = try await group[1].json("buy", "RandomOwls", "--quantity", "2")
    let _: TransactionResult = try await phone.json("refund", bought.transaction.transactionId)
    let _: ExpirationAnswer = try await phone.json("set-expiration", "random-owls", "2999-01-01")
    let _: GrantAnswer = try await phone.json("grant", "promotion", "--until", "2999-01-01")
    let _: ValueAnswer = try await phone.client().send("PUT", "/v1/values/last", body: ValueBody(value: "Ö"))
    try await group.agree()
    let export = try await phone.run("export").output
    let facts = try entries(export)
    var kinds = Dictionary(grouping: facts, by: \.kind).mapValues(\.count)
    // What the signatures of a store have in common is kept once, apart from them.
    #expect(kinds.removeValue(forKey: "storePart") ?? 0 > 0)
    // Who may spend what was bought is between the members: how often devices gave each other rights varies.
    kinds["credit"] = nil
    #expect(kinds == ["transaction": 3, "expiration": 1, "grant": 1, "value": 1, "product": 4])
    let fresh = try await PeerdProcess(
      "Fresh", catalogue: nil, options: group.devices.flatMap { ["--trust-root", $0.storeRoot] })
    try await fresh.start(listen: nil)
    let first: ImportAnswer = try await fresh.json("import", "-", input: export)
    let again: ImportAnswer = try await fresh.json("import", "-", input: export)
    let travelling = facts.filter { $0.kind != "credit" }
    #expect(first.changed == travelling.count && again.changed == 0)
    #expect(first.registers == again.registers && first.skipped == facts.count - travelling.count)
    let copied = try entries(try await fresh.run("export").output)
    #expect(copied == travelling)
    let (answers, original) = (try await fresh.status(), try await phone.status())
    #expect(answers.lines == original.lines && answers.entitlements == original.entitlements)
    #expect(answers.credits.map(\.balance) == original.credits.map(\.balance))
    #expect(answers.purchased == original.purchased)
    #expect(answers.group.members == 1)
    // Their directories, with the roots, go when they go.
    withExtendedLifetime(group) {}
  }

  @Test(
    "output that cannot be written is no success", arguments: [["export"], ["status"], ["status", "--json"]])
  func fullOutput(arguments: [String]) async throws {
    let device = try await PeerdProcess(catalogue: nil)
    try await device.start(listen: nil)
    let full: FileHandle = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let outcome = try await Peerd.run(
      [arguments[0], "--data", device.data] + arguments.dropFirst(), output: full)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "peerd: standard output cannot be written (No space left on device): make room, or send it elsewhere\n"
    )
  }

  @Test("an import brings back what a lost device knew; what is newer here stays")
  func older() async throws {
    let phone = try await PeerdProcess()
    try await phone.start(listen: nil)
    let bought: TransactionResult = try await phone.json("buy", "RandomOwls")
    let older = try await phone.run("export").output
    let _: TransactionResult = try await phone.json("refund", bought.transaction.transactionId)
    let digest = try await phone.status().digest
    let answer: ImportAnswer = try await phone.json("import", "-", input: older)
    #expect(answer.changed == 0)
    #expect(try await phone.status().digest == digest)
  }

  @Test("the digest of an import travels on: a group that takes it in agrees")
  func intoGroup() async throws {
    let phone = try await PeerdProcess()
    try await phone.start(listen: nil)
    let _: TransactionResult = try await phone.json("buy", "6monthsOfRandom", "--at", "2026-02-01")
    let export = try await phone.run("export").output
    let group = try await PeerdGroup(2, options: ["--trust-root", phone.storeRoot])
    let _: TransactionResult = try await group[0].json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    // On both at the same time.
    async let one: ImportAnswer = group[0].json("import", "-", input: export)
    async let two: ImportAnswer = group[1].json("import", "-", input: export)
    _ = try await (one, two)
    #expect(try await group.agree().lines.first?.expires == Instant("2026-10-31"))
  }
}
