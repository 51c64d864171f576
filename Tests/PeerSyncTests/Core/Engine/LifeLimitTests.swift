import PeerSyncCore
import Testing

/// How many lives of a device others take, and that nobody who makes them up is in the way of others.
@Suite struct LifeLimitTests {
  private static let ceiling = Stamp(rawValue: .max)

  /// What a device writes first in one of its lives.
  private func first(_ number: UInt64, life: UInt64) throws -> Commit {
    let author = Author(number, life: life)
    let write = Write(
      key: RegisterKey.value(key: "\(number) \(life)").encoded, stamp: Stamp(rawValue: 1), value: [],
      dot: Dot(replica: author.replica, sequence: 1))
    return try #require(author.commit([write]))
  }

  /// How many of so many lives are taken.
  private func taken(_ lives: Int, of number: UInt64, _ replica: inout Replica) throws -> Int {
    let before = replica.count
    for life in 1...UInt64(lives) {
      _ = replica.merge(try first(number, life: life).batch, ceiling: Self.ceiling)
    }
    return replica.count - before
  }

  /// A few that make up lives use up half of the room, and everybody else has some.
  @Test func oneThatLivesOftenLeavesRoomToOthers() throws {
    var replica = Author(1).emptyReplica
    let half = Limits.replicas / 2
    #expect(try taken(Limits.incarnationsAssured, of: 2, &replica) == Limits.incarnationsAssured)
    #expect(replica.outlived.isEmpty)
    #expect(
      try taken(Limits.incarnations + 1, of: 2, &replica)
        == Limits.incarnations - Limits.incarnationsAssured)
    #expect(replica.outlived == [Author(2).key.publicKey])
    #expect(try taken(Limits.incarnations, of: 3, &replica) == half - Limits.incarnations - 1)
    for number: UInt64 in 4...10 {
      let lives = try taken(Limits.incarnationsAssured + 1, of: number, &replica)
      #expect(lives == Limits.incarnationsAssured)
    }
  }

  /// A device for which there is no other life says so once, and of no life that it has begun one.
  @Test func whoHasLivedTooOftenSaysSo() throws {
    let harness = Harness(1)
    let last = UInt64(Limits.incarnations) - 1
    harness.perform(0) { engine, now, effects in
      for life in 1...last { engine.begin(Author(1, life: life).incarnation, now: now, &effects) }
    }
    #expect(harness.replica(0).id == Author(1, life: last).replica)
    let peer = harness.welcomed(0)
    harness.handle(0, [.received(peer, .commit(try first(1, life: last)))])
    harness.write(0, "later", [1])
    #expect(harness.replica(0).id == Author(1, life: last).replica)
    let said = harness.notices.map(\.notice)
    #expect(said.filter { if case .outlived = $0 { true } else { false } }.count == 1)
    #expect(!said.contains { if case .reincarnated = $0 { true } else { false } })
  }

  /// [F60] A member shows two others as many lives as they take, each other ones. Once it is removed both hold the same, and
  /// so they do after a restart.
  @Test func whoeverShowsEachOtherLivesIsOutOnceRemoved() throws {
    let harness = Harness(2)
    for (index, lives) in [1...UInt64(Limits.incarnations), 2_001...3_024].enumerated() {
      let peer = harness.welcomed(index)
      for life in lives {
        harness.handle(index, [.received(peer, .commit(try first(40, life: life))), .drained(peer)])
      }
      #expect(harness.replica(index).count == Limits.incarnations)
      harness.handle(index, [.closed(peer)])
    }
    harness.write(0, "mine", [1])
    let removal = harness.request(.remove(Author(40).device, recoveryKey: nil), of: 0)
    #expect(harness.answers[removal] == .done(changed: 1))
    // The session in which the second hears of it ends, for much is to be compared anew.
    for _ in 0...1 {
      harness.connect(0, 1)
      harness.settle()
    }
    #expect(harness.value(1, "mine") == [1])
    #expect(harness.replica(1).count == Limits.incarnations + 1)
    #expect(harness.replica(0).digest == harness.replica(1).digest)
    #expect(harness.replica(0).vectorHash == harness.replica(1).vectorHash)
    for index in 0...1 { harness.expectSaved(index) }
    let digest = harness.replica(1).digest
    harness.restart(1)
    #expect(harness.replica(1).digest == digest)
  }
}
