import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSandboxServer
import Testing

@Suite("A device inside an app, with a sandbox store of its own process", .noHang)
struct EmbeddedStoreTests {
  private static let owl = #"{"products": [{"id": "owl", "type": "nonConsumable", "price": "1.00"}]}"#

  /// Runs a test's body on a store and on a device that uses it, and stops everything after it.
  ///
  /// - Parameter begin: when the store's time begins; nil: now
  private func with(begin: Instant? = nil, _ body: (SandboxStoreServer, Daemon) async throws -> Void)
    async throws
  {
    try await withStore(begin: begin) { store, url, directory in
      let daemon = try await device(directory + "/phone", url)
      let result: Result<Void, any Error>
      do { result = .success(try await body(store, daemon)) } catch { result = .failure(error) }
      await daemon.stop()
      try result.get()
    }
  }

  /// Runs a test's body on a store, its URL, and a directory for devices.
  private func withStore(
    begin: Instant? = nil, _ body: (SandboxStoreServer, String, String) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let catalogue = try SandboxCatalogue([("a.json", Array(Self.owl.utf8))])
    let store = try SandboxStoreServer(
      SandboxStoreServer.Configuration(
        directory: directory.path + "/store", catalogue: catalogue, begin: begin, log: Log(level: .error)))
    try await store.start()
    let server = try HTTPServer(
      address: Address(host: "127.0.0.1", port: 0),
      application: SandboxAPI(store: store, token: "secret").application)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(store, "http://\(server.address)", directory.path))
    } catch { result = .failure(error) }
    await store.stop()
    await onThread { server.stop() }
    try result.get()
  }

  private func device(_ path: String, _ url: String) async throws -> Daemon {
    try Daemon.create(directory: path, name: "Phone", environment: .sandbox, bundleId: "com.example.owls")
    let store = try await StoreClient.meet(url, account: "me", directory: path)
    let daemon = try Daemon(
      configuration: Daemon.Configuration(directory: path, store: store, log: Log(level: .error) { _ in }))
    _ = try await daemon.start()
    let owl = Product(id: "owl", type: .nonConsumable, entitlements: ["carefree"])
    try await daemon.add(Catalogue(products: [owl], version: 1))
    return daemon
  }

  @Test("buys and refunds there, waits for approval, and restores")
  func buys() async throws {
    try await with { store, daemon in
      let bought = try await daemon.purchase("owl")
      let id = try #require(bought.transaction?.transactionId)
      #expect(bought.outcome == "purchased" && !bought.onThisDeviceOnly)
      #expect(bought.transaction?.price == "1.00")
      #expect(try await daemon.status().purchased == ["owl"])
      // Finished once it was durable.
      let sold = try await store.read { sandboxStore, _ in sandboxStore.transactions }
      #expect(sold.map { String($0.id) } == [id] && sold.allSatisfy { $0.account == "me" })
      #expect(try await daemon.purchase("owl").transaction == bought.transaction)
      #expect(try await daemon.restore().fromStore == 1)
      #expect(try await daemon.refund(id).transaction.revocationDate != nil)
      #expect(try await daemon.status().purchased.isEmpty)
      let refused = await #expect(throws: Problem.self) { try await daemon.purchase("cat") }
      #expect(refused?.code == .unknownProduct)
      _ = try await store.perform(.setMood(.ask, account: "me", isOnce: true))
      let pending = try await daemon.purchase("owl")
      #expect(pending.outcome == "pending" && pending.request != nil && pending.transaction == nil)
    }
  }

  @Test("a clock that follows the store is told as the store's, and not as set off by hand")
  func storeClock() async throws {
    try await with(begin: Instant("2090-01-01")) { _, daemon in
      let status = try await daemon.status()
      #expect(status.time.now > Instant("2089-12-31") ?? .epoch)
      #expect(status.warnings.contains { $0.contains("the clock of the sandbox store") })
      #expect(!status.warnings.contains { $0.contains("--clock-offset") })
    }
  }

  @Test("what a store has sold that a device does not use counts once it was started with that store")
  func unusedStore() async throws {
    try await withStore { store, url, directory in
      let order = SandboxOrder(account: "me", bundleId: "com.example.owls", productId: "owl")
      let sold = try await store.buy(order)
      let path = directory + "/tablet"
      try Daemon.create(directory: path, name: "Tablet", environment: .sandbox, bundleId: "com.example.owls")
      func warnings(_ meets: Bool) async throws -> [String] {
        let client = meets ? try await StoreClient.meet(url, directory: path) : nil
        let daemon = try Daemon(
          configuration: Daemon.Configuration(
            directory: path, store: client, log: Log(level: .error) { _ in }))
        _ = try await daemon.start()
        let result: Result<[String], any Error>
        do {
          _ = try await daemon.ingest([try #require(sold.transaction)])
          result = .success(try await daemon.status().warnings)
        } catch { result = .failure(error) }
        await daemon.stop()
        return try result.get()
      }
      func told(_ warnings: [String]) -> Bool {
        warnings.contains {
          $0.contains("none of the trusted roots") && $0.contains("start this device with that store")
        }
      }
      #expect(told(try await warnings(false)))
      #expect(try await warnings(true).allSatisfy { !$0.contains("trusted roots") })
      #expect(try await warnings(false).allSatisfy { !$0.contains("trusted roots") }, "once is enough")
    }
  }

  @Test("a store that answers with no certificate is said to do so, and is not taken for a damaged file")
  func noCertificate() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/phone"
    try Daemon.create(directory: path, name: "Phone", environment: .sandbox, bundleId: "com.example.owls")
    for root in ["", "AAAA", "not base64"] {
      let facts = StoreFacts(root: root, now: .epoch, isSetOn: false, storefront: "USA")
      let server = try HTTPServer(
        address: Address(host: "127.0.0.1", port: 0),
        application: HTTPApplication { _ in .taken(bodyLimit: 0, isOpen: true) { _ in .json(facts) } })
      let problem = await #expect(throws: Problem.self) {
        try await StoreClient.meet("http://\(server.address)", directory: path)
      }
      await onThread { server.stop() }
      #expect(problem?.code == .storeUnreachable, "\(root)")
      #expect(problem?.detail.contains("holds no certificate") == true)
      #expect(problem?.detail.contains("damaged") == false)
    }
  }

  @Test("a store that is none, or is not for the device, is refused with what to do")
  func strangers() async throws {
    let directory = try TemporaryDirectory()
    try Daemon.create(
      directory: directory.path + "/mac", name: "Mac", environment: .xcode, bundleId: "com.example.owls")
    try Daemon.create(
      directory: directory.path + "/phone", name: "Phone", environment: .sandbox, bundleId: "com.example.owls"
    )
    for (url, name, code) in [
      ("ftp://example.com", "phone", Problem.Code.invalidValue), ("http://127.0.0.1:1", "mac", .storeRefused),
      ("http://127.0.0.1:1", "phone", .storeUnreachable),
    ] {
      let problem = await #expect(throws: Problem.self) {
        try await StoreClient.meet(url, directory: directory.path + "/" + name)
      }
      #expect(problem?.code == code, "\(url)")
    }
  }
}
