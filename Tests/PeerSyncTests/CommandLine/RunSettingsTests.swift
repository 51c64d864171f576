import PeerSync
import Testing
import peerd

@Suite("Settings of run")
struct RunSettingsTests {
  private func told(_ line: String) throws -> RunOptions {
    let words = line.split(separator: " ").map { String($0) }
    guard case .run(let options) = try Arguments.parse(words, environment: ["HOME": "/"]).get().command else {
      throw UsageError(.same("not a run"))
    }
    return options
  }

  /// What a run is, after what was told before.
  private func run(_ line: String, after earlier: String...) throws -> RunOptions {
    var settings = RunSettings()
    for line in earlier { settings = settings.overlaid(by: try told(line).told) }
    let options = try told(line)
    return try Grammar.runOptions(settings.overlaid(by: options.told), and: options)
  }

  @Test("what was told stays, until it is told otherwise")
  func stays() throws {
    let first = "run --listen 127.0.0.1:7401 --store http://127.0.0.1:7500 --account ann --log-level debug"
    let again = try run("run", after: first)
    #expect(again.listen == Address("127.0.0.1:7401") && again.store == LocalServer("http://127.0.0.1:7500"))
    #expect(again.account == "ann" && again.log.level == .debug)
    let other = try run("run --listen 127.0.0.1:1 --peer a.example:1 --peer b.example:2", after: first)
    #expect(other.listen == Address("127.0.0.1:1") && other.account == "ann" && other.peers.count == 2)
    #expect(
      try run("run --peer c.example:3", after: "run --peer a.example:1").peers == [
        Address(host: "c.example", port: 3)
      ])
    let silent = try run("run --listen none --store none", after: first)
    #expect(silent.listen == nil && silent.store == nil && silent.account == "ann")
    #expect(try run("run", after: first, "run --listen none").listen == nil)
  }

  @Test("where HTTP is served, what is announced, and a clock that is set off, are told anew each time")
  func doesNotStay() throws {
    let again = try run("run", after: "run --http 127.0.0.1:80 --announce none --clock-offset 1d")
    #expect(again.http.port == 0 && again.announces && again.clockOffset == nil)
    #expect(try !run("run --announce none", after: "run").announces)
    #expect(try run("run --clock-offset 1d", after: "run").clockOffset == 86_400_000)
  }

  @Test("what does not go together is refused, be it told at once or in turn")
  func together() throws {
    let cases = [
      ("run --discover", "run", "--discover goes with --listen"),
      ("run --interface eth0", "run --listen 127.0.0.1:1", "--interface goes with --lan or --discover"),
      ("run --announce none", "run --lan", "--announce none goes without"),
      ("run --listen 127.0.0.1:1", "run --lan", "no other device reaches 127.0.0.1:1"),
    ]
    for (line, earlier, message) in cases {
      let error = #expect(throws: UsageError.self) { try run(line, after: earlier) }
      #expect(error?.description.contains(message) == true, "\(line): \(error?.description ?? "")")
    }
    #expect(try run("run --discover", after: "run --listen 0.0.0.0:7400").discovers)
    #expect(try run("run --interface eth0", after: "run --lan").interface == "eth0")
  }

  @Test("a file comes back as it was written, and a wrong one is refused by its name")
  func file() throws {
    let settings = try told("run --lan --interface eth0 --peer a.example:1 --peer b.example:2").told
    #expect(try RunSettings(settings.encoded, file: "x") == settings)
    #expect(settings.words == ["--lan", "--interface=eth0", "--peer=a.example:1", "--peer=b.example:2"])
    let long = String(repeating: "a", count: 1025)
    let many = Array(repeating: "\"a\"", count: 65).joined(separator: ",")
    let wrong = [
      ("", "not an object"), ("[]", "not an object"), (#"{"lisen": ["x"]}"#, "no setting 'lisen'"),
      (#"{"listen": []}"#, "'listen' has"), (#"{"listen": ["a", "b"]}"#, "'listen' has"),
      (#"{"account": ["\#(long)"]}"#, "'account' has"), (#"{"peer": [\#(many)]}"#, "'peer' has"),
    ]
    for (text, message) in wrong {
      let error = #expect(throws: Failure.self) {
        try RunSettings(Array(text.utf8), file: "settings.json")
      }
      #expect(
        error?.description.contains(message) == true && error?.description.contains("settings.json") == true)
      #expect(error?.told.text(in: .korean).contains("지운 뒤") == true)
    }
  }
}

@Suite("Manual and completions")
struct ManualTests {
  @Test("each command has a page with all of its options, and no line that roff would take for its own")
  func pages() {
    for spec in Grammar.commands + Grammar.storeVerbs {
      let page = ManualPage.page(for: spec)
      for option in spec.allOptions {
        #expect(page.contains("\\-\\-" + option.name.replacing("-", with: "\\-")), "\(spec.name)")
      }
      let requests = page.split(separator: "\n").filter { $0.hasPrefix(".") || $0.hasPrefix("'") }
      for request in requests {
        #expect(request.contains(#/^\.(TH|SH|TP|B|nf|fi)\b/#), "\(spec.name): \(request)")
      }
      #expect(
        ManualPage.overview.contains(spec.name.replacing("-", with: "\\-")) || spec.name.hasPrefix("store "))
    }
  }

  @Test("each shell completes every command and every option")
  func completions() {
    for shell in Shell.allCases {
      for spec in Grammar.commands {
        #expect(shell.script.contains(spec.name))
        for option in spec.allOptions { #expect(shell.script.contains(option.name), "\(shell) \(spec.name)") }
      }
    }
  }
}
