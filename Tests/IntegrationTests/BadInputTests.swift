import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// What goes wrong is told in one line that says what to do, with the right exit status, and nothing is lost.
@Suite("Bad input", .paced, .noHang)
struct BadInputTests {
  private func expect(
    _ outcome: Peerd.Outcome, status: Int32, _ reasons: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
    let lines = outcome.errors.split(separator: "\n")
    #expect(
      lines.count == 1 && outcome.errors.hasPrefix("peerd: "), "\(outcome.errors)",
      sourceLocation: sourceLocation)
    for reason in reasons {
      #expect(outcome.errors.contains(reason), "\(outcome.errors)", sourceLocation: sourceLocation)
    }
  }

  @Test("what never ends is not waited for") func endless() async throws {
    let group = try await PeerdGroup(2)
    let directory = try TemporaryDirectory()
    let file = directory.path + "/long"
    try Data().write(to: URL(fileURLWithPath: file))
    try #require(truncate(file, off_t(HTTPLimits.importBytes) + 1) == 0)
    for command in ["import", "ingest"] {
      expect(try await group[0].run(command, file), status: 1, "longer than the 256 MiB", "split it")
    }
    let outcome = try await Peerd.run(
      ["remove", "--data", group[0].data, group[1].name, "--recovery-key", "-"],
      input: String(repeating: "a", count: 32 * 1024), isEndless: true)
    expect(outcome, status: 1, "not a recovery key")
  }

  @Test("wrong words to a running device change nothing there")
  func commands() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let _: TransactionResult = try await device.json("buy", "RandomOwls")
    let digest = try await device.status().digest
    let cases: [(arguments: [String], status: Int32, reason: String)] = [
      (["buy", "Nothing"], 1, "'Nothing'; `peerd products`"), (["buy", ""], 2, "PRODUCT must not be empty"),
      (["buy", "RandomOwls", "--at", "yesterday"], 2, "not 'yesterday'"),
      (["buy", "RandomOwls", "--at", "2026-02-30"], 2, "not '2026-02-30'"),
      (["buy", "RandomOwls", "--at", "10000-01-01"], 2, "not '10000-01-01'"),
      (["buy", "RandomOwls", "--quantity", "0"], 2, "from 1 to 1000, not '0'"),
      (["buy", "RandomOwls", "--quantity", "-1"], 2, "not '-1'"),
      (["buy", "RandomOwls", "--quantity", "1001"], 2, "not '1001'"),
      (["buy", "RandomOwls", "--quantity", "99999999999999999999"], 2, "from 1 to 1000"),
      (["buy", "RandomOwls", "--quantity", "two"], 2, "not 'two'"),
      (["buy", "RandomOwls", "--quantity"], 2, "needs a value"),
      (["refund", "12345"], 1, "'12345'"), (["refund", "../../status"], 1, "'../../status'"),
      (["why", "nothing"], 1, "random-owls"), (["set-expiration", "nothing", "none"], 1, "random-owls"),
      (["set-expiration", "random-owls", "soon"], 2, "not 'soon'"), (["revoke", "nothing"], 1, "'nothing'"),
      (["grant", String(repeating: "x", count: 1000)], 1, "longer"),
      (["grant", "x", "--until", "later"], 2, "not 'later'"),
      (["join", "nonsense"], 2, "'nonsense'"),
      (["join", "peersync://phone.example:1/ABCDEFGHJKMN"], 1, "IP address"),
      (["wait", "--digest", "abc"], 2, "32 hexadecimal digits"), (["wait", "--peers", "-1"], 2, "not '-1'"),
      (["wait", "--entitlement", "x=perhaps"], 2, "not 'x=perhaps'"),
      (["wait", "--peers", "1", "--timeout", "never"], 2, "not 'never'"),
      (["wait", "--peers", "1", "--timeout", "0.2"], 4, "0 of 1 peers are connected"),
      (["wait", "--entitlement", "random-owls=inactive", "--timeout", "0"], 4, "random-owls is active"),
      (["import", "/nonexistent"], 1, "/nonexistent cannot be read"),
      (["import", "/dev/null"], 1, "/dev/null"),
      (["export", "/nonexistent/ledger.json"], 1, "/nonexistent/ledger.json"),
      (["status", "more"], 2, "one word too many"), (["status", "--verbose"], 2, "no option --verbose"),
    ]
    for (arguments, status, reason) in cases {
      let outcome = try await Peerd.run([arguments[0], "--data", device.data] + arguments.dropFirst())
      expect(outcome, status: status, reason)
    }
    #expect(try await device.status().digest == digest)
  }

  @Test("a malformed catalogue is refused with file, place and value, and no device is made")
  func catalogues() async throws {
    let directory = try TemporaryDirectory()
    let cases = [
      ("not json", "line 1"), ("", "line 1"), ("[]", "catalogue.json"), ("{}", "products"),
      (#"{"products": {}}"#, "products"), (#"{"products": [{}]}"#, "id"),
      (#"{"products": [{"id": "a", "period": "3 months"}]}"#, "3 months"),
      (#"{"products": [{"id": "a", "period": "P0M"}]}"#, "P0M"),
      (#"{"products": [{"id": "a", "type": "gift"}]}"#, "gift"),
      (#"{"products": [{"id": "a", "credit": "c", "amount": 0}]}"#, "amount"),
      (#"{"products": [{"id": "a", "credit": "c", "amount": 1.5}]}"#, "amount"),
      (#"{"products": [{"id": "a", "price": "cheap"}]}"#, "cheap"),
      (#"{"products": [{"id": "a", "currency": "dollar"}]}"#, "dollar"),
      (#"{"products": [{"id": "a"}, {"id": "a"}]}"#, "second time"),
      (#"{"products": [{"id": "a"}"#, "line 1"),
      (String(repeating: "[", count: 100_000), "line 1"),
    ]
    for (content, reason) in cases {
      let file = try directory.write(content, to: "catalogue.json")
      let data = directory.path + "/data"
      expect(
        try await Peerd.run(["init", "--data", data, "--catalog", file]), status: 1, "catalogue.json", reason)
      #expect(!FileManager.default.fileExists(atPath: data))
    }
  }

  @Test("init refuses what is there already, and does not touch it")
  func initialize() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let _: TransactionResult = try await device.json("buy", "CarefreeOwl")
    expect(try await Peerd.run(["init", "--data", device.data]), status: 1, "another peerd (pid ")
    try await device.stop()
    expect(
      try await Peerd.run(["init", "--data", device.data]), status: 1, "there is a device in \(device.data)")
    expect(
      try await Peerd.run(["init", "--data", device.data, "--environment", "moon"]), status: 2, "sandbox, ",
      "'moon'")
    let directory = try TemporaryDirectory()
    let file = try directory.write("", to: "file")
    expect(try await Peerd.run(["init", "--data", file]), status: 1, file)
    expect(try await Peerd.run(["init", "--data", file + "/below"]), status: 1, file)
    try await device.start(listen: nil)
    #expect(try await device.status().purchased == ["CarefreeOwl"])
  }

  @Test("run refuses directories that are not a device's, damaged, of a newer version, or open to others")
  func directories() async throws {
    let directory = try TemporaryDirectory()
    let run = { (data: String) in try await Peerd.run(["run", "--data", data]) }
    expect(try await run(directory.path), status: 1, "no device in \(directory.path)", "peerd init")
    expect(try await run(directory.path + "/none"), status: 1, "peerd init")
    for name in ["text", "empty"] {
      let data = directory.path + "/" + name
      try DataDirectory(data).create()
      try DataDirectory(data).createDatabase()
      if name == "text" { try Data("no database".utf8).write(to: URL(fileURLWithPath: data + "/peerd.db")) }
      chmod(data + "/peerd.db", 0o600)
      expect(try await run(data), status: 1, data)
    }
    let device = try await PeerdProcess()
    let database = device.data + "/peerd.db"
    for (file, mode, right) in [
      (database, 0o644, 0o600), (database, 0o660, 0o600), (device.data, 0o777, 0o700),
    ] {
      chmod(file, mode_t(mode))
      expect(try await run(device.data), status: 1, "others may use \(file)", "chmod")
      chmod(file, mode_t(right))
    }
    try Database(path: database).execute("INSERT INTO migrations VALUES ('99 from the future')")
    expect(try await run(device.data), status: 1, "99 from the future", "update peerd")
    try Database(path: database).execute("DELETE FROM migrations WHERE name = '99 from the future'")
    try await device.start()
    // The token is for its owner alone: a client does not use one that others could have planted.
    chmod(device.data + "/api.json", 0o644)
    expect(try await device.run("status"), status: 1, "others may use", "chmod 600")
    chmod(device.data + "/api.json", 0o600)
    #expect(try await device.run("status").status == 0)
  }

  @Test("names are refused with the reason, and the control API beyond this machine")
  func addresses() async throws {
    let device = try await PeerdProcess()
    for (option, address, reason) in [
      ("--listen", "phone.example:0", "IP address"), ("--peer", "phone..example:1", "host name"),
      ("--http", "0.0.0.0:0", "loopback"), ("--http", "phone.example:0", "loopback"),
    ] {
      expect(try await Peerd.run(["run", "--data", device.data, option, address]), status: 2, reason)
    }
    for text in ["7400", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x", ":1"] {
      expect(try await Peerd.run(["run", "--data", device.data, "--listen", text]), status: 2, "'\(text)'")
    }
    let other = try await PeerdProcess()
    try await other.start()
    let taken = try #require(other.ready?.listen)
    expect(try await Peerd.run(["run", "--data", device.data, "--listen", taken]), status: 1, taken)
    #expect(!FileManager.default.fileExists(atPath: device.data + "/api.json"))
  }

  @Test("a second daemon on the directory is refused by name of the first, which goes on")
  func second() async throws {
    let device = try await PeerdProcess()
    try await device.start()
    let pid = try #require(device.pid)
    let second = try await Peerd.run(["run", "--data", device.data, "--json"])
    expect(second, status: 1, "another peerd (pid \(pid))", "stop it")
    let _: TransactionResult = try await device.json("buy", "RandomOwls")
    // A lock file that a killed daemon left behind is in nobody's way.
    try await device.killAndRestart()
    #expect(try await device.status().credits.first?.balance == 5)
  }

  @Test("production refuses what only a simulated store does")
  func production() async throws {
    let device = try await PeerdProcess(options: ["--environment", "production"])
    try await device.start(listen: nil)
    let digest = try await device.status().digest
    for command in [
      ["buy", "3monthsOfRandom"], ["buy", "3monthsOfRandom", "--at", "2026-01-31"], ["refund", "1"],
    ] {
      let outcome = try await Peerd.run([command[0], "--data", device.data] + command.dropFirst())
      expect(outcome, status: 1, "App Store", "production")
    }
    #expect(try await device.status().digest == digest)
    try await device.stop()
    for offset in ["-90d", "0s"] {
      let run = try await Peerd.run(["run", "--data", device.data, "--clock-offset", offset])
      expect(run, status: 1, "--clock-offset", "production")
    }
    expect(
      try await Peerd.run(["run", "--data", device.data, "--clock-offset", "soon"]), status: 2, "'soon'")
    // Nobody answers there, and nobody is asked.
    let store = try await Peerd.run(["run", "--data", device.data, "--store", "http://127.0.0.1:1"])
    expect(store, status: 1, "--store is for the sandbox environment; this device is of production")
  }

  @Test("xcode sells without an App Store, under ids that differ by device")
  func xcode() async throws {
    let group = [
      try await PeerdProcess("Phone", options: ["--environment", "xcode"]),
      try await PeerdProcess("Tablet", options: ["--environment", "xcode"]),
    ]
    for device in group {
      try await device.start()
      let _: TransactionResult = try await device.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    }
    try await group[1].join(group[0])
    #expect(try await PeerdGroup(of: group).agree().lines.first?.expires == Instant("2026-07-31"))
  }
}
