import PeerSync

// What is wrong with a command line.
extension Phrase {
  package static func seeHelp(_ command: String) -> Phrase {
    let help = command.isEmpty ? "peerd --help" : "peerd \(command) --help"
    return Phrase("; see \(help)", ". `\(help)` 명령을 보세요")
  }

  package static func didYouMean(_ word: String) -> Phrase { didYouMean(Phrase("'\(word)'", "‘\(word)’")) }

  /// In brackets, so that more may follow.
  static func didYouMean(_ guess: Phrase) -> Phrase {
    Phrase(" (did you mean ", "(비슷한 이름: ") + guess + Phrase("?)", ")")
  }

  static func noCommand(_ name: String) -> Phrase {
    Phrase("there is no command '\(name)'", "‘\(name)’ 명령이 없습니다")
  }

  static func noSetting(_ name: String) -> Phrase {
    Phrase("there is no setting '\(name)'", "‘\(name)’ 설정이 없습니다")
  }

  static func noVerb(_ name: String) -> Phrase {
    Phrase("peerd store has no verb '\(name)'", "`peerd store`에 ‘\(name)’ 동작이 없습니다")
  }

  static let commandFirst = Phrase(
    "the command comes first, then its options", "명령을 먼저 쓰고 그 뒤에 옵션을 씁니다")
  static func noOption(_ name: String) -> Phrase { Phrase("there is no option \(name)", "\(name) 옵션이 없습니다") }
  static func takesNoValue(_ option: String) -> Phrase {
    Phrase("--\(option) takes no value", "--\(option) 옵션에는 값이 없습니다")
  }

  static func needsValue(_ option: String, _ unit: String) -> Phrase {
    Phrase("--\(option) needs a value: \(unit)", "--\(option) 옵션에 값이 필요합니다: \(unit)")
  }

  static func mustNotBeEmpty(_ name: String) -> Phrase {
    Phrase("\(name) must not be empty", "\(name)에 빈 값을 쓸 수 없습니다")
  }

  static func givenTwice(_ option: String) -> Phrase {
    Phrase("--\(option) was given twice", "--\(option) 옵션을 두 번 썼습니다")
  }

  static func isMissing(_ operand: String) -> Phrase {
    Phrase("\(operand) is missing", "\(operand)이(가) 빠졌습니다")
  }
  static func isWritten(_ command: String) -> Phrase {
    Phrase("it is `peerd \(command)`", "`peerd \(command)` 형식으로 쓰세요")
  }
  static func tooMany(_ word: String) -> Phrase {
    Phrase("'\(word)' is one word too many", "‘\(word)’은(는) 필요 없는 말입니다")
  }

  static func either(_ option: String, or other: String) -> Phrase {
    Phrase("give either \(option) or \(other)", "\(option) 옵션과 \(other) 옵션 가운데 하나만 쓰세요")
  }

  static func isOne(of known: String, _ name: String, not text: String) -> Phrase {
    Phrase(
      "\(name) is one of \(known), not '\(text)'", "\(name) 값은 다음 가운데 하나입니다: \(known). 지정한 값: ‘\(text)’")
  }

  static func goes(_ option: String, with others: String) -> Phrase {
    Phrase("\(option) goes with \(others)", "\(option) 옵션은 \(others) 옵션과 함께 씁니다")
  }

  static let noDirectory = Phrase(
    "no data directory is known: give --data DIR", "데이터 디렉터리를 알 수 없습니다. --data DIR 옵션을 쓰세요")
}
