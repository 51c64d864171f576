import PeerSyncCore
import Testing

/// The laws of merging, for what devices run: the clock that hears of stamps, and the replica that takes signed commits.
@Suite struct ShippedLawTests {
  @Test func clocks() { checkMergeLaws(HeardClock.self) { $0.clock.last <= $1.clock.last } }

  /// Nothing is claimed any less, and no register loses.
  @Test func replicas() {
    checkMergeLaws(ShippedReplica.self, count: 250) { less, greater in
      greater.replica.vector.covers(less.replica.vector)
        && less.writes.allSatisfy { write in
          greater.registers[write.register].map { $0 == write || $0.wins(over: write) } ?? false
        }
    }
  }

  /// What was decided after hearing of something wins over it, on whatever device.
  @Test(arguments: Seeds.all) func ticksAreGreaterThanWhatWasHeard(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let (one, other) = (HeardClock.generate(&random), HeardClock.generate(&random))
      var both = one.merging(other).clock
      let stamp = try both.tick(now: HeardClock.now)
      #expect(stamp > one.clock.last && stamp > other.clock.last, "PEERSYNC_SEED=\(seed)")
      #expect(both.last == stamp, "PEERSYNC_SEED=\(seed)")
    }
  }
}

/// A clock as a state: merging another is hearing of the greatest stamp that it knows.
struct HeardClock: Mergeable, Generated, WireValue {
  var clock: HybridLogicalClock

  /// What the wall clock shows. Stamps within the drift of it are taken, and no others are generated.
  static let now = Instant(clamping: 1_800_000_000_000)

  init(_ last: Stamp) { clock = HybridLogicalClock(last: last) }

  mutating func merge(_ other: HeardClock) {
    do { try clock.observe(other.clock.last, now: HeardClock.now) } catch { Issue.record("\(error)") }
  }

  static func generate(_ random: inout SeededGenerator) -> HeardClock {
    let lead = random.pick([Limits.clockDriftMilliseconds, 0, 1, -1, -now.milliseconds])
    let time = now.advanced(byMilliseconds: lead)
    return HeardClock(Stamp(time, counter: random.pick([0, 1, UInt16.max])))
  }

  init(from reader: inout ByteReader) throws(WireError) { self.init(try Stamp(from: &reader)) }

  func write(to writer: inout ByteWriter) { clock.last.write(to: &writer) }
}

/// A replica as a state: merging another is taking the delta that it would send, and its claims.
struct ShippedReplica: Mergeable, Generated, WireValue {
  private(set) var replica = Author(1).emptyReplica
  let writes: [Write]

  var registers: [RegisterID: Write] {
    Dictionary(uniqueKeysWithValues: writes.map { ($0.register, $0) })
  }

  private init(_ replica: Replica) {
    self.replica = replica
    writes = replica.sortedWrites()
  }

  static func == (one: ShippedReplica, other: ShippedReplica) -> Bool {
    one.writes == other.writes && one.replica.digest == other.replica.digest
      && one.replica.vector == other.replica.vector
  }

  mutating func merge(_ other: ShippedReplica) {
    var (replica, sender) = (replica, other.replica)
    ShippedReplica.take(ShippedReplica.delta(beyond: replica.vector, of: &sender), sender.vector, &replica)
    self = ShippedReplica(replica)
  }

  /// What a replica sends to one that knows so much, as an engine puts it together.
  private static func delta(beyond vector: VersionVector, of replica: inout Replica) -> SignedBatch {
    var (batch, progress) = (SignedBatch(), DeltaProgress())
    let claims = replica.vector.entries.filter { !vector.contains($0) }
    replica.fill(&batch, from: replica.names(beyond: vector), &progress, upTo: .max)
    replica.fill(&batch, withHeadsFor: claims, &progress, upTo: .max)
    return batch
  }

  private static func take(_ batch: SignedBatch, _ vector: VersionVector, _ replica: inout Replica) {
    let outcome = replica.merge(batch, ceiling: Stamp(rawValue: .max))
    if !outcome.isWhole { Issue.record("a delta was not taken whole") }
    _ = replica.claim(vector.entries)
  }

  // MARK: Generating

  /// Everything that three devices ever wrote: few keys and few stamps, so that ties and replacements are the rule.
  private static let history: [[Commit]] = {
    var random = SeededGenerator(seed: 7)
    return (UInt64(2)...4).map { author in
      var next: UInt64 = 1
      return (0..<12).map { _ in
        let count = UInt64(random.pick([1, 1, 2, 3, 5]))
        defer { next += count }
        return .signed(
          (next..<next + count).map { sequence in
            Write(
              key: [RegisterKind.product.rawValue, UInt8(random.below(8))],
              stamp: Stamp(rawValue: UInt64(random.below(4))), value: [UInt8(random.below(3))],
              dot: Dot(replica: Author(author).replica, sequence: sequence))
          })
      }
    }
  }()

  /// A device that has heard each author out up to some commit.
  static func generate(_ random: inout SeededGenerator) -> ShippedReplica {
    var replica = Author(1).emptyReplica
    let known = history.flatMap { commits in commits.prefix(random.below(commits.count + 1)) }
    for commit in known.shuffled(using: &random) {
      if !replica.merge(commit.batch, ceiling: Stamp(rawValue: .max)).isWhole {
        Issue.record("a commit was not taken whole")
      }
      _ = replica.claim(commit)
    }
    return ShippedReplica(replica)
  }

  // MARK: Encoding

  init(from reader: inout ByteReader) throws(WireError) {
    let vector = try VersionVector(from: &reader)
    let batch = try SignedBatch(decoding: try reader.bytes(atMost: Limits.frameBytes))
    var replica = Author(1).emptyReplica
    ShippedReplica.take(batch, vector, &replica)
    self.init(replica)
  }

  func write(to writer: inout ByteWriter) {
    var sender = replica
    replica.vector.write(to: &writer)
    writer.write(bytes: ShippedReplica.delta(beyond: VersionVector(), of: &sender).bytes)
  }
}
