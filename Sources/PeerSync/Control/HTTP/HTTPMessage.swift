import PeerSync

/// What is known of a request before its body arrives.
package struct HTTPHead: Sendable {
  /// In capitals, as sent.
  package let method: String
  /// The path as sent, percent-escapes included, without the query.
  package let path: String
  /// Header values by lower-case name; repeated headers are joined by ", ".
  package let headers: [String: String]
  /// What stands behind the question mark, decoded, in the order in which it came.
  package let query: [HTTPParameter]
  /// Where this server listens.
  package let server: Address

  package init(
    method: String, path: String, headers: [String: String], server: Address, query: [HTTPParameter] = []
  ) {
    self.query = query
    self.method = method
    self.path = path
    self.headers = headers
    self.server = server
  }
}

/// One `name=value` of a query.
package struct HTTPParameter: Hashable, Sendable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension HTTPHead {
  /// The last value of a name.
  package func parameter(_ name: String) -> String? { parameters(name).last }

  /// Every value of a name.
  package func parameters(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
}

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

  /// Every header that is sent. The connection ends with each answer: only the first head on it was looked at, so that a
  /// second request must not be read.
  var fields: [String: String] {
    [
      "Content-Type": contentType, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'",
      "Connection": "close",
    ].merging(headers) { $1 }
  }
}

/// One event of a stream (WHATWG HTML, "Server-sent events").
package struct ServerSentEvent: Sendable {
  /// What a client that resumes sends as Last-Event-ID.
  package let id: String
  package let name: String
  /// One line.
  package let data: String

  package init(id: String, name: String, data: String) {
    self.id = id
    self.name = name
    self.data = data
  }

  package var encoded: [UInt8] { Array("id: \(id)\nevent: \(name)\ndata: \(data)\n\n".utf8) }
}

/// What an ``HTTPServer`` serves.
package struct HTTPApplication: Sendable {
  /// Decides on the head alone, before the body is read.
  let receive: @Sendable (HTTPHead) -> HTTPReception

  package init(receive: @escaping @Sendable (HTTPHead) -> HTTPReception) { self.receive = receive }
}

/// What becomes of a request whose head is there.
package enum HTTPReception: Sendable {
  /// This is the answer.
  case refused(HTTPResponse)
  /// Its body is read, of so many bytes at most, and answered.
  case taken(bodyLimit: Int, respond: @Sendable (_ body: [UInt8]) async -> HTTPResponse)
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
