import PeerSync
import PeerSyncSandboxServer

extension SandboxStoreServer {
  /// A store that is at work and sells one product.
  ///
  /// - Parameters:
  ///   - product: as a catalogue file has it
  ///   - servers: whom it tells what happens
  static func selling(
    _ product: String = #"{"id": "owl", "type": "consumable"}"#, in directory: String,
    to servers: [LocalServer] = []
  ) async throws -> SandboxStoreServer {
    let catalogue = try SandboxCatalogue([("a.json", Array(#"{"products": [\#(product)]}"#.utf8))])
    let store = try SandboxStoreServer(
      Configuration(directory: directory, catalogue: catalogue, notified: servers, log: Log(level: .error)))
    try await store.start()
    return store
  }
}
