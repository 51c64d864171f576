import Foundation
import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer
import Testing

/// Files that are taken away, replaced or cut short while they are open.
@Suite("What was open and is not there any more is noticed") struct DisplacedTests {
  private let home: TemporaryDirectory
  private let directory: DataDirectory
  private var elsewhere: DataDirectory { DataDirectory(home.path + "/elsewhere") }

  init() throws {
    home = try TemporaryDirectory()
    directory = DataDirectory((home.path + "/phone").replacing("//", with: "/"))
    try Storage.create(directory, .third)
  }

  /// What happens to the files behind the back of who has them open.
  enum Accident: String, CaseIterable, Sendable {
    case databaseRemoved, databaseReplaced, databaseCut, logRemoved, logReplaced, logCut, directoryRemoved,
      directoryMoved, directoryReplaced

    /// - Returns: the file that is no longer in its place
    func happen(to directory: DataDirectory, _ elsewhere: DataDirectory) throws -> String {
      let (files, log) = (FileManager.default, directory.database + "-wal")
      switch self {
      case .databaseRemoved: try files.removeItem(atPath: directory.database)
      case .databaseReplaced:
        try files.copyItem(atPath: directory.database, toPath: directory.database + ".new")
        try FileSystem.rename(directory.database + ".new", to: directory.database)
      case .databaseCut: try #require(truncate(directory.database, 4096) == 0)
      case .logRemoved: try files.removeItem(atPath: log)
      case .logReplaced: try FileSystem.replace(log, with: [1, 2, 3])
      case .logCut:
        let size = try Data(contentsOf: URL(fileURLWithPath: log)).count
        try #require(truncate(log, off_t(size / 2)) == 0)
      case .directoryRemoved: try files.removeItem(atPath: directory.path)
      case .directoryMoved: try files.moveItem(atPath: directory.path, toPath: elsewhere.path)
      case .directoryReplaced:
        try files.moveItem(atPath: directory.path, toPath: elsewhere.path)
        try Storage.create(directory, .simulated(seed: 4, name: "Tablet", bundleId: "com.example.owls"))
      }
      return [.logRemoved, .logReplaced, .logCut].contains(self) ? log : directory.database
    }

    /// Whether everything that was acknowledged can be opened again, and where.
    var keepsAll: Bool {
      [.logRemoved, .logReplaced, .directoryMoved, .directoryReplaced].contains(self)
    }
    var moves: Bool { [.directoryMoved, .directoryReplaced].contains(self) }
  }

  @Test(
    "nothing is acknowledged any more, and what was is kept where it can be", arguments: Accident.allCases)
  func accident(_ accident: Accident) throws {
    do {
      let storage = try Storage(directory)
      for number in UInt64(1)...3 { try storage.persist(.of(WriteBatch(.numbered(number)))) }
      let error = StorageError.displaced(path: try accident.happen(to: directory, elsewhere))
      for number in UInt64(4)...5 {
        #expect(throws: error) { try storage.persist(.of(WriteBatch(.numbered(number)))) }
      }
      #expect(throws: error) { try storage.persist(Durable()) }
    }
    guard accident.keepsAll else { return }
    let kept = try Storage(accident.moves ? elsewhere : directory)
    #expect(try kept.loaded().replica.count == 3)
    #expect(!kept.isSetBack)
  }

  @Test("closing what is not there any more spoils nothing", arguments: [Accident.logRemoved, .logCut])
  func closing(_ accident: Accident) throws {
    let all: UInt64 = 40
    do {
      let storage = try Storage(directory)
      for number in 1...all { try storage.persist(.of(WriteBatch(.numbered(number)))) }
      _ = try accident.happen(to: directory, elsewhere)
    }
    let again = try Storage(directory)
    #expect(again.isSetBack == !accident.keepsAll)
    let count = try again.loaded().replica.count
    #expect(accident.keepsAll ? count == Int(all) : (1..<Int(all)).contains(count))
  }

  /// All of its files, by their names.
  private func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + $0)))
      })
  }

  @Test("another device that has taken the place keeps its files")
  func another() throws {
    let other: Storage
    let before: [String: Data]
    do {
      let storage = try Storage(directory)
      try storage.persist(.of(WriteBatch(.numbered(1))))
      _ = try Accident.directoryReplaced.happen(to: directory, elsewhere)
      other = try Storage(directory)
      try other.persist(Durable([.addresses([.at(DeviceID(high: 7, low: 7), 7)])]))
      before = try contents()
      // It is in the second copy as well.
      let change = Durable([.addresses([.at(DeviceID(high: 9, low: 9), 9)])])
      #expect(throws: StorageError.displaced(path: directory.database)) { try storage.persist(change) }
    }
    #expect(try contents() == before)
    withExtendedLifetime(other) {}
  }

  @Test("a held directory is written wherever it is moved to")
  func held() throws {
    let place = try directory.hold()
    _ = try Accident.directoryReplaced.happen(to: directory, elsewhere)
    let (own, other) = (
      ControlFile(url: "http://own", token: "t"), ControlFile(url: "http://other", token: "t")
    )
    try directory.hold().write(other)
    try place.write(own)
    #expect(try directory.readControlFile() == other)
    #expect(try elsewhere.readControlFile() == own)
    try place.append("api.json", [0x0a])
    #expect(try place.read("api.json", limit: 4096) != directory.hold().read("api.json", limit: 4096))
    place.removeControlFile()
    #expect(try directory.readControlFile() == other)
    #expect(throws: StorageError.notRunning(directory: elsewhere.path)) { try elsewhere.readControlFile() }
  }

  @Test("a daemon ends with it, and leaves the one alone that runs in its place")
  func daemon() async throws {
    func create(_ path: String) throws -> Daemon {
      _ = try Daemon.create(directory: path, name: "A", environment: .sandbox, bundleId: "com.example.owls")
      return try Daemon(configuration: .init(directory: path, log: Log(level: .error) { _ in }))
    }
    let path = home.path + "/daemon"
    let daemon = try create(path)
    _ = try await daemon.start()
    try await daemon.publish(url: "http://own", token: "t")
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere.path)
    let other = try create(path)
    _ = try await other.start()
    try await other.publish(url: "http://other", token: "t")
    let error = StorageError.displaced(path: path + "/peerd.db")
    let write = Request.write([LocalWrite(key: RegisterKey.value(key: "v").encoded, value: [1])])
    await #expect(throws: error) { try await daemon.perform(write) }
    #expect(await daemon.failure() == error)
    #expect(try DataDirectory(path).readControlFile().url == "http://other")
    #expect(throws: StorageError.notRunning(directory: elsewhere.path)) { try elsewhere.readControlFile() }
    _ = try await other.perform(write)
    await other.stop()
  }

  @Test("a sandbox store ends with it as well")
  func store() async throws {
    let path = home.path + "/store"
    let store = try SandboxStoreServer(
      SandboxStoreServer.Configuration(directory: path, log: Log(level: .error) { _ in }))
    try await store.start()
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere.path)
    let error = StorageError.displaced(path: path + "/store.db")
    await #expect(throws: error) { try await store.perform(.setGrace(true)) }
    #expect(await store.end() == error)
  }
}
