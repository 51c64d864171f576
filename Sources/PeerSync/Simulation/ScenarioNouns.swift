/// What a line of a story lacks, as the parser names it in English, in Korean. Words of the story language stay as they are.
enum ScenarioNouns {
  /// - Parameter expected: such as `a device`, or `a time such as 2026-01-31`
  static func korean(_ expected: String) -> String {
    if let noun = nouns[expected] { return noun }
    if expected.hasPrefix("`") { return expected }
    if let example = expected.firstRange(of: " such as ") {
      let noun = nouns[String(expected[..<example.lowerBound])]
      let rest = expected[example.upperBound...].replacing(" or ", with: ", ").replacing(
        "at most", with: "최대")
      if let noun { return "\(noun)(예: \(rest))" }
    }
    if let range = expected.firstMatch(of: #/^(.+) of (x?-?\d+) to (x?-?\d+)$/#),
      let noun = nouns[String(range.output.1)]
    {
      return "\(noun)(\(range.output.2)~\(range.output.3))"
    }
    if let list = expected.wholeMatch(of: #/up to (\d+) entitlements divided by commas/#) {
      return "쉼표로 나눈 권한, 최대 \(list.output.1)개"
    }
    if expected.hasPrefix("one of ") { return "‘\(expected.dropFirst(7))’ 가운데 하나" }
    let isList = expected.contains(" or ") && !expected.contains("`") && !expected.hasPrefix("a")
    return isList ? "‘\(expected.replacing(" or ", with: ", "))’ 가운데 하나" : "‘\(expected)’"
  }

  private static let nouns = [
    "a device": "기기", "a second device": "두 번째 기기", "a device or `all`": "기기나 `all`", "a verb": "동사",
    "a verb or a device": "동사나 기기", "a product": "상품", "a product id": "상품 ID", "a purchase": "구입",
    "a credit": "크레딧", "an entitlement": "권한", "a line": "이용 기간", "an account": "계정", "a family": "가족",
    "an environment": "환경", "a catalogue": "카탈로그", "a code": "코드", "an id": "ID", "a name": "이름",
    "a type": "종류",
    "a type of notification, or `of`": "알림의 종류나 `of`", "a time": "시각", "a period": "기간", "a price": "가격",
    "a percentage": "백분율", "a whole percentage of 0% to 99%": "0%~99%의 정수 백분율", "a duration": "시간의 길이",
    "an offset": "시각의 차이", "a quantity": "수량", "a run": "구간", "an outcome": "결과",
    "a number": "수", "an amount": "수량", "a balance": "잔액", "a debt": "부족한 수", "a level": "등급",
    "an offer": "혜택", "a period or a duration": "기간이나 시간의 길이",
    "a number of days": "날수", "periods": "기간의 수", "what is expected": "기대하는 것", "the end of the line": "줄의 끝",
    "customers divided by commas": "쉼표로 나눈 고객", "products divided by commas, or none": "쉼표로 나눈 상품이나 none",
    "runs divided by commas, or none": "쉼표로 나눈 구간이나 none", "who holds the rest, or none": "나머지를 가진 기기나 none",
  ]
}
