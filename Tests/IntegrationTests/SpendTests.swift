import Foundation
import PeerSync
import Testing

/// `peerd spend` with real processes: apart, refused, and asking.
@Suite("Spending", .paced, .noHang)
struct SpendTests {
  /// The id, what was spent and what is left.
  private func spend(_ device: PeerdProcess, _ amount: Int64, _ id: String) async throws -> String {
    let answer: SpendAnswer = try await device.json("spend", "owls", "\(amount)", "--id", id)
    return "\(answer.id) \(answer.spent) \(answer.balance)"
  }

  private func refused(
    _ device: PeerdProcess, _ arguments: [String], _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await Peerd.run(["spend", "--data", device.data] + arguments)
    #expect(outcome.status == 1 && outcome.output.isEmpty, sourceLocation: sourceLocation)
    #expect(outcome.errors.contains(reason), "\(outcome.errors)", sourceLocation: sourceLocation)
  }

  private func credit(_ device: PeerdProcess) async throws -> CreditAnswer? {
    try await device.status().credits.first
  }

  @Test("D42: apart, five are spent at most; who is short says who holds the rest, and gets it by asking")
  func apart() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let _: TransactionResult = try await phone.json("buy", "RandomOwls")
    for (device, share) in [(phone, 3), (tablet, 2)] as [(PeerdProcess, Int64)] {
      try await device.wait(for: "a share of \(share)") { $0.credits.first?.available == share }
    }
    _ = try await tablet.run("offline")
    try await phone.wait(for: "nobody") { !$0.peers.contains(where: \.connected) }
    #expect(try await spend(phone, 3, "p") == "p 3 2")
    try await refused(
      tablet, ["owls", "3"],
      "this device can spend 2 of 'owls', not 3: Phone holds 3 and is not connected; connect the devices")
    #expect(try await spend(tablet, 2, "t") == "t 2 3")
    // Once more the same, also after kill -9.
    try await tablet.killAndRestart()
    #expect(try await spend(tablet, 2, "t") == "t 2 3")
    try await refused(tablet, ["owls", "1", "--id", "t"], "2 were spent under this id before")
    _ = try await tablet.run("online")
    #expect(try await group.agree().credits.first?.balance == 0)
    try await refused(phone, ["owls"], "this device can spend 0 of 'owls', not 1: buy more first")
    try await refused(phone, ["hens"], "no credit 'hens' is known here; known: owls")

    let _: TransactionResult = try await phone.json("buy", "RandomOwls", "--quantity", "2")
    try await tablet.wait(for: "the purchase") { $0.credits.first?.balance == 10 }
    #expect(try await spend(tablet, 9, "all") == "all 9 1")
    #expect(try await group.agree().credits.first?.balance == 1)
    let text = try await phone.run("spend", "owls")
    #expect(text.status == 0 && text.output.hasPrefix("spent 1 of owls, 0 left\nid "), "\(text)")
  }

  @Test(
    "D44: the rights of a removed device go to the others. D45: a copy of a directory holds none until it is told"
  )
  func lost() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let _: TransactionResult = try await tablet.json("buy", "RandomOwls")
    try await phone.wait(for: "a share") { $0.credits.first?.available == 2 }
    let _: DevicesAnswer = try await phone.json("remove", "Tablet")
    #expect(try await spend(phone, 4, "p") == "p 4 1")
    try await refused(tablet, ["owls"], "removed")

    // The marker of the directory goes: it was copied.
    try await phone.stop()
    try FileManager.default.removeItem(atPath: phone.data + "/host")
    try await phone.start()
    let before = try #require(try await credit(phone))
    #expect(before.available == 0 && before.holders.map(\.kind) == ["earlier"])
    #expect(try await phone.status().warnings.contains { $0.contains("reclaim the credit") })
    try await refused(phone, ["owls"], "an earlier life of this device holds 1")
    let after: CreditAnswer = try await phone.json("reclaim", "owls")
    #expect(after.available == 1 && after.holders.map(\.kind) == ["this"])
    #expect(try await spend(phone, 1, "q") == "q 1 0")
  }

  @Test("who is asked to take over what a removed device held, and does not, says who does")
  func lostElsewhere() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    let _: TransactionResult = try await mac.json("buy", "RandomOwls")
    try await group.agree()
    try await phone.stop()
    try await mac.stop()
    let _: DevicesAnswer = try await tablet.json("remove", "Mac")
    let outcome = try await tablet.run("reclaim", "owls")
    #expect(outcome.status == 1 && outcome.errors.contains("do it on Phone"), "\(outcome)")
    // That is not lost.
    #expect(try await tablet.run("reclaim", "owls", "--from", "lost").status == 0)
  }

  @Test("what a device had spent that goes with its host is not there again, and what it gave stays given")
  func outWithItsHost() async throws {
    let phone = try await PeerdProcess("Phone")
    let (mac, watch) = (try await PeerdProcess("Mac"), try await PeerdProcess("Watch"))
    for device in [phone, mac, watch] { try await device.start() }
    try await mac.join(phone)
    try await watch.join(mac)
    let group = PeerdGroup(of: [phone, mac, watch])
    try await group.agree()
    let _: TransactionResult = try await phone.json("buy", "RandomOwls", "--quantity", "2")
    try await group.agree()
    #expect(try await spend(watch, 4, "watch") == "watch 4 6")
    try await group.agree()
    #expect(try await spend(phone, 3, "phone") == "phone 3 3")
    try await group.agree()
    try await watch.stop()
    try await mac.stop()
    let _: DevicesAnswer = try await phone.json("remove", "Mac", "--disown", "Watch")
    #expect(try await phone.run("reclaim", "owls", "--from", "lost").status == 0)
    // What the Mac held follows in a moment.
    try await phone.wait(for: "what is left") {
      $0.credits.first.map { ($0.balance, $0.available) == (3, 3) } ?? false
    }
    #expect(try await !phone.status().warnings.contains { $0.contains("has spent or given away") })
    #expect(try await spend(phone, 3, "rest") == "rest 3 0")
    try await refused(phone, ["owls"], "buy more first")
  }

  @Test("C32: a refund after the spending is a debt that the next purchase pays")
  func debt() async throws {
    let phone = try await PeerdProcess()
    try await phone.start()
    let bought: TransactionResult = try await phone.json("buy", "RandomOwls")
    #expect(try await spend(phone, 5, "p") == "p 5 0")
    let _: TransactionResult = try await phone.json("refund", bought.transaction.transactionId)
    #expect(try await credit(phone)?.debt == 5)
    try await refused(phone, ["owls"], "and 5 are owed (more were spent than there are): buy more first")
    let _: TransactionResult = try await phone.json("buy", "RandomOwls", "--quantity", "2")
    #expect(try await credit(phone)?.balance == 5)
    #expect(try await spend(phone, 5, "q") == "q 5 0")
  }
}
