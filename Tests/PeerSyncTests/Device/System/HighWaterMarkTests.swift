import Foundation
import PeerSync
import Testing

/// F65: a database that was put back, or lost its log, is noticed at the start.
@Suite struct HighWaterMarkTests {
  private let root: TemporaryDirectory
  private var path: String { root.path + "/device" }
  private var directory: DataDirectory { DataDirectory(path) }

  init() throws {
    root = try TemporaryDirectory()
    try Storage.create(DataDirectory(root.path + "/device"), .third)
  }

  private let files = ["peerd.db", "peerd.db-wal"]

  private func provenance() throws -> Provenance { try directory.provenance(of: Storage(directory)) }

  private func start() throws -> Provenance {
    let storage = try Storage(directory)
    let provenance = try directory.provenance(of: storage)
    try directory.begin(storage, provenance, key: Author(3).key.publicKey, at: Instant(clamping: 1000))
    return provenance
  }

  private func persist(_ storage: Storage, _ numbers: ClosedRange<UInt64>) throws {
    for number in numbers { try storage.persist(.of(WriteBatch(.numbered(number)))) }
  }

  /// Copies the database as it lies there: with its log, while the store is open.
  private func copy(from: String, to: String) throws {
    for file in files {
      try? FileManager.default.removeItem(atPath: to + "/" + file)
      guard FileManager.default.fileExists(atPath: from + "/" + file) else { continue }
      try FileManager.default.copyItem(atPath: from + "/" + file, toPath: to + "/" + file)
    }
  }

  @Test func whatGoesOnIsNotSetBack() throws {
    for number in 1...3 as ClosedRange<UInt64> {
      #expect(try start() == .same)
      try persist(Storage(directory), number...number)
    }
    #expect(try Storage(directory).loaded().setBack == nil)
  }

  /// The copy may have been taken of the run that is going on, or of an earlier one; one transaction is enough.
  @Test(arguments: [false, true]) func aCopyThatIsPutBackIsNoticed(isOfEarlierRun: Bool) throws {
    _ = try start()
    let place = root.path + "/copy"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try {
      let storage = try Storage(directory)
      try persist(storage, 1...2)
      try copy(from: path, to: place)
      try persist(storage, 3...3)
    }()
    if isOfEarlierRun { #expect(try start() == .same) }
    try copy(from: place, to: path)
    let replica = try Storage(directory).loaded().identity.replica
    #expect(try provenance() == .setBack)
    #expect(try start() == .setBack)
    let kept = try Storage(directory).loaded()
    #expect(kept.identity.replica != replica && kept.setBack == Instant(clamping: 1000))
    // It goes on from there, and the old copy is noticed again, however much was written since.
    #expect(try start() == .same)
    try persist(Storage(directory), 3...40)
    try copy(from: place, to: path)
    #expect(try start() == .setBack)
  }

  @Test func aLostLogIsNoticed() throws {
    _ = try start()
    let storage = try Storage(directory)
    try persist(storage, 1...3)
    // Closing would copy the log into the database.
    let copy = root.path + "/crashed"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.removeItem(atPath: copy + "/peerd.db-wal")
    #expect(try Storage(DataDirectory(copy)).isSetBack)
  }

  @Test(arguments: ["", "garbage", String(repeating: "0", count: 83)])
  func aFileThatIsMissingOrOfAnotherDatabaseIsNoticed(content: String) throws {
    _ = try start()
    if content.isEmpty {
      try FileManager.default.removeItem(atPath: path + "/high-water")
    } else {
      try FileSystem.replace(path + "/high-water", with: Array(content.utf8))
    }
    #expect(try start() == .setBack)
    #expect(try start() == .same)
  }

  /// A file that is behind is what a loss of power leaves.
  @Test func aFileThatIsBehindIsNormal() throws {
    _ = try start()
    let before = try #require(try FileSystem.read(path + "/high-water", limit: 100))
    try persist(Storage(directory), 1...3)
    #expect(try FileSystem.read(path + "/high-water", limit: 100) != before)
    // In place, as it was written.
    try Data(before).write(to: URL(filePath: path + "/high-water"), options: [])
    #expect(try start() == .same)
  }

  /// What a database of an older version lacks is begun, without a word.
  @Test func anOlderDatabaseBeginsOne() throws {
    try Storage(directory).database.execute("UPDATE high_water SET id = NULL, count = 0")
    try FileManager.default.removeItem(atPath: path + "/high-water")
    #expect(try start() == .same)
    #expect(try FileSystem.read(path + "/high-water", limit: 100)?.count == 83)
  }

  /// Whoever can edit the database can sum its rows as well.
  @Test(arguments: [(-1, 1), (1, -1)]) func aCountThatCannotBeIsDamage(count: Int64, starts: Int64) throws {
    _ = try start()
    try {
      let storage = try Storage(directory)
      let row = try RowWriter(.highWater, storage.database)
      row.add(1)
      row.add(Nonce(high: 1, low: 1))
      row.add(count)
      row.addNull()
      row.add(0)
      row.add(starts)
      try row.run()
    }()
    #expect(try start() == .setBack)
  }

  @Test func theFileHoldsWhatTheDatabaseHolds() throws {
    _ = try start()
    let storage = try Storage(directory)
    for number in 1...3 as ClosedRange<UInt64> {
      try persist(storage, number...number)
      let text = try #require(try FileSystem.read(path + "/high-water", limit: 100))
      let count = try storage.database.integer("SELECT count FROM high_water")
      #expect(String(decoding: text.suffix(17), as: UTF8.self) == hexadecimal(UInt64(count)) + "\n")
    }
  }

  /// What an ordinary start changes it changes in one transaction: cut short, it leaves no trace.
  @Test func anOrdinaryStartTouchesNoFileBeforeTheDatabase() throws {
    _ = try start()
    func files() throws -> [String] {
      try ["host", "high-water"].map { name in
        var status = stat()
        try #require(stat(path + "/" + name, &status) == 0)
        return "\(status.st_ino) \(name == "host" ? status.st_ctim.tv_nsec : 0)"
      }
    }
    let before = try files()
    #expect(try start() == .same)
    #expect(try files() == before)
  }

  /// A first start that was cut short has left a file that counts nothing.
  @Test func aFirstStartThatWasCutShortIsNoSetBack() throws {
    try Storage(directory).database.execute("DELETE FROM high_water")
    let text = String(repeating: "0", count: 32) + " " + String(repeating: "1", count: 32) + " "
    try FileSystem.replace(path + "/high-water", with: Array((text + hexadecimal(0) + "\n").utf8))
    #expect(try start() == .same)
  }

  /// The file is put back as well, by a program that gives files back under their names.
  @Test func aFileThatIsPutBackWithItsDatabaseIsNoticed() throws {
    _ = try start()
    let place = root.path + "/copy"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    var mark: [UInt8] = []
    try {
      let storage = try Storage(directory)
      try persist(storage, 1...2)
      try copy(from: path, to: place)
      mark = try #require(try FileSystem.read(path + "/high-water", limit: 100))
      try persist(storage, 3...3)
    }()
    try copy(from: place, to: path)
    try FileSystem.replace(path + "/high-water", with: mark)
    #expect(try provenance() == .setBack)
  }

  /// Whatever lies in the place of the file keeps nobody waiting.
  @Test func aPipeKeepsNobodyWaiting() throws {
    _ = try start()
    try FileManager.default.removeItem(atPath: path + "/high-water")
    try #require(mkfifo(path + "/high-water", 0o600) == 0)
    #expect(try start() == .setBack)
  }
}
