import Foundation
import PeerSync
import Testing

/// What keeps a device from starting, without its database being damaged.
@Suite("A start that is refused is foreseen") struct RefusedStartTests {
  private let home: TemporaryDirectory
  private let directory: DataDirectory

  init() throws {
    home = try TemporaryDirectory()
    directory = DataDirectory(home.path + "/phone")
    try create(directory.path)
  }

  private func create(_ path: String, _ environment: PeerSync.Environment = .sandbox) throws {
    try Daemon.create(directory: path, name: "Phone", environment: environment, bundleId: "com.example.app")
  }

  /// What is found without a start.
  private func inspect() throws {
    try directory.requireUsable()
    try StoreTrust.inspect(directory, try Storage.inspect(directory).device)
  }

  private func start() throws {
    _ = try Daemon(configuration: Daemon.Configuration(directory: directory.path, log: Log(level: .error)))
  }

  private func expectRefused(sourceLocation: SourceLocation = #_sourceLocation) throws -> StorageError {
    let error = try #require(throws: StorageError.self, sourceLocation: sourceLocation) { try start() }
    #expect(throws: error, sourceLocation: sourceLocation) { try inspect() }
    return error
  }

  @Test("nothing is refused of a whole device, beside a daemon, and of one without a store")
  func whole() throws {
    try inspect()
    do {
      let lock = try directory.takeLock()
      try inspect()
      withExtendedLifetime(lock) {}
    }
    try start()
    let production = DataDirectory(home.path + "/production")
    try create(production.path, .production)
    try FileSystem.makeDirectory(production.store)
    try FileSystem.replace(production.store + "/key.pem", with: [])
    try StoreTrust.inspect(production, try Storage.inspect(production).device)
  }

  @Test("a lock or a marker that is no file", arguments: ["lock", "host"]) func noFile(name: String) throws {
    try start()
    let path = directory.path + "/" + name
    unlink(path)
    try #require(mkdir(path, 0o700) == 0)
    guard case .denied(path, _) = try expectRefused() else { throw try expectRefused() }
    try #require(rmdir(path) == 0)
    try start()
  }

  @Test("a lock that is a link to nothing") func link() throws {
    unlink(directory.lock)
    try #require(symlink(home.path + "/none/lock", directory.lock) == 0)
    guard case .denied(directory.lock, _) = try expectRefused() else { throw try expectRefused() }
  }

  @Test("a store whose directory is gone") func lostStore() throws {
    try FileManager.default.removeItem(atPath: directory.store)
    guard case .lostStore = try expectRefused() else { throw try expectRefused() }
  }

  /// All of it fits together, and it would sign what no other device of the group trusts.
  @Test("a store that is another device's") func otherStore() throws {
    let other = DataDirectory(home.path + "/tablet")
    try create(other.path)
    try FileManager.default.removeItem(atPath: directory.store)
    try FileManager.default.moveItem(atPath: other.store, toPath: directory.store)
    guard case .wrongStore(_, let reason, hasRoot: false) = try expectRefused() else {
      throw try expectRefused()
    }
    #expect(reason.words == "root.pem is another store's")
  }

  @Test("roots that cannot be read are not taken for none") func roots() throws {
    try FileSystem.makeDirectory(directory.trustedRoots)
    let path = directory.trustedRoots + "/a.pem"
    try FileSystem.replace(path, with: [])
    guard case .notCertificate(path, _) = try expectRefused() else { throw try expectRefused() }
    try FileManager.default.removeItem(atPath: directory.trustedRoots)
    try FileSystem.replace(directory.trustedRoots, with: [])
    guard case .notDirectory(directory.trustedRoots) = try expectRefused() else { throw try expectRefused() }
  }
}
