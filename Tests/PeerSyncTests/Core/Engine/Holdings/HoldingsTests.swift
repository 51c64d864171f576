import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct HoldingsTests {
  private let hour: Int64 = 3_600_000

  private func write(_ key: String, _ value: UInt8, stamp: Stamp? = nil) -> LocalWrite {
    LocalWrite(key: RegisterKey.value(key: key).encoded, stamp: stamp, value: [value])
  }

  @Test func whatIsWrittenIsDurableClaimedAndOneCommit() throws {
    var machines = try Machines()
    for (key, value) in [("a", UInt8(1)), ("b", 2)] {
      let answer = machines.holdings.write([write(key, value)], at: Machines.moment(), &machines.effects)
      #expect(answer == .done(changed: 1))
    }
    #expect(machines.effects.changed && machines.effects.durable.changes.count == 4)
    #expect(machines.holdings.replica.vector[machines.author.replica] == 2)
    let commits = machines.holdings.takeSealed()
    #expect(commits.count == 1 && commits.first?.last == 2)
    #expect(machines.holdings.value("a") == [1] && machines.holdings.value("b") == [2])
  }

  @Test func allOfARequestIsWrittenOrNothing() throws {
    var machines = try Machines()
    let ahead = Stamp(Machines.moment(2 * hour).present, counter: 0)
    let answer = machines.holdings.write(
      [write("a", 1), write("b", 2, stamp: ahead)], at: Machines.moment(), &machines.effects)
    #expect(answer == .refused(.tooFarAhead(ahead.time)))
    #expect(machines.effects.durable.isEmpty && machines.holdings.value("a") == nil)
    #expect(
      machines.holdings.write(
        [write("b", 2, stamp: ahead)], at: Machines.moment(2 * hour), &machines.effects) == .done(changed: 1))
  }

  /// What is imported again changes nothing, also on a device that was removed, where nothing that it decides counts.
  @Test(arguments: [false, true]) func whatIsImportedAgainChangesNothing(isRemoved: Bool) throws {
    var machines = try Machines()
    if isRemoved {
      let author = machines.author
      let removal = try machines.roster.records.removal(
        of: author.key.publicKey, cuts: [Dot(replica: author.replica, sequence: 50)],
        counted: [Dot(replica: author.replica, sequence: 0)], by: Author(2).key)
      _ = machines.roster.insert([removal])
      machines.holdings.follow(machines.roster)
    }
    let moment = Machines.moment()
    machines.holdings.countDecisions(in: machines.roster, upTo: moment.ceiling)
    let stamps = (0..<6).map { Stamp(Instant(clamping: Machines.wall - 10 + $0)) }
    let values = [(UInt8(3), 5), (9, 2), (5, 4)].map { write("a", $0.0, stamp: stamps[$0.1]) }
    let entries = [["club"], ["owl"]].map {
      ProductRecord(.init(Product(id: "club", type: .nonConsumable, entitlements: $0), version: 1))
    }
    let products = zip(stamps, entries).map {
      LocalWrite(key: RegisterKey.product(id: "club").encoded, stamp: $0, value: $1.encoded)
    }
    let imported = values + products
    _ = machines.holdings.write(imported, at: moment, &machines.effects)
    let held = machines.holdings.replica.sortedWrites()
    #expect(held.filter { $0.key == write("a", 0).key }.map(\.value) == [[3]])
    #expect((machines.holdings.value("a") == nil) == isRemoved)
    #expect(machines.holdings.write(imported, at: moment, &machines.effects) == .done(changed: 0))
    #expect(machines.holdings.replica.sortedWrites() == held)
  }

  @Test func besideACopyNothingIsDecided() throws {
    var machines = try Machines()
    machines.holdings.isFenced = true
    let answer = machines.holdings.write([write("a", 1)], at: Machines.moment(), &machines.effects)
    #expect(answer == .refused(.cloned) && machines.effects.durable.isEmpty)
  }

  /// A device that has heard of a decision decides later, whatever its clock says.
  @Test func whatFollowsIsStampedLater() throws {
    var (one, other) = (try Machines(), try Machines(Author(2), with: [Author(1)]))
    _ = other.holdings.write([write("a", 2)], at: Machines.moment(60_000), &other.effects)
    let theirs = other.holdings.takeSealed().map(\.batch)
    let outcome = one.holdings.merge(.joined(theirs), at: Machines.moment().present, &one.effects)
    #expect(outcome.won.count == 1)
    _ = one.holdings.write([write("a", 1)], at: Machines.moment(), &one.effects)
    one.holdings.count(in: one.roster)
    #expect(one.holdings.value("a") == [1])
  }

  @Test func wrongStampsAreMadeAgainInTheirOrder() throws {
    var machines = try Machines()
    let wrong = Machines.moment(400 * 24 * hour)
    for (key, value) in [("b", UInt8(1)), ("a", 2), ("b", 3)] {
      _ = machines.holdings.write([write(key, value)], at: wrong, &machines.effects)
    }
    let right = Machines.moment()
    #expect(machines.holdings.mayStampAhead(of: right.ceiling))
    let stamps = machines.holdings.takeWrongStamps(beyond: right.ceiling, beside: [])
    #expect(stamps.own.map(\.value) == [[2], [3]] && stamps.others.isEmpty)
    #expect(machines.holdings.stampAnew(stamps, wall: right.wall, &machines.effects) == 2)
    let standing = ["a", "b"].compactMap { machines.holdings.standing(.value(key: $0)) }
    #expect(standing.map(\.value) == [[2], [3]])
    #expect(standing[0].stamp < standing[1].stamp && standing[1].stamp <= right.ceiling)
  }

  /// What others have decided since is no reason to count as decided later, and a lead is that of what was decided before the bounds fell.
  @Test func wrongStampsAreMadeAgainAsOfWhenTheyWereMade() throws {
    var machines = try Machines()
    let lead: Int64 = 400 * 24 * hour
    for (passed, key) in [(Int64(1), "a"), (2, "b"), (3, "c")] {
      let wrong = Machines.moment(lead + passed * hour)
      _ = machines.holdings.write([write(key, UInt8(passed))], at: wrong, &machines.effects)
    }
    let right = Machines.moment(4 * hour)
    let others = Stamp(Machines.moment(3 * hour).present)
    let stamps = machines.holdings.takeWrongStamps(beyond: right.ceiling, beside: [others])
    let fallen = FallenBounds(
      lead: lead, last: Dot(replica: machines.author.replica, sequence: 2), fell: right.wall)
    #expect(machines.holdings.stampAnew(stamps, after: fallen, wall: right.wall, &machines.effects) == 3)
    let standing = ["a", "b", "c"].compactMap { machines.holdings.standing(.value(key: $0))?.stamp }
    #expect(
      standing == [Machines.moment(hour), Machines.moment(2 * hour), right].map { Stamp($0.present) })
  }

  /// A device that is no member any more decides nothing anew: another one does, and yields to what was decided later.
  @Test func whatADeviceHadDecidedThatIsGoneIsDecidedInItsPlace() throws {
    var machines = try Machines()
    let lead: Int64 = 400 * 24 * hour
    _ = machines.holdings.write([write("b", 9)], at: Machines.moment(3 * hour), &machines.effects)
    let gone = [("a", Int64(1)), ("b", 2)].map { key, passed in
      let made = write(key, UInt8(passed))
      return Write(
        key: made.key, stamp: Stamp(Machines.moment(lead + passed * hour).present), value: made.value,
        dot: Dot(replica: ReplicaID(high: 7, low: 7), sequence: UInt64(passed)))
    }
    let right = Machines.moment(4 * hour)
    // Bounds that fell before, and were less far ahead, tell nothing of these: they would count as decided later than they were.
    for known in [lead, lead - 2 * hour, nil] {
      var other = machines
      let last = Dot(replica: machines.author.replica, sequence: 1)
      let fallen = known.map { FallenBounds(lead: $0, last: last, fell: Machines.moment(2 * hour).wall) }
      let count = other.holdings.decide(inPlaceOf: gone, after: fallen, at: right, &other.effects)
      let stamp = known == lead ? Stamp(Machines.moment(hour).present) : Stamp(rawValue: 0)
      #expect(count == 1 && other.holdings.standing(.value(key: "a"))?.stamp == stamp)
      #expect(other.holdings.standing(.value(key: "b"))?.value == [9])
    }
  }

  /// Pieces of a delta wait for more of them, but never behind what somebody is told.
  @Test func piecesAreSavedWithWhateverHasToBe() throws {
    var other = try Machines(Author(2), with: [Author(1)])
    _ = other.holdings.write([write("a", 2)], at: Machines.moment(), &other.effects)
    let theirs = SignedBatch.joined(other.holdings.takeSealed().map(\.batch))
    for (isReceiving, isAnswering, isSaved) in [
      (true, false, false), (false, false, true), (true, true, true),
    ] {
      var machines = try Machines()
      _ = machines.holdings.merge(theirs, isOfDelta: true, at: Machines.moment().present, &machines.effects)
      if isAnswering { machines.effects.answers = [(RequestID(rawValue: 1), .done(changed: 0))] }
      machines.holdings.save(isReceiving: isReceiving, &machines.effects)
      #expect(machines.holdings.isSaved == isSaved && machines.effects.durable.isEmpty != isSaved)
    }
  }
}
