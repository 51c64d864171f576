import PeerSyncCore

/// The words of one line of a scenario, taken from left to right.
struct ScenarioWords {
  let file: String
  let number: Int
  /// The device that the line begins with, where it does.
  var subject = ""
  /// How the line is written, once its verb is known.
  var usage = ""
  private var rest: ArraySlice<String>

  init(_ line: Substring, file: String, number: Int) throws(ScenarioError) {
    self.file = file
    self.number = number
    rest = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)[...]
    guard rest.allSatisfy({ $0.utf8.count <= Limits.textBytes }) else {
      throw ScenarioError(
        file: file, line: number,
        problem: ScenarioProblem(
          "a word is longer than \(Limits.textBytes) bytes", "한 낱말이 \(Limits.textBytes)바이트보다 깁니다"))
    }
  }

  var isEmpty: Bool { rest.isEmpty }

  /// What is left, with one space between words.
  var description: String { rest.joined(separator: " ") }

  /// An error of this line.
  func failure(_ english: String, _ korean: String) -> ScenarioError {
    let (hint, inKorean) = usage.isEmpty ? ("", "") : ("; usage: \(usage)", ". 쓰는 법: ‘\(usage)’")
    return ScenarioError(
      file: file, line: number, problem: ScenarioProblem(english + hint, korean + inKorean))
  }

  func unexpected(_ expected: String, _ seen: String) -> ScenarioError {
    failure(
      "expected \(expected), saw `\(seen)`", "필요한 것: \(ScenarioNouns.korean(expected)), 실제: ‘\(seen)’")
  }

  private func ended(_ expected: String) -> ScenarioError {
    failure(
      "expected \(expected), saw the end of the line", "필요한 것: \(ScenarioNouns.korean(expected)), 실제: 줄의 끝")
  }

  // MARK: Words

  /// The next word; `what` names it where it is missing.
  mutating func word(_ what: String) throws(ScenarioError) -> String {
    guard let word = rest.popFirst() else { throw ended(what) }
    return word
  }

  /// Takes the next word if it is this one.
  mutating func skip(_ keyword: String) -> Bool {
    guard rest.first == keyword else { return false }
    rest.removeFirst()
    return true
  }

  mutating func require(_ keyword: String) throws(ScenarioError) {
    let word = try word("`\(keyword)`")
    guard word == keyword else { throw unexpected("`\(keyword)`", word) }
  }

  func requireEnd() throws(ScenarioError) {
    if let word = rest.first { throw unexpected("the end of the line", word) }
  }

  /// All that is left of the line.
  mutating func text(_ what: String) throws(ScenarioError) -> String {
    guard !rest.isEmpty else { throw ended(what) }
    defer { rest = [] }
    return rest.joined(separator: " ")
  }

  /// All that is left of the line, divided by commas; `none` is empty.
  mutating func list(_ what: String) throws(ScenarioError) -> [String] {
    let text = try text(what)
    guard text != "none" else { return [] }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      part.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    guard parts.allSatisfy({ !$0.isEmpty }) else { throw unexpected(what, text) }
    return parts
  }

  /// The value behind a keyword, if the keyword comes next.
  mutating func option(_ keyword: String, _ what: String) throws(ScenarioError) -> String? {
    skip(keyword) ? try word(what) : nil
  }
}

// MARK: - Values

extension ScenarioWords {
  mutating func time() throws(ScenarioError) -> Instant {
    let word = try word("a time")
    guard let instant = Instant(word) else {
      throw unexpected("a time such as 2026-01-31 or 2026-01-31T12:00:00Z", word)
    }
    return instant
  }

  /// A time, or nil for `none`.
  mutating func timeOrNone() throws(ScenarioError) -> Instant? { skip("none") ? nil : try time() }

  mutating func optionalTime(_ keyword: String) throws(ScenarioError) -> Instant? {
    skip(keyword) ? try time() : nil
  }

  mutating func number(_ what: String, in range: ClosedRange<Int64>) throws(ScenarioError) -> Int64 {
    let word = try word(what)
    guard let number = Int64(word), range.contains(number) else {
      throw unexpected("\(what) of \(range.lowerBound) to \(range.upperBound)", word)
    }
    return number
  }

  /// `x2`, or 1 when the next word is not of that form.
  mutating func quantity() throws(ScenarioError) -> Int {
    guard let word = rest.first, word.first == "x" else { return 1 }
    guard let quantity = Int(word.dropFirst()), (1...Limits.quantity).contains(quantity) else {
      throw unexpected("a quantity of x1 to x\(Limits.quantity)", word)
    }
    rest.removeFirst()
    return quantity
  }

  /// A per cent with up to three decimals, in milliunits of the whole.
  mutating func percentage() throws(ScenarioError) -> Int {
    let word = try word("a percentage")
    let parts = word.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard word.last == "%", parts.count <= 2, let whole = parts.first, let units = digits(whole, 1...3),
      let fraction = parts.count == 1
        ? 0 : digits(parts[1] + String(repeating: "0", count: 3 - min(parts[1].count, 3)), 3...3),
      units * 1000 + fraction <= Transaction.wholeMilliunits
    else { throw unexpected("a percentage such as 50% or 33.333%", word) }
    return units * 1000 + fraction
  }

  mutating func period() throws(ScenarioError) -> Period {
    let word = try word("a period")
    guard let period = Period(word) else { throw unexpected("a period such as P3M or P10D", word) }
    return period
  }

  /// A price such as 4.99, in thousandths of the currency's unit, up to ``Limits/sandboxPrice``.
  mutating func price() throws(ScenarioError) -> Int64 {
    let word = try word("a price")
    guard let price = Price.milliunits(word), price <= Limits.sandboxPrice else {
      throw unexpected("a price such as 4.99, at most \(Price.text(Limits.sandboxPrice))", word)
    }
    return price
  }

  /// A span of time such as `90s`, in milliseconds.
  mutating func duration(atMost days: Int64) throws(ScenarioError) -> UInt64 {
    let word = try word("a duration")
    guard let duration = Self.milliseconds(word[...]), duration <= days * Instant.dayMilliseconds else {
      throw unexpected("a duration such as 500ms, 90s, 5min, 2h or 3d, at most \(days)d", word)
    }
    return UInt64(duration)
  }

  /// A span of time with a sign, in milliseconds.
  mutating func offset(atMost days: Int64) throws(ScenarioError) -> Int64 {
    let word = try word("an offset")
    guard let sign = word.first, sign == "+" || sign == "-",
      let duration = Self.milliseconds(word.dropFirst()),
      duration <= days * Instant.dayMilliseconds
    else { throw unexpected("an offset such as +10min or -2d, at most \(days)d", word) }
    return sign == "-" ? -duration : duration
  }

  private static func milliseconds(_ text: Substring) -> Int64? {
    let units: [Substring: Int64] = ["ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
    let count = text.prefix { $0.isASCII && $0.isWholeNumber }
    guard (1...9).contains(count.count), let number = Int64(count),
      let unit = units[text.dropFirst(count.count)]
    else { return nil }
    return number * unit
  }

  private func digits(_ text: some StringProtocol, _ counts: ClosedRange<Int>) -> Int? {
    guard counts.contains(text.count), text.allSatisfy({ $0.isASCII && $0.isWholeNumber }) else { return nil }
    return Int(text)
  }
}
