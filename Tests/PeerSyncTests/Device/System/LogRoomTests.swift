import Foundation
import PeerSync
import Testing

/// A commit waits for its sync, which takes less time where the file does not grow.
@Suite("The log has room ahead of what is written") struct LogRoomTests {
  private let home: TemporaryDirectory
  private let directory: DataDirectory

  init() throws {
    home = try TemporaryDirectory()
    directory = DataDirectory(home.path)
    try Storage.create(directory, .third)
  }

  private func size() throws -> Int64 {
    let facts = try FileManager.default.attributesOfItem(atPath: directory.database + "-wal")
    return try #require(facts[.size] as? Int64)
  }

  @Test("commits do not make its file longer, and what they say is there after a crash")
  func room() throws {
    let storage = try Storage(directory)
    var grown = 0
    for number in UInt64(1)...100 {
      let before = number == 1 ? 0 : try size()
      try storage.persist(.of(WriteBatch(.numbered(number))))
      if try size() != before { grown += 1 }
      try storage.tidy()
      #expect(try size() >= Database.logBytes(pages: storage.database.logPages + 16))
    }
    #expect(grown == 1)
    let image = try home.crashImage()
    #expect(try Storage(DataDirectory(image.path)).loaded().replica.count == 100)
  }

  @Test("it ends where the log begins again")
  func end() throws {
    let storage = try Storage(directory)
    var batch = WriteBatch()
    for number in UInt64(1)...64 {
      var write = Write.numbered(number)
      write.value = [UInt8](repeating: 7, count: 30_000)
      batch.append(write)
    }
    while storage.statistics.checkpoints == 0 {
      try storage.persist(.of(batch))
      try storage.tidy()
    }
    let full = try size()
    for _ in 0..<3 {
      try storage.persist(.of(batch))
      try storage.tidy()
    }
    #expect(try size() == full)
  }
}
