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
    #expect(machines.holdings.stampAnew(stamps.own, wall: right.wall, &machines.effects) == 2)
    let standing = ["a", "b"].compactMap { machines.holdings.standing(.value(key: $0)) }
    #expect(standing.map(\.value) == [[2], [3]])
    #expect(standing[0].stamp < standing[1].stamp && standing[1].stamp <= right.ceiling)
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
