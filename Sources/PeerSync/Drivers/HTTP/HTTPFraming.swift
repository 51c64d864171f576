/// Whether a request says in one way only where it ends, and nothing that a reader could take for something else.
///
/// The library is lenient: of two lengths it takes one. Between it and a client there is nobody today who could
/// understand a request in another way; but what no client in its right mind sends is not worth a guess.
enum HTTPFraming {
  /// What is wrong; nil: nothing.
  static func objection(to head: HTTPHead) -> String? {
    guard head.path.hasPrefix("/") || head.path == "*" else { return "the target is no path" }
    for name in single where head.repeated[name] != nil { return "there is more than one \(name)" }
    let (length, coding) = (head.headers["content-length"], head.headers["transfer-encoding"])
    if let length, !isNumber(length) { return "the content-length is no number" }
    guard let coding else { return nil }
    if length != nil { return "there are both content-length and transfer-encoding" }
    if head.version != "HTTP/1.1" { return "transfer-encoding needs HTTP/1.1" }
    return coding.lowercased() == "chunked" ? nil : "of transfer-encoding only chunked is known"
  }

  /// Headers that a request has once.
  private static let single = [
    "host", "content-length", "transfer-encoding", "content-type", "authorization", "origin",
    "sec-fetch-site",
  ]

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(text) != nil
  }
}
