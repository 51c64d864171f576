import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct OutboxTests {
  private let author = Author(1)

  /// Own writes of a replica, and where they wait.
  private func filled(_ count: Int, chunkBytes: Int) -> (outbox: Outbox, replica: Replica, writes: [Write]) {
    var (outbox, replica, won) = (Outbox(signer: author.key), author.emptyReplica, WriteBatch())
    outbox.chunkBytes = chunkBytes
    for index in 0..<count {
      let key = RegisterKey.value(key: "key \(index)").encoded
      let made = replica.write(
        key: key, stamp: Stamp(rawValue: UInt64(index)), value: Array(repeating: 1, count: 100))
      if let made { won.append(made) }
    }
    outbox.add(won)
    return (outbox, replica, won.writes)
  }

  @Test func whatWaitsTogetherIsOneCommit() {
    var (outbox, replica, writes) = filled(5, chunkBytes: Limits.chunkBytes)
    outbox.seal(in: &replica)
    let commits = outbox.takeSealed()
    #expect(commits.count == 1 && commits.flatMap(\.batch.writes) == writes)
    #expect(commits.first?.author == author.incarnation)
    outbox.seal(in: &replica)
    #expect(outbox.takeSealed().isEmpty)
  }

  @Test func commitsFollowOneAnotherAndFitIntoPieces() {
    var (outbox, replica, writes) = filled(9, chunkBytes: 300)
    outbox.seal(in: &replica)
    let commits = outbox.takeSealed()
    #expect(commits.count > 1 && commits.flatMap(\.batch.writes) == writes)
    var next: UInt64 = 1
    for commit in commits {
      #expect(commit.first == next)
      next = commit.last + 1
    }
    #expect(next == 10)
  }

  @Test func piecesOfDeltasWaitForTheDisk() {
    var (outbox, effects) = (Outbox(signer: author.key), Effects())
    let batches = [3, 4].map { WriteBatch([.value($0)]) }
    for batch in batches { outbox.keep(batch, &effects) }
    #expect(effects.durable.isEmpty && outbox.unsaved.count == 2)
    effects.durable.append(.online(true))
    outbox.flush(&effects)
    #expect(outbox.unsaved.isEmpty && effects.durable.changes.count == 3)
    guard case .online = effects.durable.changes.last else {
      return #expect(Bool(false), "not before the rest")
    }
  }

  /// What won a register later must reach the disk later.
  @Test func nothingOvertakesACommitThatIsCertain() {
    var (outbox, effects) = (Outbox(signer: author.key), Effects())
    effects.durable.append(.online(true))
    outbox.keep(WriteBatch([.value(3)]), &effects)
    #expect(outbox.unsaved.isEmpty && effects.durable.changes.count == 2)
  }
}

extension Write {
  /// A write of the second author.
  fileprivate static func value(_ sequence: UInt64) -> Write {
    Write(
      key: RegisterKey.value(key: "\(sequence)").encoded, stamp: Stamp(rawValue: sequence), value: [1],
      dot: Dot(replica: Author(2).replica, sequence: sequence))
  }
}
