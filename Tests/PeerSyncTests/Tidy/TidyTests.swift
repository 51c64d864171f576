import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandboxServer
import Testing
import peerd

/// The rules of the house, checked over every file of the repository; and each rule, checked on something that breaks it.
@Suite("TidyTests") struct TidyTests {
  private let repository: Repository

  init() throws { repository = try Repository.whole.get() }

  private func findings(_ rule: (TidyFile) -> [Finding]) -> [Finding] { repository.files.flatMap(rule) }

  private func broken(_ rule: (TidyFile) -> [Finding], _ path: String, _ text: String) -> [Int] {
    rule(TidyFile(path: path, text: text)).map(\.line)
  }

  private let core = "Sources/PeerSync/Core/A.swift"

  @Test("the repository was found")
  func repositoryIsWhole() {
    #expect(repository.files.count > 200)
    #expect(repository.contains("Package.swift"))
    #expect(!repository.text("README.md").isEmpty)
  }

  private static let python = "/usr/bin/python3"

  @Test(
    "every fault of scripts/mutants.py can be planted",
    .enabled(if: FileManager.default.isExecutableFile(atPath: python), "it takes python3"))
  func faultsFitTheSources() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.python)
    process.arguments = ["-B", repository.root.path + "/scripts/mutants.py", "--check"]
    try process.run()
    process.waitUntilEnd()
    #expect(process.terminationStatus == 0)
  }

  @Test("the core imports nothing, and the simulation the core alone")
  func purity() {
    #expect(findings(SwiftRules.purity) == [])
    #expect(broken(SwiftRules.purity, core, "// It would import Foundation.\nimport Glibc\n") == [2])
    #expect(broken(SwiftRules.purity, core, "@preconcurrency import Dispatch\n") == [1])
    #expect(broken(SwiftRules.purity, core, "import PeerSyncSandbox\n") == [1])
    let simulated = "import PeerSyncCore\nimport PeerSyncSandbox\nimport PeerSync\nimport Glibc\n"
    #expect(broken(SwiftRules.purity, "Sources/PeerSync/Simulation/A.swift", simulated) == [3, 4])
    #expect(broken(SwiftRules.purity, "Sources/PeerSync/Sandbox/Model/A.swift", simulated) == [2, 3, 4])
    #expect(broken(SwiftRules.purity, "Sources/PeerSync/Device/A.swift", "import Glibc\n") == [])
  }

  @Test("every source file begins with something documented")
  func openingComment() {
    #expect(findings(SwiftRules.openingComment) == [])
    #expect(broken(SwiftRules.openingComment, core, "import X\n\nstruct A {\n  /// B\n}\n") == [3])
    #expect(broken(SwiftRules.openingComment, core, "extension A {\n\n  func b() {}\n}\n") == [1])
    #expect(broken(SwiftRules.openingComment, core, "extension A {\n  /// B\n  func b() {}\n}\n") == [])
  }

  @Test("no file is longer than 400 lines")
  func fileLength() {
    #expect(findings(SwiftRules.fileLength) == [])
    let lines = { String(repeating: "\n", count: $0) }
    #expect(broken(SwiftRules.fileLength, core, lines(SwiftRules.fileLines)) == [])
    #expect(broken(SwiftRules.fileLength, core, lines(SwiftRules.fileLines + 1)) == [0])
  }

  @Test("no function is longer than 70 lines")
  func functionLength() {
    #expect(findings(SwiftRules.functionLength) == [])
    let function = {
      "protocol P {\n  func a()\n}\nfunc b() {\n" + String(repeating: "  c(\"}\")\n", count: $0) + "}\n"
    }
    #expect(broken(SwiftRules.functionLength, core, function(SwiftRules.functionLines - 2)) == [])
    #expect(broken(SwiftRules.functionLength, core, function(SwiftRules.functionLines - 1)) == [4])
  }

  @Test("no type is in more than 12 files or stores more than 20 properties")
  func typeSize() {
    #expect(WholeRules.largeTypes(repository.files) == [])
    let spread = { (0..<$0).map { TidyFile(path: "Sources/A\($0).swift", text: "extension A {\n}\n") } }
    #expect(WholeRules.largeTypes(spread(WholeRules.typeFiles)) == [])
    #expect(WholeRules.largeTypes(spread(WholeRules.typeFiles + 1)) == ["A"])
    let stored = { (count: Int) in
      let lines = (0..<count).map { "    private(set) var a\($0) = { 1 }()\n" }.joined()
      return [TidyFile(path: core, text: "enum A {\n  struct B {\n\(lines)  }\n}\n")]
    }
    #expect(WholeRules.largeTypes(stored(WholeRules.storedProperties)) == [])
    #expect(WholeRules.largeTypes(stored(WholeRules.storedProperties + 1)) == ["A.B"])
  }

  @Test("stored properties are told from all others")
  func storedProperties() {
    let text = """
      public final class A: B {
        @C(1) let a: Int
        static let b = 1
        var c: Int { 1 }
        var d: Int {
          let e = 1
          return e
        }
        weak var f: A?
        var g = 1 {
          didSet { h() }
        }
        var i: Int {
          didSet { h() }
        }
        class func j() {}
        private struct K {
          let l: () -> Void
        }
      }
      """
    let parts = SwiftTypes(SwiftCode(text)).all
    #expect(parts.map(\.name) == ["A.K", "A"] && parts.map(\.line) == [17, 1])
    #expect(parts.map(\.stored) == [1, 4])
  }

  @Test("nothing is forced")
  func forcing() {
    #expect(findings(SwiftRules.forcing) == [])
    let forced =
      "let a = try! b()\nlet c = d as! Int\nlet e = f[0]!.g\nlet h = i != j || !k\n// l!\nlet m = \"n!\"\n"
    #expect(broken(SwiftRules.forcing, core, forced) == [1, 2, 3])
    #expect(broken(SwiftRules.forcing, core, "let a = \"\\(b!)\"\n") == [1])
  }

  @Test("descriptors are watched by the poller, and time by the timers, alone")
  func dispatchSources() {
    #expect(findings(SwiftRules.dispatchSources) == [])
    let source = "let a = DispatchSource.makeReadSource(fileDescriptor: 0)\nlet b = DispatchTime.now()\n"
    #expect(broken(SwiftRules.dispatchSources, "Sources/PeerSync/Device/TCP/A.swift", source) == [1])
    #expect(broken(SwiftRules.dispatchSources, SwiftRules.sources[0], source) == [])
    let handle = "// DispatchSource\nhandle.readabilityHandler = nil\n"
    #expect(broken(SwiftRules.dispatchSources, "Sources/peerd/A.swift", handle) == [2])
  }

  @Test("nobody waits for a process without a pause")
  func busyWaits() {
    #expect(findings(SwiftRules.busyWaits) == [])
    let source = "func f(process: Process) { process.waitUntilExit() }\n"
    #expect(broken(SwiftRules.busyWaits, "Tests/IntegrationTests/A.swift", source) == [1])
    #expect(broken(SwiftRules.busyWaits, SwiftRules.waiting, source) == [])
  }

  @Test("no reminder is left behind")
  func reminders() {
    #expect(findings(TextRules.reminders) == [])
    #expect(broken(TextRules.reminders, "README.md", "Done.\nTO" + "DO: more\n") == [2])
  }

  @Test("words that gave way to another one stay away")
  func retiredWords() {
    #expect(findings(TextRules.retiredWords) == [])
    let words = [
      "a sh" + "op", "let sh" + "op = 1", "Sh" + "opOrder", "the kee" + "per takes it",
      "was shut" + " out of it", "Sh" + "ut a stolen device out", "Sandbox" + "Kee" + "perTests",
      "two kee" + "pers",
      "even" + " out",
    ]
    for word in words { #expect(broken(TextRules.retiredWords, "docs/a.md", word + "\n") == [1], "\(word)") }
    for word in ["shopping", "Doorkeeper", "a timekeeper"] {
      #expect(broken(TextRules.retiredWords, "docs/a.md", word + "\n") == [], "\(word)")
    }
  }

  @Test("no problem of the API tells what to type at a shell")
  func shellCommands() {
    #expect(findings(TextRules.shellCommands) == [])
    let text =
      "/// As `peerd run` has it.\nthrow Problem(\"see `peerd devices`\")\nlet a = \"run with --store\" // b\n"
    #expect(broken(TextRules.shellCommands, "Sources/PeerSync/Device/A.swift", text) == [2, 3])
    #expect(broken(TextRules.shellCommands, "Sources/peerd/A.swift", text) == [])
  }

  @Test("no white space at the end of lines, and no tabs")
  func whitespace() {
    #expect(findings(TextRules.whitespace) == [])
    #expect(broken(TextRules.whitespace, "README.md", "a \nb\n\tc\nd\r\n") == [1, 3, 4])
    #expect(broken(TextRules.whitespace, "README.md", "a") == [1])
    #expect(broken(TextRules.whitespace, "Makefile", "a:\n\tb\n") == [])
  }

  @Test("nothing names a place outside the repository")
  func places() {
    #expect(findings(TextRules.places) == [])
    #expect(broken(TextRules.places, "README.md", "see ." + "./shared/data\nor /wor" + "k/main\n") == [1, 2])
  }

  @Test("case numbers are those of docs/semantics.md")
  func cases() {
    let known = TextRules.cases(in: repository.text("docs/semantics.md"))
    #expect(known.count == 52)
    #expect(findings { TextRules.cases($0, known: known) } == [])
    #expect(broken({ TextRules.cases($0, known: known) }, core, "/// As in [A1] and [E9" + "9].\n") == [1])
  }

  @Test("relative links lead somewhere")
  func links() {
    let rule = { TextRules.links($0, exists: repository.contains, text: repository.text) }
    #expect(findings(rule) == [])
    let text =
      "[a](../README.md) [b](https://x.example/y)\n[c](nowhere.md)\n[d](#none)\n# Has One\n[e](#has-one)\n"
    #expect(
      broken(
        { TextRules.links($0, exists: { $0 == "README.md" || $0 == "docs/a.md" }, text: { _ in text }) },
        "docs/a.md", text) == [2, 3])
  }

  @Test("every limit is used or documented")
  func limits() {
    let path = "Sources/PeerSync/Core/Limits.swift"
    let users = repository.files.filter { $0.isSource && $0.path != path }
    let idle = WholeRules.idleLimits(
      repository.text(path), users: users, documentation: repository.documentation)
    #expect(idle == [])
    let sample =
      "static let a = 1\nstatic let b = 2\nstatic let c = 3\nstatic let d = 4\nstatic let e = d * 2\n"
    let user = TidyFile(path: core, text: "x < Limits.a && y < Limits.e")
    #expect(WholeRules.idleLimits(sample, users: [user], documentation: "`b`") == ["c"])
  }

  @Test("every limit is named by a test")
  func testedLimits() {
    // Not this file: the rule would be content with what is said here.
    let tests = repository.files.filter {
      $0.isSwift && $0.path.hasPrefix("Tests/") && !$0.path.hasSuffix("/TidyTests.swift")
    }
    for path in ["Core/Limits.swift", "Control/HTTP/HTTPLimits.swift"] {
      let limits = repository.text("Sources/PeerSync/" + path)
      #expect(!limits.isEmpty && WholeRules.untestedLimits(limits, tests: tests) == [])
    }
    let sample = "static let a = 1\nstatic let ab = 2\nstatic let c: Int = 3\n"
    let test = TidyFile(path: "Tests/A.swift", text: "Limits.ab + 1, HTTPLimits.c, Limits.d")
    #expect(WholeRules.untestedLimits(sample, tests: [test]) == ["a"])
  }

  @Test("every fuzz target has seeds, and says in docs/testing.md what holds")
  func fuzzTargets() throws {
    let targets = repository.files.map(\.path).filter { $0.hasPrefix("Fuzz/Targets/") }.map {
      String($0.dropFirst("Fuzz/Targets/".count).dropLast(".swift".count))
    }
    #expect(targets.count >= 8)
    let rows = targets.map { "| `\($0)` |" }
    #expect(WholeRules.unmentioned(rows, in: repository.text("docs/testing.md")) == [])
    for target in targets {
      let folder = repository.root.appending(path: "Fuzz/Corpus/\(target)").path
      let seeds = try? FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(seeds?.isEmpty == false, "\(target) has no seeds")
    }
  }

  @Test("every command and every option is in the documentation")
  func commands() {
    let specs = Grammar.commands + Grammar.storeVerbs
    let commands = specs.map { "peerd \($0.name)" }
    #expect(WholeRules.unmentioned(commands, in: repository.documentation) == [])
    let options = Set(specs.flatMap(\.allOptions).map { "`--\($0.name)" }).sorted()
    #expect(WholeRules.unmentioned(options, in: repository.documentation) == [])
    #expect(WholeRules.unmentioned(["peerd init", "peerd fly"], in: "run `peerd init`") == ["peerd fly"])
  }

  @Test("every error code, metric and path of the control API is in docs/operating.md")
  func controlAPI() {
    let text = repository.text("docs/operating.md")
    #expect(
      WholeRules.unmentioned(Problem.Code.allCases.map { "| `\($0.rawValue)` | \($0.status) |" }, in: text)
        == [])
    let endpoints = ControlAPI.table.endpoints.map { "`\($0.method) \($0.path)`" }
    #expect(WholeRules.unmentioned(endpoints, in: text) == [])
    let source = repository.text("Sources/PeerSync/Device/API/Daemon+Metrics.swift")
    let metrics = Set(source.matches(of: /"(peersync_\w+)"/).map { "`\($0.1)`" }).sorted()
    #expect(metrics.count > 5 && WholeRules.unmentioned(metrics, in: text) == [])
  }

  @Test("every path of the sandbox store is in docs/store.md")
  func sandboxStore() {
    let paths =
      SandboxAPI.table.endpoints.map { "`\($0.method) \($0.path)" }
      + ServerAPI.table.endpoints.map { "`\($0.method) \($0.path)`" }
    #expect(WholeRules.unmentioned(paths, in: repository.text("docs/store.md")) == [])
  }

  @Test("the example in docs/library.md is one that compiles")
  func example() throws {
    let shown = repository.text("docs/library.md").components(separatedBy: "```swift\n").dropFirst().first
    let block = try #require(shown?.components(separatedBy: "```").first)
    #expect(repository.text("Tests/PeerSyncTests/Support/LibraryExample.swift").hasSuffix("\n" + block))
  }

  @Test("the example in docs/testing.md is a file of examples/ConvergenceTests")
  func testKitExample() throws {
    let shown = repository.text("docs/testing.md").components(separatedBy: "```swift\n").dropFirst().first
    let block = try #require(shown?.components(separatedBy: "```").first)
    let folder = "examples/ConvergenceTests/Tests/ConvergenceTests"
    #expect(repository.text("\(folder)/OwlTests.swift") == block)
  }
}
