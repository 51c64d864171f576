import Foundation
import PeerSync

/// A daemon with its control API on a port of its own, in a directory of its own, and a client of it.
final class ControlFixture: Sendable {
  let directory: String
  let daemon: Daemon
  let server: HTTPServer
  let client: ControlClient

  init(
    environment: PeerSync.Environment = .sandbox, catalogue: Catalogue = .owls, listens: Bool = false
  ) async throws {
    directory = FileManager.default.temporaryDirectory.path + "/control-\(UUID().uuidString)"
    _ = try Daemon.create(
      directory: directory, name: "Phone", environment: environment, bundleId: "com.back40.InsomniOwl")
    daemon = try Daemon(
      configuration: Daemon.Configuration(
        directory: directory, listen: listens ? Address(host: "127.0.0.1", port: 0) : nil,
        log: Log(level: .error)))
    _ = try await daemon.start()
    _ = try await daemon.add(catalogue)
    let token = ControlAPI.makeToken()
    server = try HTTPServer(
      address: Address(host: "127.0.0.1", port: 0),
      application: ControlAPI(daemon: daemon, token: token).application)
    try await daemon.publish(url: "http://\(server.address)", token: token)
    client = try ControlClient(directory: directory)
  }

  /// Runs a test's body and stops everything after it, however it ends.
  static func with(
    environment: PeerSync.Environment = .sandbox, catalogue: Catalogue = .owls, listens: Bool = false,
    _ body: (ControlFixture) async throws -> Void
  ) async throws {
    let fixture = try await ControlFixture(environment: environment, catalogue: catalogue, listens: listens)
    let result: Result<Void, any Error>
    do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
    await fixture.daemon.stop()
    try await onThread { fixture.server.stop() }
    try FileManager.default.removeItem(atPath: fixture.directory)
    try result.get()
  }

  /// The problem that a request ends with; nil when it ends well.
  func problem(_ method: String, _ path: String, _ body: (any Encodable)? = nil) async throws -> Problem? {
    do {
      _ = try await client.send(method, path, body: body.map { JSON.encode($0) })
      return nil
    } catch ControlError.problem(let problem) { return problem }
  }
}

extension Catalogue {
  static let owls = Catalogue(
    products: [
      Product(
        id: "3monthsOfRandom", type: .nonRenewingSubscription, line: "random-owls",
        period: Period(months: 3, days: 0), entitlements: ["random-owls"]),
      Product(
        id: "6monthsOfRandom", type: .nonRenewingSubscription, line: "random-owls",
        period: Period(months: 6, days: 0), entitlements: ["random-owls"]),
      Product(id: "RandomOwls", type: .consumable, entitlements: ["random-owls"], credit: "owls", amount: 5),
      Product(id: "CarefreeOwl", type: .nonConsumable, entitlements: ["carefree/owl"]),
    ], version: 1)
}
