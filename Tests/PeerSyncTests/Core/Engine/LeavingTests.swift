import PeerSyncCore
import Testing

/// A device leaves its group.
@Suite struct LeavingTests {
  private func pair() -> Harness {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    return harness
  }

  private func answer(
    _ harness: Harness, removing target: Int, by index: Int, _ takingBack: TakingBack = .nothing
  ) -> Answer? {
    let device = harness.identities[target].device
    let request = harness.request(.remove(device, recoveryKey: nil, takingBack: takingBack), of: index)
    return harness.answers[request]
  }

  /// Else both would go on with the same credits.
  @Test(arguments: [TakingBack.nothing, .everything]) func whoHasLeftRemovesNobody(takingBack: TakingBack) {
    let harness = pair()
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
    harness.settle()
    #expect(answer(harness, removing: 0, by: 1, takingBack) == .refused(.removed))
    let isMember = (0...1).map { harness.engines[0].group.isMember(harness.author($0).key.publicKey) }
    #expect(isMember == [true, false])
  }

  @Test func nobodyLeavesWithWhatTheOthersHaveNotHeardOf() {
    let harness = pair()
    harness.cut()
    harness.write(1, "a", [1])
    #expect(answer(harness, removing: 1, by: 1) == .refused(.notHeardOf))
    harness.connect(0, 1)
    harness.settle()
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
    #expect(harness.value(0, "a") == [1])
  }

  /// They would say so by themselves, but only a minute later.
  @Test func othersAreAskedWhatTheyHold() {
    let harness = pair()
    harness.write(0, "a", [1])
    harness.settle()
    #expect(harness.value(1, "a") == [1])
    #expect(answer(harness, removing: 1, by: 1) == .refused(.notHeardOf))
    let asking = harness.request(.probe, of: 1)
    harness.settle()
    #expect(harness.answers[asking] == .done(changed: 0))
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
  }

  /// What it had, it may have lost since.
  @Test func nobodyLeavesOnWhatAnotherHadInAnEarlierSession() {
    let harness = pair()
    harness.write(1, "a", [1])
    harness.settle()
    harness.cut()
    #expect(answer(harness, removing: 1, by: 1) == .refused(.notHeardOf))
  }

  /// Of a third device as well: that one may be gone.
  @Test func nobodyLeavesWithWhatItAloneHasOfAnother() {
    let harness = Harness(3)
    harness.connect(0, 1)
    harness.connect(1, 2)
    harness.settle()
    harness.filter = { $0.to == 0 ? [] : [$0] }
    harness.write(2, "c", [1])
    harness.settle()
    #expect(harness.value(1, "c") == [1] && harness.value(0, "c") == nil)
    #expect(answer(harness, removing: 1, by: 1) == .refused(.notHeardOf))
    harness.filter = { [$0] }
    harness.cut()
    harness.connect(0, 1)
    harness.settle()
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
    #expect(harness.value(0, "c") == [1])
  }

  /// A purchase that waits must not be lost, whoever's right the removal is by.
  @Test func aRecoveryKeyIsNoWayPast() {
    let harness = pair()
    harness.cut()
    let key = SigningKey.simulated(seed: .max - harness.author(1).number)
    let request = harness.request(
      .remove(harness.identities[1].device, recoveryKey: key, takingBack: .nothing), of: 1)
    #expect(harness.answers[request] == .refused(.notHeardOf))
  }

  /// Whom a senior let in stays a member whatever a junior signs: it must not look as if they had gone.
  @Test func aJuniorDisownsNobodyWhomASeniorLetIn() throws {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let (group, own) = (harness.engines[0].group, harness.identities.map(\.device))
    let (senior, junior) = group.members[0].id == own[0] ? (0, 1) : (1, 0)
    let letIn = try #require(
      group.members.first { $0.host == group.members[0].founding && !own.contains($0.id) }?.id)
    let request = harness.request(
      .remove(own[senior], recoveryKey: nil, takingBack: .everything, disowning: [letIn]), of: junior)
    #expect(harness.answers[request] == .refused(.disownedStay))
    #expect(harness.engines[junior].group == group)
  }

  /// A removal that disowns somebody knows nothing of what came later, and so others would go whom nobody named, or this device itself.
  @Test func nobodyGoesUnnamed() throws {
    let group = Harness(1).engines[0].group
    let numbers = group.members.compactMap { member in
      (UInt64(1)...40).first { Author($0).key.publicKey == member.key }
    }
    let key = SigningKey.simulated(seed: .max - numbers[0])
    var (alone, along, itself) = (0, 0, 0)
    for own in [numbers[1], numbers[numbers.count - 1]] {
      let harness = Harness()
      harness.add(author: Author(own))
      let here = harness.identities[0].device
      func preview(_ disowned: Set<DeviceID>) -> Refusal? {
        var refusal: Refusal?
        harness.adjust(0) { engine in
          do throws(Refusal) {
            let taken = try engine.takenBack(
              byRemoving: group.members[0].id, by: key, .everything, disowning: disowned, now: harness.now(0))
            #expect(Set(taken.membersOut.map(\.id)) == disowned)
          } catch { refusal = error }
        }
        return refusal
      }
      for device in group.members.dropFirst() where device.id != here {
        switch preview([device.id]) {
        case nil: alone += 1
        case .goAlong([here]): itself += 1
        case .goAlong(let others):
          along += 1
          #expect(preview(Set([device.id] + others)) == nil)
        case let other: Issue.record("\(String(describing: other))")
        }
      }
    }
    #expect(alone == 1 && along == itself - 1 && along > 0, "\(alone) \(along) \(itself)")
  }

  /// It had a life that it may have forgotten a part of, and the third device may hold that part.
  @Test func whoHasHadAnotherLifeMeetsEverybodyFirst() {
    let harness = Harness(3)
    for (one, other) in [(0, 1), (1, 2)] { harness.connect(one, other) }
    let here = harness.identities.map(\.device)
    for member in harness.engines[0].group.members where !here.contains(member.id) {
      harness.request(.remove(member.id, recoveryKey: nil), of: 0)
    }
    harness.settle()
    let before = harness.disks[1]
    harness.write(1, "a", [1])
    harness.settle()
    harness.cut()
    harness.restart(1, from: before)
    // It hears of what it has forgotten, and comes again under another name.
    for _ in 0...1 {
      harness.connect(0, 1)
      harness.settle()
    }
    #expect(harness.replica(1).replicas(of: harness.author(1).key.publicKey).count == 2)
    #expect(answer(harness, removing: 1, by: 1) == .refused(.notMet))
    harness.connect(1, 2)
    harness.settle()
    #expect(answer(harness, removing: 1, by: 1) == .done(changed: 1))
  }
}
