import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer
import TestSupport
import Testing
import peerd

@Suite("Arguments")
struct ArgumentsTests {
  private func parse(_ words: String, _ environment: [String: String] = ["HOME": "/home/ann"]) throws
    -> Invocation
  {
    try Arguments.parse(words.split(separator: " ").map(String.init), environment: environment).get()
  }

  private func message(_ words: String) -> String? {
    guard
      case .failure(let error) = Arguments.parse(
        words.split(separator: " ").map(String.init), environment: ["HOME": "/home/ann"])
    else { return nil }
    return error.description
  }

  @Test("every command of the grammar parses with its operands filled in")
  func everyCommandParses() throws {
    let samples = [
      "TIME": "2026-01-31", "NAME": "merge", "N": "1", "DURATION": "P1M", "OUTCOME": "ask",
      "PRICE": "4.99", "SWITCH": "on", "NUMBER": "1", "URL": "peersync://127.0.0.1:7401/ABCDEFGHJKMN",
      "add": "add", "SETTING": "listen", "VALUE": "none", "SHELL": "bash", "COMMAND": "run",
    ]
    for spec in Grammar.commands + Grammar.storeVerbs {
      let operands = spec.operands.map { samples[$0.name] ?? "x" }.joined(separator: " ")
      let condition = spec.name == "wait" ? " --peers 1" : ""
      #expect(throws: Never.self) { try parse("\(spec.name) \(operands)\(condition)") }
      #expect(try parse("\(spec.name) --help").command == .help(topic: spec.name))
    }
  }

  @Test("the examples in the help are right")
  func examplesParse() throws {
    for spec in Grammar.commands + Grammar.storeVerbs {
      for example in spec.examples {
        #expect(throws: Never.self, "\(example)") { try parse(String(example.dropFirst("peerd ".count))) }
      }
    }
  }

  @Test("both forms of an option, operands after --, and json anywhere")
  func forms() throws {
    for words in [
      "buy Owl --quantity 2 --at 2026-01-31 --json --data d --offer half",
      "buy --quantity=2 --data=d --json Owl --at=2026-01-31 --offer=half",
      "buy --json --data d --at 2026-01-31T00:00:00Z --quantity 2 --offer half -- Owl",
    ] {
      let invocation = try parse(words)
      guard case .buy(let options) = invocation.command else {
        Issue.record("\(invocation)")
        continue
      }
      #expect(options.product == "Owl" && options.quantity == 2 && options.at == Instant("2026-01-31"))
      #expect(options.offer == "half" && invocation.data == "d" && invocation.json)
    }
    #expect(try parse("why -- --odd").command == .why(entitlement: "--odd"))
    #expect(try parse("run --clock-offset -90d").command == (try parse("run --clock-offset=-90d").command))
  }

  @Test("the data directory: option, PEERD_DATA, XDG_DATA_HOME, home")
  func dataDirectory() throws {
    var environment = ["HOME": "/home/ann"]
    #expect(try parse("status", environment).data == "/home/ann/.local/share/peerd")
    environment["XDG_DATA_HOME"] = "/xdg"
    #expect(try parse("status", environment).data == "/xdg/peerd")
    environment["PEERD_DATA"] = "/phone"
    #expect(try parse("status", environment).data == "/phone")
    #expect(try parse("status --data tablet", environment).data == "tablet")
    #expect(message("status --data") == "--data needs a value: DIR; see peerd status --help")
    #expect(
      Arguments.parse(["status"], environment: [:])
        == .failure(UsageError(.same("no data directory is known: give --data DIR"))))
  }

  @Test(
    "a wrong command line says what to do",
    arguments: [
      ("catalogue list", "it is `peerd catalogue add FILE`; see peerd catalogue --help"),
      ("stauts", "there is no command 'stauts' (did you mean 'status'?)"),
      ("frobnicate", "there is no command 'frobnicate'; see peerd --help"),
      ("--json status", "the command comes first, then its options; see peerd --help"),
      (
        "buy Owl --quanity 2", "there is no option --quanity (did you mean --quantity?); see peerd buy --help"
      ),
      ("buy", "PRODUCT is missing; see peerd buy --help"),
      ("buy Owl Cat", "'Cat' is one word too many; see peerd buy --help"),
      ("buy Owl --quantity 0", "--quantity is a whole number from 1 to 1000, not '0'; see peerd buy --help"),
      (
        "buy Owl --quantity 99999999999999999999",
        "--quantity is a whole number from 1 to 1000, not '99999999999999999999'; see peerd buy --help"
      ),
      ("buy Owl --quantity 1 --quantity 2", "--quantity was given twice; see peerd buy --help"),
      ("status --json=yes", "--json takes no value; see peerd status --help"),
      (
        "init --environment prod",
        "--environment is one of production, sandbox, xcode, not 'prod'; see peerd init --help"
      ),
      (
        "run --listen 7400", "--listen is HOST:PORT, such as 127.0.0.1:7400, not '7400'; see peerd run --help"
      ),
      ("wait", "say what to wait for: --digest, --entitlement or --peers; see peerd wait --help"),
      ("wait --digest abc", "--digest is 32 hexadecimal digits, as in `peerd status`; see peerd wait --help"),
      (
        "wait --entitlement a=on",
        "--entitlement is ID, ID=active or ID=inactive, not 'a=on'; see peerd wait --help"
      ),
      (
        "wait --peers 1 --timeout nan",
        "--timeout is a number of seconds from 0 to 86400, not 'nan'; see peerd wait --help"
      ),
    ])
  func wrong(words: String, expected: String) {
    #expect(message(words) == expected)
  }

  @Test("a malformed time names the form it should have")
  func malformedTime() throws {
    for words in [
      "buy Owl --at yesterday", "set-expiration owls 2026-02-30", "grant owls --until 2026-13-01",
    ] {
      #expect(message(words)?.contains("is a time such as 2026-01-31T00:00:00Z") == true)
    }
    #expect(try parse("set-expiration owls none").command == .setExpiration(line: "owls", date: nil))
  }

  @Test(
    "what is empty is not a name",
    arguments: [
      ["why", ""], ["grant", ""], ["revoke", ""], ["remove", ""], ["buy", ""], ["reclaim", ""],
      ["refund", ""],
      ["spend", "", "1"], ["spend", "owls", ""], ["set-expiration", "", "none"],
      ["set-expiration", "owls", ""], ["spend", "owls", "1", "--id", ""], ["spend", "owls", "--id="],
      ["run", "--account", ""], ["init", "--name", ""], ["init", "--bundle-id="], ["export", ""],
      ["store", "buy", ""], ["store", "share", "family", ""],
    ])
  func empty(words: [String]) {
    guard case .failure(let error) = Arguments.parse(words, environment: ["HOME": "/home/ann"]) else {
      Issue.record("\(words) was taken")
      return
    }
    #expect(error.description.contains(" must not be empty; see peerd \(words[0])"), "\(error)")
  }

  @Test(
    "what no store and no machine takes is wrong usage",
    arguments: [
      ("store grace maybe", "SWITCH is on or off, not 'maybe'; see peerd store grace --help"),
      ("store approve x", "NUMBER is a whole number, as in `peerd store show`, not 'x'"),
      ("store decline -- -1", "NUMBER is a whole number, as in `peerd store show`, not '-1'"),
      ("store raise-price P x", "PRICE is a decimal number such as 4.99, not 'x'"),
      ("store raise-price P 4.9999", "PRICE is a decimal number such as 4.99, not '4.9999'"),
      ("run --http 0.0.0.0:0", "--http is on loopback only: 127.0.0.1, [::1] or localhost, not '0.0.0.0'"),
      ("store --http 0.0.0.0:0", "--http is on loopback only"),
      ("run --http example.com:0", "--http is on loopback only"),
      ("run --listen example.com:0", "--listen: 'example.com' is not an IP address"),
      ("run --discover --listen 127.0.0.1:7400", "no other device reaches 127.0.0.1:7400"),
      ("run --lan --listen [::1]:7400", "no other device reaches [::1]:7400"),
      ("run --clock-offset -90000d", "up to 100 years (36525d), not '-90000d'; see peerd run --help"),
    ])
  func impossible(words: String, expected: String) {
    #expect(message(words)?.contains(expected) == true, "\(message(words) ?? "taken")")
  }

  @Test(
    "--account says whose it is, or of whom it tells, with every verb",
    arguments: [
      "buy P", "redeem C", "approve", "approve 1", "decline", "refund P", "reverse-refund P",
      "decline-refund P", "request-consumption P", "turn-off P", "turn-on P", "agree P", "refuse P",
      "purchases ask", "fail-billing", "fix-billing", "expire-card never", "share F", "unshare",
      "advance P1M", "raise-price P 4.99", "withdraw P", "offer P", "grace on", "test-notification",
    ])
  func accounts(verb: String) throws {
    guard case .storeDemand(let demand) = try parse("store \(verb) --account ann --data d").command else {
      Issue.record("no demand")
      return
    }
    #expect([demand.account, demand.subject, demand.value].contains("ann"))
    #expect(
      try parse("store show --account ann --last 7").command
        == .storeShow(SandboxView(last: 7, account: "ann")))
    #expect(try parse("store products --account ann").command == .storeProducts(account: "ann"))
  }

  @Test("no verb of the store is without --account")
  func everyVerb() {
    for verb in Grammar.storeVerbs {
      #expect(verb.options.contains { $0.name == "account" }, "\(verb.name)")
    }
  }

  @Test("an account is named in one of two ways, and has to be where there is no other")
  func namedAccounts() throws {
    let words = try parse("store fail-billing ann").command
    #expect(try parse("store fail-billing --account ann").command == words)
    #expect(try parse("store fail-billing ann --account ann").command == words)
    #expect(
      try parse("store share owls ann").command
        == .storeDemand(SandboxDemand(.share, subject: "owls", value: "ann")))
    #expect(try parse("store unshare --account ann").command == parse("store unshare ann").command)
    let both = "ACCOUNT and --account name two accounts: give one of them"
    for verb in ["fail-billing ann", "expire-card never ann", "share owls ann", "unshare ann"] {
      #expect(message("store \(verb) --account bob")?.contains(both) == true)
    }
    for verb in ["share owls", "unshare"] {
      #expect(message("store \(verb)")?.contains("ACCOUNT is missing") == true)
    }
    #expect(message("store show --last 0")?.contains("--last is a whole number from 1 to") == true)
  }

  @Test("what a store signs is of 1970 or later", arguments: ["buy Owl --at", "store --begin"])
  func signedTimes(words: String) throws {
    #expect(throws: Never.self) { try parse("\(words) 1970-01-01") }
    #expect(message("\(words) 1969-12-31")?.contains("is a time from 1970-01-01") == true)
  }

  @Test("a name that no device can have is wrong usage", arguments: ["--name", "--bundle-id"])
  func unfitNames(option: String) throws {
    func message(_ name: String) -> String? {
      guard
        case .failure(let error) = Arguments.parse(["init", "--data", "d", option, name], environment: [:])
      else { return nil }
      return error.description
    }
    let longest = String(repeating: "é", count: Limits.textBytes / 2) + "x"
    #expect(message(longest) == nil)
    for name in [longest + "x", "a\u{1b}[2Jb", "a\nb", "a\u{2028}b", "a\u{202e}b"] {
      #expect(
        message(name)
          == "\(option) is 1 to 255 bytes without control or formatting characters; see peerd init --help")
    }
  }

  @Test("wait takes several conditions")
  func wait() throws {
    let digest = String(repeating: "aB", count: 16)
    let invocation = try parse(
      "wait --digest \(digest) --entitlement a --entitlement b=inactive --peers 2 --timeout 0.5")
    guard case .wait(let options) = invocation.command else {
      Issue.record("\(invocation)")
      return
    }
    #expect(options.digest == digest.lowercased() && options.peers == 2 && options.timeoutSeconds == 0.5)
    #expect(
      options.entitlements.map(\.id) == ["a", "b"] && options.entitlements.map(\.isActive) == [true, false])
  }
}

@Suite("Clock offsets")
struct OffsetTests {
  @Test(
    "short and ISO 8601 forms",
    arguments: [
      ("-90d", -7_776_000_000), ("+1h30m", 5_400_000), ("45s", 45_000), ("1w2d", 777_600_000), ("0s", 0),
      ("P1D", 86_400_000), ("PT1H", 3_600_000), ("-PT1H30M", -5_400_000), ("P1DT1S", 86_401_000),
      ("P2W", 1_209_600_000),
    ] as [(String, Int64)])
  func reads(text: String, milliseconds: Int64) { #expect(Offset.milliseconds(text) == milliseconds) }

  @Test(
    "anything else is refused",
    arguments: [
      "", "-", "90", "d", "1d2w", "1d1d", "P", "PT", "P1DT", "P1M", "1.5h", "--1d", "1 d", "99999999999999d",
      "40000d",
    ])
  func refuses(text: String) { #expect(Offset.milliseconds(text) == nil) }
}

@Suite("Suggestions")
struct SuggestionTests {
  @Test("distance counts insertions, deletions, exchanges and swaps")
  func distance() {
    #expect(Suggestion.distance("", "abc") == 3)
    #expect(Suggestion.distance("kitten", "sitting") == 3)
    #expect(Suggestion.distance("stauts", "status") == 1)
  }

  @Test("nothing is suggested that is far away")
  func far() {
    #expect(Suggestion.nearest(to: "instal", in: ["init", "import"]) == nil)
    #expect(Suggestion.nearest(to: "ofline", in: ["offline", "online"]) == "offline")
  }
}

@Suite("Help")
struct UsageTests {
  @Test("every command, operand and option is in the help, no line is too long")
  func complete() {
    for spec in Grammar.commands + Grammar.storeVerbs {
      for language in SentenceLanguage.allCases {
        let usage = Usage(in: language)
        #expect(usage.overview.contains("  \(spec.name) ") || spec.name.hasPrefix("store "))
        let help = usage.help(for: spec)
        for option in spec.allOptions { #expect(help.contains("--\(option.name)")) }
        for operand in spec.operands { #expect(help.contains("  \(operand.name)")) }
        for line in (help + usage.overview).split(separator: "\n") {
          #expect(TextWidth.columns(String(line)) <= 80, "\(line)")
        }
      }
      #expect(!spec.examples.isEmpty)
    }
  }

  @Test("all that help says is said in Korean as well")
  func korean() {
    for spec in Grammar.paged {
      let operands = spec.operands.flatMap { [$0.help] + $0.choices.map(\.help) }
      let options = spec.allOptions.flatMap { [$0.help] + $0.choices.map(\.help) }
      for phrase in [spec.summary, spec.details] + operands + options {
        let (english, korean) = (phrase.text(in: .english), phrase.text(in: .korean))
        #expect(english.isEmpty == korean.isEmpty && !english.hasHangul, "\(spec.name): \(english)")
        guard !english.isEmpty else { continue }
        #expect(korean.hasHangul && !korean.hasEnglishSentence, "\(spec.name): \(korean)")
        #expect(korean.contains("기본값") == english.contains("(default"), "\(spec.name): \(korean)")
      }
    }
  }

  @Test(
    "what is wrong with a command line is said in Korean as well",
    arguments: [
      "fly", "store fly", "--data x", "buy", "buy a b", "buy a --fly", "buy a --quantity",
      "buy a --quantity 0",
      "buy a --quantity= ", "buy a --at yesterday", "buy a --at 1960-01-01", "buy a --json=1",
      "init --name \u{7}", "init --environment moon", "init --clock-offset long", "join nothing",
      "time --yes", "catalogue put x", "reclaim owls --from found", "spend owls -1", "spend owls many",
      "rehearse x --seed 1", "bench nothing", "wait", "wait --peers many", "wait --digest x",
      "wait --entitlement a=b", "wait --peers 1 --timeout long", "remove x --all --since 2026-01-01",
      "run --listen nowhere", "run --listen example.com:1", "run --http 1.2.3.4:1",
      "run --listen 127.0.0.1:1 --lan",
      "run --announce none --lan --listen [::]:1", "run --store here", "run --log-level loud", "config fly",
      "man fly",
      "completions ksh", "simulate --hours 1 --minutes 1", "simulate --faults bad", "lab --devices a,a",
      "store approve x", "store purchases maybe", "store raise-price a b", "store grace maybe",
      "store fail-billing a --account b", "store share family", "store --time-rate x",
      "store --notify x", "store advance x", "set-expiration owls never",
    ])
  func koreanErrors(line: String) throws {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard case .failure(let error) = Arguments.parse(words, environment: ["HOME": "/home/ann"]) else {
      return #expect(Bool(false), "\(line) is right")
    }
    let korean = error.told.text(in: .korean)
    #expect(korean.hasHangul && !korean.hasEnglishSentence, "\(line): \(korean)")
    #expect(!error.description.hasHangul, "\(line): \(error)")
  }

  @Test("options that may be left out say what they are then")
  func defaults() {
    let always: Set = ["json", "help", "catalog", "digest", "entitlement", "peers"]
    for option in (Grammar.commands + Grammar.storeVerbs).flatMap(\.allOptions)
    where !always.contains(option.name) {
      #expect(option.help.text(in: .english).contains("(default: "), "--\(option.name)")
    }
  }
}
