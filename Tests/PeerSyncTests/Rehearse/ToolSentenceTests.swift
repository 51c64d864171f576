import PeerSync
import PeerSyncSimulation
import TestSupport
import Testing
import peerd

/// What the tools for developers say of their runs.
@Suite("What stories and simulations come to, in every language")
struct ToolSentenceTests {
  private func expectTold(_ told: Phrase) {
    let (english, korean) = (told.text(in: .english), told.text(in: .korean))
    #expect(korean.hasHangul && !korean.isEnglish, "\(korean)")
    #expect(!english.hasHangul, "\(english)")
  }

  @Test("every promise is told in both languages")
  func promises() {
    let told = PeerSyncSimulation.Violation.Promise.allCases.map { Phrase.told($0) }
    for promise in told { expectTold(promise) }
    #expect(Set(told).count == PeerSyncSimulation.Violation.Promise.allCases.count)
  }

  @Test("lengths of time are told in both languages")
  func spans() {
    for (length, english, korean) in [
      (1_500, "2 seconds", "2초"), (-120_000, "2 minutes", "2분"), (90_000_000, "1 day 1 hour", "1일 1시간"),
    ] as [(Int64, String, String)] {
      let told = ClockSpan(milliseconds: length).told
      #expect(told.text(in: .english) == english && told.text(in: .korean) == korean)
    }
    let told = Phrase.simulated([1, 2, 3, 4, 5, 6], slowest: 21_000)
    #expect(
      told.text(in: .english).contains("at most 21 seconds of")
        && told.text(in: .korean).contains("길어야 21초 만에"))
    expectTold(told)
  }

  @Test("a promise that is broken, and the way to it")
  func way() throws {
    var explorer = Explorer(sabotage: .lossyDisk)
    let report = explorer.run()
    let violation = try #require(report.violation)
    expectTold(.broken(violation))
    #expect(Phrase.broken(violation).text(in: .english) == violation.description)
    #expect(!report.path.isEmpty)
    for step in report.path { expectTold(Phrase(step.english, step.korean)) }
  }

  @Test(
    "why a story does not go on",
    arguments: [
      "expect Phone owls until 2026-01-01", "expect all same digest", "cut Phone Phone", "start Nobody",
      "devices Phone",
      "environment xcode", "Phone spends owls 9 as a", "Phone spends owls 1 as a refused",
      "Phone spends owls 9 as a refused Tablet holds 3", "restore Phone", "Phone refunds a itself",
      "Phone restores",
    ])
  func problems(line: String) async throws {
    let beginning = """
      product pack consumable credit owls amount 5
      devices Phone Tablet
      Phone buys pack at 2026-01-01 as mine
      settle
      cut Phone Tablet
      Phone grants light

      """
    let scenario = try Scenario(beginning + line + "\n", file: "x.txt")
    let stage = VirtualStage(seed: 3) { ScenarioProblem($0) }
    var runner = ScenarioRunner(scenario, on: stage)
    do throws(ScenarioError) {
      for step in scenario.steps { try await runner.perform(step) }
      Issue.record("\(line) holds")
    } catch {
      expectTold(Phrase(error.problem.description, error.problem.inKorean))
      #expect(error.inKorean.hasPrefix("x.txt:\(error.line): "))
    }
  }
}

extension ScenarioProblem {
  /// A refusal, as a rehearsal tells it.
  fileprivate init(_ refusal: Refusal) {
    let told = Problem(refusal).told
    self.init(told.text(in: .english), told.text(in: .korean))
  }
}
