import Foundation
import PeerSync

/// A daemon of this process, in a directory of its own.
struct DaemonUnderTest: Sendable {
  let daemon: Daemon
  let address: Address

  /// Starts a device that was made.
  ///
  /// - Parameter isOnline: whether it is on the network at once
  init(of directory: String, peers: [Address] = [], isOnline: Bool = true) async throws {
    if !isOnline { try Self.disconnect(directory) }
    var configuration = Daemon.Configuration(
      directory: directory, listen: Address(host: "127.0.0.1", port: 0))
    configuration.peers = peers
    configuration.log = Log(level: .error)
    daemon = try Daemon(configuration: configuration)
    guard let address = try await daemon.start() else {
      throw BenchmarkError("the daemon does not listen", "데몬이 연결을 받지 않습니다")
    }
    self.address = address
  }

  func buy(_ number: Int) async throws {
    try await write(Workload.writes(Workload.purchase(number, of: "m"), .openSSL))
  }

  func write(_ writes: [LocalWrite]) async throws {
    guard case .done = try await daemon.perform(.write(writes)) else {
      throw BenchmarkError("a purchase was refused", "구입이 거절되었습니다")
    }
  }

  func stop() async { await daemon.stop() }

  /// Two devices of one group, of which the second knows where the first is.
  static func pair(in directory: String) async throws -> (near: DaemonUnderTest, far: DaemonUnderTest) {
    let paths = ["a", "b"].map { directory + "/" + $0 }
    for path in paths { try create(in: path) }
    try unite(paths)
    let near = try await DaemonUnderTest(of: paths[0])
    return (near, try await DaemonUnderTest(of: paths[1], peers: [near.address]))
  }

  /// Waits until it is connected with another one.
  func waitUntilConnected() async throws {
    for await _ in await daemon.revisions() {
      guard try await daemon.read({ engine, _ in engine.readySessions }) == 0 else { return }
    }
  }

  // MARK: Devices that have not started

  /// - Parameter writes: registers that the device holds when it starts
  static func create(in directory: String, writes: [LocalWrite] = []) throws {
    try Daemon.create(
      directory: directory, name: "bench", environment: .sandbox, bundleId: Workload.bundleId)
    if !writes.isEmpty { try fill(directory, writes) }
  }

  private static func fill(_ directory: String, _ writes: [LocalWrite]) throws {
    let directory = DataDirectory(directory)
    let storage = try Storage(directory)
    let key = try DeviceKey.load(directory.deviceKey)
    let kept = try storage.load(key: key.publicKey)
    var engine = Engine(
      identity: kept.identity, signer: key.signingKey, cryptography: .openSSL, membership: kept.membership,
      replica: kept.replica, seed: 1)
    let now = Now(wall: Instant(clamping: 1_700_000_000_000), monotonic: 0)
    let effects = engine.handle([.requested(RequestID(rawValue: 1), .write(writes))], now: now)
    try storage.persist(effects.durable)
  }

  private static func disconnect(_ directory: String) throws {
    try Storage(DataDirectory(directory)).persist(Durable([.online(false)]))
  }

  /// How long it takes to read everything that a device keeps, each row with its checksum: the best of five.
  static func loadSeconds(_ path: String) throws -> Double {
    let directory = DataDirectory(path)
    let key = try DeviceKey.load(directory.deviceKey)
    let storage = try Storage(directory)
    var best = Double.infinity
    for _ in 0..<5 {
      let start = seconds()
      _ = try storage.load(key: key.publicKey)
      best = min(best, seconds() - start)
    }
    return best
  }

  /// Makes one group of devices, as joining would.
  static func unite(_ directories: [String]) throws {
    let directories = directories.map { DataDirectory($0) }
    let keys = try directories.map { try DeviceKey.load($0.deviceKey) }
    let own = try zip(directories, keys).map { try Storage($0).load(key: $1.publicKey).membership }
    let founders = zip(keys, own).map { ($0.signingKey, $1.records[0]) }
    let united = try Membership.united(founders, .openSSL)
    for (directory, own) in zip(directories, own) {
      var durable = Durable()
      durable.append(.records(united.records(except: own.hashes)))
      if let group = united.group(of: keys[0].publicKey) { durable.append(.group(group.id)) }
      try Storage(directory).persist(durable)
    }
  }
}
