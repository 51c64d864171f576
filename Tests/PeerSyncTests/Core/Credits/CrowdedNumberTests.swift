import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Where a removed device has made up numbers by the thousand those that matter are named.
@Suite struct CrowdedNumberTests {
  @Test("F60: numbers made up by the thousand crowd out none that counts")
  func thousandsOfNumbers() {
    let harness = Harness.withOwls()
    let holder = harness.replica(1).id
    let others = (0...Limits.namedNumbers).map { ReplicaID(high: 99, low: UInt64($0)) }
    harness.lose { harness.write(1, "value", [1]) }
    harness.perform(1) { engine, _, effects in
      engine.holdings.write(others.map { .moved(from: holder, to: $0) }, total: 1, of: "owls", &effects)
      engine.holdings.write([.spent(by: holder)], total: 2, of: "owls", &effects)
    }
    harness.settle()
    harness.removeSecond()
    let named = harness.replica(0).sortedWrites().filter {
      $0.dot.replica == harness.replica(0).id && $0.key.first == RegisterKind.credit.rawValue
    }
    #expect(named.count == Limits.namedNumbers)
    let row = RegisterKey.creditRowAgain(credit: "owls", life: holder, by: harness.replica(0).id)
    #expect(named.contains { $0.key == row.encoded && $0.stamp.rawValue == 2 })
  }

  @Test("F60: lives made up by the hundred crowd out no number of one of which something counts")
  func hundredsOfLives() throws {
    let harness = Harness.withOwls()
    let (liar, other) = (harness.author(1), ReplicaID(high: 99, low: 1))
    let session = harness.welcomed(0, as: liar)
    for number in 1...200 as ClosedRange<UInt64> {
      let life = Author(liar.number, life: number)
      let entries =
        [CreditEntry.spent(by: life.replica)]
        + (1...6).map { .moved(from: life.replica, to: ReplicaID(high: 99, low: $0)) }
      let writes = entries.enumerated().map { place, entry in
        Write(
          key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: 1), value: [],
          // The first one is nowhere: nothing of it counts.
          dot: Dot(replica: life.replica, sequence: UInt64(place) + 2))
      }
      harness.handle(0, [.received(session, .commit(try #require(life.commit(writes))))])
    }
    // Something of its real life counts; this has come ahead of its turn.
    let key = CreditEntry.moved(from: liar.replica, to: other).key(of: "owls").encoded
    let dot = Dot(replica: liar.replica, sequence: harness.replica(0).vector[liar.replica] + 2)
    let early = try #require(liar.commit([Write(key: key, stamp: Stamp(rawValue: 1), value: [], dot: dot)]))
    harness.handle(0, [.received(session, .commit(early))])
    harness.removeSecond()
    let named = harness.replica(0).sortedWrites().filter {
      $0.withView { RegisterKey.taking($0)?.signer } != nil
    }
    #expect(named.count == Limits.namedNumbers)
    let gift = RegisterKey.creditTransferAgain(
      credit: "owls", from: liar.replica, to: other, by: harness.replica(0).id)
    #expect(named.contains { $0.key == gift.encoded })
  }

  /// The first device spends what the second one gives it, while the third has removed some devices apart from both.
  private func spend(_ harness: Harness, _ amount: Int64, whileRemoving removed: [Author]) {
    for device in harness.engines.indices.dropFirst() {
      harness.write(device, "value", [1])
      harness.connect(0, device)
    }
    harness.settle()
    harness.cut()
    for author in removed { harness.request(.remove(author.device, recoveryKey: nil), of: 2) }
    harness.connect(0, 1)
    harness.settle()
    harness.request(.spend(Spending(credit: "owls", amount: amount, id: "spent")), of: 0)
    harness.settle()
    harness.cut()
  }

  /// Lives of a device that come before a replica wherever they are in order.
  private func lives(of liar: Author, before replica: ReplicaID, _ count: Int) -> [Author] {
    let lives = (1...1_000_000).lazy.map { Author(liar.number, life: $0) }
    return Array(lives.filter { $0.replica < replica }.prefix(count))
  }

  /// The liar has seen what the other one stated before, in one life or in many, and shows it again in each of its own.
  @Test(
    "F60: what others show of a device crowds out nothing it has stated itself", arguments: [false, true])
  func shownByHundreds(isOfManyLives: Bool) throws {
    let harness = Harness(4)
    let (gone, liar) = (harness.author(1), harness.author(3))
    harness.buyOwls(by: 0, for: gone.replica, quantity: 2)
    spend(harness, 6, whileRemoving: [gone, liar])
    let session = harness.welcomed(0, as: liar)
    let old = gone.proofs(
      of: [.spent(by: gone.replica)]
        + [0, 2, 3].map { .moved(from: gone.replica, to: harness.replica($0).id) })
    let ofLives = (1...UInt64(Limits.namedNumbers + 4)).flatMap {
      let life = Author(gone.number, life: $0)
      return life.proofs(of: [.spent(by: life.replica)])
    }
    let lives = lives(of: liar, before: gone.replica, Limits.namedNumbers / old.count + 1)
    for (round, life) in lives.enumerated() {
      let shown = isOfManyLives ? Array(ofLives[round * old.count..<(round + 1) * old.count]) : old
      let writes = try shown.enumerated().map { place, shown in
        let key = try RegisterKey(decoding: shown.number.key[...]).named(by: life.replica)
        return Write(
          key: try #require(key).encoded, stamp: shown.number.stamp, value: shown.proof,
          dot: Dot(replica: life.replica, sequence: UInt64(place) + 1))
      }
      harness.handle(0, [.received(session, .commit(try #require(life.commit(writes))))])
    }
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    #expect(!harness.engines[0].group.isMember(gone.key.publicKey))
    let named = RegisterKey.creditTransferAgain(
      credit: "owls", from: gone.replica, to: harness.replica(0).id, by: harness.replica(0).id)
    #expect(
      harness.replica(0).sortedWrites().contains { $0.key == named.encoded && $0.stamp.rawValue > 1 })
    // Else the device itself has spent more than there was.
    guard !isOfManyLives else { return }
    harness.request(.reclaim(credit: "owls"), of: 2)
    harness.settle()
    for device in [0, 2] {
      harness.adjust(device) { engine in
        let (balance, doubts) = engine.ledger { ($0.balance("owls"), $0.doubts(of: "owls")) }
        #expect(balance == 3 && doubts.isEmpty)
      }
    }
  }

  @Test("F58: lives that never had anything crowd out nothing that a member was given")
  func hundredsOfEmptyLives() throws {
    let harness = Harness(3)
    let liar = harness.author(1)
    harness.buyOwls(by: 0, for: liar.replica)
    spend(harness, 4, whileRemoving: [liar])
    let session = harness.welcomed(0, as: liar)
    let nobody = ReplicaID(high: 0, low: 0)
    #expect(CreditHolder(nobody) == .nobody)
    for life in lives(of: liar, before: liar.replica, Limits.namedNumbers / 2 + 1) {
      let entries: [CreditEntry] = [.spent(by: life.replica), .taken(from: nobody, by: life.replica)]
      let writes = entries.enumerated().map { place, entry in
        Write(
          key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: 1), value: [],
          dot: Dot(replica: life.replica, sequence: UInt64(place) + 1))
      }
      harness.handle(0, [.received(session, .commit(try #require(life.commit(writes))))])
    }
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    let named = RegisterKey.creditTransferAgain(
      credit: "owls", from: liar.replica, to: harness.replica(0).id, by: harness.replica(0).id)
    #expect(harness.replica(0).sortedWrites().contains { $0.key == named.encoded })
    #expect(harness.rights(of: harness.replica(0).id) >= 0)
  }

  /// Commits of numbers of a life, its first ones.
  private func commits(_ life: Author, _ numbers: [CreditEntry]) throws -> [Commit] {
    try stride(from: 0, to: numbers.count, by: Limits.numberedWrites).map { first in
      let writes = numbers[first..<min(first + Limits.numberedWrites, numbers.count)].enumerated().map {
        Write(
          key: $1.key(of: "owls").encoded, stamp: Stamp(rawValue: 1), value: [],
          dot: Dot(replica: life.replica, sequence: UInt64(first + $0) + 1))
      }
      return try #require(life.commit(writes))
    }
  }

  /// Two lives of a liar give to each of hundreds of another liar, and ten more something to the device that was given some before: where
  /// they are cut first, for they equivocate, all places are taken before the removal that matters.
  @Test(
    "F58: hundreds of lives crowd out nothing that a device was given, nor what was spent",
    arguments: [false, true])
  func giftsToHundredsOfLives(isCutFirst: Bool) throws {
    let harness = Harness(4)
    let (own, liar, other) = (harness.replica(0).id, harness.author(1), harness.author(3))
    harness.buyOwls(by: 0, for: liar.replica, quantity: 4)
    spend(harness, 8, whileRemoving: [liar])
    harness.connect(0, 1)
    harness.request(.spend(Spending(credit: "owls", amount: 1, id: "its own")), of: 1)
    harness.settle()
    harness.cut()
    let made = lives(of: liar, before: liar.replica, 12)
    let receivers = (1...UInt64(Limits.namedNumbers / 2 + 30)).map { Author(other.number, life: $0) }
    let session = harness.welcomed(0, as: other)
    var backing = made.map { CreditEntry.moved(from: receivers[0].replica, to: $0.replica) }
    for receiver in receivers {
      for commit in try commits(receiver, [.spent(by: receiver.replica)] + backing) {
        harness.handle(0, [.received(session, .commit(commit))])
      }
      backing = []
    }
    for (place, life) in made.enumerated() {
      let gifts = place < 2 ? receivers.map { $0.replica } : [own]
      for commit in try commits(life, gifts.map { .moved(from: life.replica, to: $0) }) {
        harness.handle(0, [.received(session, .commit(commit))])
      }
    }
    if isCutFirst {
      let forks = try made.map { life in
        let heads = [UInt64(1), 2].map { life.head(1, 1, ContentHash(words: ($0, 0, 0, 0))) }
        return try #require(Fork(author: life.incarnation, heads[0], heads[1]))
      }
      harness.handle(0, [.received(session, .forks(forks))])
    }
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    let names = [
      RegisterKey.creditTransferAgain(credit: "owls", from: liar.replica, to: own, by: own),
      RegisterKey.creditRowAgain(credit: "owls", life: liar.replica, by: own),
    ]
    let named = harness.replica(0).sortedWrites().filter {
      $0.dot.replica == own && $0.withView { RegisterKey.taking($0)?.signer } != nil
    }
    #expect(names.map { name in named.contains { $0.key == name.encoded } } == [true, true])
    #expect(named.count <= Limits.namedNumbers + 3 * Limits.namedPassages)
    #expect(harness.rights(of: own) >= 0)
  }

  @Test("I11: of devices that are made up no more is named than of one")
  func hundredsOfDevices() throws {
    let harness = Harness.withOwls()
    let liar = harness.author(1)
    let session = harness.welcomed(0, as: liar)
    var sequence = harness.replica(0).vector[liar.replica] + 2
    for number in 1...100 as ClosedRange<UInt64> {
      let life = Author(10_000 + number)
      let entries = (1...UInt64(Limits.numberedWrites)).map {
        CreditEntry.moved(from: life.replica, to: ReplicaID(high: $0 << 32, low: number))
      }
      let writes = life.proofs(of: entries).enumerated().compactMap { place, shown in
        (try? RegisterKey(decoding: shown.number.key[...]))?.named(by: liar.replica).map {
          Write(
            key: $0.encoded, stamp: Stamp(rawValue: 1), value: shown.proof,
            dot: Dot(replica: liar.replica, sequence: sequence + UInt64(place)))
        }
      }
      sequence += UInt64(writes.count)
      harness.handle(0, [.received(session, .commit(try #require(liar.commit(writes))))])
    }
    #expect(sequence > Limits.namedNumbers)
    harness.removeSecond()
    let named = harness.replica(0).sortedWrites().filter {
      $0.dot.replica != liar.replica && $0.withView { RegisterKey.taking($0)?.signer } != nil
    }
    #expect(named.count == Limits.namedNumbers)
  }
}
