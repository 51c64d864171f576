/// A text for people. Whoever adds one says it in every language: the compiler asks for it.
///
/// Names, ids and commands stand in it as they are. In Korean a name stands in quotation marks with a noun behind it, so that
/// particles fit whatever it ends in.
package struct Phrase: Hashable, Sendable {
  private let english: String
  private let korean: String

  package init(_ english: String, _ korean: String) { (self.english, self.korean) = (english, korean) }

  /// The same in every language: a name, an id, a number.
  package static func same(_ text: String) -> Phrase { Phrase(text, text) }

  package func text(in language: SentenceLanguage) -> String {
    switch language {
    case .english: english
    case .korean: korean
    }
  }

  /// One behind the other, without a gap.
  package static func + (left: Phrase, right: Phrase) -> Phrase {
    Phrase(left.english + right.english, left.korean + right.korean)
  }

  /// All of them, with the same between each two.
  package static func joined(_ phrases: [Phrase], by gap: String) -> Phrase {
    Phrase(
      phrases.map(\.english).joined(separator: gap), phrases.map(\.korean).joined(separator: gap))
  }
}

/// An error that people read, in their language.
package protocol ToldError: Error {
  /// What happened and what to do about it, in one line.
  var told: Phrase { get }
}

extension Phrase {
  /// What an error says. One that is not of this program says it in its own language.
  package init(_ error: any Error) { self = (error as? any ToldError)?.told ?? .same("\(error)") }
}
