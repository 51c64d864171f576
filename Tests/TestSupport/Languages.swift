extension String {
  /// Whether there is Korean in it.
  package var hasHangul: Bool { unicodeScalars.contains { (0xac00...0xd7a3).contains($0.value) } }

  /// Whether it has three English words in a row, which is more than a name, once commands and ids are taken out.
  package var hasEnglishSentence: Bool { plain.contains(#/[A-Za-z]*[a-z]{2,} [a-z]{2,} [a-z]{2,}/#) }

  /// The same with commas between the words; or a heading.
  package var isEnglish: Bool {
    plain.contains(#/[A-Za-z]*[a-z]{2,}[,;:]? [a-z]{2,}[,;:]? [a-z]{2,}/#)
      || plain.contains(#/\b[A-Z]{4,}( [A-Z]+)*\b/#)
  }

  private var plain: String {
    replacing(#/`[^`]*`|‘[^’]*’|'[^']*'/#, with: " ").replacing(#/\S*[0-9.\/:_-]\S*/#, with: " ")
      // What Apple calls it.
      .replacing(#/\b(SUBSCRIBED|EXPIRED|REFUND|REVOKE|TEST)\b/#, with: " ")
  }
}
