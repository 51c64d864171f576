// Why a text is not JSON, for people.
extension JSONError {
  /// Where and what.
  package var told: Phrase { Phrase("line \(line): \(problem)", "\(line)번째 줄: \(korean)") }

  private var korean: String {
    switch fault {
    case .moreText: "끝난 뒤에 텍스트가 더 있습니다"
    case .tooDeep: "\(JSONParser.depth)단계보다 깊습니다"
    case .noValue: "JSON 값이 아닙니다"
    case .noName: "따옴표로 묶은 이름이 없습니다"
    case .noColon(let name): "\"\(name)\" 뒤에 \":\" 문자가 없습니다"
    case .noBrace: "\"}\" 또는 \",\" 문자가 없습니다"
    case .noBracket: "\"]\" 또는 \",\" 문자가 없습니다"
    case .twice(let name): "\"\(name)\" 이름이 두 번 있습니다"
    case .endsEarly: "텍스트가 중간에 끝납니다"
    case .controlCharacter: "문자열에 제어 문자가 있습니다"
    case .noEnd: "문자열이 끝나지 않습니다"
    case .notUTF8: "UTF-8이 아닌 문자열이 있습니다"
    case .unknownEscape: "문자열에 알 수 없는 이스케이프가 있습니다"
    case .halfPair: "문자열에 짝이 없는 서로게이트가 있습니다"
    case .noDigits: "\\u 뒤에 16진수 네 자리가 있어야 합니다"
    }
  }
}
