// Warnings, for people.
extension StatusAnswer {
  /// What is warned of, in every language that the daemon has told it in.
  package var told: [Phrase] {
    let korean = warningsInKorean ?? []
    guard korean.count == warnings.count else { return warnings.map { .same($0) } }
    return zip(warnings, korean).map { Phrase($0, $1) }
  }
}
