import PeerSync

/// A wrong command line: one line that says what is wrong and what to do.
package struct UsageError: ToldError, Equatable, CustomStringConvertible {
  package let told: Phrase

  init(_ told: Phrase) { self.told = told }

  /// What is said of single values is in English, like the help.
  package init(_ description: String) { told = .same(description) }

  package var description: String { told.text(in: .english) }

  package static func == (left: UsageError, right: UsageError) -> Bool {
    left.description == right.description
  }
}
