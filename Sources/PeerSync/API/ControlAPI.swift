/// The control API of one daemon: turns requests into calls of the ``Daemon`` and its answers into responses.
package struct ControlAPI: Sendable {
  private let daemon: Daemon
  private let policy: AccessPolicy
  /// Names this start of the daemon in event ids: revisions of an earlier one mean nothing.
  private let start: String

  package init(daemon: Daemon, token: String) {
    self.daemon = daemon
    policy = AccessPolicy(token: token, openPaths: ["/", "/healthz", "/openapi.json"])
    start = hexadecimal(UInt64.random(in: .min ... .max))
  }

  /// A token nobody can guess: 256 random bits.
  package static func makeToken() -> String {
    (0..<4).map { _ in hexadecimal(UInt64.random(in: .min ... .max)) }.joined()
  }

  /// What an ``HTTPServer`` serves.
  package var application: HTTPApplication {
    HTTPApplication(
      refuse: { head in refusal(of: head).map { answer($0, to: head) } }, bodyLimit: bodyLimit,
      respond: respond)
  }

  private func refusal(of head: HTTPHead) -> Problem? {
    if let refusal = policy.refusal(of: head) { return refusal }
    do throws(Problem) { _ = try Router.route(method: head.method, path: head.path) } catch { return error }
    let hasBody =
      head.headers["transfer-encoding"] != nil || head.headers["content-length"].map { $0 != "0" } ?? false
    let type = head.headers["content-type"]?.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    guard hasBody, type?.lowercased() != "application/json" else { return nil }
    return Problem(.unsupportedMediaType, "send the body as application/json")
  }

  /// A problem as it is sent. Who used a wrong method is told the right ones (RFC 9110, section 15.5.6).
  private func answer(_ problem: Problem, to head: HTTPHead) -> HTTPResponse {
    var response = problem.response
    if problem.code == .methodNotAllowed {
      response.headers["Allow"] = Router.methods(of: head.path).joined(separator: ", ")
    }
    return response
  }

  private func bodyLimit(_ head: HTTPHead) -> Int {
    let route = try? Router.route(method: head.method, path: head.path)
    return route == .importLedger ? HTTPLimits.importBytes : HTTPLimits.bodyBytes
  }

  private func respond(_ request: HTTPRequest) async -> HTTPResponse {
    do {
      let (entry, route) = try Router.find(method: request.head.method, path: request.head.path)
      let body = try request.body(of: entry)
      return try await respond(to: route, request, body)
    } catch {
      return answer(Problem(of: error), to: request.head)
    }
  }

  private func respond(
    to route: Route, _ request: HTTPRequest, _ body: JSONValue?
  ) async throws -> HTTPResponse {
    switch route {
    case .status: .json(try await daemon.status())
    case .entitlements: .json(EntitlementsAnswer(entitlements: try await daemon.status().entitlements))
    case .entitlement(let id): .json(try await daemon.entitlement(id))
    case .why(let id): .json(try await daemon.why(id))
    case .line(let id): .json(try await daemon.line(id))
    case .subscriptions:
      .json(SubscriptionsAnswer(subscriptions: try await daemon.status().subscriptions))
    case .products: .json(try await daemon.products())
    case .transactions: .json(try await daemon.transactions())
    case .notifications: .json(try daemon.notificationHistory())
    case .credits: .json(try await daemon.credits())
    case .value(let key): .json(try await daemon.value(key))
    case .devices: .json(try await daemon.devices())
    case .exportLedger: .json(try await daemon.exportLedger())
    case .events: events(since: request.head.headers["last-event-id"])
    case .metrics: .text(try await daemon.metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
    case .health: .json(HealthAnswer(status: try await daemon.health(), version: Version.current))
    case .openAPI: .json(OpenAPI.document)
    case .dashboard: Dashboard.response
    case .purchase, .refund, .restore, .spend, .reclaim, .ingest, .setExpiration, .grant, .revoke, .setValue,
      .invite,
      .join, .remove,
      .network:
      try await change(route, request)
    case .importLedger: .json(try await daemon.importLedger(body.map(JSONDocument.init) ?? .null))
    }
  }

  private func change(_ route: Route, _ request: HTTPRequest) async throws -> HTTPResponse {
    switch route {
    case .purchase:
      let body = try request.decode(PurchaseBody.self)
      return .json(
        try await daemon.purchase(
          body.productId, quantity: body.quantity ?? 1, at: body.at, offer: body.offer))
    case .refund: return .json(try await daemon.refund(try request.decode(RefundBody.self).transactionId))
    case .spend(let credit):
      let body = request.body.isEmpty ? SpendBody(amount: nil, id: nil) : try request.decode(SpendBody.self)
      return .json(try await daemon.spend(credit, amount: body.amount ?? 1, id: body.id))
    case .reclaim(let credit): return .json(try await daemon.reclaim(credit))
    case .restore: return .json(try await daemon.restore())
    case .ingest: return .json(try await daemon.ingest(try request.decode(IngestBody.self).items))
    case .setExpiration(let line):
      return .json(
        try await daemon.setExpiration(of: line, to: try request.decode(ExpirationBody.self).expires))
    case .grant(let id):
      let body = request.body.isEmpty ? GrantBody(until: nil) : try request.decode(GrantBody.self)
      return .json(try await daemon.grant(id, until: body.until))
    case .revoke(let id): return .json(try await daemon.revoke(id))
    case .setValue(let key):
      return .json(try await daemon.setValue(key, to: try request.decode(ValueBody.self).value))
    case .invite: return .json(try await daemon.invite())
    case .join: return .json(try await daemon.join(try request.decode(JoinBody.self).url))
    case .remove(let device):
      let body = request.body.isEmpty ? RemoveBody(recoveryKey: nil) : try request.decode(RemoveBody.self)
      return .json(try await daemon.remove(device, recoveryKey: body.recoveryKey))
    case .network: return .json(try await daemon.setOnline(try request.decode(NetworkBody.self).online))
    default: throw Problem(.notFound)
    }
  }

  private func events(since last: String?) -> HTTPResponse {
    let known = last.flatMap { id in
      id.hasPrefix(start + "-") ? UInt64(id.dropFirst(start.count + 1)) : nil
    }
    let events = daemon.changes(since: known).map { [start] change in
      let data = String(decoding: JSON.encode(change), as: UTF8.self)
      return ServerSentEvent(id: "\(start)-\(change.revision)", name: "changed", data: data)
    }
    return HTTPResponse(contentType: "text/event-stream", body: .events(events))
  }
}

extension Daemon {
  /// Throws when the disk has failed.
  fileprivate func health() throws -> String { try read { _, _ in "ok" } }
}

extension HTTPResponse {
  static func json(_ value: some Encodable) -> HTTPResponse {
    HTTPResponse(contentType: "application/json", body: .bytes(JSON.encode(value)))
  }

  static func text(_ text: String, type: String) -> HTTPResponse {
    HTTPResponse(contentType: type, body: .bytes(Array(text.utf8)))
  }
}

extension HTTPRequest {
  /// The body as it stands in its text; nil: there is none. What an operation does not know is refused by its name.
  fileprivate func body(of entry: Router.Entry) throws(Problem) -> JSONValue? {
    guard !body.isEmpty else { return nil }
    let value = try strictValue()
    guard let schema = OpenAPI.bodySchema(of: entry) else {
      guard value == .object([]) else {
        throw Problem(.malformedBody, "\(value.fields)this request takes no body: leave it out")
      }
      return nil
    }
    // Of an export only the raw bytes of registers count: a later version may say more.
    let isLater = entry.path == "/v1/import" && ExportFormat.isOfLaterVersion(value)
    if !isLater, let field = OpenAPI.unknownField(in: value, schema) {
      throw Problem(
        .malformedBody,
        "'\(field.prefix(64))' is no field of this request: see /openapi.json for those there are")
    }
    return value
  }

  /// The body as a text that can be understood in one way only.
  private func strictValue() throws(Problem) -> JSONValue {
    do throws(JSONError) { return try JSONParser.parse(body, strictly: true) } catch {
      throw Problem(
        .malformedBody, "this is no JSON of one meaning in UTF-8: line \(error.line): \(error.problem)")
    }
  }

  /// The body as a value.
  func decode<Body: Decodable>(_ type: Body.Type) throws(Problem) -> Body {
    _ = try strictValue()
    do { return try JSON.decode(type, from: body) } catch {
      throw Problem(.malformedBody, JSON.explanation(of: error))
    }
  }
}

extension JSONValue {
  /// The names of an object's members, as the beginning of a sentence.
  fileprivate var fields: String {
    guard case .object(let members) = self, !members.isEmpty else { return "" }
    return members.prefix(4).map { "'\($0.name.prefix(64))'" }.joined(separator: ", ") + " is too much: "
  }
}
