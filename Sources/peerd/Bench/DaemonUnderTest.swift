import Foundation
import PeerSync

/// A daemon of this process, in a directory of its own.
struct DaemonUnderTest: Sendable {
  let daemon: Daemon
  let address: Address

  /// - Parameter writes: registers that the device holds when it starts
  init(in directory: String, group: GroupID? = nil, writes: [LocalWrite] = [], peers: [Address] = [])
    async throws
  {
    let identity = try Daemon.create(
      directory: directory, name: "bench", environment: .sandbox, bundleId: Workload.bundleId)
    if let group { try Self.adopt(group, identity, directory) }
    if !writes.isEmpty { try Self.fill(directory, identity, writes) }
    var configuration = Daemon.Configuration(
      directory: directory, listen: Address(host: "127.0.0.1", port: 0))
    configuration.peers = peers
    configuration.log = Log(level: .error)
    daemon = try Daemon(configuration: configuration)
    guard let address = try await daemon.start() else { throw BenchmarkError("the daemon does not listen") }
    self.address = address
  }

  func buy(_ number: Int) async throws {
    let write = Workload.write(Workload.purchase(number, of: "m"))
    guard case .done = try await daemon.perform(.write([write])) else {
      throw BenchmarkError("a purchase was refused")
    }
  }

  func stop() async { await daemon.stop() }

  /// Puts a device that has not started into a group, as joining would.
  private static func adopt(_ group: GroupID, _ identity: Identity, _ directory: String) throws {
    let store = try Store(DataDirectory(directory))
    var durable = Durable()
    durable.group = group
    try store.persist(durable)
  }

  /// Gives a device that has not started its registers.
  private static func fill(_ directory: String, _ identity: Identity, _ writes: [LocalWrite]) throws {
    let directory = DataDirectory(directory)
    let store = try Store(directory)
    let signer = try DeviceKey.load(directory.deviceKey).signingKey
    var engine = Engine(identity: identity, replica: try store.load().1, signer: signer, seed: 1)
    let now = Now(wall: Instant(clamping: 1_700_000_000_000), monotonic: 0)
    let effects = engine.handle([.requested(RequestID(rawValue: 1), .write(writes))], now: now)
    try store.persist(effects.durable)
  }
}
