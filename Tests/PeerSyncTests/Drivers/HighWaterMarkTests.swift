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
    try Store.create(DataDirectory(root.path + "/device"), .third)
  }

  private let files = ["peerd.db", "peerd.db-wal"]

  private func provenance() throws -> Provenance { try directory.provenance(of: Store(directory)) }

  private func start() throws -> Provenance {
    let store = try Store(directory)
    let provenance = try directory.provenance(of: store)
    try directory.begin(store, provenance, key: Author(3).key.publicKey, at: Instant(clamping: 1000))
    return provenance
  }

  private func persist(_ store: Store, _ numbers: ClosedRange<UInt64>) throws {
    for number in numbers { try store.persist(.of(WriteBatch(.numbered(number)))) }
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
      try persist(Store(directory), number...number)
    }
    #expect(try Store(directory).kept().setBack == nil)
  }

  /// The copy may have been taken of the run that is going on, or of an earlier one; one transaction is enough.
  @Test(arguments: [false, true]) func aCopyThatIsPutBackIsNoticed(isOfEarlierRun: Bool) throws {
    _ = try start()
    let place = root.path + "/copy"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try {
      let store = try Store(directory)
      try persist(store, 1...2)
      try copy(from: path, to: place)
      try persist(store, 3...3)
    }()
    if isOfEarlierRun { #expect(try start() == .same) }
    try copy(from: place, to: path)
    let replica = try Store(directory).kept().identity.replica
    #expect(try provenance() == .setBack)
    #expect(try start() == .setBack)
    let kept = try Store(directory).kept()
    #expect(kept.identity.replica != replica && kept.setBack == Instant(clamping: 1000))
    // It goes on from there, and the old copy is noticed again, however much was written since.
    #expect(try start() == .same)
    try persist(Store(directory), 3...40)
    try copy(from: place, to: path)
    #expect(try start() == .setBack)
  }

  @Test func aLostLogIsNoticed() throws {
    _ = try start()
    let store = try Store(directory)
    try persist(store, 1...3)
    // Closing would copy the log into the database.
    let copy = root.path + "/crashed"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    #expect(try Store(DataDirectory(copy)).isSetBack == false)
    try FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.removeItem(atPath: copy + "/peerd.db-wal")
    #expect(try Store(DataDirectory(copy)).isSetBack)
  }

  @Test(arguments: ["", "rubbish", String(repeating: "0", count: 83)])
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
    try persist(Store(directory), 1...3)
    #expect(try FileSystem.read(path + "/high-water", limit: 100) != before)
    try FileSystem.replace(path + "/high-water", with: before)
    #expect(try start() == .same)
  }

  /// What a database of an older version lacks is begun, without a word.
  @Test func anOlderDatabaseBeginsOne() throws {
    try Store(directory).database.execute("UPDATE high_water SET id = NULL, count = 0")
    try FileManager.default.removeItem(atPath: path + "/high-water")
    #expect(try start() == .same)
    #expect(try FileSystem.read(path + "/high-water", limit: 100)?.count == 83)
  }

  @Test func theFileHoldsWhatTheDatabaseHolds() throws {
    _ = try start()
    let store = try Store(directory)
    for number in 1...3 as ClosedRange<UInt64> {
      try persist(store, number...number)
      let text = try #require(try FileSystem.read(path + "/high-water", limit: 100))
      let count = try store.database.integer("SELECT count FROM high_water")
      #expect(String(decoding: text.suffix(17), as: UTF8.self) == hexadecimal(UInt64(count)) + "\n")
    }
  }
}
