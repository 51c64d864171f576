import PeerSync
import Testing

/// `peerd remove` where those who are removed are away, or do the same.
@Suite("Removing apart", .paced, .noHang)
struct RemovingApartTests {
  private func hears(_ device: PeerdProcess) async throws {
    try await device.wait(for: "word that it is out") { $0.warnings.contains(StatusAnswer.wasRemoved) }
  }

  @Test("a device that was removed while it was off hears it from whom it meets")
  func removedWhileAway() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    try await tablet.stop()
    let _: DevicesAnswer = try await phone.json("remove", "Tablet")
    try await tablet.startAsBefore()
    try await hears(tablet)
    let findings = try await tablet.run("doctor").output
    #expect(findings.contains("removed from its group"), "\(findings)")
    let status = try await phone.status()
    #expect(status.warnings.isEmpty && status.group.members == 1)
  }

  @Test("E49: two that remove each other, with nobody between them, come to one outcome")
  func eachOther() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    _ = try await phone.run("offline")
    for (device, other) in [(phone, "Tablet"), (tablet, "Phone")] {
      let answer: DevicesAnswer = try await device.json("remove", other)
      #expect(answer.devices.map(\.name) == [device.name] && answer.removed.map(\.name) == [other])
    }
    _ = try await phone.run("online")
    try await hears(tablet)
    for device in [phone, tablet] {
      let answer: DevicesAnswer = try await device.json("devices")
      #expect(answer.devices.map(\.name) == ["Phone"] && answer.removed.map(\.name) == ["Tablet"])
    }
    #expect(try await phone.status().warnings.isEmpty)
    try await tablet.killAndRestart(isMoving: false)
    try await hears(tablet)
  }

  @Test("two that keep each other hear that a third has removed both, and spend nothing any more")
  func both() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    let _: TransactionResult = try await tablet.json("buy", "RandomOwls")
    try await group.agree()
    _ = try await phone.run("offline")
    for name in ["Tablet", "Mac"] { let _: DevicesAnswer = try await phone.json("remove", name) }
    #expect(try await tablet.status().peers.contains { $0.name == "Mac" && $0.connected })
    _ = try await phone.run("online")
    for device in [tablet, mac] {
      try await hears(device)
      let spent = try await device.run("spend", "owls")
      #expect(spent.status == 1 && spent.errors.contains("was removed from its group"), "\(spent)")
    }
    #expect(try await phone.run("spend", "owls", "5").status == 0)
  }

  @Test("credits of a device that is out with its host come back when the most senior one is asked")
  func disowned() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let mac = try await PeerdProcess("Mac", catalogue: nil)
    try await mac.start()
    try await mac.join(tablet)
    let all = PeerdGroup(of: [phone, tablet, mac])
    try await all.agree()
    let _: TransactionResult = try await phone.json("buy", "RandomOwls")
    try await mac.wait(for: "a share") { ($0.credits.first?.available ?? 0) > 0 }
    try await all.agree()
    try await mac.stop()
    let _: DevicesAnswer = try await phone.json("remove", "Tablet", "--disown", "Mac")
    let held = try await phone.status().credits.first?.holders.first { $0.kind == "unknown" }?.rights ?? 0
    #expect(held > 0)
    try await phone.wait(for: "word of what the Mac holds") { status in
      status.warnings.contains { $0.contains("holds \(held) of 'owls'") && $0.contains("from lost devices") }
    }
    let short = try await phone.run("spend", "owls", "5")
    #expect(short.status == 1 && short.errors.contains("reclaim the credit from lost devices"), "\(short)")
    let _: CreditAnswer = try await phone.json("reclaim", "owls")
    let after: CreditAnswer = try await phone.json("reclaim", "owls", "--from", "lost")
    #expect(after.available == 5 && after.fromLost.map(\.amount) == [held])
    #expect(try await phone.run("spend", "owls", "5").status == 0)
    #expect(try await phone.status().warnings.isEmpty)
    // It hears that it is on its own.
    try await mac.startAsBefore()
    try await mac.wait(for: "word that it is out") { $0.group.members == 1 }
    #expect(try await !mac.status().warnings.contains { $0.contains("from lost devices") })
  }
}
