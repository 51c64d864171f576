import PeerSync
import Testing

/// Renewals bought apart add up: the cases of the semantics, each with real processes.
@Suite("The main job", .paced, .noHang)
struct MainJobTests {
  private func buy(_ product: String, at date: String, on device: PeerdProcess) async throws -> String {
    let result: TransactionResult = try await device.json("buy", product, "--at", date)
    return result.transaction.transactionId
  }

  @Test("A1: 3 and 6 months bought apart are 9 everywhere, with the proof; a refund takes back its own")
  func apart() async throws {
    let group = try await PeerdGroup(3)
    for device in group.devices { #expect(try await device.run("offline").status == 0) }
    let three = try await buy("3monthsOfRandom", at: "2026-01-31", on: group[0])
    let six = try await buy("6monthsOfRandom", at: "2026-02-01", on: group[1])
    for device in group.devices { #expect(try await device.run("online").status == 0) }
    #expect(try await group.agree().lines.first?.expires == Instant("2026-10-31"))
    for device in group.devices {
      let why: WhyAnswer = try await device.json("why", "random-owls")
      #expect(why.lines.first?.steps.map(\.transaction.transactionId) == [three, six])
      #expect(why.lines.first?.steps.map(\.contribution) == ["+3 months", "+6 months"])
      #expect(why.lines.first?.runs.map(\.transactions) == [[three, six]])
    }
    let _: TransactionResult = try await group[2].json("refund", six)
    #expect(try await group.agree().lines.first?.expires == Instant("2026-04-30"))
    // A second refund of the same changes nothing.
    let before = try await group[0].status().digest
    let _: TransactionResult = try await group[0].json("refund", six)
    #expect(try await group.agree().digest == before)
  }

  @Test("A2: a purchase that reaches a device again and again counts once")
  func again() async throws {
    let phone = try await PeerdProcess("Phone")
    let tablet = try await PeerdProcess("Tablet", catalogue: nil)
    for device in [phone, tablet] { try await device.start() }
    _ = try await buy("3monthsOfRandom", at: "2026-01-31", on: phone)
    let _: TransactionResult = try await phone.json("buy", "RandomOwls")
    let ledger = try await phone.run("export").output
    for _ in 1...2 { #expect(try await tablet.run("import", "-", input: ledger).status == 0) }
    try await tablet.join(phone)
    let group = PeerdGroup(of: [phone, tablet])
    try await group.agree()
    for device in group.devices { #expect(try await device.run("import", "-", input: ledger).status == 0) }
    try await tablet.killAndRestart()
    let status = try await group.agree()
    #expect(status.lines.first?.expires == Instant("2026-04-30"))
    #expect(status.credits.first?.balance == 5)
    let known = try await tablet.client().transactions()
    #expect(known.count == 2)
  }

  @Test("C27 and C28: a refund of the older or of the newer purchase, on a device that did not buy it")
  func refunds() async throws {
    for (refunded, expiry) in [(0, "2026-08-01"), (1, "2026-04-01")] {
      let group = try await PeerdGroup(2)
      let purchases = [
        try await buy("3monthsOfRandom", at: "2026-01-01", on: group[0]),
        try await buy("6monthsOfRandom", at: "2026-02-01", on: group[1]),
      ]
      #expect(try await group.agree().lines.first?.expires == Instant("2026-10-01"))
      let _: TransactionResult = try await group[1 - refunded].json("refund", purchases[refunded])
      #expect(try await group.agree().lines.first?.expires == Instant(expiry))
    }
  }
}
