import PeerSync
import PeerSyncControl
import PeerSyncSandboxServer

/// What people call products: their display names where the catalogue has any, else their ids.
struct ProductNames: Sendable {
  private var names: [String: String] = [:]

  init() {}

  init(_ products: [ProductAnswer]) {
    for product in products { names[product.id] = product.displayName }
  }

  init(_ products: [SandboxProductAnswer]) {
    for product in products { names[product.id] = product.name }
  }

  /// Asks the daemon.
  init(_ client: ControlClient) async throws {
    let answer: ProductsAnswer = try await client.send("GET", "/v1/products")
    self.init(answer.products)
  }

  subscript(id: String) -> String { names[id] ?? id }
}
