import PeerSync
import Testing

/// How devices find each other again.
@Suite("Addresses", .paced, .noHang)
struct AddressTests {
  @Test("devices find each other again without --peer, when one starts on another port")
  func reunion() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    // One at a time, each on a new port: the one that stays is remembered.
    for device in [phone, tablet, phone] {
      let before = device.ready?.listen
      try await device.stop()
      try await device.start()
      #expect(device.ready?.listen != before)
      try await group.agree()
    }
    // Both are gone; one comes back where it was, the other somewhere else.
    for device in [phone, tablet] { try await device.stop() }
    try await phone.start(listen: phone.ready?.listen)
    try await tablet.start()
    let _: TransactionResult = try await tablet.json("buy", "RandomOwls")
    #expect(try await group.agree().credits.first?.balance == 5)
  }

  @Test("devices that never met find each other by what a third has told them")
  func gossip() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    // Tablet and Mac both joined at Phone. Without it, they still have each other.
    try await phone.stop()
    for device in [tablet, mac] {
      try await device.stop()
      try await device.start(listen: device.ready?.listen)
    }
    let _: TransactionResult = try await mac.json("buy", "RandomOwls")
    try await tablet.wait(for: "Mac's purchase") { $0.credits.first?.balance == 5 }
  }

  @Test("an address in --peer is dialled, once enough for both to remember")
  func peer() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    for device in [phone, tablet] { try await device.stop() }
    // Both on new ports: neither could know.
    try await phone.start()
    try await tablet.start(peers: [try #require(phone.ready?.listen)])
    try await group.agree()
    try await tablet.stop()
    try await tablet.start()
    try await group.agree()
  }

  @Test("A9: a chain in which the ends cannot reach each other converges, whichever way it is asked")
  func chain() async throws {
    let phone = try await PeerdProcess("Phone", catalogue: nil)
    let tablet = try await PeerdProcess("Tablet")
    let mac = try await PeerdProcess("Mac", catalogue: nil)
    // The ends do not listen: nobody can dial them.
    try await tablet.start()
    for end in [phone, mac] {
      try await end.start(listen: nil)
      try await end.join(tablet)
    }
    for end in [phone, mac] {
      try await end.wait(for: "the middle") { $0.peers.filter(\.connected).map(\.name) == ["Tablet"] }
    }
    let _: TransactionResult = try await phone.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    let _: TransactionResult = try await mac.json("buy", "6monthsOfRandom", "--at", "2026-02-01")
    try await expectSame([phone, tablet, mac], expires: "2026-10-31")
    // Bought while the middle is away, it passes through when the middle comes back; ends meet it in turn.
    #expect(try await tablet.run("offline").status == 0)
    let _: TransactionResult = try await phone.json("buy", "3monthsOfRandom", "--at", "2026-03-01")
    let _: TransactionResult = try await mac.json("buy", "6monthsOfRandom", "--at", "2026-03-02")
    #expect(try await mac.run("offline").status == 0)
    #expect(try await tablet.run("online").status == 0)
    try await expectSame([phone, tablet], expires: "2027-01-31")
    #expect(try await phone.run("offline").status == 0)
    #expect(try await mac.run("online").status == 0)
    try await expectSame([tablet, mac], expires: "2027-07-31")
    #expect(try await phone.run("online").status == 0)
    try await expectSame([phone, tablet, mac], expires: "2027-07-31")
    #expect(try await phone.status().peers.filter(\.connected).map(\.name) == ["Tablet"])
  }

  private func expectSame(
    _ devices: [PeerdProcess], expires: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let wanted = Instant(expires)
    for device in devices {
      try await device.wait(for: "\(expires)") { $0.lines.first?.expires == wanted }
    }
    let digest = try await devices[0].status().digest
    for device in devices {
      let waited = try await device.run("wait", "--digest", digest, "--timeout", "20")
      #expect(waited.status == 0, "\(device.name): \(waited.errors)", sourceLocation: sourceLocation)
    }
  }
}
