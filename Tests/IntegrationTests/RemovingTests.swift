import Foundation
import PeerSync
import Testing

/// `peerd remove`: who may, what it says, and what becomes of the device that is out.
@Suite("Removing", .paced, .noHang)
struct RemovingTests {
  private func refused(
    _ device: PeerdProcess, _ arguments: [String], _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await Peerd.run(["remove", "--data", device.data] + arguments)
    #expect(outcome.status == 1 && outcome.output.isEmpty, sourceLocation: sourceLocation)
    #expect(outcome.errors.contains(reason), "\(outcome.errors)", sourceLocation: sourceLocation)
  }

  private func names(_ answer: DevicesAnswer) -> ([String], [String]) {
    (answer.devices.map(\.name), answer.removed.map(\.name))
  }

  @Test("by id, by the first group of the id and by name; others are refused with what to do")
  func naming() async throws {
    let group = try await PeerdGroup(4)
    let phone = group[0]
    try await refused(phone, ["Nobody"], "no device 'Nobody' is in the group; `peerd devices` lists them")
    #expect(try await phone.run("remove").status == 2)
    let before: DevicesAnswer = try await phone.json("devices")
    #expect(before.devices.map(\.name) == ["Phone", "Tablet", "Mac", "Watch"] && before.removed.isEmpty)
    let byID: DevicesAnswer = try await phone.json("remove", before.devices[1].id)
    #expect(names(byID) == (["Phone", "Mac", "Watch"], ["Tablet"]))
    let short = try #require(before.devices[2].id.split(separator: "-").first)
    let text = try await phone.run("remove", short.lowercased())
    #expect(text.status == 0 && text.output == "removed Mac: 2 devices are left\n")
    let byName: DevicesAnswer = try await phone.json("remove", "Watch")
    #expect(names(byName) == (["Phone"], ["Tablet", "Mac", "Watch"]))
    #expect(try await phone.run("devices").output.contains("removed: Tablet, \(before.devices[1].id)\n"))
    try await refused(phone, ["Watch"], "was removed from the group already")
    // Nobody is asked about it either.
    let unasked = try await TerminalRun.run(["remove", "Watch", "--data", phone.data], environment: [:])
    #expect(unasked.status == 1 && unasked.text.contains("removed from the group already"), "\(unasked)")
    #expect(!unasked.text.contains("[y/N]"), "\(unasked)")
    try await refused(phone, ["Nobody"], "no device 'Nobody' is in the group")
    try await refused(phone, ["Phone"], "`peerd leave` takes it out of its group")
  }

  @Test("what a device decided under a clock that was ahead falls with it, and that is said")
  func heldBack() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    try await tablet.stop()
    try await tablet.start(peers: [try #require(phone.ready?.listen)], options: ["--clock-offset", "2d"])
    try await tablet.set("theme", "red")
    try await phone.wait(for: "word of what is held back") { status in
      status.warnings.contains { $0.contains("decisions of Tablet are stamped") }
    }
    let preview: TakenBackAnswer = try await phone.client().send(
      "POST", "/v1/devices/Tablet/preview", body: RemoveBody(recoveryKey: nil, .nothing))
    #expect(preview.heldBack == true && preview.count == 0)
    let outcome = try await phone.run("remove", "Tablet")
    #expect(outcome.status == 0 && outcome.output.contains("are held back here"), "\(outcome)")
    #expect(try await phone.value("theme") == nil)
  }

  @Test("F55: with --all what others had decided stands again, on devices that heard of it in any order")
  func takingBack() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    let _: TransactionResult = try await mac.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    try await phone.set("theme", "blue")
    let _: GrantAnswer = try await mac.json("grant", "club")
    let before = try await group.agree()
    try await tablet.set("theme", "red")
    #expect(try await tablet.run("revoke", "club").status == 0)
    let _: GrantAnswer = try await tablet.json("grant", "stolen")
    let _: ExpirationAnswer = try await tablet.json("set-expiration", "random-owls", "none")
    let bought: TransactionResult = try await tablet.json("buy", "CarefreeOwl")
    #expect(bought.transaction.productId == "CarefreeOwl")
    try await group.agree()
    #expect(try await phone.value("theme") == "red")
    let preview: TakenBackAnswer = try await phone.client().send(
      "POST", "/v1/devices/Tablet/preview", body: RemoveBody(recoveryKey: nil, .everything))
    let answer: DevicesAnswer = try await phone.json("remove", "Tablet", "--all")
    #expect(names(answer) == (["Phone", "Mac"], ["Tablet"]))
    #expect(answer.takenBack == preview && preview.count == 4)
    let listed = preview.decisions.map {
      "\($0.kind) \($0.id): \($0.said), \($0.stands ?? "–") by \($0.by ?? "–")"
    }
    #expect(
      listed == [
        "expiration random-owls: none, – by –", "grant club: revoked, granted by Mac",
        "grant stolen: granted, – by –", "value theme: 3 bytes, 4 bytes by Phone",
      ])
    try await mac.wait(for: "the tablet to be out") { $0.group.members == 2 }
    let after = try await PeerdGroup(of: [phone, mac]).agree()
    // What was bought stays.
    #expect(after.lines == before.lines && after.purchased.contains("CarefreeOwl"))
    let isActive = { (status: StatusAnswer, name: String) in
      status.entitlements.contains { $0.id == name && $0.active }
    }
    #expect(isActive(after, "club") && !isActive(after, "stolen"))
    for device in [phone, mac] {
      #expect(try await device.value("theme") == "blue")
      try await device.killAndRestart(isMoving: false)
      #expect(try await device.value("theme") == "blue")
    }
    #expect(try await phone.run("remove", "Mac", "--yes").status == 0)
  }

  @Test("F55: what a device decided that has left is taken back as well, once")
  func takingBackFromWhoHasLeft() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    let _: GrantAnswer = try await mac.json("grant", "club")
    try await group.agree()
    #expect(try await tablet.run("revoke", "club").status == 0)
    let _: GrantAnswer = try await tablet.json("grant", "stolen")
    try await group.agree()
    #expect(try await tablet.run("leave", "--yes").status == 0)
    let rest = PeerdGroup(of: [phone, mac])
    try await phone.wait(for: "the tablet to be out") { $0.group.members == 2 }
    #expect(try await rest.agree().entitlements.filter(\.active).map(\.id) == ["stolen"])
    let asked = try await TerminalRun.run(
      ["remove", "Tablet", "--all", "--data", phone.data], environment: [:], typing: "n\n")
    #expect(asked.status == 1 && asked.text.contains("grant club"), "\(asked)")
    #expect(asked.text.contains("nothing was changed"), "\(asked)")
    let answer: DevicesAnswer = try await phone.json("remove", "Tablet", "--all")
    #expect(names(answer) == (["Phone", "Mac"], ["Tablet"]) && answer.takenBack?.count == 2)
    try await mac.wait(for: "the word of Mac to stand again") {
      $0.entitlements.filter(\.active).map(\.id) == ["club"]
    }
    let after = try await rest.agree()
    #expect(after.entitlements.filter(\.active).map(\.id) == ["club"])
    // There is nothing left, on whichever of them and with whichever key.
    for device in [phone, mac] {
      try await refused(device, ["Tablet", "--all"], "was removed from the group already")
    }
    for name in ["Tablet", "Phone"] {
      try await refused(tablet, [name, "--all"], "this device was removed from its group")
    }
  }

  @Test("F55: with --since what the device that is asked had heard of before stays, whatever the stamps say")
  func takingBackSince() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    let _: GrantAnswer = try await phone.json("grant", "club")
    let _: GrantAnswer = try await tablet.json("grant", "honest")
    try await group.agree()
    // Three hours later, but for the clock of the one that is stolen.
    for device in group.devices { try await device.stop() }
    try await phone.start(options: ["--clock-offset", "3h"])
    let address = try #require(phone.ready?.listen)
    try await mac.start(peers: [address], options: ["--clock-offset", "3h"])
    // Addresses that the others stamp later are not taken by a clock that is behind.
    try await tablet.start(peers: [address, try #require(mac.ready?.listen)])
    let _: GrantAnswer = try await tablet.json("grant", "backdated")
    #expect(try await tablet.run("revoke", "club").status == 0)
    let stolen = try await group.agree()
    let since = Instant(clamping: stolen.time.wall.milliseconds - 3_600_000)
    for times in [["--since", "2020-01-01"], ["--since", "9000-01-01"]] {
      try await refused(phone, ["Tablet"] + times, times[1] == "2020-01-01" ? "cannot tell" : "not come yet")
    }
    #expect(try await phone.run("remove", "Tablet", "--since", "2020-01-01", "--all").status == 2)
    let answer: DevicesAnswer = try await phone.json("remove", "Tablet", "--since", "\(since)")
    #expect(names(answer) == (["Phone", "Mac"], ["Tablet"]))
    try await mac.wait(for: "the tablet to be out") { $0.group.members == 2 }
    let after = try await PeerdGroup(of: [phone, mac]).agree()
    #expect(after.entitlements.filter(\.active).map(\.id) == ["club", "honest"])
  }

  @Test("E48: a removed device hears it, syncs no more, and its purchases count on")
  func removed() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    let _: TransactionResult = try await tablet.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    try await group.agree()
    let answer: DevicesAnswer = try await phone.json("remove", "Tablet")
    #expect(names(answer) == (["Phone", "Mac"], ["Tablet"]))
    try await mac.wait(for: "the tablet to be out") { $0.group.members == 2 }
    try await tablet.wait(for: "nobody to be connected") { status in
      !status.peers.contains(where: \.connected)
    }
    let status = try await PeerdGroup(of: [phone, mac]).agree()
    #expect(status.lines.first?.expires == Instant("2026-04-30"))
    // What it does from now on is its own, whatever it is that it heard, and after a restart too.
    try await tablet.killAndRestart(isMoving: false)
    let _: TransactionResult = try await tablet.json("buy", "6monthsOfRandom", "--at", "2026-02-01")
    let alone = try await tablet.run("buy", "CarefreeOwl")
    #expect(
      alone.output.contains(
        "removed from its group. A new device in another directory can join: `peerd init --data NEWDIR`"),
      "\(alone)")
    #expect(!alone.output.contains("peerd invite"))
    let _: TransactionResult = try await phone.json("buy", "RandomOwls")
    let after = try await PeerdGroup(of: [phone, mac]).agree()
    #expect(after.lines.first?.expires == Instant("2026-04-30") && after.credits.first?.balance == 5)
    #expect(try await tablet.status().credits.first?.balance == 0)
    // That it was removed is the first of its warnings, and doctor tells of no other device.
    let directory = try TemporaryDirectory()
    let file = try directory.write(#"{"products": [{"id": "gap", "type": "consumable"}]}"#, to: "gap.json")
    #expect(try await tablet.run("catalogue", "add", file).status == 0)
    let warnings = try await tablet.status().warnings
    #expect(
      warnings.first == StatusAnswer.wasRemoved && warnings.contains { $0.contains("gap") }, "\(warnings)")
    let findings = try await tablet.run("doctor").output
    #expect(findings.contains("group: it was removed from its group"), "\(findings)")
    #expect(
      findings.contains("`peerd init --data NEWDIR`") && !findings.contains("peerd invite"), "\(findings)")
    #expect(!findings.contains("peer Phone") && !findings.contains(StatusAnswer.wasRemoved), "\(findings)")
    // It cannot come back, nor take others in; a new device can.
    try await refused(phone, ["Tablet"], "was removed from the group already")
    let invitation: InvitationAnswer = try await phone.json("invite")
    let back = try await tablet.run("join", invitation.link)
    #expect(back.status == 1 && back.errors.contains("removed"), "\(back.errors)")
    let fresh = try await PeerdProcess("Fresh", catalogue: nil)
    try await fresh.start()
    let _: MembershipAnswer = try await fresh.json("join", invitation.link)
    #expect(try await PeerdGroup(of: [phone, mac, fresh]).agree().group.members == 3)
  }

  @Test("the recovery key removes the device that founded the group, from any other; another key does not")
  func recoveryKey() async throws {
    let directory = try TemporaryDirectory()
    let data = directory.path + "/first"
    let made = try await Peerd.run(["init", "--json", "--data", data, "--name", "Stolen"])
    guard case .string(let key)? = try made.json()["recoveryKey"] else {
      Issue.record("\(made.output)")
      return
    }
    let stolen = PeerdProcess("Stolen", existing: data, directory)
    let tablet = try await PeerdProcess("Tablet", catalogue: nil)
    for device in [stolen, tablet] { try await device.start() }
    try await tablet.join(stolen)
    try await PeerdGroup(of: [stolen, tablet]).agree()
    let wrong = try RecoveryKey.generate().text
    try await refused(tablet, ["Stolen", "--recovery-key", "garbage"], "that is not a recovery key")
    try await refused(tablet, ["Stolen", "--recovery-key", wrong], "the removal would have no effect")
    let typed = key.lowercased().replacing("-", with: " ")
    let outcome = try await Peerd.run(
      ["remove", "--data", tablet.data, "--json", "Stolen", "--recovery-key", "-"], input: typed + "\n")
    let answer = try outcome.json(DevicesAnswer.self)
    #expect(names(answer) == (["Tablet"], ["Stolen"]))
    // Whoever has the key may be anybody.
    let history: HistoryAnswer = try await tablet.json("history")
    let removed = history.events.first { $0.change == "removed" }
    #expect(removed?.subject?.name == "Stolen" && removed?.device == nil)
    // Its own right is worth nothing against that.
    try await stolen.wait(for: "nobody to be connected") { status in
      !status.peers.contains(where: \.connected)
    }
    _ = try await stolen.run("remove", "Tablet")
    try await tablet.killAndRestart()
    #expect(try await tablet.status().group.members == 1)
    #expect(try await tablet.json("devices", as: DevicesAnswer.self).removed.map(\.name) == ["Stolen"])
  }

  /// A device that is made and started, with its recovery key.
  private func device(_ name: String) async throws -> (PeerdProcess, key: String) {
    let directory = try TemporaryDirectory()
    let data = directory.path + "/data"
    let made = try await Peerd.run(["init", "--json", "--data", data, "--name", name])
    guard case .string(let key)? = try made.json()["recoveryKey"] else {
      throw PeerdProcess.NotReady(description: made.errors)
    }
    let process = PeerdProcess(name, existing: data, directory)
    try await process.start()
    return (process, key)
  }

  @Test("F62: the first device is stolen and joins the thief's group: its recovery key takes the others out")
  func stolenFirstDevice() async throws {
    let (phone, key) = try await device("Phone")
    let (thief, _) = try await device("Thief")
    let (tablet, mac) = (
      try await PeerdProcess("Tablet", catalogue: nil), try await PeerdProcess("Mac", catalogue: nil)
    )
    for device in [tablet, mac] {
      try await device.start()
      try await device.join(phone)
    }
    try await PeerdGroup(of: [phone, tablet, mac]).agree()
    try await phone.join(thief)
    try await PeerdGroup(of: [thief, phone, tablet, mac]).agree()
    #expect(try await thief.run("grant", "stolen").status == 0)
    let _: DevicesAnswer = try await thief.json("remove", "Tablet")
    try await tablet.wait(for: "the tablet to be out") { $0.group.members == 3 }
    try await mac.wait(for: "the tablet to be out") { $0.group.members == 3 }
    // Without the key there is no way back.
    try await refused(tablet, ["Thief"], "this device was removed from its group")
    let outcome = try await Peerd.run(
      ["remove", "--data", tablet.data, "--json", "Phone", "--recovery-key", "-"], input: key + "\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let answer = try outcome.json(DevicesAnswer.self)
    #expect(names(answer) == (["Tablet", "Mac"], ["Phone"]))
    // Mac took the tablet for removed. It shows that it is not.
    let group = PeerdGroup(of: [tablet, mac])
    try await group.agree()
    #expect(try await mac.json("devices", as: DevicesAnswer.self).devices.map(\.name) == ["Tablet", "Mac"])
    // Nothing that the thief did or does counts here, and nothing that is done here gets there.
    #expect(try await thief.run("grant", "late").status == 0)
    try await refused(thief, ["Mac"], "no device 'Mac' is in the group")
    #expect(try await tablet.run("grant", "ours").status == 0)
    let status = try await group.agree()
    #expect(status.entitlements.filter(\.active).map(\.id) == ["ours"])
    let theirs = try await thief.status()
    #expect(!theirs.entitlements.contains { $0.id == "ours" })
    for device in [tablet, mac] { try await device.killAndRestart(isMoving: false) }
    #expect(try await group.agree().group.members == 2)
  }

  @Test("F62: whom the stolen device let in goes with it, and can remove nobody")
  func disowned() async throws {
    let (phone, key) = try await device("Phone")
    let (tablet, mac, evil) = (
      try await PeerdProcess("Tablet", catalogue: nil), try await PeerdProcess("Mac", catalogue: nil),
      try await PeerdProcess("Evil", catalogue: nil)
    )
    for device in [tablet, mac, evil] {
      try await device.start()
      try await device.join(phone)
    }
    try await PeerdGroup(of: [phone, tablet, mac, evil]).agree()
    #expect(try await evil.run("grant", "stolen").status == 0)
    let _: DevicesAnswer = try await evil.json("remove", "Mac")
    try await tablet.wait(for: "Mac to be out") { $0.group.members == 3 }
    let before = try await tablet.json("devices", as: DevicesAnswer.self)
    let first = try #require(before.devices.first { $0.name == "Phone" })
    #expect(first.letInBy == nil && before.devices.allSatisfy { $0 == first || $0.letInBy == first.id })
    // It names only what the removed device let in, and not the device that is asked.
    for (name, words) in [("Nobody", "no device 'Nobody'"), ("Tablet", "is the device that you ask")] {
      try await refused(tablet, ["Phone", "--disown", name], words)
    }
    // What they had decided falls with them: it is told beforehand, and afterwards.
    let preview: TakenBackAnswer = try await tablet.client().send(
      "POST", "/v1/devices/Phone/preview", body: RemoveBody(recoveryKey: key, disown: ["Evil"]))
    #expect(preview.count == 1 && preview.decisions.map(\.id) == ["stolen"])
    let outcome = try await Peerd.run(
      ["remove", "--data", tablet.data, "--json", "Phone", "--disown", "Evil", "--recovery-key", "-"],
      input: key + "\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try outcome.json(DevicesAnswer.self).takenBack == preview)
    // With it went what it had done: Mac is a member again.
    #expect(names(try outcome.json(DevicesAnswer.self)) == (["Tablet", "Mac"], ["Phone"]))
    #expect(outcome.errors.contains("Phone had let in Mac"))
    let group = PeerdGroup(of: [tablet, mac])
    try await group.agree()
    _ = try await evil.run("remove", "Tablet")
    _ = try await evil.run("remove", "Mac")
    _ = try await evil.run("grant", "late")
    #expect(try await tablet.run("grant", "ours").status == 0)
    let status = try await group.agree()
    #expect(status.group.members == 2 && status.entitlements.filter(\.active).map(\.id) == ["ours"])
    for device in [tablet, mac] { try await device.killAndRestart(isMoving: false) }
    #expect(try await group.agree().group.members == 2)
  }
}
