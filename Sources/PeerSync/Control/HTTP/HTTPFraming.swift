import PeerSync

/// Whether a request says in one way only where it ends, and nothing that a reader could take for something else.
///
/// Between the server and a client there is nobody today who could understand a request in another way; but what no client
/// in its right mind sends is not worth a guess.
struct HTTPFraming {
  let target: String
  /// The values of each header, by lower-case name.
  var headers: [String: [String]] = [:]

  init(target: String) { self.target = target }

  /// What is wrong; nil: nothing.
  func objection() -> Problem? {
    guard target.hasPrefix("/") || target == "*" else {
      return malformed(Phrase("the target is not a path", "요청 대상이 경로가 아닙니다"))
    }
    for name in Self.single where (headers[name]?.count ?? 0) > 1 {
      return malformed(Phrase("there is more than one \(name)", "\(name) 헤더가 여러 개입니다"))
    }
    let (length, coding) = (headers["content-length"]?.first, headers["transfer-encoding"]?.first)
    if let length, !Self.isNumber(length) {
      return malformed(Phrase("the content-length is not a number", "content-length 값이 숫자가 아닙니다"))
    }
    if let expected = headers["expect"]?.first, expected.lowercased() != "100-continue" {
      return malformed(
        Phrase("of expectations only 100-continue is known", "expect 값으로는 100-continue만 쓸 수 있습니다"))
    }
    if coding != nil, length != nil {
      return malformed(
        Phrase(
          "there are both content-length and transfer-encoding", "content-length와 transfer-encoding이 함께 있습니다")
      )
    }
    guard coding == nil else {
      return Problem(
        .lengthRequired,
        Phrase(
          "send the body whole, with Content-Length instead of Transfer-Encoding",
          "Transfer-Encoding 대신 Content-Length와 함께 본문을 한 번에 보내세요"))
    }
    return names <= HTTPLimits.headNames
      ? nil
      : Problem(
        .headTooLarge,
        Phrase(
          "there are more than \(HTTPLimits.headNames) headers, parameters and cookies",
          "헤더와 매개변수, 쿠키가 \(HTTPLimits.headNames)개보다 많습니다"))
  }

  /// How long the body is, of what nothing is wrong with.
  var bodyBytes: UInt64 { headers["content-length"]?.first.flatMap { UInt64($0) } ?? 0 }

  private func malformed(_ detail: Phrase) -> Problem { Problem(.malformedRequest, detail) }

  /// What the library takes memory for, each: headers, parameters of the query, cookies.
  private var names: Int {
    let cookies = headers["cookie", default: []].joined(separator: ";").utf8
    return headers.values.reduce(0) { $0 + $1.count } + target.utf8.count { $0 == UInt8(ascii: "&") }
      + cookies.count { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
  }

  /// Headers that a request has once.
  private static let single = [
    "host", "content-length", "transfer-encoding", "content-type", "authorization", "origin",
    "sec-fetch-site", "expect",
  ]

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(text) != nil
  }
}
