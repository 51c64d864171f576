/// Why a catalogue file was refused: one sentence that names the file, the place and the value.
public struct CatalogueError: Error, Hashable, CustomStringConvertible {
  /// The file's name as given.
  public let file: String
  /// The problem, in every language.
  fileprivate let phrase: Phrase

  init(file: String, problem: Phrase) { (self.file, phrase) = (file, problem) }

  /// Where and what, such as `products[2].period: "3 months" is not an ISO 8601 period such as P3M`.
  public var problem: String { phrase.text(in: .english) }

  /// The whole sentence.
  public var description: String { "\(file): \(problem)" }
}

extension CatalogueError: ToldError {
  package var told: Phrase { Phrase.same("\(file): ") + phrase }
}
