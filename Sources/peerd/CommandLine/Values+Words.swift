import PeerSync

// Readers of what single commands take.
extension Values {
  func offset(_ option: OptionSpec) throws(UsageError) -> Int64? {
    guard let text = text(option) else { return nil }
    if let offset = Offset.milliseconds(text) { return offset }
    throw error(
      Phrase(
        "--\(option.name) is a duration such as -90d, +1h30m or P1D, up to 100 years (36525d), not '\(text)'",
        "--\(option.name) 값은 -90d, +1h30m, P1D 같은 100년(36525d) 이하의 길이입니다. 지정한 값: ‘\(text)’"))
  }

  /// An operand that counts credits; 1 where it is left out.
  func amount(_ index: Int) throws(UsageError) -> Int {
    guard let text = operand(index) else { return 1 }
    guard let amount = Int(text), (1...Int(Limits.creditTotal)).contains(amount) else {
      throw error(
        Phrase(
          "N is a whole number of credits from 1, not '\(text)'",
          "N 값은 1 이상인 크레딧의 개수입니다. 지정한 값: ‘\(text)’"))
    }
    return amount
  }

  func store() throws(UsageError) -> LocalServer? {
    guard let text = text(.store) else { return nil }
    guard let store = LocalServer(text), store.path == "/" else {
      throw error(
        Phrase(
          "--store is a URL of this machine such as http://127.0.0.1:7500, not '\(text)'",
          "--store 값은 http://127.0.0.1:7500 같은 이 컴퓨터의 URL입니다. 지정한 값: ‘\(text)’"))
    }
    return store
  }

  func seconds(_ option: OptionSpec) throws(UsageError) -> Double {
    guard let text = text(option) else { return 30 }
    guard let seconds = Double(text), (0...86_400).contains(seconds) else {
      throw error(
        Phrase(
          "--\(option.name) is a number of seconds from 0 to 86400, not '\(text)'",
          "--\(option.name) 값은 0에서 86400까지의 초입니다. 지정한 값: ‘\(text)’"))
    }
    return seconds
  }

  func seed(_ option: OptionSpec) throws(UsageError) -> UInt64? {
    guard let text = text(option) else { return nil }
    guard let seed = UInt64(text) else {
      throw error(
        Phrase(
          "--\(option.name) is a whole number, not '\(text)'",
          "--\(option.name) 값은 0 이상의 정수입니다. 지정한 값: ‘\(text)’"))
    }
    return seed
  }

  func digest(_ option: OptionSpec) throws(UsageError) -> String? {
    guard let text = text(option)?.lowercased() else { return nil }
    guard text.utf8.count == 32, text.allSatisfy({ $0.isHexDigit }) else {
      throw error(
        Phrase(
          "--\(option.name) is 32 hexadecimal digits, as in `peerd status`",
          "--\(option.name) 값은 `peerd status` 명령에 나오는 16진수 32자리입니다"))
    }
    return text
  }

  func entitlement(_ text: String) throws(UsageError) -> WaitOptions.Entitlement {
    guard let equals = text.lastIndex(of: "=") else {
      return WaitOptions.Entitlement(id: text, isActive: true)
    }
    let state = text[text.index(after: equals)...]
    guard state == "active" || state == "inactive" else {
      throw error(
        Phrase(
          "--entitlement is ID, ID=active or ID=inactive, not '\(text)'",
          "--entitlement 값은 ID, ID=active, ID=inactive 가운데 하나입니다. 지정한 값: ‘\(text)’"))
    }
    return WaitOptions.Entitlement(id: String(text[..<equals]), isActive: state == "active")
  }
}
