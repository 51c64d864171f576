import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What is named by its content is that content, or it is a forgery, whoever signed it.
@Suite struct ContentTests {
  private static let ceiling = Stamp(rawValue: .max)
  private let own = Author(1)

  /// The writes of a purchase: two parts and the item.
  private func purchase(_ id: String = "1", by author: UInt64 = 2, from first: UInt64 = 1) -> [Write] {
    SimulatedStore.writes(of: Fixtures.buy(id, Fixtures.owl, "2026-01-01")).enumerated().map { place, write in
      Write(write, dot: Dot(replica: Author(author).replica, sequence: first + UInt64(place)))
    }
  }

  /// What somebody might put in the place of a write.
  private func misfits(of write: Write) -> [Write] {
    let later = Stamp(rawValue: write.stamp.rawValue + 1)
    let changes: [(inout Write) -> Void] = [
      { $0.stamp = later }, { $0.stamp = Stamp(rawValue: .max) }, { $0.value[0] ^= 0x30 },
      { $0.value.append(0) }, { $0.value = [] },
      {
        $0.stamp = later
        $0.value = [0x2f]
      },
      { $0.key.append(0) }, { $0.key.removeLast() }, { $0.key = [$0.key[0]] },
    ]
    return changes.map { change in
      var misfit = write
      change(&misfit)
      return misfit
    }
  }

  @Test func aWriteThatIsNotWhatItsKeySaysIsAForgery() {
    let writes = purchase()
    for place in writes.indices {
      for misfit in misfits(of: writes[place]) {
        var (wrong, replica) = (writes, own.emptyReplica)
        wrong[place] = misfit
        let outcome = replica.merge(Commit.signed(wrong).batch, ceiling: Self.ceiling)
        #expect(outcome.forgery == .content && outcome.won.isEmpty && !outcome.isWhole, "\(misfit)")
        #expect(replica.count == 0 && replica.reach(of: Author(2).replica) == 0)
        // Nothing of it is remembered: what fits is taken.
        #expect(replica.merge(Commit.signed(writes).batch, ceiling: Self.ceiling).isWhole)
      }
    }
  }

  @Test func nobodyRewritesARegister() {
    var replica = own.emptyReplica
    #expect(replica.merge(Commit.signed(purchase()).batch, ceiling: Self.ceiling).isWhole)
    let before = replica.sortedWrites()
    for write in before {
      for var misfit in misfits(of: write) {
        misfit.dot = Dot(replica: Author(3).replica, sequence: 1)
        let outcome = replica.merge(Commit.signed([misfit]).batch, ceiling: Self.ceiling)
        #expect(outcome.forgery == .content && replica.sortedWrites() == before)
      }
    }
  }

  /// It would take the place of one that can.
  @Test("F58: a spend that nobody can read, or of more than its life has spent, is a forgery")
  func spendsCanBeRead() {
    let replica = Author(2).replica
    let spend = CreditSpend(id: "one", amount: 3)
    let entries: [CreditEntry] = [
      .spend(by: replica, slot: 1, spend), .spentAgain(Author(3).replica, spend, by: replica),
    ]
    for entry in entries {
      let right = Write(
        key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: 3), value: entry.value,
        dot: Dot(replica: replica, sequence: 1))
      var wrong = [right, right, right]
      wrong[0].value = []
      wrong[1].value.removeLast()
      wrong[2].stamp = Stamp(rawValue: 2)
      for write in wrong {
        var receiver = own.emptyReplica
        #expect(receiver.merge(Commit.signed([write]).batch, ceiling: Self.ceiling).forgery == .content)
        #expect(receiver.merge(Commit.signed([right]).batch, ceiling: Self.ceiling).isWhole)
      }
    }
  }

  @Test func whatCameBeforeItCounts() {
    var (wrong, replica) = (purchase(by: 3), own.emptyReplica)
    wrong[2].value.append(0)
    let batch = SignedBatch.joined([
      Commit.signed(purchase("2")).batch, Commit.signed(wrong).batch,
      Commit.signed(purchase("4", by: 4)).batch,
    ])
    #expect(replica.merge(batch, ceiling: Self.ceiling).forgery == .content)
    #expect(replica.sortedWrites().allSatisfy { $0.dot.replica == Author(2).replica } && replica.count == 3)
  }

  /// The same item of another member is the same item.
  @Test func theSameContentMayBeWrittenByAnyone() {
    var replica = own.emptyReplica
    #expect(replica.merge(Commit.signed(purchase()).batch, ceiling: Self.ceiling).isWhole)
    let before = replica.digest
    #expect(replica.merge(Commit.signed(purchase(by: 3)).batch, ceiling: Self.ceiling).isWhole)
    #expect(replica.count == 3 && replica.digest == before)
    for write in purchase() {
      #expect(replica.write(key: write.key, stamp: write.stamp, value: write.value) == nil)
    }
  }

  /// Of a write that its author has replaced only the hash travels: it has no effect, and needs no name.
  @Test func whatWasReplacedIsNotCompared() throws {
    let (writes, author) = (purchase(), Author(2))
    var sender = author.emptyReplica
    func seal(_ made: [Write?], _ sender: inout Replica) {
      #expect(sender.seal(WriteBatch(made.compactMap { $0 }), by: author.key) != nil)
    }
    let garbage = sender.write(key: writes[2].key, stamp: Stamp(rawValue: 1), value: [9])
    let other = sender.write(key: [RegisterKind.product.rawValue], stamp: Stamp(rawValue: 1), value: [])
    seal([garbage, other], &sender)
    seal([sender.write(key: writes[2].key, stamp: writes[2].stamp, value: writes[2].value)], &sender)
    var (batch, progress) = (SignedBatch(), DeltaProgress())
    sender.fill(&batch, from: sender.names(beyond: VersionVector()), &progress, upTo: .max)
    var replica = own.emptyReplica
    #expect(replica.merge(batch, ceiling: Self.ceiling).isWhole)
    #expect(replica.register(writes[2].key)?.value == writes[2].value && replica.digest == sender.digest)
  }

  @Test(arguments: Seeds.all) func oneBitChanged(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let writes = purchase(random.keyText())
      let place = random.below(writes.count)
      var wrong = writes
      let bit: UInt8 = 1 << UInt8(random.below(8))
      switch random.below(3) {
      case 0:
        wrong[place].stamp = Stamp(rawValue: writes[place].stamp.rawValue ^ 1 << UInt64(random.below(64)))
      case 1: wrong[place].value[random.below(writes[place].value.count)] ^= bit
      default: wrong[place].key[writes[place].key.count - 1 - random.below(16)] ^= bit
      }
      var replica = own.emptyReplica
      let outcome = replica.merge(Commit.signed(wrong).batch, ceiling: Self.ceiling)
      #expect(outcome.forgery == .content && replica.count == 0, "seed \(seed)")
    }
  }

  /// What a disk has changed is not trusted. Nothing of it is in the way of the copy that a repair brings.
  @Test func damageIsLeftOutOnLoading() {
    for place in 0..<3 {
      for damaged in misfits(of: purchase()[place]) {
        var replica = own.emptyReplica
        damaged.withView { replica.restore($0) }
        #expect(replica.count == 0)
        let outcome = replica.merge(Commit.signed(purchase()).batch, ceiling: Self.ceiling, isRepair: true)
        #expect(outcome.isWhole && replica.count == 3)
      }
    }
  }

  /// Kinds that are not named by their content are not compared, nor are those of later versions.
  @Test func otherKindsAreFree() {
    let cryptography = Cryptography.simulated
    for kind in UInt8.min...UInt8.max where ![1, 2, 9].contains(kind) {
      let write = LocalWrite(key: [kind, 1, 2], stamp: Stamp(rawValue: 3), value: [4])
      #expect(write.fitsKey(cryptography))
    }
    for kind in RegisterKind.allCases { #expect(kind.isSignedByStore == [1, 2, 9].contains(kind.rawValue)) }
  }
}
