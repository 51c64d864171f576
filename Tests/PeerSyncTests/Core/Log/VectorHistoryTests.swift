import PeerSyncCore
import Testing

/// What was known by the hour, compared with all vectors that there were.
@Suite struct VectorHistoryTests {
  private static let hour: Int64 = 3_600_000
  private static let start: Int64 = 500_000

  private static func time(_ hours: Int64, minutes: Int64 = 0) -> Instant {
    Instant(clamping: (start + hours) * hour + minutes * 60_000)
  }

  private static let replicas = (1...4).map { ReplicaID(high: 9, low: UInt64($0)) }

  /// The slow twin: the vector as it stood when each hour began.
  private struct Twin {
    var vector = VersionVector()
    private(set) var began: [Int64: VersionVector] = [:]

    mutating func reach(_ hour: Int64) { if began[hour] == nil { began[hour] = vector } }
  }

  private func note(
    _ history: inout VectorHistory, _ kept: inout VectorHistory, _ vector: VersionVector, _ now: Instant
  ) {
    kept.apply(history.note(vector, hash: vector.hash, at: now))
    #expect(kept.entries == history.entries)
  }

  @Test(arguments: Seeds.all) func itIsTheVectorAsItStood(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (history, kept, twin) = (VectorHistory(), VectorHistory(), Twin())
    var hour: Int64 = 0
    twin.reach(0)
    note(&history, &kept, twin.vector, Self.time(0))
    for _ in 0..<300 {
      if random.chance(3) {
        for _ in 0..<random.pick(1...4) {
          hour += 1
          twin.reach(hour)
        }
      }
      let replica = Self.replicas[random.below(4)]
      twin.vector.advance(replica, to: twin.vector[replica] + UInt64(random.pick(1...3)))
      note(&history, &kept, twin.vector, Self.time(hour, minutes: Int64(random.below(60))))
      if random.chance(20) {
        // A start: what was kept is all that there is.
        history = kept
        history.resume(knowing: twin.vector)
      }
    }
    for past in 0...hour {
      for replica in Self.replicas {
        let asked = Self.time(past, minutes: Int64(random.below(60)))
        #expect(
          history.sequence(of: replica, at: asked) ?? twin.vector[replica] == twin.began[past]?[replica],
          "seed \(seed), hour \(past)")
      }
    }
    // A write is heard of in the hour after the last beginning at which it was not known.
    for replica in Self.replicas where twin.vector[replica] > 0 {
      let sequence = UInt64(random.pick(1...Int(twin.vector[replica])))
      let unknown = (0...hour).last { (twin.began[$0] ?? twin.vector)[replica] < sequence }
      let heard = history.hour(of: Dot(replica: replica, sequence: sequence))
      #expect(heard == nil || heard == unknown.map { Self.time($0) }, "seed \(seed), \(replica):\(sequence)")
    }
    #expect(history.reaches(Self.time(0)) && !history.reaches(Self.time(-1, minutes: 59)))
    #expect(history.begin == Self.time(0))
  }

  /// With little room it says less than was known, never more, and there are never more marks than allowed.
  @Test(arguments: Seeds.all) func whatIsMadeCoarserIsNeverMore(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (history, kept, twin) = (VectorHistory(), VectorHistory(), Twin())
    #expect(history.limit == Limits.vectorMarks)
    history.limit = 40
    note(&history, &kept, twin.vector, Self.time(0))
    for hour in 0..<Int64(400) {
      twin.reach(hour)
      for replica in Self.replicas where random.chance(2) {
        twin.vector.advance(replica, to: twin.vector[replica] + 1)
      }
      note(&history, &kept, twin.vector, Self.time(hour))
      #expect(history.entries.count <= 40)
    }
    for past in 0..<Int64(400) {
      for replica in Self.replicas {
        let told = history.sequence(of: replica, at: Self.time(past)) ?? twin.vector[replica]
        let known = twin.began[past]?[replica] ?? 0
        #expect(told <= known, "seed \(seed), hour \(past)")
        if past >= 395 { #expect(told == known, "the newest stay as they are") }
      }
    }
    #expect(history.reaches(Self.time(0)))
  }

  /// What was noted while the time was wrong was known by now, whatever the hours said.
  @Test func whatWasLostIsNotTakenForKnown() {
    let replica = Self.replicas[0]
    var (history, kept) = (VectorHistory(afterLoss: true), VectorHistory())
    note(&history, &kept, VersionVector([Dot(replica: replica, sequence: 5)]), Self.time(0, minutes: 30))
    #expect(!history.reaches(Self.time(-1)) && history.reaches(Self.time(0)))
    #expect(history.sequence(of: replica, at: Self.time(0)) == 0)
    #expect(history.sequence(of: replica, at: Self.time(1)) == nil)
  }

  @Test func timeThatFalls() {
    let (one, other) = (Self.replicas[0], Self.replicas[1])
    var (history, kept) = (VectorHistory(), VectorHistory())
    var vector = VersionVector()
    note(&history, &kept, vector, Self.time(0))
    for (hour, sequence) in [(1, 5), (10_000, 7), (10_005, 9)] as [(Int64, UInt64)] {
      vector.advance(one, to: sequence)
      note(&history, &kept, vector, Self.time(hour))
    }
    vector.advance(other, to: 1)
    note(&history, &kept, vector, Self.time(2))
    #expect(history.sequence(of: one, at: Self.time(1)) == 0)
    #expect(history.sequence(of: one, at: Self.time(2)) == 5)
    #expect(history.sequence(of: one, at: Self.time(3)) == nil)
    vector.advance(one, to: 11)
    note(&history, &kept, vector, Self.time(4))
    #expect(history.sequence(of: one, at: Self.time(3)) == 9)
  }

  /// Claims that are given up and come again were known before.
  @Test func whatIsGivenUpWasKnown() {
    let one = Self.replicas[0]
    var (history, kept) = (VectorHistory(), VectorHistory())
    note(&history, &kept, VersionVector([Dot(replica: one, sequence: 5)]), Self.time(0))
    note(&history, &kept, VersionVector(), Self.time(1))
    note(&history, &kept, VersionVector([Dot(replica: one, sequence: 6)]), Self.time(2))
    #expect(history.sequence(of: one, at: Self.time(1)) == 5)
    // Also when the device started without them.
    kept.resume(knowing: VersionVector())
    _ = kept.note(VersionVector([Dot(replica: one, sequence: 7)]), hash: 7, at: Self.time(3))
    #expect(kept.sequence(of: one, at: Self.time(3)) == 5)
  }

  /// One whose claims were given up while room was made counts from its beginning when it comes back: never more than was known.
  @Test func whatWasForgottenAndComesBack() {
    var history = VectorHistory()
    history.limit = 10
    let one = Self.replicas[0]
    _ = history.note(VersionVector([Dot(replica: one, sequence: 5)]), hash: 1, at: Self.time(0))
    for hour in 1..<Int64(20) {
      let life = ReplicaID(high: 8, low: UInt64(hour))
      _ = history.note(
        VersionVector([Dot(replica: life, sequence: 1)]), hash: UInt64(hour + 1), at: Self.time(hour))
    }
    #expect(!history.entries.contains { $0.replica == one })
    _ = history.note(VersionVector([Dot(replica: one, sequence: 5)]), hash: 99, at: Self.time(30))
    #expect(history.sequence(of: one, at: Self.time(29)) == 0)
  }

  /// A replica that is not known any more makes room.
  @Test func forgottenReplicas() {
    var history = VectorHistory()
    history.limit = 10
    for hour in 0..<Int64(40) {
      let life = ReplicaID(high: 8, low: UInt64(hour))
      let vector = VersionVector([Dot(replica: life, sequence: 1)])
      _ = history.note(vector, hash: UInt64(hour), at: Self.time(hour))
      #expect(history.entries.count <= 10)
    }
  }
}
