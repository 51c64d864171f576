import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandboxServer
import Testing

@Suite("What a sandbox store answers over HTTP", .noHang)
struct SandboxAPITests {
  /// Runs a test's body on a store with its server, and stops both after it.
  private func with(_ body: (HTTPServer) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    let store = try await SandboxStoreServer.selling(
      #"{"id": "owl", "type": "nonConsumable", "price": "1.00"}"#, in: directory.path)
    let server = try HTTPServer(
      address: Address(host: "127.0.0.1", port: 0),
      application: SandboxAPI(store: store, token: "secret").application)
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    await store.stop()
    await onThread { server.stop() }
    try result.get()
  }

  private func ask(
    _ server: HTTPServer, _ method: String, _ path: String, _ body: String = "",
    _ headers: [String: String] = [:]
  ) async throws -> String {
    var all = ["Host": "127.0.0.1:\(server.address.port)", "Content-Type": "application/json"]
    all.merge(headers) { $1 }
    return try await RawConnection.exchange(server, method, path, headers: all, body: body)
  }

  @Test("devices need no token, what makes things happen does, and pages of other sites get nothing")
  func access() async throws {
    try await with { (server: HTTPServer) async throws in
      #expect(try await ask(server, "GET", "/device/v1/store").contains("\"storefront\":\"USA\""))
      #expect(
        try await ask(server, "GET", "/device/v1/store", "", ["Origin": "http://evil.example"]).contains(
          " 403 "))
      #expect(
        try await ask(server, "GET", "/device/v1/store", "", ["Host": "evil.example"]).contains(" 403 "))
      #expect(try await ask(server, "GET", "/v1/state").contains(" 401 "))
      #expect(try await ask(server, "POST", "/v1/demands", #"{"verb": "fail-billing"}"#).contains(" 401 "))
      let token = ["Authorization": "Bearer secret"]
      #expect(
        try await ask(server, "POST", "/v1/demands", #"{"verb": "fail-billing"}"#, token).contains(" 200 "))
      #expect(try await ask(server, "GET", "/inApps/v1/transactions/1").contains(" 401 "))
    }
  }

  @Test(
    "what cannot be understood or done is refused with what to do",
    arguments: [
      ("POST", "/device/v1/purchases", "{", "malformed-body"),
      (
        "POST", "/device/v1/purchases", #"{"account": "a", "bundleId": "b", "productId": "owl"}"#,
        "malformed-body"
      ),
      (
        "POST", "/device/v1/purchases",
        #"{"account": "a", "bundleId": "b", "productId": "owl", "quantity": 0}"#, "invalid-value"
      ),
      (
        "POST", "/device/v1/purchases",
        #"{"account": "a", "bundleId": "b", "productId": "cat", "quantity": 1}"#, "unknown-product"
      ),
      (
        "POST", "/device/v1/purchases",
        #"{"account": "", "bundleId": "b", "productId": "owl", "quantity": 1}"#, "invalid-value"
      ),
      (
        "POST", "/device/v1/refunds", #"{"account": "a", "transaction": 18446744073709551615}"#,
        "unknown-transaction"
      ),
      (
        "POST", "/device/v1/purchases",
        #"{"account": "a", "bundleId": "b", "productId": "owl", "quantity": 1, "offer": "x"}"#,
        "store-refused"
      ),
      ("GET", "/device/v1/updates?since=1", "", "invalid-value"),
      ("GET", "/device/v1/nothing", "", "token-required"),
      ("DELETE", "/device/v1/store", "", "method-not-allowed"),
    ])
  func refusals(method: String, path: String, body: String, code: String) async throws {
    try await with { (server: HTTPServer) async throws in
      #expect(try await ask(server, method, path, body).contains("\"code\":\"\(code)\""))
    }
  }

  @Test("a device buys, hears of it, and finishes it")
  func device() async throws {
    try await with { (server: HTTPServer) async throws in
      let order = #"{"account": "a@b", "bundleId": "app", "productId": "owl", "quantity": 1, "device": "x"}"#
      let bought = try await ask(server, "POST", "/device/v1/purchases", order)
      #expect(bought.contains("\"outcome\":\"purchased\"") && bought.contains("\"transaction\":\"ey"))
      let query = "account=a%40b&bundleId=app&device=y"
      let news = try await ask(server, "GET", "/device/v1/updates?since=0&wait=18446744073709551616&\(query)")
      #expect(news.contains("\"revision\":1") && news.contains("\"transactions\":[\"ey"))
      let id = try #require(news.firstMatch(of: /"unfinished":\[(\d+)\]/)?.1)
      let none = try await ask(
        server, "POST", "/device/v1/finished", #"{"account": "other", "transactions": [\#(id)]}"#)
      #expect(none.contains(" 200 "))
      #expect(try await ask(server, "GET", "/device/v1/unfinished?\(query)").contains("[\(id)]"))
      _ = try await ask(
        server, "POST", "/device/v1/finished", #"{"account": "a@b", "transactions": [1, \#(id)]}"#)
      #expect(try await ask(server, "GET", "/device/v1/unfinished?\(query)").contains("\"unfinished\":[]"))
      for list in ["entitlements", "history", "restored"] {
        #expect(
          try await ask(server, "GET", "/device/v1/\(list)?\(query)").contains("\"transactions\":[\"ey"),
          "\(list)")
      }
    }
  }

  @Test("history comes in pages, and a wait is no longer than it may be")
  func pages() throws {
    let all = Array(0...Limits.sandboxPageItems)
    let first = try ResultPage(of: all, after: nil)
    #expect(first.items == all.dropLast() && first.hasMore)
    let second = try ResultPage(of: all, after: first.revision)
    #expect(second.items == all.suffix(1) && !second.hasMore)
    #expect(try !ResultPage(of: Array(all.dropLast()), after: nil).hasMore)
    let most = UInt64(Limits.sandboxWaitSeconds) * 1000
    for seconds in [Limits.sandboxWaitSeconds, Limits.sandboxWaitSeconds + 1, .max] {
      #expect(SandboxStoreServer.milliseconds(ofWait: seconds) == most)
    }
    #expect(SandboxStoreServer.milliseconds(ofWait: Limits.sandboxWaitSeconds - 1) == most - 1000)
    #expect(SandboxStoreServer.milliseconds(ofWait: .min) == 0)
  }
}
