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
    policy = AccessPolicy(token: token)
    start = hexadecimal(draw())
  }

  /// The dashboard, with a nonce of its own.
  var dashboard: HTTPResponse { Dashboard.page.response(nonce: hexadecimal(draw())) }

  /// What an ``HTTPServer`` serves.
  package var application: HTTPApplication {
    HTTPApplication { ControlAPI.table.receive($0, for: self, policy, see: "/openapi.json") }
  }

  /// For whom an answer has sentences; nil: for nobody.
  func reader(of call: EndpointCall<Void>) async throws -> Reader? {
    guard let language = call.head.parameter("language") else {
      guard call.head.parameter("zone") == nil else {
        throw Problem(
          .invalidValue,
          Phrase(
            "zone is the time zone of dates in sentences: to get sentences, add language=en or language=ko",
            "zone 값은 문장에 쓰는 날짜의 시간대이며, language 값이 없으면 문장도 없습니다. language=en 또는 language=ko 값을 더하세요"))
      }
      return nil
    }
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
    guard QueryParameter.reader.allSatisfy({ call.head.parameter($0.name) == nil }) else {
      throw Problem(
        .invalidValue,
        Phrase(
          "single events have no sentences: language and zone go with full=true, or with /v1/history",
          "사건 하나하나에는 문장이 없습니다. language, zone 값은 full=true 또는 /v1/history 경로와 함께 쓰세요"))
    }
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
