import PeerSync

/// The control API of one daemon: turns requests into calls of the ``Daemon`` and its answers into responses.
package struct ControlAPI: Sendable {
  let daemon: Daemon
  private let policy: AccessPolicy
  /// Names this start of the daemon in event ids: revisions of an earlier one mean nothing.
  private let start: String
  private let draw: @Sendable () -> UInt64

  /// - Parameters:
  ///   - token: what each request has to bring along, but for what is open to all
  ///   - draw: draws a random number
  package init(daemon: Daemon, token: String, draw: @escaping @Sendable () -> UInt64) {
    self.daemon = daemon
    self.draw = draw
    policy = AccessPolicy(token: token, openPaths: ControlAPI.table.openPaths)
    start = hexadecimal(draw())
  }

  /// The dashboard, with a nonce of its own.
  var dashboard: HTTPResponse { Dashboard.page.response(nonce: hexadecimal(draw())) }

  /// What an ``HTTPServer`` serves.
  package var application: HTTPApplication { HTTPApplication(receive: receive) }

  private func receive(_ head: HTTPHead) -> HTTPReception {
    if let refusal = policy.refusal(of: head) { return .refused(refusal.response) }
    guard let found = ControlAPI.table.find(method: head.method, path: head.path) else {
      return .refused(ControlAPI.absence(of: head))
    }
    guard !ControlAPI.hasBody(head) || ControlAPI.isJSON(head) else {
      let remedy = Phrase("send the body as application/json", "본문을 application/json 형식으로 보내세요")
      return .refused(Problem(.unsupportedMediaType, remedy).response)
    }
    return .taken(bodyLimit: found.bodyLimit) { body in
      do { return try await found.response(to: head, body, from: self) } catch {
        return Problem(of: error).response
      }
    }
  }

  private static func hasBody(_ head: HTTPHead) -> Bool {
    head.headers["transfer-encoding"] != nil || head.headers["content-length"].map { $0 != "0" } ?? false
  }

  private static func isJSON(_ head: HTTPHead) -> Bool {
    let type = head.headers["content-type"]?.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    return type?.lowercased() == "application/json"
  }

  /// That no endpoint takes a request. Whoever used a wrong method is told the right ones (RFC 9110, section 15.5.6).
  private static func absence(of head: HTTPHead) -> HTTPResponse {
    let methods = table.methods(of: head.path)
    guard !methods.isEmpty else {
      return Problem.nothing(at: head.path, see: "/openapi.json").response
    }
    let named = methods.filter { $0 != "HEAD" }.joined(separator: ", ")
    let detail = Phrase(
      "\(head.path) takes \(named), not \(head.method)",
      "\(head.path) 경로에는 \(head.method) 대신 \(named) 메서드를 쓰세요")
    var response = Problem(.methodNotAllowed, detail).response
    response.headers["Allow"] = methods.joined(separator: ", ")
    return response
  }

  /// For whom an answer has sentences; nil: for nobody.
  func reader(of call: EndpointCall<Void>) async throws -> Reader? {
    guard let language = call.head.parameter("language") else { return nil }
    let products = try await daemon.products().products
    let reader = Reader(
      language: language, zone: call.head.parameter("zone") ?? "UTC", products: products)
    guard let reader else {
      throw Problem(
        .invalidValue,
        Phrase(
          "language is en or ko, and zone a time zone such as Asia/Seoul",
          "language 값은 en 또는 ko이고, zone 값은 Asia/Seoul 같은 시간대입니다"))
    }
    return reader
  }

  /// What happens from the event on that a client names as its last, each thing by itself; or the whole status at each change.
  func events(_ call: EndpointCall<Void>) async throws -> HTTPResponse {
    let last = call.head.headers["last-event-id"]
    guard try !call.flag("full") else { return statuses(since: last, for: try await reader(of: call)) }
    // What another start of the daemon counted means nothing now.
    let known = last.map { number(in: $0, behind: "-e") ?? .max }
    let events = await daemon.events(since: known, traffic: try call.flag("traffic")).map { [start] event in
      ServerSentEvent(id: "\(start)-e\(event.number)", event)
    }
    return HTTPResponse(contentType: "text/event-stream", body: .events(events))
  }

  private func statuses(since last: String?, for reader: Reader?) -> HTTPResponse {
    let known = last.flatMap { number(in: $0, behind: "-") }
    let events = daemon.changes(since: known).map { [start] change in
      let data = String(decoding: JSON.encode(reader.map(change.told(to:)) ?? change), as: UTF8.self)
      return ServerSentEvent(id: "\(start)-\(change.revision)", name: "changed", data: data)
    }
    return HTTPResponse(contentType: "text/event-stream", body: .events(events))
  }

  private func number(in id: String, behind mark: String) -> UInt64? {
    id.hasPrefix(start + mark) ? UInt64(id.dropFirst(start.count + mark.count)) : nil
  }
}

/// A QR code for a page to draw.
struct QRCodeAnswer: Encodable {
  let rows: [String]
}

extension ServerSentEvent {
  fileprivate init(id: String, _ event: DeviceEvent) {
    let (name, data) =
      switch event {
      case .ready(let number): ("ready", JSON.encode(PositionAnswer(ready: number)))
      case .reset(let number): ("reset", JSON.encode(PositionAnswer(reset: number)))
      case .happened(_, let event): (event.type.rawValue, JSON.encode(event))
      case .traffic(_, let traffic): (traffic.type, JSON.encode(traffic))
      }
    self.init(id: id, name: name, data: String(decoding: data, as: UTF8.self))
  }
}
