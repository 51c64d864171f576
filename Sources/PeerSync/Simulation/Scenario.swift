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
  package let problem: String
  /// What was refused of it, in Korean; nil: nothing was, for what stories expect and see is said in English.
  package var refusalInKorean: String?

  package init(file: String, line: Int, problem: String) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  package var description: String { "\(file):\(line): \(problem)" }
}
