/// A device's way to a sandbox store, such as `peerd store` runs: what StoreKit is on a real one.
public struct StoreClient: Hashable, Sendable {
  package let server: LocalServer
  /// The customer; nil: the one that all devices share.
  package let account: String?
  /// By how many milliseconds the store's clock was set on when they met; nil: it was not.
  var lead: Int64?

  package init(server: LocalServer, account: String?) {
    self.server = server
    self.account = account
  }

  /// Longest wait for an answer to a question that is answered at once, in seconds.
  private static let patience = 15.0

  package func facts() async throws -> StoreFacts { try await send("GET", "/device/v1/store") }

  func buy(_ order: StoreOrder) async throws -> StorePurchase {
    try await send("POST", "/device/v1/purchases", body: JSON.encode(order))
  }

  func refund(_ transaction: UInt64) async throws -> StorePurchase {
    let question = StoreRefund(account: account, transaction: transaction)
    return try await send("POST", "/device/v1/refunds", body: JSON.encode(question))
  }

  func finish(_ transactions: [UInt64]) async throws {
    let question = StoreFinished(account: account, transactions: transactions)
    let _: StoreFacts = try await send("POST", "/device/v1/finished", body: JSON.encode(question))
  }

  /// Waits for what is new after a revision.
  ///
  /// - Parameters:
  ///   - run: the run of the store that the revision is of
  ///   - told: the last notification that was heard of
  func updates(
    since revision: UInt64, of run: String?, lead: Int64, told: String?, _ identity: Identity, seconds: Int
  ) async throws -> StoreItems {
    let known = [("run", run), ("told", told)].map { name, value in
      value.map { "&\(name)=\($0.asPathPart)" } ?? ""
    }
    let path =
      "/device/v1/updates?since=\(revision)&lead=\(lead)&wait=\(seconds)\(known.joined())&"
      + query(identity)
    return try await send("GET", path, timeoutSeconds: Double(seconds) + StoreClient.patience)
  }

  func restored(_ identity: Identity) async throws -> StoreItems {
    try await send("GET", "/device/v1/restored?" + query(identity))
  }

  /// What the store sells, and as far as its files say so, what it gives.
  func catalogue() async throws -> Catalogue {
    let document = try await exchange("GET", "/device/v1/catalogue")
    do throws(CatalogueError) {
      return try CatalogueFile(document, name: "the catalogue of the store at http://\(server.address)")
        .catalogue
    } catch {
      throw Problem(.invalidValue, error.told)
    }
  }

  private func query(_ identity: Identity) -> String {
    [("account", account), ("bundleId", identity.bundleId), ("device", identity.device.description)]
      .compactMap { name, value in value.map { "\(name)=\($0.asPathPart)" } }.joined(separator: "&")
  }

  private func send<Answer: Decodable>(
    _ method: String, _ path: String, body: [UInt8]? = nil, timeoutSeconds: Double = patience
  ) async throws -> Answer {
    let answer = try await exchange(method, path, body: body, timeoutSeconds: timeoutSeconds)
    guard let decoded = try? JSON.decode(Answer.self, from: answer) else { throw notUnderstood }
    return decoded
  }

  /// - Throws: a ``Problem``: what the store has said, or that it cannot be reached
  private func exchange(
    _ method: String, _ path: String, body: [UInt8]? = nil, timeoutSeconds: Double = patience
  ) async throws -> [UInt8] {
    let answer: (status: Int, body: [UInt8])
    do {
      answer = try await server.send(method, path, body: body, timeoutSeconds: timeoutSeconds)
    } catch {
      throw Problem(
        .storeUnreachable,
        Phrase(
          "the store at http://\(server.address) cannot be reached: start it, and try again",
          "http://\(server.address) 스토어에 연결할 수 없습니다. 스토어를 시작하고 다시 시도하세요"))
    }
    guard (200..<300).contains(answer.status) else {
      throw (try? JSON.decode(Problem.self, from: answer.body)) ?? notUnderstood
    }
    return answer.body
  }

  private var notUnderstood: Problem {
    Problem(
      .storeUnreachable,
      Phrase(
        "what answers at http://\(server.address) is not a sandbox store of this version: check the address",
        "http://\(server.address) 주소에서 응답하는 것은 이 버전의 샌드박스 스토어가 아닙니다. 주소를 확인하세요"))
  }
}
