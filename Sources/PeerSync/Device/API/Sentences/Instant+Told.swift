// What is wrong with a time, for people.
extension Instant {
  /// Why a date cannot be signed, in one line that says what to do.
  ///
  /// - Parameter name: where the date comes from
  package static func unsignedTold(_ name: Phrase, _ date: Instant) -> Phrase {
    name
      + Phrase(
        " is a time from 1970-01-01 on, as all that stores sign, not \(date)",
        ": 스토어가 서명하는 시각은 1970-01-01부터입니다. 지금 값은 \(date)입니다")
  }
}

extension UnreadableText {
  /// ``description``, in every language.
  var told: Phrase {
    switch self {
    case .instant(let text):
      Phrase(
        description, "‘\(text)’ 값은 2026-01-31T00:00:00Z 같은 시각도 2026-01-31 같은 날짜도 아닙니다")
    case .period(let text): Phrase(description, "‘\(text)’ 값은 P3M 같은 ISO 8601 기간이 아닙니다")
    }
  }
}
