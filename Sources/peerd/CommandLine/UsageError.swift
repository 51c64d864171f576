import PeerSync

/// A wrong command line: one line that says what is wrong and what to do.
package struct UsageError: ToldError, Equatable, CustomStringConvertible {
  package let told: Phrase

  /// - Parameter told: what is wrong and what to do
  package init(_ told: Phrase) { self.told = told }

  package var description: String { told.text(in: .english) }

  package static func == (left: UsageError, right: UsageError) -> Bool {
    left.description == right.description
  }
}
