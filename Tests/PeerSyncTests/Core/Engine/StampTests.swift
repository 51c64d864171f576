import PeerSyncCore
import Testing

/// Decisions that a wrong clock has stamped: held back, told to their author, stamped anew, never lost [B23], [B25].
@Suite struct StampTests {
  private static let years: Int64 = 700 * 86_400_000

  private func met(_ count: Int = 2) -> Harness {
    let harness = Harness(count)
    for index in 1..<count { harness.connect(0, index) }
    harness.settle()
    return harness
  }

  /// Three of which the third has decided something, and the clocks of the others, apart from it, are turned back alike since.
  private func turnedBack() -> Harness {
    let harness = met(3)
    harness.write(2, "a", [1])
    harness.settle()
    harness.advance(2 * Limits.beatMilliseconds)
    harness.cut()
    harness.skew = [-Self.years, -Self.years, 0]
    return harness
  }

  @Test func theAuthorIsTold() throws {
    let harness = met()
    harness.skew[0] = Self.years
    harness.write(0, "a", [1])
    harness.settle()
    harness.monotonic += Limits.heldBackToldMilliseconds
    harness.write(0, "b", [1])
    harness.settle()
    let told = harness.sent.compactMap { envelope -> HeldBack? in
      if case .heldBack(let held) = envelope.message, envelope.from == 1 { held } else { nil }
    }
    let last = try #require(told.last)
    #expect(
      last.latest == [
        Dot(
          replica: harness.identities[0].replica,
          sequence: harness.replica(0).vector[harness.identities[0].replica])
      ])
    #expect(last.wall == harness.now(1).wall && last.stamp.lead(over: last.wall) >= Self.years)
    let device = harness.identities[1].device
    #expect(
      harness.notices.contains { notice in
        if case .heldBackThere(device, _, let ahead) = notice.notice { return ahead >= Self.years }
        return false
      })
    // While its clock is wrong it keeps its stamps: it may be the other one that is wrong.
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(harness.value(1, "a") == nil && harness.value(0, "a") == [1])
    #expect(!harness.notices.contains { if case .stampedAnew = $0.notice { true } else { false } })
  }

  /// Corrected: all comes at once, in the order in which it was decided.
  @Test func aCorrectedClockStampsAnew() {
    let harness = met(3)
    harness.write(1, "both", [0])
    harness.settle()
    harness.skew[0] = Self.years
    for value: UInt8 in 1...3 { harness.write(0, "a", [value]) }
    harness.write(0, "both", [9])
    harness.settle()
    #expect(harness.value(1, "both") == [0] && harness.value(1, "a") == nil)
    harness.skew[0] = 0
    harness.handle(0, [.deadline])
    #expect(harness.settle() <= 12)
    for index in 0..<3 {
      #expect(harness.value(index, "a") == [3] && harness.value(index, "both") == [9])
    }
    harness.expectConverged()
    #expect(harness.notices.contains { $0.notice == .stampedAnew(writes: 2) })
    // Nobody is stuck ahead: a decision of the other counts at once.
    harness.monotonic += 1
    harness.write(1, "both", [10])
    harness.settle()
    #expect(harness.value(0, "both") == [10])
    harness.expectConverged()
  }

  /// The clock is corrected while the device is away, or off.
  @Test(arguments: [true, false]) func correctedWhileAway(dies: Bool) {
    let harness = met()
    harness.cut()
    harness.skew[0] = Self.years
    harness.write(0, "a", [1])
    harness.skew[0] = 0
    if dies { harness.restart(0) }
    harness.handle(0, [.deadline])
    // A second clock has to say so: this one may have been turned back.
    #expect(!harness.notices.contains { if case .stampedAnew = $0.notice { true } else { false } })
    harness.connect(1, 0)
    #expect(harness.settle() <= 20)
    #expect(harness.value(1, "a") == [1])
    harness.expectConverged()
  }

  /// The disk was damaged since, so that the device claims nothing of what it has stamped in an earlier life.
  @Test func whatADamagedDeviceHasStampedIsStampedAnew() {
    let harness = met()
    harness.cut()
    harness.skew[0] = Self.years
    harness.write(0, "a", [1])
    harness.skew[0] = 0
    var disk = harness.disks[0]
    disk.damage = Damage([.unnamed], lost: disk.claims)
    disk.claims = VersionVector()
    disk.replica = Author(1, life: 1).replica
    disk.proofs.apply(.incarnation(Author(1, life: 1).incarnation, replica: Author(1, life: 1).replica))
    disk.inventory = nil
    harness.restart(0, from: disk)
    // Whoever has not read its ledger yet looks at all stamps anyway.
    harness.adjust(0) { engine in _ = engine.ledger { $0.transactions() } }
    harness.connect(0, 1)
    harness.settle()
    // The vector has fallen: the session has ended.
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.value(1, "a") == [1])
    #expect(harness.notices.contains { $0.notice == .stampedAnew(writes: 1) })
  }

  /// One clock alone changes no stamp: it may be the one that is wrong. What was decided last stands all the same [F69].
  @Test(arguments: [-years, years]) func aDeviceAloneKeepsItsOrder(skew: Int64) throws {
    let harness = Harness()
    harness.start(harness.add(isAlone: true))
    harness.write(0, "a", [1])
    harness.skew[0] = skew
    harness.handle(0, [.deadline])
    harness.write(0, "a", [2])
    harness.skew[0] = 0
    harness.handle(0, [.deadline])
    let stamp = harness.replica(0).register(RegisterKey.value(key: "a").encoded)?.stamp
    #expect(harness.value(0, "a") == [2])
    harness.restart(0)
    harness.write(0, "a", [3])
    #expect(harness.value(0, "a") == [3])
    let last = try #require(harness.replica(0).register(RegisterKey.value(key: "a").encoded)?.stamp)
    #expect(last > (try #require(stamp)))
    harness.expectSaved(0)
  }

  /// A clock turned back is not one that was corrected: what others hold keeps its stamp.
  @Test func aClockTurnedBackStampsNothingAnew() {
    let harness = met()
    harness.write(0, "a", [1])
    harness.settle()
    harness.skew[0] = -Self.years
    harness.handle(0, [.deadline])
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(!harness.notices.contains { if case .stampedAnew = $0.notice { true } else { false } })
    harness.expectConverged()
  }

  /// Two clocks are behind alike: what others have decided is not ahead of what was vouched for, and stays.
  @Test func twoClocksTurnedBackLoseNothing() {
    let harness = turnedBack()
    for index in 0...1 { harness.restart(index) }
    let before = (0...1).map { harness.replica($0).vector }
    harness.connect(0, 1)
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    for index in 0...1 {
      #expect(harness.value(index, "a") == [1] && harness.replica(index).vector.covers(before[index]))
    }
  }

  /// Two clocks are behind together, by the little that makes right stamps look wrong: what was vouched for bears them out, and an
  /// older decision of a third device does not win [F69].
  @Test(arguments: [false, true]) func whatTwoClocksBehindTogetherHadDecidedStays(restarts: Bool) throws {
    let harness = met(3)
    harness.advance(2 * Limits.beatMilliseconds)
    harness.cut()
    harness.write(2, "a", [1])
    harness.monotonic += 60_000
    harness.connect(0, 1)
    harness.write(0, "a", [2])
    harness.advance(Limits.timeKeptMilliseconds)
    let stamp = try #require(harness.replica(0).register(RegisterKey.value(key: "a").encoded)?.stamp)
    harness.cut()
    harness.skew = [-Self.years, -Self.years, 0]
    for index in 0...1 where restarts { harness.restart(index) }
    harness.connect(0, 1)
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(harness.replica(0).register(RegisterKey.value(key: "a").encoded)?.stamp == stamp)
    harness.skew = [0, 0, 0]
    harness.connect(0, 2)
    harness.connect(1, 2)
    harness.advance(3 * Limits.beatMilliseconds)
    for index in 0..<3 { #expect(harness.value(index, "a") == [2]) }
    harness.expectConverged()
  }

  /// Two clocks were ahead alike. Put right they cannot tell it from being behind: what they decided keeps its stamp until a
  /// person says which time is right, and others hold it back. Then it counts.
  @Test func whatTwoWrongClocksVouchedForKeepsItsStampUntilThatFalls() throws {
    let harness = Harness(3)
    harness.skew = [Self.years, Self.years, 0]
    harness.connect(0, 1)
    harness.advance(2 * Limits.beatMilliseconds)
    harness.write(0, "a", [1])
    harness.settle()
    // The third is paired only then.
    for index in 0...1 {
      var disk = harness.disks[index]
      let floor = try #require(disk.time.evidence).instant.milliseconds - disk.time.ran
      disk.time.peers = disk.time.peers.map {
        $0.bound == nil ? TrustedTime.Peer(device: $0.device, since: floor) : $0
      }
      harness.restart(index, from: disk)
    }
    harness.skew = [0, 0, 0]
    harness.connect(0, 1)
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(!harness.notices.contains { if case .stampedAnew = $0.notice { true } else { false } })
    for index in 0...1 { #expect(harness.value(index, "a") == [1]) }
    harness.connect(2, 0)
    harness.settle()
    #expect(harness.value(2, "a") == nil)
    for index in 0...1 { harness.request(.acceptTime, of: index) }
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(harness.notices.contains { $0.notice == .stampedAnew(writes: 1) })
    for index in 0..<3 { #expect(harness.value(index, "a") == [1]) }
    harness.expectConverged()
  }

  /// A person accepts clocks that are behind: what a third device decided leaves, and `status` names whose it is although that one is
  /// not connected. It counts again once it is met by a right clock.
  @Test func whatAnAcceptedClockTakesOutIsTold() throws {
    let harness = turnedBack()
    harness.connect(0, 1)
    for index in 0...1 { harness.request(.acceptTime, of: index) }
    harness.advance(3 * Limits.beatMilliseconds)
    let third = harness.identities[2].device
    let tells = { (index: Int) -> Bool in
      let now = harness.now(index)
      var engine = harness.engines[index]
      let reading = engine.time(at: now)
      let isTold = engine.clockFindings(reading, at: now).contains { finding in
        if case .heldBackHere(third, let lead) = finding { lead > Self.years / 2 } else { false }
      }
      #expect(engine.holdsBack(third, at: now) == isTold)
      return isTold
    }
    for index in 0...1 { #expect(harness.value(index, "a") == nil && tells(index)) }
    harness.skew = [0, 0, 0]
    harness.connect(0, 2)
    harness.connect(1, 2)
    harness.advance(3 * Limits.beatMilliseconds)
    for index in 0...1 { #expect(harness.value(index, "a") == [1] && !tells(index)) }
  }

  /// Two devices are ahead together: what one took from the other is the author's to decide anew, and does not count before
  /// its time on a device that is put right.
  @Test func onlyTheAuthorStampsAnew() {
    let harness = met(3)
    harness.write(2, "a", [0])
    harness.settle()
    harness.skew[0] = Self.years
    harness.skew[1] = Self.years + 600_000
    harness.write(0, "a", [1])
    harness.settle()
    #expect(harness.value(1, "a") == [1] && harness.value(2, "a") == [0])
    harness.cut()
    harness.skew[1] = 0
    harness.handle(1, [.deadline])
    harness.connect(1, 2)
    harness.advance(2 * Limits.beatMilliseconds)
    #expect(harness.value(1, "a") == [0] && harness.value(2, "a") == [0])
    #expect(harness.replica(1).vector == harness.replica(2).vector)
    // The vector has fallen: the session has ended.
    harness.connect(1, 2)
    harness.write(1, "a", [2])
    harness.settle()
    #expect(harness.value(1, "a") == [2] && harness.value(2, "a") == [2])
    // The author is put right as well.
    harness.monotonic += 1
    harness.skew[0] = 0
    harness.handle(0, [.deadline])
    harness.connect(0, 1)
    harness.connect(0, 2)
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    for index in 0..<3 { #expect(harness.value(index, "a") == [1]) }
    harness.expectConverged()
  }

  /// No second clock has agreed yet: what was taken under a wrong clock does not count before its time.
  @Test func whatWasTakenAheadCountsInItsTime() {
    let harness = met(2)
    // Not so alike that they would vouch for each other.
    harness.skew = [3_600_000, 4_000_000]
    harness.write(0, "a", [1])
    harness.settle()
    harness.cut()
    harness.skew[1] = 0
    harness.handle(1, [.deadline])
    #expect(harness.value(1, "a") == nil)
    harness.restart(1)
    harness.write(1, "a", [2])
    #expect(harness.value(1, "a") == [2])
    harness.skew[1] = 3_600_000
    harness.handle(1, [.deadline])
    #expect(harness.value(1, "a") == [1])
    harness.write(1, "a", [3])
    #expect(harness.value(1, "a") == [3])
  }

  /// Many messages bring writes from the future: one answer is enough for now.
  @Test func thePeerIsToldNowAndThen() {
    let harness = met()
    harness.skew[0] = Self.years
    let start = harness.sent.count
    for value: UInt8 in 1...20 {
      harness.write(0, "a", [value])
      harness.settle()
    }
    let told = { harness.sent[start...].count { $0.message.type == .heldBack } }
    #expect(told() == 1)
    #expect(harness.notices.count { if case .heldBack = $0.notice { true } else { false } } == 1)
    harness.monotonic += Limits.heldBackToldMilliseconds
    harness.write(0, "a", [21])
    harness.settle()
    #expect(told() == 2)
  }

  /// What is stamped anew is signed anew: whoever comes later takes it from anyone, with the rest of the old commits.
  @Test func whatIsStampedAnewIsProven() throws {
    let harness = met()
    harness.skew[0] = Self.years
    let key = { (name: String) in RegisterKey.value(key: name).encoded }
    let fact: [UInt8] = [RegisterKey.laterKind]
    let mixed = [
      LocalWrite(key: key("a"), value: [1]),
      LocalWrite(key: fact, stamp: Stamp(rawValue: 0), value: [2]),
      LocalWrite(key: key("b"), value: [3]),
    ]
    harness.request(.write(mixed), of: 0)
    harness.settle()
    #expect(harness.replica(1).register(fact)?.value == [2] && harness.value(1, "a") == nil)
    harness.skew[0] = 0
    harness.handle(0, [.deadline])
    harness.settle()
    for index in 0...1 { harness.restart(index) }
    harness.connect(0, 1)
    harness.settle()
    harness.add()
    harness.start(2)
    harness.connect(2, 1)
    harness.settle()
    harness.connect(2, 0)
    harness.settle()
    #expect(harness.value(2, "a") == [1] && harness.value(2, "b") == [3])
    #expect(harness.replica(2).register(fact)?.value == [2])
    #expect(!harness.closeReasons.contains(.forged) && harness.replica(2).forks.isEmpty)
    harness.expectConverged()
  }

  @Test func anImportedStampIsSeen() throws {
    let harness = Harness(1)
    let ahead = Stamp(harness.now(0).wall.advanced(byMilliseconds: 200_000))
    harness.write(0, "a", [1], stamp: ahead)
    harness.write(0, "a", [2])
    #expect(harness.value(0, "a") == [2])
  }

  // MARK: The address book

  private func entry(_ harness: Harness, _ index: Int, of device: Int) -> KnownPeer.Listening? {
    harness.disks[index].addresses.last { $0.device == harness.identities[device].device }
  }

  /// A device starts again, elsewhere, with its clock turned back: others learn of the new address.
  @Test(arguments: [false, true]) func theNewAddressWins(losesDisk: Bool) {
    let harness = met()
    let old = entry(harness, 1, of: 0)
    #expect(old?.address == harness.address(0))
    harness.skew[0] = -3_600_000
    var disk = harness.disks[0]
    if losesDisk { disk.addresses = [] }
    harness.restart(0, from: disk)
    let moved = Address(host: "elsewhere", port: 9)
    harness.handle(0, [.started(listening: [moved], peers: [])])
    harness.connect(0, 1)
    harness.settle()
    harness.cut()
    harness.connect(1, 0)
    harness.settle()
    #expect(entry(harness, 1, of: 0)?.address == moved)
  }
}
