import Foundation
import PeerSync
import Testing

/// A database that was put back, with a row of a replica that does not fit, beside the second copy of a later one [F67].
@Suite("Numbers of replicas in a database that was put back [F67]") struct NumberingTests {
  private let fixture: RotFixture
  private let numbers: [ReplicaID: Int64]

  init() throws {
    fixture = try RotFixture()
    numbers = try Self.numbers(fixture.directory)
  }

  private static func numbers(_ directory: DataDirectory) throws -> [ReplicaID: Int64] {
    let rows = try Database(path: directory.database).prepare("SELECT number, id FROM replicas")
    var numbers: [ReplicaID: Int64] = [:]
    while try rows.step() {
      if let id = rows.identifier(1, ReplicaID.self) { numbers[id] = rows.integer(0) }
    }
    return numbers
  }

  /// How replicas are numbered in the later database; the own one comes first.
  private func later(_ way: String) throws -> [ReplicaID] {
    let own = RotFixture.author.replica
    let others = numbers.keys.filter { $0 != own }.sorted { numbers[$0] ?? 0 < numbers[$1] ?? 0 }
    return switch way {
    case "swapped": others.reversed()
    case "another": [others[0], Author(9).replica, others[1]]
    default: others
    }
  }

  /// Leaves the second copy of a database that was filled anew, and its mark.
  private func renumber(_ way: String, keepsMark: Bool) throws {
    let other = try TemporaryDirectory()
    let directory = DataDirectory(other.path)
    try Storage.create(directory, Harness.device(RotFixture.author))
    var durable = Durable()
    for replica in try later(way) {
      let author = try #require((UInt64(1)...9).map { Author($0) }.first { $0.replica == replica })
      durable.append(.proven([.incarnation(author.incarnation, replica: replica)]))
    }
    try Storage(directory).persist(durable)
    let names = keepsMark ? ["peerd.copy"] : ["peerd.copy", "high-water"]
    for name in names {
      let bytes = try #require(try FileSystem.read(other.path + "/" + name, limit: 1 << 20))
      try FileSystem.replace(fixture.home.path + "/" + name, with: bytes)
    }
  }

  @Test(
    "a number that may stand for another replica gives no write another author",
    arguments: ["swapped", "another"], [false, true])
  func noOtherAuthor(way: String, isStarted: Bool) throws {
    try renumber(way, keepsMark: way == "swapped" && !isStarted)
    try fixture.alter("UPDATE replicas SET claimed = claimed + 1 WHERE number = 3")
    if isStarted {
      // It gives a number to a new incarnation before the rows are read.
      let storage = try Storage(fixture.directory)
      let provenance = try fixture.directory.provenance(of: storage)
      #expect(provenance == .setBack)
      try fixture.directory.begin(
        storage, provenance, key: RotFixture.author.key.publicKey, at: Instant(clamping: 1))
    }
    let kept = try fixture.load()
    let (before, left) = (Set(fixture.before.replica.sortedWrites()), kept.replica.sortedWrites())
    #expect(left.allSatisfy { before.contains($0) })
    #expect(!left.isEmpty && left.count < before.count)
    let isNamed = kept.damage?.what.contains { if case .registers = $0 { true } else { false } } ?? false
    #expect(isNamed && kept.replica.vector.entries.isEmpty)
    let numbers = try Self.numbers(fixture.directory)
    #expect(Set(numbers.values).count == numbers.count && numbers.values.allSatisfy { $0 < 100 })
    guard !isStarted else { return }
    let harness = fixture.harness(kept)
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.engines[0].damage == nil && harness.engines[0].peers.contains(where: \.isInSync))
    #expect(harness.replica(0).digest == harness.replica(1).digest)
    harness.expectConverged()
  }

  @Test("the numbers of its own second copy bring every write back") func ownNumbers() throws {
    try fixture.alter("UPDATE replicas SET claimed = claimed + 1 WHERE number = 3")
    let kept = try fixture.load()
    #expect(kept.damage?.what == [.rows(table: "replicas", count: 1)])
    #expect(kept.replica.sortedWrites() == fixture.before.replica.sortedWrites())
  }
}
