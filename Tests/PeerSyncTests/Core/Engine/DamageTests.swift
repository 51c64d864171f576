import PeerSyncCore
import Testing

/// Devices whose disks have lost a part of a commit that nobody can bring back.
@Suite struct DamageTests {
  /// Two engines that are all of their group.
  private func pair() -> Harness {
    let harness = JoiningTests.pair()
    harness.request(.join(harness.address(0), JoiningTests.key), of: 1)
    harness.advance(1_000)
    return harness
  }

  /// Starts an engine from its disk without the proof of a commit of each author, nor any claim. What the disk holds of the commits
  /// stays, but for the values of some names.
  private func spoil(
    _ harness: Harness, _ index: Int, of authors: Int..., span: ClosedRange<UInt64>,
    losing names: [String] = []
  ) {
    var disk = harness.disks[index]
    for replica in authors.map({ harness.identities[$0].replica }) {
      disk.proofs.apply(.dropped(replica, span))
      for name in names { disk.registers[RegisterID(key: key(name), author: replica)] = nil }
    }
    disk.damage = Damage([.unnamed], lost: disk.claims)
    disk.claims = VersionVector()
    disk.inventory = nil
    harness.restart(index, from: disk)
  }

  private func key(_ name: String) -> [UInt8] { RegisterKey.value(key: name).encoded }

  /// Each of the two would wait for what the other could claim, and neither could claim anything.
  @Test func twoThatWereDamagedDoNotWaitForEachOther() {
    let harness = pair()
    let both = [LocalWrite(key: key("a"), value: [1]), LocalWrite(key: key("b"), value: [2])]
    harness.request(.write(both), of: 0)
    harness.write(0, "c", [3])
    harness.settle()
    harness.expectConverged()
    harness.connectsDials = false
    harness.cut()
    spoil(harness, 0, of: 0, span: 1...2, losing: ["b"])
    spoil(harness, 1, of: 0, span: 1...2, losing: ["a", "b"])
    goOn(harness, 0)
    harness.connect(0, 1)
    harness.settle()
    harness.advance(5 * Limits.beatMilliseconds)
    for index in 0...1 {
      #expect(harness.value(index, "a") == [1] && harness.value(index, "d") == [4], "engine \(index)")
    }
    harness.expectConverged()
  }

  /// Both have gone on, and neither claims what the other has decided since.
  @Test func twoThatWereDamagedAndHaveGoneOnDoNotWaitForEachOther() {
    let harness = pair()
    for index in 0...1 {
      let both = [LocalWrite(key: key("a"), value: [1]), LocalWrite(key: key("b"), value: [2])]
      harness.request(.write(both), of: index)
    }
    harness.settle()
    harness.expectConverged()
    harness.connectsDials = false
    harness.cut()
    for index in 0...1 {
      spoil(harness, index, of: 0, 1, span: 1...2, losing: ["b"])
      goOn(harness, index)
    }
    harness.connect(0, 1)
    harness.settle()
    harness.advance(5 * Limits.beatMilliseconds)
    harness.expectConverged()
    for index in 0...1 { #expect(harness.value(index, "a") == [1] && harness.value(index, "d") == [4]) }
  }

  /// A device decides something in its next life: its claim comes with a delta that is not whole.
  private func goOn(_ harness: Harness, _ index: Int) {
    begin(harness, index)
    harness.write(index, "d", [4])
  }

  /// A device begins its next life: it does not know how far it has come in this one.
  private func begin(_ harness: Harness, _ index: Int) {
    harness.perform(index) { engine, now, effects in
      engine.begin(Author(UInt64(index + 1), life: 1).incarnation, now: now, &effects)
    }
  }

  /// The peer holds the same item of the store under another name: what proves this one is gone, and nobody misses it. What is proven
  /// anew is signed before it is kept, also where the peer has said before that it stands where this device comes to.
  @Test(arguments: [false, true]) func whatAPeerHoldsUnderAnotherNameIsProvenAnew(isExpected: Bool) {
    let harness = Harness(2)
    let fact: [UInt8] = [RegisterKey.laterKind]
    for index in 0...1 {
      harness.request(.write([LocalWrite(key: fact, stamp: Stamp(rawValue: 0), value: [7])]), of: index)
      harness.write(index, "v\(index)", [1])
    }
    // Of equal contents that with the greater name stays.
    let later = harness.identities[0].replica > harness.identities[1].replica ? 0 : 1
    spoil(harness, later, of: later, span: 1...1)
    if isExpected { deliverEndsLate(harness, to: later) }
    harness.connect(0, 1)
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(harness.disks[later].damage == nil)
    harness.expectConverged()
  }

  /// A member that is not there may have what is missing. Once it is removed nobody has.
  @Test func aMemberThatNeverComesIsWaitedForUntilItIsRemoved() {
    let harness = pair()
    harness.add(isAlone: true)
    harness.start(2)
    harness.request(.invite(JoiningTests.invitation(harness)), of: 0)
    harness.request(.join(harness.address(0), JoiningTests.key), of: 2)
    harness.advance(1_000)
    let both = [LocalWrite(key: key("a"), value: [1]), LocalWrite(key: key("b"), value: [2])]
    harness.request(.write(both), of: 0)
    harness.settle()
    harness.connectsDials = false
    harness.cut()
    for index in 0...1 { spoil(harness, index, of: 0, span: 1...2, losing: ["b"]) }
    begin(harness, 0)
    harness.connect(0, 1)
    harness.settle()
    harness.advance(5 * Limits.beatMilliseconds)
    #expect(harness.disks[0].damage != nil && harness.disks[1].damage != nil)
    harness.request(.remove(harness.identities[2].device, recoveryKey: nil), of: 0)
    harness.settle()
    harness.advance(5 * Limits.beatMilliseconds)
    for index in 0...1 { #expect(harness.disks[index].damage == nil && harness.value(index, "a") == [1]) }
  }

  /// The end of each delta arrives behind what its sender says next of where it stands.
  private func deliverEndsLate(_ harness: Harness, to receiver: Int) {
    var late: Harness.Envelope?
    harness.filter = { envelope in
      guard envelope.to == receiver else { return [envelope] }
      switch envelope.message {
      case .deltaEnd:
        late = envelope
        return []
      case .summary:
        defer { late = nil }
        return [envelope] + (late.map { [$0] } ?? [])
      default: return [envelope]
      }
    }
  }
}
