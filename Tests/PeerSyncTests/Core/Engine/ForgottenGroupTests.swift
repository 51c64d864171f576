import PeerSync
import PeerSyncCore
import Testing

/// [F63, F66] A device whose disk was set back to before it joined knows nobody of its group. The others show it how it came in, as it has
/// signed itself.
@Suite struct ForgottenGroupTests {
  /// Devices that are alone, each listening.
  private func alone(_ count: Int) -> Harness {
    let harness = Harness()
    for index in 0..<count {
      harness.add(isAlone: true)
      harness.start(index)
    }
    harness.connectsDials = true
    return harness
  }

  private func join(_ harness: Harness, _ index: Int, to host: Int) {
    harness.request(.invite(JoiningTests.invitation(harness)), of: host)
    let request = harness.request(.join(harness.address(host), JoiningTests.key), of: index)
    harness.settle()
    #expect(harness.answers[request] == .done(changed: 1), "\(index) to \(host)")
    harness.advance(1_000)
  }

  private func expectOneGroup(_ harness: Harness, of indices: [Int]) {
    let devices = Set(indices.map { harness.identities[$0].device })
    for index in indices {
      #expect(Set(harness.engines[index].group.members.map(\.id)) == devices, "engine \(index)")
      #expect(harness.disks[index].group == harness.engines[indices[0]].group.id)
      #expect(harness.engines[index].claimant == nil && harness.engines[index].notKnowing.isEmpty)
    }
  }

  /// The device that was set back knows no address: the others dial it.
  @Test func whoIsDialledComesBack() {
    let harness = alone(3)
    join(harness, 2, to: 0)
    let before = harness.disks[1]
    join(harness, 1, to: 0)
    harness.write(1, "mine", [1])
    harness.advance(1_000)
    harness.restart(1, from: before)
    #expect(harness.engines[1].group.members.count == 1 && harness.value(1, "mine") == nil)
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    expectOneGroup(harness, of: [0, 1, 2])
    #expect((0...2).allSatisfy { harness.value($0, "mine") == [1] })
    #expect(harness.engines.map(\.readySessions) == [2, 2, 2])
  }

  /// It has taken in another one since: that one comes along.
  @Test func whoHasTakenInAnotherBringsItAlong() {
    let harness = alone(3)
    let before = harness.disks[1]
    join(harness, 1, to: 0)
    harness.restart(1, from: before)
    harness.isCut = true
    harness.advance(1_000)
    harness.isCut = false
    harness.request(.setOnline(false), of: 0)
    join(harness, 2, to: 1)
    harness.request(.setOnline(true), of: 0)
    harness.advance(4 * Limits.redialMaximumMilliseconds)
    expectOneGroup(harness, of: [0, 1, 2])
  }

  /// Where only the device that was set back dials, whoever is called answers with what it lacks.
  @Test func whoDialsIsAnswered() {
    let harness = alone(2)
    let before = harness.disks[1]
    join(harness, 1, to: 0)
    harness.connectsDials = false
    harness.restart(1, from: before)
    let (host, joiner) = (harness.author(0), harness.author(1))
    let sessions = harness.connect(1, 0) { .introduction(($0 == 0 ? host : joiner).key.publicKey) }
    harness.settle()
    #expect(harness.engines[1].group.isMember(host.key.publicKey))
    #expect(harness.closings.contains { $0.session == sessions.listener && $0.reason == .leaving })
    expectOneGroup(harness, of: [0, 1])
    // Who knows how it came in is not told it again.
    let start = harness.sent.count
    harness.connect(1, 0) { .introduction(($0 == 0 ? host : joiner).key.publicKey) }
    harness.settle()
    let answers = harness.sent[start...].filter { $0.from == 0 }.map(\.message)
    #expect(answers.first == .records(RecordsPart(records: [], isLast: true)))
  }

  /// It has joined another group since, and stays there. Both sides say so, until it joins again where it was.
  @Test(arguments: [false, true]) func whoHasJoinedAnotherIsNamed(isWithThird: Bool) {
    let harness = alone(4)
    if isWithThird { join(harness, 3, to: 0) }
    let before = harness.disks[1]
    join(harness, 1, to: 0)
    harness.isCut = true
    harness.restart(1, from: before)
    harness.isCut = false
    harness.request(.setOnline(false), of: 0)
    harness.request(.setOnline(false), of: 3)
    join(harness, 1, to: 2)
    harness.request(.setOnline(true), of: 0)
    if isWithThird { harness.request(.setOnline(true), of: 3) }
    harness.advance(4 * Limits.redialMaximumMilliseconds)
    #expect(harness.engines[1].group.id == harness.engines[2].group.id)
    #expect(["Device 1", "Device 4"].contains(harness.engines[1].claimant))
    let named = harness.engines[0].notKnowing
    #expect(named == (isWithThird ? [harness.identities[1].device] : []))
    #expect(harness.engines[0].mayBeRemoved != isWithThird)
    expectTold(harness, 0, isWithThird ? "Device 2 was reached, and does not know" : "joins again here")
    expectTold(harness, 1, "let this device join there again")
    #expect(harness.engines[2].notKnowing.isEmpty && !harness.engines[2].mayBeRemoved)
    join(harness, 1, to: 0)
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    expectOneGroup(harness, of: isWithThird ? [0, 1, 3] : [0, 1])
  }

  private func expectTold(_ harness: Harness, _ index: Int, _ words: String) {
    var told: [Phrase] = []
    harness.adjust(index) { engine in engine.look { told = $0.standing } }
    #expect(told.contains { $0.text(in: .english).contains(words) }, "engine \(index)")
    #expect(told.allSatisfy { $0.text(in: .korean) != $0.text(in: .english) })
  }

  /// By its own signature a device knows that others take it for a member: that is shown, whatever else there is no room for.
  @Test func whatItHasSignedIsShownFirst() throws {
    let harness = alone(2)
    join(harness, 1, to: 0)
    let (host, joiner) = (harness.author(0).key.publicKey, harness.author(1).key.publicKey)
    let membership = harness.engines[0].membership
    let ways = membership.records.filter { membership.isWay($0, of: joiner) }
    let least = ways.reduce(0) { $0 + $1.encoded.count }
    func shown(_ other: PublicKey?, _ limit: Int) -> [MembershipRecord] {
      membership.introduction(of: host, to: other, preferring: nil, atMost: limit)
    }
    #expect(ways.count == 1 && shown(joiner, least) == ways)
    #expect(shown(joiner, Limits.introductionBytes) == membership.records)
    #expect(shown(nil, Limits.introductionBytes).allSatisfy { !membership.isWay($0, of: joiner) })
    // What others have signed in its name says nothing.
    let own = Membership([Harness.device(harness.author(1)).founding], .simulated)
    let forged = MembershipRecord(
      parents: ways[0].parents, body: ways[0].body, signatures: ways[0].signatures.reversed())
    #expect(own.isUnknownWay(ways[0], of: joiner) && !own.isUnknownWay(forged, of: joiner))
  }
}
