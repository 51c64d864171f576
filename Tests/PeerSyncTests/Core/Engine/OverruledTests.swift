import PeerSyncCore
import Testing

/// A removal that counts for nothing, for a more senior device has removed who made it: the removed device hears so from whoever knows,
/// also where it only dials.
@Suite struct OverruledTests {
  private static let senior = 0

  /// Has an engine know where others listen.
  private func know(_ harness: Harness, _ index: Int, _ others: [Int]) {
    harness.disks[index].addresses = others.map {
      KnownPeer.Listening(
        device: harness.identities[$0].device, address: harness.address($0), stamp: Stamp(rawValue: 1))
    }
    harness.restart(index)
  }

  /// Devices of which one removes the next, and that one hears it, while the first, which has not heard, removes the remover.
  private func household(_ count: Int, remover: Int, removed: Int) -> Harness {
    let harness = Harness(count)
    (harness.connectsDials, harness.isCut) = (true, true)
    harness.request(.remove(harness.identities[removed].device, recoveryKey: nil), of: remover)
    harness.connect(removed, remover) { .introduction(harness.author($0).key.publicKey) }
    harness.settle()
    #expect(harness.engines[removed].isRemoved)
    harness.request(.remove(harness.identities[remover].device, recoveryKey: nil), of: Self.senior)
    return harness
  }

  @Test func whoOnlyDialsHearsThatItIsAMember() {
    let harness = household(3, remover: 1, removed: 2)
    harness.isCut = false
    know(harness, 2, [Self.senior])
    harness.advance(Limits.redialMaximumMilliseconds)
    let isOut = harness.engines[2].isRemoved
    #expect(!isOut && harness.engines[2].readySessions == 1)
  }

  /// Whom it has asked may have heard that itself since: it asks again, now and then.
  @Test func itAsksAgain() {
    let harness = household(4, remover: 2, removed: 3)
    harness.isCut = false
    know(harness, 3, [1])
    harness.advance(1_000)
    let isBelieved = !harness.engines[1].group.isMember(harness.identities[3].key)
    #expect(isBelieved)
    harness.connect(1, Self.senior)
    harness.settle()
    let isMember = harness.engines[1].group.isMember(harness.identities[3].key)
    #expect(isMember)
    // The others know of no place where it listens.
    let asked = harness.dials.count { $0.engine == 3 }
    harness.advance(Limits.outMilliseconds - 10_000)
    let dials = harness.dials.count { $0.engine == 3 }
    #expect(dials == asked && harness.engines[3].isRemoved)
    harness.advance(20_000)
    #expect(!harness.engines[3].isRemoved && harness.engines[3].readySessions > 0)
  }
}
