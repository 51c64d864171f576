import PeerSync

/// A wrong command line: one line that says what is wrong and what to do.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  let phrase: Phrase

  init(_ phrase: Phrase) { self.phrase = phrase }

  /// What is said of single values is in English, like the help.
  package init(_ description: String) { phrase = .same(description) }

  package var description: String { phrase.text(in: .english) }

  package static func == (left: UsageError, right: UsageError) -> Bool {
    left.description == right.description
  }
}
