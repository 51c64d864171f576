import PeerSync
import Testing

/// What is to be made durable reaches the disk in the order in which it happened.
@Suite struct DurableTests {
  /// Changes of a few registers and of the version vector, at random. What wins is decided before: a disk takes lower stamps too.
  private func changes(_ random: inout SeededGenerator) -> [Durable.Change] {
    (1...UInt64(random.pick(1...60))).map { sequence in
      let dot = Dot(replica: Author(UInt64(5 + random.below(2))).replica, sequence: sequence)
      let key = [RegisterKind.value.rawValue, UInt8(random.below(4))]
      let stamp = Stamp(rawValue: UInt64(random.below(50)))
      return switch random.below(6) {
      case 0: .removed([RegisterID(key: key, author: dot.replica)])
      case 1: .claimed([dot])
      case 3: .voided([Dot(replica: dot.replica, sequence: UInt64(random.below(Int(sequence))))])
      case 2: .vector(VersionVector([dot]))
      default: .written(WriteBatch(Write(key: key, stamp: stamp, value: random.bytes(3), dot: dot)))
      }
    }
  }

  @Test(arguments: Seeds.all) func oneTransactionIsAsGoodAsMany(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5 {
      let changes = changes(&random)
      var plain = HarnessDisk()
      for change in changes { plain.persist(Durable([change])) }
      // In several parts that are put together, of which the oldest writes come last.
      let first = changes.prefix { if case .written = $0 { true } else { false } }
      let split = random.pick(first.count...changes.count)
      var durable = Durable(Array(changes[first.count..<split]))
      durable.append(Durable(Array(changes[split...])))
      durable.prepend(Durable(Array(first)).writes)
      let home = try TemporaryDirectory()
      let directory = DataDirectory(home.path)
      try Storage.create(directory, .third)
      try Storage(directory).persist(durable)
      let kept = try Storage(directory).loaded().replica
      let expected = plain.registers.values.sorted { $0.register < $1.register }
      #expect(kept.sortedWrites() == expected, "seed \(seed)")
      #expect(kept.vector == plain.claims, "seed \(seed)")
    }
  }

  /// What was counted stands for what comes before it, and for nothing that comes behind.
  @Test func aCountIsOfWhatComesBefore() {
    let inventory = Inventory(
      registers: 1, digest: Digest(), commits: 1, hashes: 1, replica: Author(3).replica, used: 1)
    var durable = Durable([.written(WriteBatch(.numbered(1))), .counted(inventory), .online(false)])
    #expect(durable.changesLedger && durable.inventory == inventory)
    durable.append(.proven([.incarnation(Author(4).incarnation, replica: Author(4).replica)]))
    #expect(durable.inventory == inventory)
    durable.append(.removed([RegisterID(key: [1], author: Author(3).replica)]))
    #expect(durable.inventory == nil)
    durable.append(.counted(inventory))
    #expect(durable.inventory == inventory)
  }

  @Test func listsOfNothingAreNothing() {
    var durable = Durable()
    for change: Durable.Change in [.claimed([]), .proven([]), .records([]), .addresses([]), .contacts([])] {
      durable.append(change)
    }
    #expect(durable.isEmpty && !durable.changesLedger && durable.inventory == nil)
  }
}
