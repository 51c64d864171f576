import Foundation
import PeerSync
import Testing

/// E46: a data directory that was copied, or restored from a backup, is noticed at the start.
@Suite struct HostMarkerTests {
  private let temporary: TemporaryDirectory

  private var root: String { temporary.path }
  private var directory: String { root + "/device" }

  init() throws {
    temporary = try TemporaryDirectory()
    try Daemon.create(directory: directory, name: "Phone", environment: .sandbox, bundleId: "com.example.app")
  }

  /// Starts a device, has it write, stops it, and tells which replica it wrote under.
  private func live(_ directory: String) async throws -> ReplicaID {
    let daemon = try Daemon(
      configuration: Daemon.Configuration(directory: directory, log: Log(level: .error)))
    _ = try await daemon.start()
    let write = LocalWrite(key: RegisterKey.value(key: "k").encoded, value: [UInt8.random(in: 0...255)])
    _ = try await daemon.perform(.write([write]))
    let replica = try await daemon.read { engine, _ in engine.replica.id }
    await daemon.stop()
    return replica
  }

  private func copy(_ source: String, to target: String) throws {
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  @Test func anOrdinaryRestartGoesOn() async throws {
    let first = try await live(directory)
    for _ in 0..<3 { #expect(try await live(directory) == first) }
  }

  @Test func aCopyIsAnotherIncarnation() async throws {
    let first = try await live(directory)
    try copy(directory, to: root + "/copy")
    let second = try await live(root + "/copy")
    #expect(second != first)
    // It stays so, and the one that was copied goes on.
    #expect(try await live(root + "/copy") == second)
    #expect(try await live(directory) == first)
  }

  /// As people do it: the directory away, the backup in its place.
  @Test func aRestoredDirectoryIsAnotherIncarnation() async throws {
    let first = try await live(directory)
    try copy(directory, to: root + "/backup")
    #expect(try await live(directory) == first)
    try FileManager.default.removeItem(atPath: directory)
    try copy(root + "/backup", to: directory)
    #expect(try await live(directory) != first)
  }

  /// Only the database comes back, or only the marker: the number in the one is not that of the other.
  @Test(arguments: ["peerd.db", "host"]) func aPartIsEnough(file: String) async throws {
    let first = try await live(directory)
    try copy(directory + "/" + file, to: root + "/" + file)
    #expect(try await live(directory) == first)
    for leftover in [file, file + "-wal", file + "-shm"] {
      try? FileManager.default.removeItem(atPath: directory + "/" + leftover)
    }
    try copy(root + "/" + file, to: directory + "/" + file)
    #expect(try await live(directory) != first)
  }

  @Test func aLostMarkerIsAnotherIncarnation() async throws {
    let first = try await live(directory)
    try FileManager.default.removeItem(atPath: directory + "/host")
    #expect(try await live(directory) != first)
  }

  /// Copies of a device that was made and never started, as an image that many machines are made from: each is a device of
  /// its own, and stays it. The one that was copied is who it was.
  @Test func copiesOfWhatNeverRanAreDevicesOfTheirOwn() async throws {
    let product = Product(id: "p", type: .nonConsumable, entitlements: ["e"])
    try Daemon.create(
      directory: root + "/image", name: "Image", environment: .sandbox, bundleId: "com.example.app",
      catalogue: Catalogue(products: [product]))
    for name in ["one", "two"] { try copy(root + "/image", to: root + "/" + name) }
    var ids: Set<DeviceID> = []
    for name in ["image", "one", "two"] {
      var seen: [Identity] = []
      for _ in 0..<2 {
        let daemon = try Daemon(
          configuration: Daemon.Configuration(directory: root + "/" + name, log: Log(level: .error)))
        _ = try await daemon.start()
        seen.append(try await daemon.read { engine, _ in engine.identity })
        #expect(try await daemon.products().products.map(\.id) == ["p"])
        await daemon.stop()
      }
      #expect(seen[0] == seen[1] && seen[0].name == "Image")
      ids.insert(seen[0].device)
    }
    #expect(ids.count == 3)
  }

  @Test func theKeyOfAnotherDeviceIsNamed() throws {
    try Daemon.create(
      directory: root + "/other", name: "Tablet", environment: .sandbox, bundleId: "com.example.app")
    try FileManager.default.removeItem(atPath: directory + "/device.key")
    try copy(root + "/other/device.key", to: directory + "/device.key")
    #expect(throws: StorageError.wrongKey(directory: directory)) {
      try Daemon(configuration: Daemon.Configuration(directory: directory, log: Log(level: .error)))
    }
  }
}
