import PeerSync

/// What the server sends back.
package struct HTTPResponse: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    /// Sent as they come, until the stream ends, the client leaves or the server stops.
    case events(any AsyncSequence<ServerSentEvent, Never> & Sendable)
  }

  package var status: UInt32
  package var contentType: String
  package var headers: [String: String] = [:]
  package var body: Body

  package init(status: UInt32 = 200, contentType: String, headers: [String: String] = [:], body: Body) {
    self.status = status
    self.contentType = contentType
    self.headers = headers
    self.body = body
  }
}

extension HTTPResponse {
  package static func json(_ value: some Encodable) -> HTTPResponse {
    HTTPResponse(contentType: "application/json", body: .bytes(JSON.encode(value)))
  }

  package static func text(_ text: String, type: String) -> HTTPResponse {
    HTTPResponse(contentType: type, body: .bytes(Array(text.utf8)))
  }

  /// Every header that is sent.
  ///
  /// - Parameter isLast: whether the connection ends with this answer
  func fields(isLast: Bool) -> [String: String] {
    var fields = [
      "Content-Type": contentType, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'",
    ].merging(headers) { $1 }
    if isLast { fields["Connection"] = "close" }
    return fields
  }
}

extension Problem {
  /// There is nothing at a path.
  ///
  /// - Parameter document: tells what there is
  package static func nothing(at path: String, see document: String) -> Problem {
    Problem(
      .notFound,
      Phrase(
        "there is nothing at \(path); see \(document)", "\(path) 경로에는 아무것도 없습니다. \(document) 문서를 보세요"))
  }

  /// The problem as it is sent.
  package var response: HTTPResponse {
    var response = HTTPResponse(
      status: status, contentType: "application/problem+json", body: .bytes(JSON.encode(self)))
    if code == .tokenRequired { response.headers["WWW-Authenticate"] = "Bearer" }
    return response
  }
}
