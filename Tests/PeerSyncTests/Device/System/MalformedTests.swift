import Foundation
import PeerSync
import Testing

/// A database that SQLite finds malformed [F67].
@Suite("A malformed database [F67]", .noHang) struct MalformedTests {
  private let home: TemporaryDirectory
  private var phone: String { home.path + "/phone" }
  private var tablet: String { home.path + "/tablet" }

  init() throws {
    home = try TemporaryDirectory()
    for (path, name) in [(phone, "Phone"), (tablet, "Tablet")] {
      try Daemon.create(
        directory: path, name: name, environment: .sandbox, bundleId: "com.example.app",
        mayAcceptTime: name == "Tablet")
    }
  }

  private func configuration(_ directory: String) -> Daemon.Configuration {
    Daemon.Configuration(
      directory: directory, listen: Address(host: "127.0.0.1", port: 0), log: Log(level: .error))
  }

  /// Ways in which the file can be of no use; the bytes of the first page or the name of a table.
  private func spoil(_ way: String) throws {
    let path = phone + "/peerd.db"
    if way == "empty" || way == "missing" {
      for suffix in ["", "-wal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      if way == "empty" { _ = try FileSystem.open(path, O_RDWR | O_CREAT) }
      return
    }
    let root = try Database(path: path).integer("SELECT rootpage FROM sqlite_schema WHERE name = 'registers'")
    switch way {
    case "header", "page":
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      try file.seek(toOffset: way == "header" ? 0 : UInt64(root - 1) * 4096)
      try file.write(contentsOf: [UInt8](repeating: 0xee, count: 64))
      try file.close()
    default:
      try Database(path: path).execute(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'sequence', 'sequencf')")
    }
  }

  @Test(
    "alone it stops, touches nothing, and says what to do", arguments: ["header", "page", "schema", "empty"])
  func alone(way: String) throws {
    try spoil(way)
    let before = try Data(contentsOf: URL(filePath: phone + "/peerd.db"))
    for _ in 0..<2 {
      do {
        _ = try Daemon(configuration: configuration(phone))
        Issue.record("it started")
      } catch let error as StorageError {
        guard case .malformed = error else { throw error }
        #expect("\(error)".contains("peerd init") && "\(error)".contains("backup"))
      }
    }
    // What was empty may have got its tables.
    #expect(try before.isEmpty || Data(contentsOf: URL(filePath: phone + "/peerd.db")) == before)
  }

  @Test("where its copy is damaged as well it does not say that it is alone") func withDamagedCopy() throws {
    try unite(phone, tablet)
    try spoil("header")
    let copy = URL(filePath: phone + "/peerd.copy")
    let whole = try Data(contentsOf: copy)
    for spoilt in [nil, Data(whole.dropLast()), Data(whole.map { ~$0 })] {
      if let spoilt { try spoilt.write(to: copy) } else { try FileManager.default.removeItem(at: copy) }
      chmod(copy.path, 0o600)
      do {
        _ = try Daemon(configuration: configuration(phone))
        Issue.record("it started")
      } catch let error as StorageError {
        guard case .unknown = error else { throw error }
      }
    }
  }

  @Test("where a database is gone no other device is made in its place") func noOther() throws {
    try spoil("missing")
    #expect(throws: StorageError.exists(directory: phone)) {
      try Daemon.create(directory: phone, name: "Phone", environment: .sandbox, bundleId: "com.example.app")
    }
  }

  @Test(
    "with peers it is set aside, and the device goes on from its key for them to fill",
    arguments: ["header", "page", "schema", "empty", "missing"])
  func withPeers(way: String) async throws {
    try unite(phone, tablet)
    let (key, identity) = try await meet()
    try spoil(way)
    let spoilt = (try? Data(contentsOf: URL(filePath: phone + "/peerd.db"))) ?? Data()
    let daemon = try Daemon(configuration: configuration(phone))
    let names = try FileManager.default.contentsOfDirectory(atPath: phone)
    let aside = try #require(names.first { $0.hasPrefix("peerd.db.damaged-") })
    #expect(try spoilt.isEmpty || Data(contentsOf: URL(filePath: phone + "/" + aside)) == spoilt)
    #expect(!names.contains("peerd.db.new"))
    let status = try await daemon.status()
    #expect(status.device.id == identity.device.description && status.device.name == "Phone")
    #expect(status.device.replica != identity.replica.description && status.group.members == 2)
    #expect(status.warnings.contains { $0.contains("malformed") && $0.contains(aside) })
    await #expect(throws: Problem.self) { try await daemon.value(key) }
    let other = try Daemon(configuration: configuration(tablet))
    let address = try #require(try await other.start())
    var again = configuration(phone)
    again.peers = [address]
    await daemon.stop()
    let filled = try Daemon(configuration: again)
    // It is still known after another start.
    #expect(try await filled.status().warnings.contains { $0.contains(aside) })
    _ = try await filled.start()
    let whole = try await settled(filled)
    #expect(whole.warnings.allSatisfy { !$0.contains("malformed") })
    #expect(try await filled.value(key).value == "blue")
    await filled.stop()
    await other.stop()
    let kept = try Storage(DataDirectory(phone)).load(key: identity.key)
    // What the app has forbidden is still forbidden.
    #expect(kept.damage == nil && !kept.time.mayAccept)
  }

  /// Has both devices hold a value.
  private func meet() async throws -> (String, Identity) {
    let other = try Daemon(configuration: configuration(tablet))
    let address = try #require(try await other.start())
    var first = configuration(phone)
    first.peers = [address]
    let daemon = try Daemon(configuration: first)
    _ = try await daemon.start()
    _ = try await daemon.setValue("colour", to: "blue")
    _ = try await settled(daemon)
    let identity = try await daemon.read { engine, _ in engine.identity }
    await daemon.stop()
    await other.stop()
    return ("colour", identity)
  }

  /// Waits until the peer is in sync.
  private func settled(_ daemon: Daemon) async throws -> StatusAnswer {
    for await change in daemon.changes() where change.status.peers.contains(where: \.inSync) {
      return change.status
    }
    throw DaemonError.stopped
  }
}
