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
    guard target.hasPrefix("/") || target == "*" else { return malformed("the target is not a path") }
    for name in Self.single where (headers[name]?.count ?? 0) > 1 {
      return malformed("there is more than one \(name)")
    }
    let (length, coding) = (headers["content-length"]?.first, headers["transfer-encoding"]?.first)
    if let length, !Self.isNumber(length) { return malformed("the content-length is not a number") }
    if let expected = headers["expect"]?.first, expected.lowercased() != "100-continue" {
      return malformed("of expectations only 100-continue is known")
    }
    if coding != nil, length != nil {
      return malformed("there are both content-length and transfer-encoding")
    }
    guard coding == nil else {
      return Problem(.lengthRequired, "send the body whole, with Content-Length instead of Transfer-Encoding")
    }
    return names <= HTTPLimits.headNames
      ? nil
      : Problem(.headTooLarge, "there are more than \(HTTPLimits.headNames) headers, parameters and cookies")
  }

  private func malformed(_ detail: String) -> Problem { Problem(.malformedRequest, detail) }

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
