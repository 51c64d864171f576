import PeerSync
import Testing

@Suite("Joining", .paced, .noHang)
struct JoiningTests {
  @Test("E51: purchases made before joining come along, and so do those made while apart")
  func purchasesOfItsOwn() async throws {
    let phone = try await PeerdProcess("Phone")
    let tablet = try await PeerdProcess("Tablet")
    for device in [phone, tablet] { try await device.start() }
    let _: TransactionResult = try await phone.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    let _: TransactionResult = try await tablet.json("buy", "6monthsOfRandom", "--at", "2026-02-01")
    let alone: PurchaseResult = try await tablet.json("buy", "CarefreeOwl")
    #expect(alone.onThisDeviceOnly)
    let shown = try await tablet.run("buy", "CarefreeOwl").output
    #expect(shown.contains("It lives on this device only until the device is paired"))
    let before = try await phone.status().group
    try await tablet.join(phone)
    let status = try await PeerdGroup(of: [phone, tablet]).agree()
    #expect(status.lines.first?.expires == Instant("2026-10-31") && status.purchased == ["CarefreeOwl"])
    #expect(status.group.id == before.id && status.group.members == before.members + 1)
    let paired: PurchaseResult = try await tablet.json("buy", "CarefreeOwl")
    #expect(!paired.onThisDeviceOnly)
    #expect(!(try await tablet.run("buy", "CarefreeOwl").output.contains("on this device only")))
  }

  @Test("an invitation is good once, and a member does not join again")
  func once() async throws {
    let phone = try await PeerdProcess("Phone")
    let tablet = try await PeerdProcess("Tablet")
    let mac = try await PeerdProcess("Mac")
    for device in [phone, tablet, mac] { try await device.start() }
    let invitation: InvitationAnswer = try await phone.json("invite")
    let _: MembershipAnswer = try await tablet.json("join", invitation.link)
    try await refused(mac, invitation.link, "no invitation is open there")
    let next: InvitationAnswer = try await phone.json("invite")
    // As if its first attempt had been cut short: it is told that it is a member.
    let again: MembershipAnswer = try await tablet.json("join", next.link)
    #expect(again.group == (try await phone.status()).group)
    // That has not used the invitation up.
    let _: MembershipAnswer = try await mac.json("join", next.link)
    try await PeerdGroup(of: [phone, tablet, mac]).agree()
  }

  @Test("a device that is not the first of its group is refused; the first brings the others along")
  func notFirst() async throws {
    let ours = try await PeerdGroup(2)
    let theirs = try await PeerdProcess("Mac")
    try await theirs.start()
    let invitation: InvitationAnswer = try await theirs.json("invite")
    try await refused(ours[1], invitation.link, "that one has to join, and brings the others along")
    try await ours[0].join(theirs)
    let status = try await PeerdGroup(of: [theirs] + ours.devices).agree()
    #expect(status.group.members == 3)
  }

  @Test("an invitation outlasts kill -9, with the tries that are left")
  func restart() async throws {
    let phone = try await PeerdProcess("Phone")
    let tablet = try await PeerdProcess("Tablet")
    for device in [phone, tablet] { try await device.start() }
    let invitation: InvitationAnswer = try await phone.json("invite")
    for _ in 2...Limits.invitationTries {
      try await phone.killAndRestart(isMoving: false)
      try await refused(tablet, invitation.linkWithWrongCode, "the invitation code is wrong")
    }
    try await phone.killAndRestart(isMoving: false)
    let _: MembershipAnswer = try await tablet.json("join", invitation.link)
    // Used is used.
    let mac = try await PeerdProcess("Mac")
    try await mac.start()
    try await phone.killAndRestart(isMoving: false)
    try await refused(mac, invitation.link, "no invitation is open there")
    let next: InvitationAnswer = try await phone.json("invite")
    for _ in 1...Limits.invitationTries {
      try await phone.killAndRestart(isMoving: false)
      try await refused(mac, next.linkWithWrongCode, "the invitation code is wrong")
    }
    try await phone.killAndRestart(isMoving: false)
    try await refused(mac, next.link, "no invitation is open there")
  }

  @Test("a wrong code is refused, and after five the invitation is void")
  func wrongCode() async throws {
    let phone = try await PeerdProcess("Phone")
    let tablet = try await PeerdProcess("Tablet")
    for device in [phone, tablet] { try await device.start() }
    let invitation: InvitationAnswer = try await phone.json("invite")
    for _ in 1...Limits.invitationTries {
      try await refused(tablet, invitation.linkWithWrongCode, "the invitation code is wrong")
    }
    try await refused(tablet, invitation.link, "no invitation is open there")
    // A newer invitation replaces the one before; codes may be typed in small letters.
    let replaced: InvitationAnswer = try await phone.json("invite")
    let newest: InvitationAnswer = try await phone.json("invite")
    try await refused(tablet, replaced.link, "the invitation code is wrong")
    let _: MembershipAnswer = try await tablet.json("join", newest.link.lowercased())
    try await PeerdGroup(of: [phone, tablet]).agree()
  }

  @Test("devices of other environments and apps are not admitted, and neither is anyone while offline")
  func strangers() async throws {
    let phone = try await PeerdProcess("Phone")
    try await phone.start()
    for options in [
      ["--environment", "xcode"], ["--environment", "production"], ["--bundle-id", "com.other"],
    ] {
      let other = try await PeerdProcess("Other", options: options)
      try await other.start(listen: nil)
      let invitation: InvitationAnswer = try await phone.json("invite")
      try await refused(other, invitation.link, "both must be of the same")
    }
    let tablet = try await PeerdProcess("Tablet")
    try await tablet.start()
    let invitation: InvitationAnswer = try await phone.json("invite")
    let _: NetworkAnswer = try await phone.json("offline")
    let invite = try await phone.run("invite")
    #expect(invite.status == 1 && invite.errors.contains("peerd online"))
    #expect(try await tablet.run("join", invitation.link).status == 1)
    let _: NetworkAnswer = try await phone.json("online")
    let _: NetworkAnswer = try await tablet.json("offline")
    try await refused(tablet, invitation.link, "peerd online")
    let _: NetworkAnswer = try await tablet.json("online")
    let _: MembershipAnswer = try await tablet.json("join", invitation.link)
    #expect(try await phone.waitInSync(with: 1).group.members == 2)
    // Copied as it is it would name no device but the usual one.
    let told = try await phone.run("invite").output
    #expect(told.contains("  peerd join --data DIR peersync://127.0.0.1:"), "\(told)")
  }

  @Test("devices of two groups that dial each other keep what is theirs")
  func groupsApart() async throws {
    let phone = try await PeerdProcess("Phone")
    try await phone.start()
    let _: TransactionResult = try await phone.json("buy", "RandomOwls")
    let tablet = try await PeerdProcess("Tablet")
    try await tablet.start(
      peers: [try #require(phone.ready?.listen)], options: ["--log-level", "debug"])
    while tablet.log.matches(of: #/no connection/#).count < 3 {
      #expect(try await tablet.status().credits.first?.balance == 0)
      try #require(tablet.pid != nil)
    }
    #expect(try await tablet.status().peers.isEmpty)
    // Not one byte of what members say went either way.
    for device in [phone, tablet] {
      let metrics = String(decoding: try await device.client().send("GET", "/metrics"), as: UTF8.self)
      #expect(metrics.contains("\npeersync_sent_bytes_total 0\n"))
      #expect(metrics.contains("\npeersync_received_bytes_total 0\n"))
    }
  }

  private func refused(
    _ device: PeerdProcess, _ url: String, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await device.run("join", url)
    #expect(
      outcome.status == 1 && outcome.errors.contains(reason), "\(outcome.errors)",
      sourceLocation: sourceLocation)
  }
}
