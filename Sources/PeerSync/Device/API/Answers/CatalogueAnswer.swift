/// Products that were written.
public struct CatalogueAnswer: Codable, Hashable, Sendable {
  /// How many; those that stood as they are were not.
  public let written: Int
  /// One sentence for each field that was ignored.
  public let warnings: [String]
  /// ``warnings`` in Korean, one for each; nil from a daemon of an earlier version.
  public let warningsInKorean: [String]?

  package init(written: Int, told warnings: [Phrase]) {
    self.written = written
    self.warnings = warnings.map { $0.text(in: .english) }
    warningsInKorean = warnings.map { $0.text(in: .korean) }
  }
}
