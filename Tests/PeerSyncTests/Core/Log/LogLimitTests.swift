import PeerSyncCore
import Testing

/// How much one replica holds.
@Suite struct LogLimitTests {
  @Test func recordsTakeSoManyBytes() {
    let replica = Author(1).emptyReplica
    // Words of contents count twice, for what stays unused at the ends of pages; and a page is always kept free.
    let most = (Limits.recordBytes / 8 - 1 - 32_768) / 2 * 8
    #expect(replica.hasRoom(forWrites: 0, bytes: most) && !replica.hasRoom(forWrites: 0, bytes: most + 1))
    #expect(!replica.hasRoom(forWrites: Limits.registers + 1, bytes: 0))
  }

  private func commit(_ author: UInt64, _ first: UInt64, keys: [UInt8], stamp: UInt64) -> Commit {
    .signed(
      keys.enumerated().map { place, key in
        Write(
          key: [RegisterKey.laterKind, key], stamp: Stamp(rawValue: stamp), value: [key],
          dot: Dot(replica: Author(author).replica, sequence: first + UInt64(place)))
      })
  }

  /// Each commit of two writes leaves one alive, so that the hash of the other is kept.
  @Test func hashesOfReplacedWritesAreBounded() {
    var replica = Author(1).emptyReplica
    #expect(replica.replacedLimit == Limits.replacedWrites)
    // A commit needs room for as many as it could add.
    replica.replacedLimit = Limits.commitWrites + 1
    func take(_ commit: Commit) -> MergeOutcome {
      replica.merge(commit.batch, ceiling: Stamp(rawValue: .max))
    }
    for number in UInt8(0)...1 {
      #expect(!take(commit(2, UInt64(2 * number + 1), keys: [number, 100 + number], stamp: 1)).isFull)
      #expect(!take(commit(3, UInt64(number + 1), keys: [number], stamp: 2)).isFull, "\(number)")
    }
    #expect(take(commit(2, 5, keys: [50], stamp: 1)).isFull)
    #expect(replica.register([RegisterKey.laterKind, 50]) == nil)
    replica.replacedLimit += 1
    #expect(!take(commit(2, 5, keys: [50], stamp: 1)).isFull)
  }
}
