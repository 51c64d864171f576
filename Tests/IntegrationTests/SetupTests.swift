import Foundation
import PeerSync
import Testing
import peerd

/// Looking after a device: its settings, its health, its place in the group.
@Suite("Setting up", .paced, .noHang)
struct SetupTests {
  private struct Diagnosis: Decodable {
    struct Check: Decodable {
      let id: String
      let state: String
      let detail: String
      let remedy: String?
    }

    let checks: [Check]

    subscript(id: String) -> Check? { checks.first { $0.id == id } }
  }

  private func diagnosis(
    _ device: PeerdProcess, status: Int32, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Diagnosis {
    let outcome = try await device.run("doctor", "--json")
    #expect(outcome.status == status, "\(outcome.output)", sourceLocation: sourceLocation)
    let found = try outcome.json(Diagnosis.self)
    for check in found.checks {
      #expect((check.remedy == nil) == (check.state == "ok"), "\(check)", sourceLocation: sourceLocation)
    }
    return found
  }

  @Test("run goes on with what it was told, and says so")
  func settings() async throws {
    let device = try await PeerdProcess()
    try await device.start(options: ["--log-level", "debug"])
    try await device.stop()
    #expect(!device.log.contains("going on as before"))
    let shown = try await device.run("config", "listen")
    #expect(shown.output.contains("127.0.0.1:0"), "\(shown.output)")
    try await device.startAsBefore()
    #expect(device.ready?.listen != nil)
    #expect(device.log.contains("going on as before with --listen=127.0.0.1:0 --log-level=debug"))
    let set = try await device.run("config", "listen", "none")
    #expect(set.status == 0 && set.output.contains("from the next start"))
    try await device.stop()
    try await device.startAsBefore()
    #expect(device.ready?.listen == nil)
  }

  @Test("config refuses what run would refuse, and what is no setting")
  func wrongSettings() async throws {
    let device = try await PeerdProcess()
    for (name, value, reason) in [
      ("listen", "7400", "HOST:PORT"), ("lan", "perhaps", "yes or none"),
      ("interface", "eth0", "goes with lan"),
      ("store", "ftp://x", "URL of this machine"), ("lisen", "none", "did you mean 'listen'?"),
    ] {
      let outcome = try await device.run("config", name, value)
      #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(name): \(outcome.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: device.data + "/settings.json"))
  }

  @Test("settings that are damaged are said to be, and not taken for wrong usage")
  func damagedSettings() async throws {
    let device = try await PeerdProcess()
    for (text, reason) in [
      ("{}x", "not an object"), (#"{"listen": ["7400"]}"#, "HOST:PORT"), (#"{"lisen": ["x"]}"#, "no setting"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: device.data + "/settings.json"))
      let run = try await device.run("run")
      #expect(run.status == 1 && run.errors.contains("settings.json is damaged"), "\(run.errors)")
      #expect(run.errors.contains(reason) && run.errors.contains("remove it"), "\(run.errors)")
      #expect(try await diagnosis(device, status: 1)["settings"]?.state == "failure")
    }
    #expect(try await device.run("config", "listen", "none").status == 1)
    // What is told now is wrong, and what was told before is right.
    try Data(#"{"listen": ["127.0.0.1:0"]}"#.utf8).write(
      to: URL(fileURLWithPath: device.data + "/settings.json"))
    #expect(try await device.run("run", "--interface", "eth0").status == 2)
  }

  @Test("a device that has used a store and has none says so")
  func storeGone() async throws {
    let store = try StoreProcess()
    try await store.start()
    let device = try await PeerdProcess.using(store)
    try await device.stop()
    try await device.startAsBefore()
    #expect(!device.log.contains("signs for itself"))
    #expect(try await diagnosis(device, status: 0)["store"]?.state == "ok")
    try await device.stop()
    #expect(try await device.run("config", "store", "none").status == 0)
    try await device.startAsBefore()
    #expect(device.log.contains("is started without one, so it signs for itself"))
  }

  @Test("doctor finds what is wrong, and says what to do, with and without a daemon")
  func doctor() async throws {
    let (phone, tablet) = (try await PeerdProcess("Phone"), try await PeerdProcess("Tablet"))
    try await phone.start()
    let alone = try await diagnosis(phone, status: 0)
    #expect(alone["daemon"]?.detail.contains("it runs") == true && alone["group"]?.state == "warning")
    #expect(alone["addresses"]?.state == "warning", "it listens on loopback alone")
    try await tablet.start()
    try await tablet.join(phone)
    for device in [phone, tablet] { try await device.waitInSync(with: 1) }
    let together = try await diagnosis(phone, status: 0)
    #expect(together["peer Tablet"]?.detail.contains("connected") == true)
    #expect(together["peer Tablet"]?.detail.contains("runs version \(Version.current)") == true)
    let listen = try #require(phone.ready?.listen)
    #expect(together["dial-back"]?.detail == "Tablet reached this device at \(listen)")
    // Another has its port when it is to start again.
    try await phone.stop()
    #expect(try await phone.run("config", "listen", try #require(tablet.ready?.listen)).status == 0)
    let taken = try await diagnosis(phone, status: 1)
    #expect(taken["port"]?.state == "failure" && taken["database"]?.state == "ok")
    #expect(try await phone.run("config", "listen", listen).status == 0)
    #expect(try await diagnosis(phone, status: 0)["port"]?.detail.contains("is free") == true)
    #expect(chmod(phone.data + "/device.key", 0o644) == 0)
    #expect(try await diagnosis(phone, status: 1)["device"]?.detail.contains("device.key") == true)
  }

  @Test("doctor finds what a daemon does not start with", arguments: ["lock", "host", "store/key.pem"])
  func noStart(name: String) async throws {
    let device = try await PeerdProcess()
    try await device.start()
    #expect(try await diagnosis(device, status: 0)["device"]?.state == "ok")
    try await device.stop()
    let path = device.data + "/" + name
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let run = try await device.run("run")
    let found = try #require(try await diagnosis(device, status: 1)["device"])
    #expect(run.status == 1 && run.errors.contains(found.detail), "\(run.errors)\n\(found)")
  }

  @Test("warnings are told in the reader's language, to programs in both")
  func warnings() async throws {
    let phone = try await PeerdProcess("Phone", catalogue: nil)
    try await phone.start()
    for command in ["status", "doctor"] {
      var texts: [String] = []
      for language in ["en_US.UTF-8", "ko_KR.UTF-8"] {
        texts.append(
          try await Peerd.run([command, "--data", phone.data], environment: ["LC_ALL": language]).output)
      }
      #expect(texts[0].contains("the catalogue is empty") && !texts[0].contains("카탈로그가 비어 있습니다"))
      #expect(texts[1].contains("카탈로그가 비어 있습니다") && !texts[1].contains("the catalogue is empty"))
    }
    let status = try await phone.status()
    #expect(status.warnings.count == 1 && status.warningsInKorean?.count == 1)
  }

  @Test("what is refused is told in the reader's language, to programs in both")
  func refusals() async throws {
    let phone = try await PeerdProcess("Phone", catalogue: nil)
    try await phone.start(listen: nil)
    for (language, expected) in [
      ("en_US.UTF-8", "the catalogue has no product 'owl'; `peerd products`"),
      ("ko_KR.UTF-8", "카탈로그에 ‘owl’ 상품이 없습니다. `peerd products`"),
    ] {
      let refused = try await Peerd.run(
        ["buy", "--data", phone.data, "owl"], environment: ["LANG": language, "LC_ALL": ""])
      #expect(refused.status == 1 && refused.errors.contains(expected), "\(refused.errors)")
    }
  }

  @Test("warnings that begin and end are told in the reader's language as well")
  func watched() async throws {
    let phone = try await PeerdProcess("Phone", catalogue: nil)
    try await phone.start(listen: nil)
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      #"{"products": [{"id": "owl", "type": "nonConsumable", "entitlements": ["owls"]}]}"#, to: "owls.json")
    let watch = try Peerd.Lines(["watch", "--data", phone.data], environment: ["LC_ALL": "ko_KR.UTF-8"])
    // It says what it waits for.
    _ = try await watch.next()
    #expect(try await phone.run("catalogue", "add", file).status == 0)
    var line = try await watch.next()
    while !line.isEmpty, !line.contains("해결됨: 카탈로그가 비어 있습니다") { line = try await watch.next() }
    #expect(!line.isEmpty)
  }

  @Test("doctor compares what lies on the disk with its checksums, also beside a daemon that is at work")
  func doctorBesideDaemon() async throws {
    let phone = try await PeerdProcess("Phone")
    try await phone.start()
    try await phone.set("note", "mark-of-this-test")
    #expect(try await diagnosis(phone, status: 0)["database"]?.state == "ok")
    // Stopped, all is in the database itself.
    try await phone.stop()
    try await phone.start()
    let path = phone.data + "/peerd.db"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.range(of: Data("mark-of-this-test".utf8))?.lowerBound)
    bytes[place] ^= 1
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(place))
    try file.write(contentsOf: bytes[place...place])
    try file.close()
    let damaged = try await diagnosis(phone, status: 1)["database"]
    #expect(
      damaged?.state == "failure" && damaged?.detail.contains("damaged") == true,
      "\(String(describing: damaged))")
    // The daemon goes on with what it has read, and was not disturbed.
    #expect(try await phone.status().warnings.allSatisfy { !$0.contains("damage") })
    #expect(try await phone.stop().status == 0)
  }

  @Test("no directory, and one of a store, are told from a device that does not run")
  func wrongDirectory() async throws {
    let directory = try TemporaryDirectory()
    let none = try await Peerd.run(["status", "--data", directory.path + "/none"])
    #expect(none.status == 3 && none.errors.contains("peerd init"))
    let store = try StoreProcess()
    try await store.start()
    let other = try await Peerd.run(["status", "--data", store.data])
    #expect(other.status == 3 && other.errors.contains("holds a sandbox store"))
  }

  @Test("a device leaves its group, and none removes itself by mistake")
  func leaving() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let own = try await phone.run("remove", "Phone")
    #expect(own.status == 1 && own.errors.contains("peerd leave"))
    let unasked = try await tablet.run("leave")
    #expect(unasked.status == 1 && unasked.errors.contains("--yes"))
    #expect(try await tablet.status().group.members == 2)
    #expect(try await tablet.run("leave", "--yes").status == 0)
    try await phone.wait(for: "the tablet to be gone") { $0.group.members == 1 }
    let again = try await tablet.run("leave", "--yes")
    #expect(again.status == 1 && again.errors.contains("in no group"))
    // It has no say any more, cannot join again, and no other device hears of what it buys.
    let bought: PurchaseResult = try await tablet.json("buy", "RandomOwls")
    #expect(bought.onThisDeviceOnly)
    for said in [
      try await tablet.run("rename", "Cellar"), try await tablet.run("grant", "gift"),
      try await tablet.run("revoke", "gift"),
      try await tablet.run("set-expiration", "random-owls", "2027-01-01"),
    ] {
      #expect(said.status == 0 && said.output.contains("counts on this device only"), "\(said)")
      #expect(!said.output.contains("every device of its group"))
    }
    #expect(try await !phone.run("rename", "Phone").output.contains("this device only"))
    let removal = try await tablet.run("remove", "Phone", "--yes")
    #expect(removal.status == 1 && removal.errors.contains("was removed from its group"))
    let invitation: InvitationAnswer = try await phone.json("invite")
    let join = try await tablet.run("join", invitation.link)
    #expect(join.status == 1 && join.errors.contains("was removed from its group"), "\(join.errors)")
    let alone = try await phone.run("leave", "--yes")
    #expect(alone.status == 1 && alone.errors.contains("nothing to leave"))
  }

  @Test("a device is called something else on every device, over restarts, until it says otherwise")
  func renaming() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let said = try await tablet.run("rename", "Kitchen")
    #expect(said.status == 0 && said.output.contains("Kitchen"), "\(said)")
    try await group.agree()
    tablet.kill()
    try await tablet.start(peers: [try #require(phone.ready?.listen)])
    for device in [phone, tablet] {
      #expect(try await device.run("devices").output.contains("Kitchen"), "\(device.name)")
    }
    #expect(try await tablet.status().device.name == "Kitchen")
    #expect(try await phone.run("history").output.contains("Tablet is now called Kitchen"))
    #expect(try await tablet.run("rename", "a\u{7}").status == 2)
    #expect(try await tablet.run("rename").status == 2)
  }

  @Test(
    "of a product without a type, a purchase says that it grants nothing, and `status` warns of all in one sentence"
  )
  func withoutType() async throws {
    let products = (1...9).map { #"{"id": "p\#($0)", "entitlements": ["x"]}"# }
    let device = try await PeerdProcess(catalogue: #"{"products": [\#(products.joined(separator: ","))]}"#)
    try await device.start(listen: nil)
    let bought = try await device.run("buy", "p1").output
    let warning =
      "warning: p1: no file says its type, so that it grants nothing. Add a file that says it with"
    #expect(bought.contains(warning), "\(bought)")
    let listed = try await device.run("products").output
    #expect(listed.contains("nothing yet") && listed.contains("`peerd catalogue add FILE`"), "\(listed)")
    let once = try await device.run("why", "x").output.split(separator: "\n").filter { $0.contains(" p1 ") }
    #expect(once.count == 1, "\(once)")
    let warnings = try await device.status().warnings.filter { $0.contains("type") }
    #expect(warnings.count == 1 && warnings[0].hasPrefix("no file says the type of p1, p2,"), "\(warnings)")
    #expect(try await device.run("grant", "y").output.contains("no product of the catalogue gives that"))
    let proof = try await device.run("why", "y").output
    #expect(proof.contains("Purchases of products of which no catalogue knows the type\n"), "\(proof)")
  }

  @Test("a refund under an explicit date says that it changes nothing there")
  func refundUnderDate() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let purchase: PurchaseResult = try await device.json("buy", "3monthsOfRandom")
    let id = try #require(purchase.transaction).transactionId
    #expect(try await device.run("set-expiration", "random-owls", "2030-01-01").status == 0)
    let refunded = try await device.run("refund", id).output
    #expect(
      refunded.contains("\nrandom-owls stays as it is: its explicit date stands in for this purchase"),
      "\(refunded)")
    let proof = try await device.run("why", "random-owls").output
    #expect(proof.contains("one of these was refunded, which does not change that date"), "\(proof)")
    #expect(try await !device.run("grant", "random-owls").output.contains("no product"))
  }

  @Test("buying says what changed")
  func changes() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let first = try await device.run("buy", "3monthsOfRandom").output
    #expect(first.contains(#/random-owls now lasts until [-\d]+ [:\d]+, in 9\d days\n/#), "\(first)")
    let second = try await device.run("buy", "6monthsOfRandom").output
    #expect(second.contains(#/random-owls now lasts until .*, in 27\d days; before: /#), "\(second)")
    #expect(try await device.run("buy", "CarefreeOwl").output.contains("carefree-owl is active now"))
    #expect(try await device.run("buy", "CarefreeOwl").output.hasPrefix("already owned: CarefreeOwl\n"))
    #expect(try await device.run("buy", "RandomOwls").output.contains("owls: 5 left, 0 before"))
    #expect(try await device.run("restore").output.contains("nothing changed"))
  }

  @Test("bash completes commands and their options")
  func bash() async throws {
    let script = try await Peerd.run(["completions", "bash"]).output
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      script + """
        try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _peerd; echo "${COMPREPLY[@]}"; }
        try peerd doc; try peerd buy --quan; try peerd completions z; try peerd store adv
        """, to: "complete.bash")
    let (_, text) = try SystemCommand.run(["--chdir=" + directory.path, "bash", file])
    #expect(text == "doctor\n--quantity\nzsh\nadvance\n", "\(text)")
  }
}
