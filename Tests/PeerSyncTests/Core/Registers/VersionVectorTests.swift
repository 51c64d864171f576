import PeerSyncCore
import Testing

@Suite struct VersionVectorTests {
  private let one = ReplicaID(high: 0, low: 1)
  private let two = ReplicaID(high: 0, low: 2)

  @Test func onlyMovesForward() {
    var vector = VersionVector()
    #expect(vector[one] == 0 && vector.entries.isEmpty)
    vector.advance(one, to: 0)
    #expect(vector.entries.isEmpty)
    vector.advance(one, to: 5)
    vector.advance(one, to: 3)
    #expect(vector[one] == 5 && vector[two] == 0)
    #expect(vector.contains(Dot(replica: one, sequence: 5)))
    #expect(!vector.contains(Dot(replica: one, sequence: 6)))
    #expect(!vector.contains(Dot(replica: two, sequence: 1)))
  }

  @Test func theOrderOfArrivalDoesNotShow() {
    let entries = [
      Dot(replica: two, sequence: 1), Dot(replica: one, sequence: 2), Dot(replica: two, sequence: 4),
    ]
    #expect(VersionVector(entries) == VersionVector(entries.reversed()))
    #expect(VersionVector(entries).entries == [entries[1], entries[2]])
  }

  @Test func coversAndBeyond() {
    let less = VersionVector([Dot(replica: one, sequence: 2)])
    let more = VersionVector([Dot(replica: one, sequence: 2), Dot(replica: two, sequence: 1)])
    #expect(more.covers(less) && !less.covers(more) && more.covers(more) && less.covers(VersionVector()))
    #expect(more.entries(beyond: less) == [Dot(replica: two, sequence: 1)])
    #expect(less.entries(beyond: more) == [])
  }

  /// Merging agrees with a dictionary, `covers` with the order, and what is beyond is what merging adds.
  @Test func agreesWithASlowTwin() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<5_000 {
      let first = VersionVector.generate(&random)
      let second = VersionVector.generate(&random)
      var slow: [ReplicaID: UInt64] = [:]
      for entry in first.entries + second.entries {
        slow[entry.replica] = max(slow[entry.replica] ?? 0, entry.sequence)
      }
      let merged = first.merging(second)
      let sorted = slow.sorted { $0.key < $1.key }.map { Dot(replica: $0.key, sequence: $0.value) }
      #expect(merged.entries == sorted)
      #expect(first.covers(second) == (merged == first))
      var caughtUp = first
      for entry in second.entries(beyond: first) { caughtUp.advance(entry.replica, to: entry.sequence) }
      #expect(caughtUp == merged)
    }
  }
}
