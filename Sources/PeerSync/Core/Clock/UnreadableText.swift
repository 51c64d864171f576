/// Why a text of a document stands for no time and no period.
package enum UnreadableText: Error, Hashable, CustomStringConvertible {
  case instant(String)
  case period(String)

  /// What it should have been, in one sentence.
  package var description: String {
    switch self {
    case .instant(let text):
      "'\(text)' is neither a time such as 2026-01-31T00:00:00Z nor a day such as 2026-01-31"
    case .period(let text): "'\(text)' is not an ISO 8601 period such as P3M"
    }
  }

  /// The same as a decoder throws it, with itself beneath for whoever says it in another language.
  func error(at path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: path, debugDescription: description, underlyingError: self))
  }
}
