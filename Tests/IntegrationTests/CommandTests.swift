import Foundation
import PeerSync
import PeerSyncControl
import Testing

@Suite("Commands", .paced, .noHang)
struct CommandTests {
  @Test("help and version need no device")
  func help() async throws {
    let help = try await Peerd.run(["--help"])
    #expect(help.status == 0 && help.output.hasPrefix("peerd keeps one person's in-app purchases"))
    #expect(try await Peerd.run(["buy", "--help"]).output.contains("--quantity N"))
    #expect(try await Peerd.run(["--version"]).output == "peerd \(Version.current)\n")
  }

  @Test("wrong usage is exit status 2 with one line that says what to do")
  func usage() async throws {
    for arguments in [
      ["stauts"], ["buy"], ["status", "--jsn"], ["wait"], ["join", "--data", "x", "nonsense"],
    ] {
      let outcome = try await Peerd.run(arguments, environment: ["HOME": "/nonexistent"])
      #expect(outcome.status == 2, "\(arguments)")
      #expect(outcome.output.isEmpty && outcome.errors.hasPrefix("peerd: "))
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("every client command refuses with exit status 3 when no daemon runs")
  func noDaemon() async throws {
    let device = try await PeerdProcess()
    for command in [
      ["invite"], ["join", "peersync://127.0.0.1:1/ABCDEFGHJKMN"], ["devices"], ["products"],
      ["buy", "RandomOwls"],
      ["refund", "1"], ["status"], ["why", "random-owls"], ["watch"], ["wait", "--peers", "0"], ["offline"],
      ["online"], ["set-expiration", "random-owls", "none"], ["grant", "x"], ["revoke", "x"], ["export"],
      ["import", "x"], ["ingest", "x"], ["remove", "Tablet"], ["spend", "owls", "1"], ["restore"], ["time"],
    ] {
      let outcome = try await Peerd.run([command[0], "--data", device.data] + command.dropFirst())
      #expect(outcome.status == 3, "\(command)")
      #expect(outcome.errors.contains("no daemon is running on \(device.data)"))
    }
  }

  /// [F68] Of two devices alone a person decides on each, and an app can forbid it.
  @Test("the time that peers vouch for is shown, and dropped when a person says so")
  func acceptedTime() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    func restart(_ options: String...) async throws {
      for device in [phone, tablet] {
        try await device.stop()
        try await device.start(listen: device.ready?.listen, options: options)
      }
    }
    try await restart("--clock-offset", "400d")
    try await group.agree()
    try await phone.wait(for: "the tablet to vouch for the time") { $0.time.vouchedBy?.name == "Tablet" }
    try await restart()
    let ahead: TimeBoundsAnswer = try await phone.json("time")
    #expect(ahead.source == "peer" && ahead.mayAccept && ahead.accepted == nil)
    #expect(ahead.bounds.map(\.name) == ["Tablet"])
    #expect(ahead.now > ahead.wall.advanced(byMilliseconds: 399 * 86_400_000))
    let shown = try await phone.run("time")
    #expect(
      shown.output.contains("400 days") && shown.output.contains("by what Tablet vouches for"),
      "\(shown.output)")
    let status = try await phone.status()
    #expect(
      status.warnings.contains { $0.contains("400 days behind") && $0.contains("accept") },
      "\(status.warnings)")
    // Nobody is there to look at the clock.
    let unasked = try await phone.run("time", "--accept")
    #expect(unasked.status == 1 && unasked.errors.contains("--yes"))
    #expect(try await phone.status().time.source == "peer")
    let accepted: TimeBoundsAnswer = try await phone.json("time", "--accept", "--yes")
    #expect(accepted.source == "clock" && accepted.accepted != nil)
    #expect(try await phone.run("status").output.contains("; a person accepted its clock at "))
    #expect(try await tablet.status().time.source == "peer")
    try await restart()
    #expect(try await phone.status().time.accepted == accepted.accepted)
  }

  @Test("an app can forbid to accept the clock")
  func forbiddenTime() async throws {
    let device = try await PeerdProcess(options: ["--no-time-accept"])
    try await device.start()
    let refused = try await device.run("time", "--accept", "--yes")
    #expect(
      refused.status == 1 && refused.errors.contains("allows nobody to accept its clock"),
      "\(refused.errors)")
    let answer: TimeBoundsAnswer = try await device.json("time")
    #expect(!answer.mayAccept && answer.accepted == nil)
    #expect(try await device.run("time", "--yes").status == 2)
  }

  @Test("init makes a device once, shows its environment, and reads catalogues first")
  func initialize() async throws {
    let directory = try TemporaryDirectory()
    let data = directory.path + "/new/data"
    let broken = try directory.write(#"{"products": [{"id": "a", "period": "3 months"}]}"#, to: "broken.json")
    let refused = try await Peerd.run(["init", "--data", data, "--catalog", broken])
    #expect(
      refused.status == 1 && refused.errors.contains("broken.json") && refused.errors.contains("3 months"))
    #expect(!FileManager.default.fileExists(atPath: data))
    let missing = try await Peerd.run(["init", "--data", data, "--catalog", directory.path + "/none.json"])
    #expect(missing.status == 1 && missing.errors.contains("none.json cannot be read"))
    let made = try await Peerd.run([
      "init", "--data", data, "--name", "Ann's phone", "--environment", "xcode",
    ])
    #expect(
      made.status == 0 && made.output.contains("environment  xcode") && made.output.contains("Ann's phone"))
    try expectRecoveryKey(made.output, notIn: data)
    let again = try await Peerd.run(["init", "--data", data])
    #expect(again.status == 1 && again.errors.contains("there is a device in \(data) already"))
  }

  /// It is shown, once: no file of the device holds it.
  private func expectRecoveryKey(_ output: String, notIn data: String) throws {
    let match = try #require(output.firstMatch(of: #/Recovery key: ((?:[0-9A-Z]{7}-){7}[0-9A-Z]{7})\n/#))
    let code = try #require(RecoveryCode(String(match.1)))
    for file in try FileManager.default.subpathsOfDirectory(atPath: data) {
      guard let content = FileManager.default.contents(atPath: data + "/" + file) else { continue }
      #expect(content.range(of: Data(match.1.utf8)) == nil && content.range(of: Data(code.seed)) == nil)
    }
  }

  @Test("init prints the recovery key as JSON too, another for each device, and says so in its help")
  func recoveryKey() async throws {
    let directory = try TemporaryDirectory()
    var keys: Set<String> = []
    for name in ["a", "b"] {
      let made = try await Peerd.run(["init", "--json", "--data", directory.path + "/" + name])
      guard case .string(let key)? = try made.json()["recoveryKey"] else {
        Issue.record("\(made.output)")
        continue
      }
      #expect(RecoveryKey(key) != nil)
      keys.insert(key)
    }
    #expect(keys.count == 2)
    #expect(try await Peerd.run(["init", "--help"]).output.contains("recovery key"))
  }

  @Test("run says once that it is ready, leaves api.json to its owner, and stops cleanly within 2 s")
  func run() async throws {
    let device = try await PeerdProcess()
    try await device.start()
    let control = try DataDirectory(device.data).readControlFile()
    #expect(control.url == device.ready?.http && control.pid == device.pid)
    let second = try await Peerd.run(["run", "--data", device.data])
    #expect(
      second.status == 1 && second.errors.contains("another peerd (pid \(control.pid)) uses \(device.data)"))
    for signal in [SIGTERM, SIGINT] {
      let stopped = try await device.stop(signal)
      #expect(stopped.status == 0 && stopped.time < .seconds(2) + .slack)
      #expect(!FileManager.default.fileExists(atPath: device.data + "/api.json"))
      try await device.start()
    }
  }

  @Test("run stops within 2 s while clients watch and wait")
  func stopsWhileWatched() async throws {
    let device = try await PeerdProcess()
    try await device.start()
    let lost = JoinBody(url: "peersync://127.0.0.1:9/ABCDEFGHJKMN")
    let client = try ControlClient(directory: device.data)
    var events = try client.events().makeAsyncIterator()
    _ = try await events.next()
    async let join = device.run("join", lost.url)
    async let wait = device.run("wait", "--peers", "1")
    let stopped = try await device.stop()
    #expect(stopped.status == 0 && stopped.time < .seconds(2) + .slack)
    #expect(try await [1, 3].contains(join.status))
    #expect(try await [1, 3].contains(wait.status))
  }

  @Test("run refuses what it cannot do, each with a reason")
  func wrongRun() async throws {
    let device = try await PeerdProcess(options: ["--environment", "production"])
    let cases = [
      (["--listen", "phone.example:0"], "IP address", 2), (["--peer", "phone..example:1"], "host name", 2),
      (["--http", "192.0.2.1:0"], "loopback", 2), (["--clock-offset", "-1d"], "production", 1),
    ]
    for (options, reason, status) in cases {
      let outcome = try await Peerd.run(["run", "--data", device.data] + options)
      #expect(
        outcome.status == status && outcome.errors.contains(reason), "\(options): \(outcome.errors)")
    }
    let missing = try await Peerd.run(["run", "--data", device.data + "-none"])
    #expect(missing.status == 1 && missing.errors.contains("peerd init"))
  }

  @Test("buying, products, status, proof and refund agree, as text and as JSON")
  func purchases() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let bought: TransactionResult = try await device.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    #expect(bought.transaction.purchaseDate == Instant("2026-01-31"))
    let text = try await device.run("buy", "6monthsOfRandom", "--at", "2026-02-01")
    #expect(text.status == 0 && text.output.hasPrefix("bought 6monthsOfRandom\n"))
    #expect(text.output.contains("2026-10-31 00:00, "))
    let status: StatusAnswer = try await device.json("status")
    #expect(status.lines.first?.expires == Instant("2026-10-31"))
    #expect(try await device.run("status").output.contains("random-owls"))
    let products: ProductsAnswer = try await device.json("products")
    #expect(products.products.map(\.id).contains("CarefreeOwl"))
    #expect(try await device.run("products").output.contains("1.99 USD"))
    let why: WhyAnswer = try await device.json("why", "random-owls")
    #expect(why.lines.first?.steps.map(\.contribution) == ["+3 months", "+6 months"])
    #expect(try await device.run("why", "random-owls").output.contains("started a run"))
    let refunded: TransactionResult = try await device.json("refund", bought.transaction.transactionId)
    #expect(refunded.transaction.revocationDate != nil)
    #expect(
      try await device.json("status", as: StatusAnswer.self).lines.first?.expires == Instant("2026-08-01"))
    for wrong in [["buy", "Nothing"], ["refund", "1"], ["why", "nothing"]] {
      let outcome = try await device.run(wrong[0], wrong[1])
      #expect(outcome.status == 1 && outcome.errors.contains("'\(wrong[1])'"))
    }
  }

  @Test("grants, explicit dates and their opposites")
  func registers() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    #expect(try await device.run("revoke", "promotion").status == 1)
    #expect(
      try await device.run("grant", "promotion", "--until", "2999-01-01").output.contains("until 2999-01-01"))
    #expect(try await device.run("wait", "--entitlement", "promotion", "--timeout", "5").status == 0)
    #expect(try await device.run("revoke", "promotion").status == 0)
    #expect(try await device.run("wait", "--entitlement", "promotion=inactive", "--timeout", "5").status == 0)
    #expect(try await device.run("set-expiration", "random-owls", "2999-01-01").status == 0)
    let status: StatusAnswer = try await device.json("status")
    #expect(status.lines.first?.expires == Instant("2999-01-01"))
    #expect(try await device.run("set-expiration", "random-owls", "none").output.contains("has no cover"))
    #expect(try await device.run("set-expiration", "unknown", "none").status == 1)
  }

  @Test("devices pair by invitation, part, meet, and agree")
  func pairing() async throws {
    let phone = try await PeerdProcess("Phone")
    let tablet = try await PeerdProcess("Tablet", catalogue: nil)
    try await phone.start()
    try await tablet.start()
    let _: TransactionResult = try await phone.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    try await tablet.join(phone)
    for device in [phone, tablet] {
      #expect(try await device.run("wait", "--peers", "1", "--timeout", "20").status == 0)
    }
    #expect(
      try await tablet.json("devices", as: DevicesAnswer.self).devices.map(\.name).sorted() == [
        "Phone", "Tablet",
      ])
    #expect(try await tablet.run("devices").output.contains("this device"))
    try await expectAgreement(phone, tablet)
    #expect(try await tablet.run("offline").status == 0)
    #expect(try await tablet.json("status", as: StatusAnswer.self).online == false)
    let _: TransactionResult = try await phone.json("buy", "6monthsOfRandom", "--at", "2026-02-01")
    #expect(try await tablet.run("wait", "--peers", "1", "--timeout", "0.1").status == 4)
    #expect(try await tablet.run("online").status == 0)
    try await expectAgreement(phone, tablet)
    let status: StatusAnswer = try await tablet.json("status")
    #expect(status.lines.first?.expires == Instant("2026-10-31"))
    #expect(try await tablet.run("join", "peersync://127.0.0.1:1/ABCDEFGHJKMN").status == 1)
  }

  private func expectAgreement(_ phone: PeerdProcess, _ tablet: PeerdProcess) async throws {
    let digest = try await phone.json("status", as: StatusAnswer.self).digest
    let waited = try await tablet.run("wait", "--digest", digest, "--timeout", "20")
    #expect(waited.status == 0, "\(waited.errors)")
  }

  @Test("an invitation needs a device that listens; a wrong one is refused")
  func invitations() async throws {
    let phone = try await PeerdProcess("Phone")
    try await phone.start(listen: nil)
    let refused = try await phone.run("invite")
    #expect(refused.status == 1 && refused.errors.contains("peerd config listen"))
    #expect(try await phone.run("join", "nonsense").status == 2)
    #expect(try await phone.run("join", "peersync://127.0.0.1:9/ABCDEFGHJKMN").status == 1)
    let tablet = try await PeerdProcess("Tablet")
    try await tablet.start()
    let invitation: InvitationAnswer = try await tablet.json("invite")
    let outcome = try await phone.run("join", invitation.linkWithWrongCode)
    #expect(outcome.status == 1 && outcome.errors.contains("the invitation code is wrong"))
  }

  @Test("an export comes in on another device, from a file or from standard input")
  func exportAndImport() async throws {
    let phone = try await PeerdProcess("Phone")
    // Not of the phone's group: it would not trust the phone's sandbox store by itself.
    let tablet = try await PeerdProcess(
      "Tablet", catalogue: nil, options: ["--trust-root", phone.storeRoot])
    try await phone.start(listen: nil)
    try await tablet.start(listen: nil)
    let _: TransactionResult = try await phone.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    let directory = try TemporaryDirectory()
    let file = directory.path + "/ledger.json"
    #expect(try await phone.run("export", file).output == "wrote 7 registers to \(file)\n")
    #expect(try await tablet.json("import", file, as: ImportAnswer.self).changed == 7)
    let text = try await phone.run("export").output
    let again = try await tablet.run("import", "-", input: text)
    #expect(again.output == "took in 7 registers; 0 were new or newer\n")
    #expect(
      try await tablet.json("status", as: StatusAnswer.self).lines.first?.expires == Instant("2026-04-30"))
    for (name, content) in [("empty", ""), ("garbage", "no json"), ("other", #"{"registers": []}"#)] {
      let outcome = try await tablet.run("import", try directory.write(content, to: name))
      #expect(outcome.status == 1 && !outcome.errors.isEmpty, "\(name)")
    }
    let catalogue = try directory.write(#"{"products": []}"#, to: "catalogue")
    let refused = try await tablet.run("import", catalogue)
    #expect(refused.status == 1 && refused.errors.contains("`peerd catalogue add`"), "\(refused.errors)")
  }

  @Test("watch tells changes one a line, until the daemon goes away")
  func watch() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let watch = try Peerd.Lines(["watch", "--json", "--data", device.data])
    #expect(try await watch.next().contains("ready"))
    let text = try Peerd.Lines(["watch", "--data", device.data])
    _ = try await text.next()
    let _: TransactionResult = try await device.json("buy", "RandomOwls")
    let event = try JSON.decode(EventAnswer.self, from: Array(try await watch.next().utf8))
    #expect(event.type == .purchase && event.product?.id == "RandomOwls")
    #expect(try await text.next().contains("random-owls active: "))
    try await device.stop()
    #expect(try await watch.end() == 3)
    #expect(try await text.end() == 3)
  }

  @Test("a clock set off is told and counts; it is refused in production")
  func clockOffset() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil, options: ["--clock-offset", "-90d"])
    let status: StatusAnswer = try await device.json("status")
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    #expect(abs(status.time.now.milliseconds + 90 * 86_400_000 - now) < 60_000)
    #expect(status.warnings.contains { $0.contains("the offset that it was started with") })
  }
}
