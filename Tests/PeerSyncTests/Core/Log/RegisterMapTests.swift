import PeerSyncCore
import Testing

/// What ``RegisterMap`` is compared with: a dictionary, and the rule of who wins written out.
struct RegisterTwin {
  private(set) var registers: [RegisterID: Write] = [:]

  @discardableResult mutating func merge(_ write: Write) -> Bool {
    if let held = registers[write.register], !write.wins(over: held) { return false }
    registers[write.register] = write
    return true
  }

  mutating func remove(_ register: RegisterID) { registers[register] = nil }

  var digest: Digest { registers.values.reduce(into: Digest()) { $0.add($1.digest) } }

  /// What the registers under a key hold.
  func writes(under key: [UInt8]) -> Set<Write> { Set(registers.values.filter { $0.key == key }) }

  /// The writes beyond a vector, by replica and sequence.
  func writes(beyond vector: VersionVector) -> [Write] {
    registers.values.filter { !vector.contains($0.dot) }.sorted { $0.dot < $1.dot }
  }
}

extension RegisterMap {
  mutating func merge(_ write: Write) -> MergeResult { write.withView { merge($0) } }

  func writes(of names: [UInt32]) -> [Write] {
    var batch = WriteBatch()
    for name in names { append(name, to: &batch) }
    return batch.writes
  }

  func writes(under key: [UInt8]) -> Set<Write> {
    var writes: Set<Write> = []
    forEach(under: key) { writes.insert(Write($0)) }
    return writes
  }

  func writes(in range: KeyRange = .all) -> [Write] {
    var writes: [Write] = []
    forEach(in: range) { writes.append(Write($0)) }
    return writes
  }
}

@Suite struct RegisterMapTests {
  /// Writes with dots of their own, in any order: few keys, few stamps, values that tie in everything but their length.
  static func writes(_ count: Int, keys: Int, _ random: inout SeededGenerator) -> [Write] {
    var next: [UInt64: UInt64] = [:]
    let decision = RegisterKind.value.rawValue
    let pool = (0..<keys).map { _ in
      [random.pick([decision, UInt8(random.below(256))])] + random.bytes(random.pick([0, 1, 7, 8, 39]))
    }
    let writes = (0..<count).map { _ -> Write in
      let replica = UInt64(random.below(4))
      next[replica, default: 0] += 1
      return Write(
        key: random.pick(pool), stamp: Stamp(rawValue: UInt64(random.below(3))), value: value(&random),
        dot: Dot(replica: ReplicaID(high: 0, low: replica), sequence: next[replica] ?? 1))
    }
    return writes.shuffled(using: &random)
  }

  private static func value(_ random: inout SeededGenerator) -> [UInt8] {
    let length = random.chance(1, of: 40) ? random.below(3_000) : random.pick([0, 0, 1, 1, 2, 7, 8, 9, 130])
    return (0..<length).map { _ in UInt8(random.below(2)) }
  }

  private func expectEqual(_ map: inout RegisterMap, _ twin: RegisterTwin, _ random: inout SeededGenerator) {
    #expect(map.count == twin.registers.count)
    #expect(map.digest == twin.digest)
    #expect(Set(map.writes()) == Set(twin.registers.values))
    let vector = VersionVector(
      (0..<4).map { Dot(replica: ReplicaID(high: 0, low: $0), sequence: UInt64(random.below(200))) })
    let names = map.names(beyond: vector)
    #expect(map.writes(of: names) == twin.writes(beyond: vector))
  }

  @Test(arguments: Seeds.all) func agreesWithItsTwin(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var (map, twin) = (RegisterMap(), RegisterTwin())
      for write in Self.writes(random.below(400), keys: 1 + random.below(60), &random) {
        let won = map.merge(write)
        #expect((won == .won) == twin.merge(write), "seed \(seed)")
        #expect(map[write.register] == twin.registers[write.register], "seed \(seed)")
        #expect(map.writes(under: write.key) == twin.writes(under: write.key), "seed \(seed)")
        if random.chance(1, of: 50) { map.compact() }
        if random.chance(1, of: 100) { _ = map.names(beyond: VersionVector()) }
      }
      expectEqual(&map, twin, &random)
      map.compact()
      expectEqual(&map, twin, &random)
    }
  }

  /// Whose the rest is each device may have from another one.
  @Test(arguments: Seeds.all) func knowsWhoseRegistersAreTheirOwn(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      var (map, twin) = (RegisterMap(), RegisterTwin())
      for write in Self.writes(random.below(200), keys: 1 + random.below(20), &random) {
        let (owners, version) = (map.owners, map.ownersVersion)
        switch random.below(40) {
        case 0: map.compact()
        case 1: _ = map.names(beyond: VersionVector())
        case 2..<15:
          guard let gone = twin.registers.keys.sorted().randomElement(using: &random) else { continue }
          map.remove(gone)
          twin.remove(gone)
        default:
          // Numbers of credits have their author's name in their keys.
          if write.key.first == RegisterKind.credit.rawValue, write.dot.replica.low != 1 { continue }
          _ = map.merge(write)
          twin.merge(write)
        }
        let owned = twin.registers.values.filter { [3, 4, 5, 6, 8, 10].contains($0.key.first) }
        #expect(map.owners == Set(owned.map(\.dot.replica)), "seed \(seed)")
        #expect(map.owners == owners || map.ownersVersion != version, "seed \(seed)")
      }
    }
  }

  /// Whatever the order in which two of three writes meet, one wins all.
  @Test(arguments: Seeds.all) func theOrderOfWritesHasNoCircle(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let writes = (0..<3).map { sequence in
        Write(
          key: [1], stamp: Stamp(rawValue: 1), value: random.bytes(random.below(3)),
          dot: Dot(replica: ReplicaID(high: 0, low: 1), sequence: UInt64(sequence + 1)))
      }
      let winners = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map { order in
        var map = RegisterMap()
        for index in order { _ = map.merge(writes[index]) }
        return map.writes()
      }
      #expect(winners[0] == winners[1] && winners[1] == winners[2], "seed \(seed): \(writes)")
    }
  }

  /// The name of a register goes on to lead to it when the register has grown out of its record.
  @Test func namesSurviveMoves() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      var (map, twin) = (RegisterMap(), RegisterTwin())
      let writes = Self.writes(200, keys: 30, &random)
      for write in writes.prefix(100) where map.merge(write) == .won { twin.merge(write) }
      let names = map.names(beyond: VersionVector())
      let registers = map.writes(of: names).map(\.register)
      for write in writes.dropFirst(100) where map.merge(write) == .won { twin.merge(write) }
      #expect(map.writes(of: names) == registers.map { twin.registers[$0] })
    }
  }

  @Test func copiesAreIndependent() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<30 {
      var (map, twin) = (RegisterMap(), RegisterTwin())
      let writes = Self.writes(300, keys: 40, &random)
      for write in writes.prefix(150) where map.merge(write) == .won { twin.merge(write) }
      var (copy, copyTwin) = (map, twin)
      for write in writes.dropFirst(150) {
        if random.chance(1, of: 2) {
          if map.merge(write) == .won { twin.merge(write) }
        } else if copy.merge(write) == .won {
          copyTwin.merge(write)
        }
      }
      expectEqual(&map, twin, &random)
      copy.compact()
      expectEqual(&copy, copyTwin, &random)
      expectEqual(&map, twin, &random)
    }
  }

  @Test func rangesAreFiltersOverKeyHashes() {
    var random = SeededGenerator(seed: 5)
    for size in [1, 40, 52, 3_000] {
      var map = RegisterMap()
      for write in Self.writes(size * 2, keys: size, &random) { _ = map.merge(write) }
      let all = map.writes()
      for _ in 0..<40 {
        let range = KeyRange.random(near: random.pick(all), &random)
        let expected = all.filter { range.holds($0) }
        #expect(Set(map.writes(in: range)) == Set(expected))
        let digest = expected.reduce(into: Digest()) { $0.add($1.digest) }
        #expect(
          map.summary(of: range) == RangeDigest(range: range, count: UInt64(expected.count), digest: digest))
      }
    }
  }

  @Test func childrenPartARange() {
    var random = SeededGenerator(seed: 6)
    var map = RegisterMap()
    for write in Self.writes(2_000, keys: 1_000, &random) { _ = map.merge(write) }
    var ranges = [KeyRange.all]
    while let range = ranges.popLast(), range.depth < 12 {
      let whole = map.summary(of: range)
      let parts = range.children.map { map.summary(of: $0) }
      #expect(parts.reduce(0) { $0 + $1.count } == whole.count)
      #expect(parts.reduce(into: Digest()) { $0.add($1.digest) } == whole.digest)
      ranges += parts.filter { $0.count > 0 }.map(\.range)
    }
    #expect(KeyRange(depth: 32, prefix: 0).children.isEmpty)
  }

  @Test func theTableGrows() {
    var map = RegisterMap()
    let writes = (1...UInt64(20_000)).map { number in
      Write(
        key: withUnsafeBytes(of: number) { Array($0) }, stamp: Stamp(rawValue: number), value: [1],
        dot: Dot(replica: ReplicaID(high: 0, low: 1), sequence: number))
    }
    for write in writes { #expect(map.merge(write) == .won) }
    #expect(map.count == writes.count)
    for write in writes { #expect(map.register(write.key)?.stamp == write.stamp) }
    let names = map.names(beyond: VersionVector())
    #expect(map.writes(of: names) == writes)
  }

  /// Overwriting does not make the memory grow for good.
  @Test func compactionGivesMemoryBack() {
    var map = RegisterMap()
    var sequence: UInt64 = 0
    var sizes: [Int] = []
    for round in 0..<40 {
      for key in 0..<UInt8(200) {
        sequence += 1
        let write = Write(
          key: [key], stamp: Stamp(rawValue: sequence), value: Array(repeating: 1, count: 100 + round * 8),
          dot: Dot(replica: ReplicaID(high: 0, low: 1), sequence: sequence))
        #expect(map.merge(write) == .won)
      }
      map.compact()
      sizes.append(map.allocatedBytes)
    }
    #expect(map.count == 200)
    #expect(sizes.max() ?? 0 <= 3 * RegisterMapTests.pageBytes)
  }

  private static let pageBytes = 256 * 1024
}

extension KeyRange {
  /// Whether the hash of a write's register begins with the bits of the range, by their definition.
  func holds(_ write: Write) -> Bool {
    let hash = write.registerHash
    return depth == 0 || (hash ^ prefix) >> UInt64(64 - Int(depth)) == 0
  }

  /// A range of a depth that repairs use, around the register of a write.
  static func random(near write: Write, _ random: inout SeededGenerator) -> KeyRange {
    let depth = UInt64(4 * random.below(9))
    let hash = write.registerHash ^ UInt64(random.below(2)) << 63
    return KeyRange(depth: UInt8(depth), prefix: depth == 0 ? 0 : hash & ~(UInt64.max >> depth))
  }
}

extension Write {
  /// The hash of its register, by its definition: of the key, and of what devices decide of that and the author.
  fileprivate var registerHash: UInt64 {
    let hash = key.withUnsafeBytes { SipHash.hash64($0) }
    guard let author = register.author else { return hash }
    var writer = ByteWriter()
    for word in [hash, author.high, author.low] { writer.write(raw: withUnsafeBytes(of: word) { Array($0) }) }
    return writer.bytes.withUnsafeBytes { SipHash.hash64($0) }
  }
}
