import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// A daemon with its control API on a port of its own, in a directory of its own, and a client of it.
final class ControlFixture: Sendable {
  private let root: TemporaryDirectory
  let directory: String
  let daemon: Daemon
  let server: HTTPServer
  let client: ControlClient
  /// Of the group that the device founded.
  let recoveryKey: String

  init(
    environment: PeerSync.Environment = .sandbox, catalogue: Catalogue = .owls, listens: Bool = false,
    trustRoots: [String] = [], members: [String] = []
  ) async throws {
    root = try TemporaryDirectory()
    directory = root.path + "/device"
    recoveryKey = try Daemon.create(
      directory: directory, name: "Phone", environment: environment, bundleId: "com.back40.InsomniOwl",
      trustRoots: trustRoots
    ).recoveryKey
    for (number, name) in members.enumerated() { try ControlFixture.add(name, number, to: directory) }
    daemon = try Daemon(
      configuration: Daemon.Configuration(
        directory: directory, listen: listens ? Address(host: "127.0.0.1", port: 0) : nil,
        log: Log(level: .error)))
    _ = try await daemon.start()
    _ = try await daemon.add(catalogue)
    let token = UUID().uuidString
    server = try HTTPServer(
      address: Address(host: "127.0.0.1", port: 0),
      application: ControlAPI(daemon: daemon, token: token, draw: { .random(in: .min ... .max) }).application)
    try await daemon.publish(url: "http://\(server.address)", token: token)
    client = try ControlClient(directory: directory)
  }

  /// Adds a member that never runs.
  private static func add(_ name: String, _ number: Int, to directory: String) throws {
    let path = directory + "/member\(number)"
    try Daemon.create(
      directory: path, name: name, environment: .sandbox, bundleId: "com.back40.InsomniOwl")
    try unite(directory, path)
  }

  /// Runs a test's body and stops everything after it, however it ends.
  static func with(
    environment: PeerSync.Environment = .sandbox, catalogue: Catalogue = .owls, listens: Bool = false,
    trustRoots: [String] = [], members: [String] = [], _ body: (ControlFixture) async throws -> Void
  ) async throws {
    let fixture = try await ControlFixture(
      environment: environment, catalogue: catalogue, listens: listens, trustRoots: trustRoots,
      members: members)
    let result: Result<Void, any Error>
    do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
    await fixture.daemon.stop()
    await onThread { fixture.server.stop() }
    try result.get()
  }

  /// The problem that a request ends with, which the API's description has to list; nil when it ends well.
  func problem(_ method: String, _ path: String, _ body: (any Encodable)? = nil) async throws -> Problem? {
    do {
      _ = try await client.send(method, path, body: body.map { JSON.encode($0) })
      return nil
    } catch ControlError.problem(let problem) {
      let isListed = OpenAPITests.lists(problem.code, method, path) ?? true
      #expect(isListed, "\(method) \(path) does not list \(problem.code.rawValue)")
      return problem
    }
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
