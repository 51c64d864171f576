import PeerSync
import PeerSyncCore
import Testing

/// What a device says of its own standing in its group, and when it ceases to say so.
@Suite struct StandingTests {
  /// Three engines that are all of their group, connected.
  private func three() -> Harness {
    let harness = Harness(3)
    let here = harness.identities.map(\.device)
    for (one, other) in [(0, 1), (1, 2), (0, 2)] { harness.connect(one, other) }
    for member in harness.engines[0].group.members where !here.contains(member.id) {
      harness.request(.remove(member.id, recoveryKey: nil), of: 0)
    }
    harness.settle()
    return harness
  }

  private func told(_ harness: Harness, _ index: Int) -> [String] {
    var told: [Phrase] = []
    harness.adjust(index) { engine in engine.look { told = $0.standing } }
    #expect(told.allSatisfy { $0.text(in: .korean) != $0.text(in: .english) })
    return told.map { $0.text(in: .english) }
  }

  @discardableResult
  private func remove(_ harness: Harness, _ target: Int, by index: Int) -> Answer? {
    let request = harness.request(.remove(harness.identities[target].device, recoveryKey: nil), of: index)
    return harness.answers[request]
  }

  /// All leave at one moment: each counts on another one.
  private func leave(_ harness: Harness, _ indices: [Int]) {
    for index in indices { harness.request(.probe, of: index) }
    harness.settle()
    let answers = indices.map { remove(harness, $0, by: $0) }
    #expect(answers.allSatisfy { $0 == .done(changed: 1) }, "\(answers)")
    harness.settle()
  }

  /// Has a device show another one the records by which it is out.
  private func show(_ harness: Harness, _ index: Int, to other: Int) {
    harness.monotonic += Limits.introductionMilliseconds
    harness.connect(index, other) { .introduction(harness.author($0).key.publicKey) }
    harness.settle()
  }

  /// Each of them had all that the other knew, and both are gone with it.
  @Test func twoThatLeaveAtOnceDoNotTakeWhatTheyWroteAlongUnheard() {
    let harness = three()
    harness.cut()
    harness.connect(1, 2)
    harness.settle()
    for index in 1...2 { harness.write(index, "of \(index)", [1]) }
    harness.settle()
    leave(harness, [1, 2])
    for index in 1...2 { show(harness, index, to: 0) }
    #expect(harness.engines[0].group.members.count == 1)
    let warnings = told(harness, 0)
    for name in ["Device 2", "Device 3"] {
      #expect(warnings.contains { $0.contains("has all that \(name) wrote") }, "\(warnings)")
    }
    for index in 1...2 { #expect(told(harness, index) == [StatusAnswer.wasRemoved]) }
    // Removed again, they are taken as far as somebody has it.
    for index in 1...2 { #expect(remove(harness, index, by: 0) == .done(changed: 1)) }
    #expect(told(harness, 0).isEmpty)
  }

  @Test func theLastOfAllWhoLeaveSaysThatItStays() {
    let harness = three()
    leave(harness, [0, 1, 2])
    for _ in 0...1 {
      for index in 0...2 { for other in 0...2 where other != index { show(harness, index, to: other) } }
    }
    let staying = (0...2).filter { !harness.engines[$0].isRemoved }
    #expect(staying.count == 1)
    for index in 0...2 {
      let warnings = told(harness, index)
      let isLast = warnings.count == 1 && warnings[0].contains("the last one stays")
      #expect(staying.contains(index) ? isLast : warnings == [StatusAnswer.wasRemoved], "\(warnings)")
    }
  }

  /// Whoever has the key of one that has left says by it that it had removed nobody.
  @Test func whomALeaverBringsBackIsToldUntilTheyAreRemoved() throws {
    let harness = three()
    remove(harness, 2, by: 1)
    harness.settle()
    leave(harness, [1])
    show(harness, 1, to: 0)
    #expect(harness.engines[0].group.members.count == 1 && told(harness, 0).isEmpty)
    let founders = [0, 1].map { (harness.author($0).key, Harness.device(harness.author($0)).founding) }
    let leaver = harness.author(1).key
    let leaving = try Membership.united(founders, .simulated).removal(
      of: leaver.publicKey, cuts: [], by: leaver)
    harness.disks[0].records.append(leaving)
    harness.restart(0)
    #expect(harness.engines[0].group.members.count == 2)
    let warnings = told(harness, 0)
    #expect(warnings.count == 1 && warnings[0].hasPrefix("after Device 2 had left"), "\(warnings)")
    #expect(warnings[0].contains("members again: Device 3") && warnings[0].contains("with --all here"))
    #expect(remove(harness, 2, by: 0) == .done(changed: 1))
    #expect(harness.engines[0].group.members.count == 1 && told(harness, 0).isEmpty)
  }

  /// It meets nobody any more by whom the rest would end; but what its disk has lost it has not.
  @Test(arguments: [false, true]) func ofARemovedDeviceNothingElseIsSaid(isDamaged: Bool) {
    let harness = three()
    harness.cut()
    if isDamaged {
      harness.disks[1].damage = Damage([.unnamed], lost: VersionVector())
      harness.restart(1)
    } else {
      harness.adjust(1) { $0.holdings.isFenced = true }
    }
    let before = told(harness, 1)
    #expect(before.count == 1 && before != [StatusAnswer.wasRemoved])
    remove(harness, 1, by: 0)
    show(harness, 1, to: 0)
    #expect(told(harness, 1) == [StatusAnswer.wasRemoved] + (isDamaged ? before : []))
  }

  /// Whoever wrote it is out already.
  @Test func ofARemovedDeviceNobodyIsToldToRemoveItForWhatItTookOver() {
    let harness = three()
    harness.request(.addProducts([Fixtures.credits], version: 1), of: 0)
    let victim = harness.replica(2).id
    harness.request(.rename("Cora"), of: 2)
    harness.perform(1) { engine, _, effects in
      engine.holdings.write([.taken(from: victim, by: engine.replica.id)], total: 5, of: "owls", &effects)
    }
    harness.settle()
    func oddities() -> [Phrase] {
      var oddities: [Phrase] = []
      harness.adjust(0) { engine in
        engine.look { view in
          _ = view.ledger { $0.creditsHeld }
          oddities = view.oddityWarnings
        }
      }
      return oddities
    }
    #expect(oddities().count == 1)
    remove(harness, 1, by: 0)
    #expect(oddities().isEmpty)
  }

  /// The first device left, a stranger let it in again, and it left there once more. Who met the stranger first stays with him, and
  /// holds what he has decided.
  @Test func thoseWhoGoOnInTwoGroupsSaySo() throws {
    let harness = Harness(3)
    let (first, thief) = (Author(1), Author(50))
    harness.add(isAlone: true, author: thief)
    let (known, stranger) = (harness.engines[1].membership, Harness.device(thief).founding)
    let leaving = try known.removal(of: first.key.publicKey, cuts: [], by: first.key)
    let (founding, group) = (Harness.device(first).founding.hash(.simulated), stranger.hash(.simulated))
    let letIn = MembershipRecord.forged(
      .merge(MembershipRecord.Merge(group: group, host: group, joiner: founding)),
      knowing: [founding, group],
      by: [thief.key, first.key])
    let again = MembershipRecord.forged(
      leaving.body, knowing: leaving.parents + [letIn.hash(.simulated)], by: [first.key])
    for index in 1...3 {
      var disk = harness.disks[index]
      disk.records = (index == 3 ? known.records : []) + [leaving, stranger, letIn, again]
      if index != 2 { disk.group = GroupID(founding: group) }
      harness.restart(index, from: disk)
    }
    #expect(harness.engines[1].group.id != harness.engines[2].group.id)
    harness.connect(1, 3)
    harness.write(3, "theme", [1])
    harness.settle()
    #expect(harness.value(1, "theme") == [1] && told(harness, 1).isEmpty && told(harness, 2).isEmpty)
    harness.connect(1, 2)
    harness.settle()
    let warnings = (1...2).map { told(harness, $0) }
    #expect(
      warnings[0].contains { $0.contains("Device 3 may go on in the one that Device 1 began") }, "\(warnings)"
    )
    #expect(
      warnings[1].contains { $0.contains("Device 2 may go on in the one that Device 50 began") },
      "\(warnings)")
  }
}
