import Foundation
import PeerSync
import PeerSyncSandboxServer
import TestSupport
import Testing
import peerd

/// What people read fits their terminal and speaks their language, whatever it tells of. Each command runs on a terminal of its own;
/// what it complains of and asks is looked at like its results.
@Suite("What fits 80 columns", .paced, .noHang)
struct FittingTests {
  @Test("no command prints a line wider than the terminal", arguments: ["en_US.UTF-8", "ko_KR.UTF-8"])
  func everyCommand(language: String) async throws {
    let house = try await Household()
    for step in house.steps { try await expectFit(step, language, 80) }
    for step in house.views { try await expectFit(step, language, 50) }
    for step in try await house.endings() + house.storeVerbs { try await expectFit(step, language, 80) }
  }

  @Test("every help text fits, in each language, and so does every page of the manual")
  func helps() async throws {
    let help = try await Peerd.run(["--help"]).output
    let names = help.matches(of: #/\n  ([a-z-]+) /#).map { String($0.1) }
    #expect(names.count > 30)
    for language in ["en_US.UTF-8", "ko_KR.UTF-8"] {
      for words in [[]] + names.map({ [$0] }) + Grammar.storeVerbs.map({ [$0.name] }) {
        let words = words.flatMap { $0.split(separator: " ").map(String.init) } + ["--help"]
        let outcome = try await TerminalRun.run(words, environment: ["LC_ALL": language])
        #expect(outcome.status == 0 && outcome.text.hasHangul == (language == "ko_KR.UTF-8"))
        expectFit(outcome.lines, 80, words)
      }
    }
    for name in names {
      let page = try await TerminalRun.run(["man", name], environment: [:])
      #expect(page.status == 0)
      expectFit(page.lines, 80, ["man", name])
    }
  }

  @Test("a pipe gets whole lines, and COLUMNS asks for short ones")
  func pipe() async throws {
    let device = try await PeerdProcess(Household.longName)
    try await device.start(listen: nil)
    #expect(try await device.run("devices").output.contains(Household.longName))
    let narrow = try await Peerd.run(["devices", "--data", device.data], environment: ["COLUMNS": "80"])
    #expect(!narrow.output.contains(Household.longName) && narrow.output.contains("…"))
    let refused = try await Peerd.run(
      ["remove", "--data", device.data, Household.longName], environment: ["COLUMNS": "80"])
    #expect(refused.status == 1 && refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
  }

  @Test("who reads Korean is told nothing in English")
  func korean() async throws {
    let house = try await Household()
    for step in house.steps where step.isDaily { try await expectKorean(step) }
    for step in house.storeVerbs { try await expectKorean(step) }
    try await expectWords(house)
    for step in try await house.endings() where step.isDaily { try await expectKorean(step) }
  }

  /// What a store shows has words of people in its tables and none of the API.
  private func expectWords(_ house: Household) async throws {
    let environment = ["LC_ALL": "ko_KR.UTF-8"]
    for words in [
      ["purchases", "fail"], ["purchases", "fail", "--once"], ["purchases", "ask", "--account", "ann"],
    ] {
      _ = try await Peerd.run(["store", words[0], "--data", house.store.data] + words.dropFirst())
    }
    let show = try await Peerd.run(["store", "show", "--data", house.store.data], environment: environment)
    let products = try await Peerd.run(
      ["store", "products", "--data", house.store.data], environment: environment)
    let text = show.output + products.output
    for word in ["구독 중", "자동 갱신 구독", "소모성 항목", "코드", "새 구독자", "1개월"] {
      #expect(text.contains(word), "\(word): \(text)")
    }
    for code in ["subscribed", "autoRenewable", "consumable", "succeed", "P1M"] {
      #expect(!text.contains(code), "\(code): \(text)")
    }
  }

  @Test("EXPIRES is the end of the present run, beside credits as well")
  func presentRun() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    for words in [["3monthsOfRandom"], ["6monthsOfRandom", "--at", "2199-01-01"], ["RandomOwls"]] {
      #expect(try await Peerd.run(["buy", "--data", device.data] + words).status == 0)
    }
    let text = try await device.run("status").output
    #expect(
      text.contains(#/random-owls +active +[-\d]+ [:\d]+, in 9\d days +again from 1 January 2199/#), "\(text)"
    )
    #expect(
      text.contains(
        #/random-owls +active +[-\d]+ [:\d]+ +in 9\d days +5 of credit owls left and 1 more/#),
      "\(text)")
    let status = try await device.status()
    #expect(
      status.entitlements.contains { $0.expires == nil && $0.presentEnd == status.lines[0].runs[0].end })
  }

  @Test("an instant stands once on a page, and ids are whole at 80 columns")
  func onceAndWhole() async throws {
    let house = try await Household()
    let status = try await TerminalRun.run(["status", "--data", house.phone.data], environment: [:])
    #expect(!status.text.contains("(UTC)") && !status.text.contains("renews on"), "\(status.text)")
    let products = try await TerminalRun.run(["products", "--data", house.phone.data], environment: [:])
    for id in ["owls-3", "com.example.owls.premium.monthly", "com.example.owls.premium.yearly"] {
      #expect(products.text.contains("\(id) "), "\(products.text)")
    }
    let why = try await TerminalRun.run(["why", "premium", "--data", house.phone.data], environment: [:])
    #expect(why.text.contains("paid until 20") && !why.text.contains("…"), "\(why.text)")
    #expect(!why.text.contains("ADDS") && !why.text.contains("RUN ENDS"), "\(why.text)")
    for command in ["devices", "time"] {
      let whole = try await TerminalRun.run(
        [command, "--utc", "--data", house.phone.data], environment: [:])
      #expect(whole.lines.contains { $0.contains(#/T\d\d:\d\d:\d\d[.\d]*Z$/#) }, "\(whole.text)")
    }
    let show = try await TerminalRun.run(["store", "show", "--data", house.store.data], environment: [:])
    #expect(!show.text.contains(#/\s{2,}\n/#) && show.text.contains("STATE"), "\(show.text)")
  }

  // MARK: Looking

  private func expectKorean(_ step: Household.Step) async throws {
    let outcome = try await TerminalRun.run(
      step.words, environment: ["LC_ALL": "ko_KR.UTF-8"], typing: step.typing, until: step.end)
    #expect(outcome.status == step.status, "\(step.words): \(outcome.text)")
    // A command to copy is the same in every language.
    for line in outcome.lines where !line.hasPrefix("  peerd ") {
      // So is a line of a story, and what Apple calls a notification.
      if step.words[0] == "rehearse", line.contains(#/^ *\d+  /#) { continue }
      let line = line.replacing(#/\b(DOWNGRADE|ACCEPTED)\b/#, with: "")
      #expect(!line.isEnglish, "\(step.words): \(line)")
    }
  }

  private func expectFit(_ step: Household.Step, _ language: String, _ columns: Int) async throws {
    let outcome = try await TerminalRun.run(
      step.words, environment: ["LC_ALL": language], typing: step.typing, columns: UInt16(columns),
      until: step.end)
    #expect(outcome.status == step.status, "\(step.words): \(outcome.text)")
    expectFit(outcome.lines, columns, step.words)
  }

  private func expectFit(_ lines: [String], _ columns: Int, _ words: [String]) {
    // An address stays whole, alone on its line.
    for line in lines where !line.contains(#/^ *[^ ]+:\/\/[^ ]+$/#) {
      #expect(width(line) <= columns, "\(words) at \(columns): \(line)")
    }
  }

  /// Hangul takes two columns; of the rest nothing here does.
  private func width(_ line: String) -> Int {
    line.unicodeScalars.reduce(0) {
      $0 + ((0x1100...0x115f).contains($1.value) || (0xac00...0xd7a3).contains($1.value) ? 2 : 1)
    }
  }

  @Test("the test of Korean knows English when it sees it")
  func english() {
    for line in ["nothing was changed", "ENTITLEMENT  상태", "peerd: there is no device"] {
      #expect(line.isEnglish, "\(line)")
    }
    for line in ["‘a b c’ 기기", "`peerd config lan yes` 명령", "com.example.a 9.99 USD  구입", "id 3F"] {
      #expect(!line.isEnglish, "\(line)")
    }
  }
}
