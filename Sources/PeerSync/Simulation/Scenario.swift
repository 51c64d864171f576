/// A story that a person can read and a test can run: devices that are cut off, buy, crash and meet again, and what each
/// must answer then.
///
/// One step to a line, words between spaces, comments from `#` on. The steps happen one after another, in the virtual time of a
/// ``World`` of real engines or with real processes; ``ScenarioRunner`` runs them. docs/testing.md describes the format; the table of verbs
/// (`ScenarioVerb.swift`) is the whole grammar.
package struct Scenario: Hashable, Sendable {
  /// The file's name, for errors.
  package let file: String
  /// What happens, in order, each with its line in the file.
  package let steps: [NumberedStep]

  /// A step and where it stands.
  package struct NumberedStep: Hashable, Sendable {
    /// From 1.
    package let line: Int
    /// What stands there, without the comment.
    package let text: String
    package let step: ScenarioStep
  }

  /// Reads a scenario. Any text is safe: what is not a step is an error with its line.
  package init(_ text: String, file: String) throws(ScenarioError) {
    var steps: [NumberedStep] = []
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      var words = try ScenarioWords(line, file: file, number: number)
      guard !words.isEmpty else { continue }
      let text = words.description
      steps.append(NumberedStep(line: number, text: text, step: try ScenarioVerb.step(&words)))
    }
    self.file = file
    self.steps = steps
  }
}

/// A scenario that cannot be read, or that did not go as it says.
package struct ScenarioError: Error, Hashable, CustomStringConvertible {
  /// The scenario's file.
  package let file: String
  /// The line in it, from 1.
  package let line: Int
  /// What is wrong: what was expected, and what was seen.
  package let problem: ScenarioProblem

  package init(file: String, line: Int, problem: ScenarioProblem) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  package var description: String { "\(file):\(line): \(problem)" }

  /// The same to whoever reads Korean.
  package var inKorean: String { "\(file):\(line): \(problem.inKorean)" }
}

/// Why a story cannot go on, in both languages; whoever plays it says where. What is quoted of the story, or is said in its words, is the
/// same in both.
package struct ScenarioProblem: Error, Hashable, CustomStringConvertible {
  package let description: String
  package let inKorean: String

  package init(_ english: String, _ korean: String) { (description, inKorean) = (english, korean) }

  /// What somebody else says in English alone.
  package static func quoted(_ text: String) -> ScenarioProblem { ScenarioProblem(text, "‘\(text)’") }

  /// That something is otherwise, both in the words of stories.
  package static func expected(_ expected: String, saw seen: String) -> ScenarioProblem {
    ScenarioProblem("expected \(expected), saw \(seen)", "기대한 것: ‘\(expected)’, 실제: ‘\(seen)’")
  }

  /// That the sandbox store does not do something.
  package static func refused(byStore why: ScenarioProblem) -> ScenarioProblem {
    ScenarioProblem("the store refuses: \(why)", "스토어에서 거절했습니다: \(why.inKorean)")
  }
}
