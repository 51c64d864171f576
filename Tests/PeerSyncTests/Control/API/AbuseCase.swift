import Testing

/// One rude request to the control API, and what must come of it.
struct AbuseCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// What is sent. PORT and TOKEN stand for those of the server.
  let bytes: String
  /// The statuses of all answers that come before the connection ends; none: it ends without an answer. Any of these
  /// will do.
  let outcomes: Set<[Int]>

  init(_ name: String, _ bytes: String, _ outcomes: [Int]...) {
    self.name = name
    self.bytes = bytes
    self.outcomes = Set(outcomes)
  }

  var testDescription: String { name }

  /// A request that is right but for what is said here.
  ///
  /// - Parameters:
  ///   - host, token: header lines; nil: the right one; empty: none
  ///   - more: further header lines, each with its end
  static func request(
    _ target: String = "/v1/status", method: String = "GET", host: String? = nil, token: String? = nil,
    more: String = "", body: String = "", version: String = "HTTP/1.1"
  ) -> String {
    let host = host ?? "Host: 127.0.0.1:PORT\r\n"
    let token = token ?? "Authorization: Bearer TOKEN\r\n"
    return "\(method) \(target) \(version)\r\n\(host)\(token)\(more)\r\n\(body)"
  }

  /// A change that would count if it were let through.
  static func change(
    host: String? = nil, token: String? = nil, type: String = "application/json", more: String = ""
  ) -> String {
    let body = "{\"value\":1}"
    return request(
      "/v1/values/x", method: "PUT", host: host, token: token,
      more: "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(more)", body: body)
  }

  /// A body that another request hides in.
  static func smuggled(_ headers: String, _ body: String) -> String {
    request(
      "/v1/values/x", method: "PUT", more: "Content-Type: application/json\r\n\(headers)", body: body)
  }

  static let hidden = request("/v1/values/hidden", method: "GET")
}
