import PeerSyncCore
import Synchronization
import Testing

/// [F61] Whoever fills the set of records fills it for itself.
@Suite struct RecordRoomTests {
  /// Devices that one took in, each looking at the records as in an engine.
  private func household(_ names: String...) throws -> Household {
    var home = Household(names)
    for name in names.dropFirst() { try home.merge(names[0], name) }
    home.meet()
    for name in names { look(name, &home) }
    return home
  }

  private func look(_ name: String, _ home: inout Household) {
    guard let group = home[name].group else { return }
    home[name].membership.look(from: home[name].publicKey, preferring: group.id)
  }

  /// Records of a kind that this version does not know, by a member.
  private func junk(_ count: Int, by device: Household.Device, _ mark: UInt8, bytes: Int = 3)
    -> [MembershipRecord]
  {
    let founding = device.founding.hash(.simulated)
    return (0..<count).map { number in
      var payload = [UInt8](repeating: mark, count: bytes)
      (payload[0], payload[1]) = (UInt8(number >> 8), UInt8(number & 255))
      let body = MembershipRecord.Body.other(kind: 200, author: founding, payload: payload)
      let bytes = MembershipRecord(parents: [founding], body: body, signatures: []).signedBytes
      return MembershipRecord(parents: [founding], body: body, signatures: [device.key.sign(bytes)])
    }
  }

  /// Devices that a member makes up and takes in.
  private func fakes(_ count: Int, by host: Household.Device, seed: UInt64) throws -> [MembershipRecord] {
    var (known, records) = (host.membership, [MembershipRecord]())
    for number in 0..<UInt64(count) {
      let fake = Household.Device("fake", seed: seed + number)
      let proposal = try known.proposeMerge(
        host: host.publicKey, joiner: fake.publicKey, of: fake.membership)
      let merge = MembershipRecord(
        proposal, host: proposal.signature(by: host.key), joiner: proposal.signature(by: fake.key))
      _ = known.insert([fake.founding, merge])
      records += [fake.founding, merge]
    }
    return records
  }

  private func expectEqual(_ names: String..., of home: Household, members: String) {
    let first = home[names[0]].membership.fingerprint
    for name in names {
      #expect(home[name].membership.fingerprint == first, "\(name)")
      #expect(home.members(seenBy: name) == members, "\(name)")
    }
  }

  @Test func oneBranchUsesUpItsOwnRoom() throws {
    var home = try household("a", "b", "m")
    let before = home["a"].membership.count
    let filled = home["a"].membership.insert(junk(1100, by: home["m"], 1))
    #expect(filled.added.count == Limits.membershipBranchRecords)
    #expect(Set(filled.refused.map(\.reason)) == [.full])
    // Of others there is room for everything.
    home["c"] = Household.Device("c", seed: 9)
    try home.merge("a", "c")
    home["d"] = Household.Device("d", seed: 10)
    home["b"].membership = home["a"].membership
    try home.merge("b", "d")
    #expect(home["b"].membership.count == before + Limits.membershipBranchRecords + 4)
    // Whom it takes in is charged to it as well.
    #expect(throws: MembershipError.full) {
      home["m"].membership = home["a"].membership
      home["e"] = Household.Device("e", seed: 11)
      try home.merge("m", "e")
    }
  }

  @Test func aRemovalReachesWhomOtherRecordsWereShown() throws {
    var home = try household("a", "b", "m")
    for (name, mark) in [("a", UInt8(1)), ("b", 2)] {
      _ = home[name].membership.insert(junk(1100, by: home["m"], mark))
    }
    #expect(home["a"].membership.fingerprint != home["b"].membership.fingerprint)
    try home.remove("m", by: "a")
    home.meet("a", "b")
    expectEqual("a", "b", of: home, members: "a b")
    // What counts for nothing has left, and comes from nobody again.
    #expect(home["a"].membership.count == 6)
    let again = home["b"].membership.insert(junk(1100, by: home["m"], 3))
    #expect(again.added.isEmpty && Set(again.refused.map(\.reason)) == [.void])
    home["c"] = Household.Device("c", seed: 9)
    try home.merge("b", "c")
    home.meet("a", "b")
    expectEqual("a", "b", "c", of: home, members: "a b c")
  }

  /// The devices that a member has made up are members while it is one: others name what brought them in.
  @Test func whatWasNamedBeforeItWasVoidIsTakenToo() throws {
    var home = try household("a", "b", "m")
    _ = home["a"].membership.insert(try fakes(120, by: home["m"], seed: 1_000))
    _ = home["b"].membership.insert(try fakes(120, by: home["m"], seed: 2_000))
    home["x"] = Household.Device("x", seed: 9)
    try home.merge("b", "x")
    try home.remove("m", by: "a")
    home.meet("a", "b")
    home.meet("a", "b", "x")
    #expect(home["a"].membership.fingerprint == home["b"].membership.fingerprint)
    for name in ["a", "b"] {
      let members = home[name].group?.members.map(\.name) ?? []
      #expect(members.filter { $0 != "fake" } == ["a", "b", "x"], "\(name)")
      // Those that whoever removed it knew of stay, the others are out.
      #expect(members.count == 123, "\(name)")
    }
  }

  /// Where no room is left at all, the seniors' removals are taken all the same, and what they name.
  @Test func aRemovalIsTakenByAFullSet() throws {
    var home = try household("a", "b", "m")
    _ = home["b"].membership.insert(junk(1100, by: home["a"], 7))
    #expect(home["b"].membership.count == Limits.membershipRecords)
    _ = home["a"].membership.insert(try fakes(100, by: home["m"], seed: 1_000))
    let removal = try home.remove("m", by: "a")
    home["b"].membership.look(from: home["b"].publicKey, preferring: try #require(home["b"].group).id)
    _ = home["b"].membership.insert(home["a"].membership.records)
    #expect(home["b"].membership.contains(removal.hash(.simulated)))
    #expect(home["b"].group?.isMember(home["m"].publicKey) == false)
    #expect(home["b"].group?.members.count == 102)
  }

  /// A removal that is overruled: what had left is back.
  @Test func whatHadLeftComesBackWithItsAuthor() throws {
    var home = try household("a", "b", "m")
    home.meet()
    let removal = try home.remove("m", by: "b")
    _ = home["m"].membership.insert(junk(5, by: home["m"], 1))
    home["x"] = Household.Device("x", seed: 9)
    try home.merge("m", "x")
    home["a"].membership = home["m"].membership
    look("a", &home)
    #expect(home.members(seenBy: "a") == "a b m x")
    _ = home["a"].membership.insert([removal])
    #expect(home.members(seenBy: "a") == "a b" && home["a"].membership.count == 6)
    // The first device removes who had removed it, not knowing of that.
    let overruling = try home["m"].membership.removal(
      of: home["b"].publicKey, cuts: [], by: home["a"].key)
    _ = home["a"].membership.insert([overruling])
    #expect(home.members(seenBy: "a") == "a m x")
  }

  /// Verifies as simulated cryptography does, and counts.
  private func counting(_ verified: Verified) -> Cryptography {
    let simulated = Cryptography.simulated
    return Cryptography(
      hash: simulated.hash,
      verify: { signature, message, key in
        verified.count.withLock { $0 += 1 }
        return simulated.verify(signature, message, key)
      })
  }

  /// How many signatures were verified.
  private final class Verified: Sendable {
    let count = Mutex(0)
    var now: Int { count.withLock { $0 } }
  }

  /// A first device and two that it took in, and what the first one holds.
  private func counted(_ verified: Verified) throws -> (devices: [Household.Device], Membership) {
    let devices = ["a", "b", "m"].enumerated().map { Household.Device($1, seed: UInt64($0) + 1) }
    let united = try Membership.united(devices.map { ($0.key, $0.founding) }, .simulated)
    var membership = Membership(united.records, counting(verified))
    let group = try #require(membership.group(of: devices[0].publicKey))
    membership.look(from: devices[0].publicKey, preferring: group.id)
    return (devices, membership)
  }

  /// What a full branch cannot take costs its hash, removals too, and what was refused is not verified again.
  @Test func refusingWhatABranchHasNoRoomForIsCheap() throws {
    let verified = Verified()
    var (devices, membership) = try counted(verified)
    let member = devices[2]
    let filled = membership.insert(junk(300, by: member, 1))
    #expect(filled.refused.count == 300 - filled.added.count && !filled.refused.isEmpty)
    let newest = try #require(membership.records.first { $0.hash(.simulated) == filled.added.first })
    let removals = (1...UInt64(100)).map { number in
      removal(
        of: devices[1].publicKey, by: member,
        [Dot(replica: ReplicaID(high: number, low: 1), sequence: number)], newest.hash(.simulated))
    }
    // Its first removals are taken all the same.
    #expect(membership.insert(removals).added.count == Limits.membershipReserveRemovals)
    let before = verified.now
    let refused = membership.insert(junk(500, by: member, 2) + removals)
    #expect(refused.added.isEmpty && Set(refused.refused.map(\.reason)) == [.full])
    #expect(verified.now == before)
    // Others still have room.
    #expect(membership.insert(junk(3, by: devices[1], 3)).added.count == 3)
    #expect(verified.now == before + 3)
  }

  @Test func refusingWhatARemovedDeviceSignsIsCheap() throws {
    let verified = Verified()
    var (devices, membership) = try counted(verified)
    let member = devices[2]
    _ = membership.insert([
      try membership.removal(of: member.publicKey, cuts: [], by: devices[0].key)
    ])
    let parent = member.founding.hash(.simulated)
    let before = verified.now
    let offered =
      junk(500, by: member, 2) + [removal(of: devices[1].publicKey, by: member, [], parent)]
    let refused = membership.insert(offered)
    #expect(refused.refused.count == 501 && Set(refused.refused.map(\.reason)) == [.void])
    #expect(verified.now == before)
  }

  /// What a removal that has no effect of its own names is refused as often as it is offered, and verified once.
  @Test func whatWasRefusedIsNotVerifiedAgain() throws {
    let verified = Verified()
    var (devices, membership) = try counted(verified)
    let (known, stranger) = (devices[1].founding.hash(.simulated), Household.Device("x", seed: 9))
    let misfits = (0..<UInt64(20)).map { number in
      let proposal = MergeProposal(
        parents: [known, stranger.founding.hash(.simulated)].sorted(),
        merge: MembershipRecord.Merge(
          group: known, host: known, joiner: ContentHash(words: (number, 1, 1, 1))))
      return MembershipRecord(
        proposal, host: proposal.signature(by: devices[1].key), joiner: proposal.signature(by: stranger.key))
    }
    for _ in 0..<2 {
      let refused = membership.insert([stranger.founding] + misfits).refused
      #expect(Set(refused.map(\.reason)) == [.malformed, .stranger])
    }
    #expect(membership.refusedBefore.count == misfits.count)
    // A wrong signature tells nothing of the record: somebody else may have it with the right one.
    let forged = junk(50, by: devices[1], 1).map {
      MembershipRecord(parents: $0.parents, body: $0.body, signatures: [devices[2].key.sign([1])])
    }
    #expect(Set(membership.insert(forged).refused.map(\.reason)) == [.signature])
    #expect(membership.insert(junk(50, by: devices[1], 1)).added.count == 50)
    #expect(membership.refusedBefore.isEmpty)
  }

  /// What a full set cannot take costs its hash, and no signature.
  @Test func refusingIsCheap() throws {
    let verified = Verified()
    let (first, member) = (Household.Device("a", seed: 1), Household.Device("m", seed: 2))
    let united = try Membership.united(
      [(first.key, first.founding), (member.key, member.founding)], .simulated)
    var membership = Membership(united.records + junk(1100, by: first, 1), counting(verified))
    #expect(membership.count == Limits.membershipRecords)
    let before = verified.now
    let refused = membership.insert(junk(500, by: member, 2)).refused
    #expect(refused.count == 500 && Set(refused.map(\.reason)) == [.full])
    #expect(verified.now == before)
  }

  // MARK: The outer bounds

  private func signed(_ body: MembershipRecord.Body, _ parents: [ContentHash], _ key: SigningKey)
    -> MembershipRecord
  {
    let bytes = MembershipRecord(parents: parents, body: body, signatures: []).signedBytes
    return MembershipRecord(parents: parents, body: body, signatures: [key.sign(bytes)])
  }

  private func removal(
    of target: PublicKey, by author: Household.Device, _ cuts: [Dot], _ parent: ContentHash
  )
    -> MembershipRecord
  {
    let founding = author.founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: founding, isByRecoveryKey: false, target: target, cuts: cuts)
    return signed(.remove(removal), [parent], author.key)
  }

  @Test func removalsBeyondTheRoomAreBounded() throws {
    var home = try household("a", "b", "m")
    _ = home["a"].membership.insert(junk(1100, by: home["a"], 7))
    let merged = try #require(home["b"].membership.records.last?.hash(.simulated))
    let large = (1...UInt64(3)).map { number in
      let cuts = (1...UInt64(Limits.membershipCuts)).map {
        Dot(replica: ReplicaID(high: $0, low: 1), sequence: (1 << 60) + number)
      }
      return removal(of: home["m"].publicKey, by: home["b"], cuts, merged)
    }
    #expect(large[0].encoded.count < Limits.membershipReserveBytes)
    let insertion = home["a"].membership.insert(large)
    #expect(insertion.refused.map(\.reason) == [.full, .full])
    #expect(insertion.added.count == 1 && insertion.missing.isEmpty)
  }

  @Test func whatTheFirstDeviceDoesIsBoundedToo() throws {
    var home = try household("a", "b")
    let filled = home["b"].membership.insert(
      junk(1024, by: home["a"], 7, bytes: Limits.membershipPayloadBytes))
    #expect(Set(filled.refused.map(\.reason)) == [.full])
    let bytes = home["b"].membership.records.reduce(0) { $0 + $1.encoded.count }
    #expect(bytes <= Limits.membershipBytes && bytes > Limits.membershipBytes - 5_000)
  }

  /// Even what the first device names is bounded: as a number of records, and in bytes.
  @Test func whatIsNamedIsBounded() throws {
    let home = try household("a", "b", "m")
    let member = home["m"].founding.hash(.simulated)
    let root = home["a"].founding.hash(.simulated)
    let beginning = try #require(home["b"].membership.records.last?.hash(.simulated))
    var (last, fakes) = (beginning, [MembershipRecord]())
    for number in 0..<UInt64(Limits.membershipKept) / 2 + 50 {
      let fake = Household.Device("fake", seed: 10_000 + number)
      let founding = fake.founding.hash(.simulated)
      let proposal = MergeProposal(
        parents: [last, founding].sorted(),
        merge: MembershipRecord.Merge(group: root, host: member, joiner: founding))
      let merge = MembershipRecord(
        proposal, host: proposal.signature(by: home["m"].key), joiner: proposal.signature(by: fake.key))
      fakes += [fake.founding, merge]
      last = merge.hash(.simulated)
    }
    var many = home["b"].membership
    _ = many.insert(fakes + [removal(of: home["m"].publicKey, by: home["a"], [], last)])
    #expect(many.count == Limits.membershipKept)

    var (newest, large) = (beginning, [MembershipRecord]())
    for number in 0..<900 {
      var payload = [UInt8](repeating: 0, count: Limits.membershipPayloadBytes)
      (payload[0], payload[1]) = (UInt8(number >> 8), UInt8(number & 255))
      large.append(signed(.other(kind: 200, author: member, payload: payload), [newest], home["m"].key))
      newest = large[number].hash(.simulated)
    }
    var heavy = home["b"].membership
    _ = heavy.insert(large + [removal(of: home["m"].publicKey, by: home["a"], [], newest)])
    let bytes = heavy.records.reduce(0) { $0 + $1.encoded.count }
    #expect(bytes <= Limits.membershipMostBytes && bytes > Limits.membershipMostBytes - 10_000)
  }
}
