import Foundation
import PeerSync
import Testing

/// Reading the files of a device without opening it.
@Suite("A device is inspected where it is") struct InspectionTests {
  private let fixture: RotFixture

  init() throws { fixture = try RotFixture() }

  private func inspect(_ directory: DataDirectory) throws -> Storage.Inspection.State {
    try Storage.inspect(directory, key: RotFixture.author.key.publicKey, .simulated).state
  }

  /// All files of a directory, by their names.
  private func contents(of directory: DataDirectory) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + $0)))
      })
  }

  /// As a crash leaves it, and as it lies beside a daemon: with a log that the database lacks.
  private func withLog(_ body: (DataDirectory) throws -> Void) throws {
    let storage = try Storage(fixture.directory)
    try storage.persist(Durable([.online(false)]))
    let image = try fixture.home.crashImage()
    try body(DataDirectory(image.path))
    withExtendedLifetime((storage, image)) {}
  }

  @Test("what is whole is whole, with and without a log, and nothing is written") func whole() throws {
    let closed = try contents(of: fixture.directory)
    #expect(closed["peerd.db-wal"] == nil)
    #expect(try inspect(fixture.directory) == .whole)
    #expect(try contents(of: fixture.directory) == closed)
    try withLog { directory in
      let before = try contents(of: directory)
      #expect(before["peerd.db-wal"]?.isEmpty == false)
      #expect(try inspect(directory) == .whole)
      #expect(try contents(of: directory) == before)
    }
  }

  @Test("what is damaged is told each time, and stays as it is", arguments: [false, true])
  func damaged(isInLog: Bool) throws {
    let change = "UPDATE time SET floor = floor + 1"
    func expectDamage(in directory: DataDirectory) throws {
      let before = try contents(of: directory)
      for _ in 0..<2 {
        guard case .damaged(let damage) = try inspect(directory) else {
          Issue.record("it is whole")
          return
        }
        #expect(damage.what.contains(.rows(table: "time", count: 1)), "\(damage.what)")
      }
      #expect(try contents(of: directory) == before)
    }
    guard isInLog else {
      try fixture.alter(change)
      return try expectDamage(in: fixture.directory)
    }
    let storage = try Storage(fixture.directory)
    try storage.database.execute(change)
    let image = try fixture.home.crashImage()
    try expectDamage(in: DataDirectory(image.path))
    withExtendedLifetime(storage) {}
  }

  @Test("it takes no lock, and needs no room") func beside() throws {
    let lock = try fixture.directory.takeLock()
    #expect(try inspect(fixture.directory) == .whole)
    withExtendedLifetime(lock) {}
    // A file that would take long to copy, and which the database does not use.
    try #require(truncate(fixture.directory.database, 64 << 30) == 0)
    #expect(try inspect(fixture.directory) == .whole)
  }

  @Test("a name with signs of its own is the name of a file") func names() throws {
    let files = try contents(of: fixture.directory)
    let odd = fixture.home.path + "/100% of? it#1"
    try FileManager.default.createDirectory(
      atPath: odd, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for (name, content) in files {
      let path = odd + "/" + name
      try content.write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
    }
    #expect(try inspect(DataDirectory(odd)) == .whole)
  }

  @Test("a database of an older version is told to be one") func older() throws {
    try fixture.alter("DELETE FROM migrations WHERE rowid = (SELECT max(rowid) FROM migrations)")
    #expect(try inspect(fixture.directory) == .older)
  }

  @Test("one that is malformed is refused as the next start would") func malformed() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.database))
    try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: fixture.directory.database))
    expectError({ if case .corrupt = $0 { true } else { false } }) { _ = try inspect(fixture.directory) }
    try whole.write(to: URL(fileURLWithPath: fixture.directory.database))
    chmod(fixture.directory.database, 0o600)
    // The log of an empty one stays where it is.
    try withLog { directory in
      try #require(truncate(directory.database, 0) == 0)
      let before = try contents(of: directory)
      let reason = StorageReason(Phrase("it is missing or empty", "파일이 없거나 비어 있음"))
      #expect(throws: StorageError.corrupt(path: directory.database, message: reason)) {
        try inspect(directory)
      }
      #expect(try contents(of: directory) == before)
    }
  }
}
