import PeerSyncCore
import Testing

/// A device is removed with all that it had decided: what others had decided stands again [F55].
@Suite struct TakingBackTests {
  /// Three members that have met. The second is to be removed: it has outbid what the others had decided.
  private func group() throws -> Harness {
    let harness = Harness(3)
    harness.connect(0, 1)
    harness.connect(0, 2)
    harness.connect(1, 2)
    harness.settle()
    harness.request(.addProducts([Fixtures.threeMonths, Fixtures.owl], version: 1), of: 0)
    harness.write(0, "a", [1])
    harness.request(.grant(entitlement: "owls", until: nil), of: 2)
    harness.request(.setExpiration(line: "random", instant("2027-01-01")), of: 0)
    harness.settle()
    return harness
  }

  private func outbid(_ harness: Harness) {
    harness.write(1, "a", [2])
    harness.write(1, "b", [2])
    harness.request(.revoke(entitlement: "owls"), of: 1)
    harness.request(.grant(entitlement: "stolen", until: nil), of: 1)
    harness.request(.setExpiration(line: "random", nil), of: 1)
    var product = Fixtures.threeMonths
    product.line = "other"
    harness.request(.addProducts([product], version: UInt64(Limits.catalogueVersion)), of: 1)
  }

  private struct Shown: Equatable {
    let values: [[UInt8]?]
    let expires: Instant?
    let entitlements: [String]
    let line: String?
  }

  private func shown(_ harness: Harness, _ index: Int) -> Shown {
    var result: Shown?
    harness.adjust(index) { engine in
      let now = harness.now(index)
      let view = engine.view(at: now)
      result = Shown(
        values: ["a", "b"].map { engine.standing(.value(key: $0))?.value },
        expires: view.lines.first { $0.id == "random" }?.expires,
        entitlements: view.entitlements.filter(\.active).map(\.id),
        line: engine.ledger { $0.product(Fixtures.threeMonths.id)?.line })
    }
    return result ?? Shown(values: [], expires: nil, entitlements: [], line: nil)
  }

  private func remove(_ harness: Harness, _ takingBack: TakingBack) {
    let request = harness.request(
      .remove(harness.identities[1].device, recoveryKey: nil, takingBack: takingBack), of: 0)
    #expect(harness.answers[request] == .done(changed: 1))
  }

  @Test func everythingIsAsBefore() throws {
    let harness = try group()
    let before = shown(harness, 0)
    #expect(before == shown(harness, 2) && before.values == [[1], nil])
    outbid(harness)
    harness.settle()
    #expect(shown(harness, 0) != before && shown(harness, 0) == shown(harness, 2))
    remove(harness, .everything)
    #expect(shown(harness, 0) == before)
    harness.settle()
    #expect(shown(harness, 2) == before)
    // Also after a start, and for whoever hears of it later.
    for index in [0, 2] {
      harness.restart(index)
      #expect(shown(harness, index) == before)
    }
  }

  /// What was decided since the removal, and what is decided after it, stays as without it.
  @Test func withoutItWhatItHadDecidedStays() throws {
    let harness = try group()
    outbid(harness)
    harness.settle()
    let decided = shown(harness, 0)
    remove(harness, .nothing)
    harness.settle()
    #expect(shown(harness, 0) == decided && shown(harness, 2) == decided)
    harness.write(2, "a", [3])
    harness.settle()
    #expect(harness.value(0, "a") == [3])
  }

  /// The removal comes first, or what the device had decided does; on a device that has heard of part of it, too.
  @Test func inAnyOrder() throws {
    let harness = try group()
    let before = shown(harness, 0)
    harness.write(1, "a", [2])
    harness.settle()
    harness.cut()
    outbid(harness)
    harness.connect(1, 0)
    harness.settle()
    remove(harness, .everything)
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    harness.advance(2 * Limits.beatMilliseconds)
    for index in [0, 2] { #expect(shown(harness, index) == before) }
    #expect(harness.replica(0).digest == harness.replica(2).digest)
    #expect(harness.replica(0).vector == harness.replica(2).vector)
  }

  // MARK: Since a time

  private static let hour: UInt64 = 3_600_000

  /// A time of an engine's clock, so many hours from its present one.
  private func time(_ harness: Harness, _ hours: Int64 = 0) -> Instant {
    harness.now(0).wall.advanced(byMilliseconds: hours * Int64(Self.hour))
  }

  @Test("F55: with a time, what was known of it before stays") func sinceATime() throws {
    let harness = try group()
    harness.write(1, "b", [1])
    harness.settle()
    let before = shown(harness, 0)
    harness.advance(3 * Self.hour)
    outbid(harness)
    harness.settle()
    #expect(shown(harness, 0) != before)
    // What was decided under one key before and after is gone, for its author has replaced it.
    let replaced = Shown(
      values: [[1], nil], expires: before.expires, entitlements: before.entitlements, line: before.line)
    remove(harness, .since(time(harness, -2)))
    #expect(shown(harness, 0) == replaced)
    harness.settle()
    #expect(shown(harness, 2) == replaced)
    for index in [0, 2] {
      harness.restart(index)
      #expect(shown(harness, index) == replaced)
    }
  }

  /// What the device that removes had not heard of by then is taken back, whatever stamps say.
  @Test("F55: stamps play no part") func byWhatWasKnown() throws {
    let harness = try group()
    harness.cut()
    harness.write(1, "b", [2])
    harness.advance(3 * Self.hour)
    let since = time(harness, -2)
    harness.connect(0, 1)
    harness.settle()
    harness.connect(0, 2)
    harness.settle()
    #expect(harness.value(0, "b") == [2])
    harness.restart(0)
    harness.connect(0, 2)
    remove(harness, .since(since))
    harness.settle()
    for index in [0, 2] { #expect(shown(harness, index).values == [[1], nil]) }
  }

  @Test func timesOfWhichNothingIsKnown() throws {
    let harness = try group()
    let device = harness.identities[1].device
    func answer(_ time: Instant) -> Answer? {
      let request = harness.request(.remove(device, recoveryKey: nil, takingBack: .since(time)), of: 0)
      return harness.answers[request]
    }
    let begin = try #require(harness.engines[0].holdings.history.begin)
    #expect(answer(time(harness, -2)) == .refused(.knewNothing(since: begin)))
    #expect(answer(time(harness, 2)) == .refused(.notYet(time(harness, 2))))
    #expect(harness.engines[0].group.members.contains { $0.id == device })
    #expect(answer(time(harness)) == .done(changed: 1))
  }

  /// A slow twin: of what all registers hold, what counts is what its author had decided by then, as far as it was known.
  @Test(arguments: Seeds.all) func whatCountsSinceATime(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let harness = try group()
    let keys = ["a", "b", "c"]
    var known: [(time: Instant, vector: VersionVector)] = []
    for step in 0..<30 {
      switch random.below(6) {
      case 0:
        harness.advance(Self.hour * UInt64(random.pick(1...5)))
        known.append((time(harness), harness.replica(0).vector))
        // The hour has begun with this.
        harness.write(0, "hour", [UInt8(step)])
      case 1: harness.cut()
      case 2:
        let (one, other) = (random.below(3), random.below(3))
        if one != other { harness.connect(one, other) }
      case 3 where random.chance(3): harness.restart(0)
      default: harness.write(random.below(3), keys[random.below(3)], [UInt8(random.below(200)), UInt8(step)])
      }
      harness.settle()
    }
    guard let asked = known.randomElement(using: &random) else { return }
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    remove(harness, .since(asked.time))
    let thief = harness.author(1).replica
    let twin = keys.map { key -> [UInt8]? in
      let held = harness.replica(0).sortedWrites().filter { $0.key == RegisterKey.value(key: key).encoded }
      let counted = held.filter { $0.dot.replica != thief || asked.vector.contains($0.dot) }
      func rank(_ write: Write) -> (Stamp, UInt8, UInt64) {
        (write.stamp, write.value[0], write.value.withUnsafeBytes { SipHash.hash64($0) })
      }
      return counted.max { rank($0) < rank($1) }?.value
    }
    func values(_ index: Int) -> [[UInt8]?] {
      keys.map { harness.engines[index].standing(.value(key: $0))?.value }
    }
    #expect(values(0) == twin, "seed \(seed)")
    harness.settle()
    #expect(values(2) == twin, "seed \(seed)")
  }

  // MARK: What is listed before

  /// A liar numbers its writes as it likes: the sum of its lives is beyond 64 bits.
  @Test func numbersBeyondCounting() throws {
    let harness = try group()
    for life in 1...5 as ClosedRange<UInt64> {
      let liar = Author(2, life: life)
      let write = Write(
        key: RegisterKey.value(key: "top").encoded, stamp: Stamp(rawValue: life), value: [1],
        dot: Dot(replica: liar.replica, sequence: Limits.sequence))
      let commit = try #require(liar.commit([write]))
      let session = harness.welcomed(0, as: Author(2))
      let end = DeltaEnd(
        delta: life, chunks: 1, baseHash: harness.replica(0).vectorHash,
        claims: [Dot(replica: liar.replica, sequence: Limits.sequence)])
      harness.handle(
        0,
        [
          .received(session, .delta(DeltaChunk(delta: life, index: 0, commits: commit.batch))),
          .received(session, .deltaEnd(end)), .closed(session),
        ])
    }
    harness.adjust(0) { engine in
      let device = harness.identities[1].device
      let taken = try? engine.takenBack(byRemoving: device, .everything, now: harness.now(0))
      #expect(taken.map { $0.replaced > .max - 100 } == true)
    }
  }

  /// ``Limits/takenBackLookedAt``: what was outbid long ago does not keep the device from its other work.
  @Test func whatIsLookedAtIsBounded() throws {
    let harness = try group()
    let keys = (0...Limits.takenBackLookedAt).map { String(100_000 + $0) }
    for (index, keys) in [(1, keys[...]), (0, keys.dropLast())] {
      for start in stride(from: 0, to: keys.count, by: 1_000) {
        let writes = keys.dropFirst(start).prefix(1_000).map {
          LocalWrite(key: RegisterKey.value(key: $0).encoded, value: [UInt8(index)])
        }
        harness.request(.write(writes), of: index)
      }
      harness.settle()
    }
    harness.adjust(0) { engine in
      let device = harness.identities[1].device
      let taken = try? engine.takenBack(byRemoving: device, .everything, now: harness.now(0))
      #expect(taken?.count == keys.count && taken?.changes.isEmpty == true)
    }
  }

  @Test func whatIsTakenBackIsListed() throws {
    let harness = try group()
    harness.write(1, "b", [0])
    harness.settle()
    outbid(harness)
    harness.settle()
    let device = harness.identities[1].device
    #expect(harness.replica(0).cuts.isEmpty)
    let taken = try harness.engines[0].takenBack(byRemoving: device, .everything, now: harness.now(0))
    #expect(taken.count == 6 && taken.replaced == 1)
    let before = shown(harness, 2)
    #expect(harness.engines[0].group.members.count == 40 && before == shown(harness, 0))
    let names = try taken.changes.map { try RegisterKey(decoding: $0.key[...]) }
    #expect(names == names.sorted() && names.count == 6)
    for change in taken.changes {
      let stands = try RegisterKey(decoding: change.key[...])
      switch stands {
      case .value(key: "b"), .grant(entitlement: "stolen", _): #expect(change.then == nil)
      default: #expect(change.then != nil && change.then?.author != harness.replica(1).id)
      }
    }
    #expect(try harness.engines[0].takenBack(byRemoving: device, .nothing, now: harness.now(0)).count == 0)
    // What is listed is what happens.
    remove(harness, .everything)
    for change in taken.changes {
      let standing = try harness.engines[0].standing(RegisterKey(decoding: change.key[...]))
      #expect(standing?.value == change.then?.value)
    }
    #expect(Limits.takenBack > 6 && Limits.oddities > 0)
  }

  /// What an earlier removal has taken back is not listed again, and what would take back nothing more is refused before as well.
  @Test func whatWasTakenBackIsNotListedAgain() throws {
    let harness = try group()
    let device = harness.identities[1].device
    harness.write(1, "c", [1])
    harness.settle()
    harness.advance(Self.hour)
    harness.write(0, "hour", [1])
    harness.settle()
    harness.advance(2 * Self.hour)
    let since = time(harness, -1)
    outbid(harness)
    harness.settle()
    remove(harness, .since(since))
    let taken = try harness.engines[0].takenBack(byRemoving: device, .everything, now: harness.now(0))
    #expect(taken.changes.map(\.key) == [RegisterKey.value(key: "c").encoded] && taken.count == 1)
    remove(harness, .everything)
    #expect(throws: Refusal.removedAlready) {
      try harness.engines[0].takenBack(byRemoving: device, .everything, now: harness.now(0))
    }
    #expect(throws: Refusal.removedAlready) {
      try harness.engines[0].takenBack(byRemoving: device, .nothing, now: harness.now(0))
    }
  }
}
