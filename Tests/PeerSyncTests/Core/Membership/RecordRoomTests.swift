import PeerSyncCore
import Synchronization
import Testing

/// [F61] Whoever fills the set of records fills it for itself.
@Suite struct RecordRoomTests {
  /// Records of a kind that this version does not know, by a member.
  private func junk(_ count: Int, by device: Household.Device, _ mark: UInt8, bytes: Int = 3)
    -> [MembershipRecord]
  {
    MembershipRecord.unknown(count, by: device.key, device.founding, mark, bytes: bytes)
  }

  private func expectEqual(_ names: String..., of home: Household, members: String) {
    let first = home[names[0]].membership.fingerprint
    for name in names {
      #expect(home[name].membership.fingerprint == first, "\(name)")
      #expect(home.members(seenBy: name) == members, "\(name)")
    }
  }

  @Test func oneBranchUsesUpItsOwnRoom() throws {
    var home = try Household.looking("a", "b", "m")
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
    var home = try Household.looking("a", "b", "m")
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
    var home = try Household.looking("a", "b", "m")
    _ = home["a"].membership.insert(try home["m"].letIn(madeUp: 120, seed: 1_000))
    _ = home["b"].membership.insert(try home["m"].letIn(madeUp: 120, seed: 2_000))
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

  /// Whom a member let in holds what that has made up, and others hold other records of it, all in one branch. Once it is removed these
  /// keep nobody out.
  @Test func whatWasMadeUpKeepsNobodyOut() throws {
    var home = Household("a", "s", "b", "m", "x")
    for (host, joiner) in [("a", "s"), ("s", "b"), ("s", "m")] { try home.merge(host, joiner) }
    home.meet("a", "s", "b", "m")
    try home.merge("m", "x")
    for (name, mark) in [("s", UInt8(1)), ("b", 2), ("x", 3)] {
      home.look(name)
      _ = home[name].membership.insert(junk(1100, by: home["m"], mark))
    }
    home.meet("b", "x")
    #expect(home.members(seenBy: "b") == "a s b m" && home.members(seenBy: "x") == "a s b m x")
    // By what both together know it is a member already.
    #expect(throws: MembershipError.alreadyKnown) { try home.merge("b", "x") }
    let (crowder, first) = (home["m"].founding.hash(.simulated), home["a"].founding.hash(.simulated))
    #expect(home["b"].membership.crowders.map(\.founding) == [crowder])
    #expect(home["b"].membership.crowders.map(\.senior) == [first])
    try home.remove("m", by: "s")
    home.meet("s", "b", "x")
    expectEqual("s", "b", of: home, members: "a s b")
    #expect(home.members(seenBy: "x") == "x" && home["b"].membership.crowders.isEmpty)
    let (host, joiner) = (home["b"], home["x"])
    let proposal = try host.membership.proposeMerge(
      host: host.publicKey, joiner: joiner.publicKey, of: joiner.membership)
    try joiner.membership.check(
      proposal, joiner: joiner.publicKey, host: host.publicKey,
      of: Membership(host.membership.records, .simulated))
    try home.merge("b", "x")
    home.meet("s", "b", "x")
    expectEqual("s", "b", "x", of: home, members: "a s b x")
  }

  /// A member that made up devices, or few large records, is named, and not whoever let it in.
  @Test(arguments: [false, true]) func whoTakesUpTheRoomIsNamed(isLarge: Bool) throws {
    var home = Household("a", "p", "t", "m")
    for (host, joiner) in [("a", "p"), ("p", "t"), ("p", "m")] { try home.merge(host, joiner) }
    home.meet()
    home.look("a")
    #expect(home["a"].membership.crowders.isEmpty)
    let large = junk(150, by: home["m"], 1, bytes: 4_096) + junk(60, by: home["m"], 2)
    _ = home["a"].membership.insert(isLarge ? large : try home["m"].letIn(madeUp: 126, seed: 1_000))
    let crowders = home["a"].membership.crowders
    #expect(crowders.map(\.founding) == [home["m"].founding.hash(.simulated)])
    #expect(crowders.map(\.senior) == [home["a"].founding.hash(.simulated)])
  }

  /// Whoever was removed leaves the room to the devices that it let in, which are members like any. It is removed again with them.
  @Test func whoWasRemovedIsRemovedAgainWithWhomItLetIn() throws {
    var home = try Household.looking("a", "m")
    let made = try home["m"].letIn(madeUp: 128, seed: 1_000)
    _ = home["a"].membership.insert(made)
    try home.remove("m", by: "a")
    #expect(home["a"].membership.crowders.map(\.founding) == [home["m"].founding.hash(.simulated)])
    let foundings = made.filter { if case .found = $0.body { true } else { false } }
    try home.remove("m", by: "a", disowning: foundings)
    #expect(home["a"].membership.crowders.isEmpty && home.members(seenBy: "a") == "a")
  }

  /// What a member made up may have been named by others, and stays then. To remove it once more would change nothing: `status` says so only
  /// where somebody of its branch could let a device in.
  @Test(arguments: [false, true]) func whoIsGoneForGoodIsNotToBeRemovedAgain(hasMember: Bool) throws {
    var home = Household("a", "p", "m", "f")
    try home.merge("a", "p")
    try home.merge(hasMember ? "p" : "a", "m")
    try home.merge("a", "f")
    home.meet()
    home.look("a")
    // Of somebody who is a member, or nobody would name them.
    var parents = home["a"].membership.records.filter { if case .merge = $0.body { true } else { false } }
      .map { $0.hash(.simulated) }.sorted()
    let made = (0..<300).map { _ in
      let removal = MembershipRecord.Removal(
        author: home["m"].founding.hash(.simulated), isByRecoveryKey: false, target: home["f"].publicKey,
        cuts: [])
      let unsigned = MembershipRecord(parents: parents, body: .remove(removal), signatures: [])
      let signed = MembershipRecord(
        parents: parents, body: unsigned.body, signatures: [home["m"].key.sign(unsigned.signedBytes)])
      parents = [signed.hash(.simulated)]
      return signed
    }
    _ = home["a"].membership.insert(made)
    #expect(home["a"].membership.crowders.map(\.isGone) == [false])
    try home.remove("m", by: "a")
    #expect(home["a"].membership.count > Limits.membershipBranchRecords)
    #expect(throws: MembershipError.removedAlready) { try home.remove("m", by: "a") }
    #expect(home["a"].membership.crowders.map(\.isGone) == (hasMember ? [true] : []))
  }

  /// Records of an unknown kind that came first take no room from what decides something.
  @Test func whatDecidesComesFirst() throws {
    var home = try Household.looking("a", "m")
    home["x"] = Household.Device("x", seed: 9)
    let merge = try home.merge("m", "x")
    let made = junk(1_100, by: home["m"], 1)
    let insertion = home["a"].membership.insert(made + [home["x"].founding, merge])
    #expect(insertion.added.contains(merge.hash(.simulated)) && home.members(seenBy: "a") == "a m x")
    #expect(home["a"].membership.count == 3 + Limits.membershipBranchRecords)
  }

  /// [F61], [F62] A device has filled the branch of those that it let in. Its recovery key takes it out of the group that it had joined, and
  /// has no rank there by what its removal says.
  @Test func aRecoveryKeyFindsRoomThoughItLeadsOutOfTheGroup() throws {
    var home = Household("a", "m", "b", "c")
    for (host, joiner) in [("m", "b"), ("m", "c"), ("a", "m")] { try home.merge(host, joiner) }
    home.meet()
    for (name, mark) in [("b", UInt8(2)), ("c", 3)] {
      home.look(name)
      _ = home[name].membership.insert(junk(1100, by: home["m"], mark))
    }
    try home.recover("m", withKeyOf: "m", on: "b")
    home.meet("b", "c")
    for name in ["b", "c"] { #expect(home.members(seenBy: name) == "b c") }
  }

  /// Whoever let a device in had been removed before, and has filled its branch there. By that removal the device is out, and it hears
  /// of it all the same.
  @Test func aRemovalIsTakenByWhomItPutsOut() throws {
    var home = try Household.looking("a", "b", "m")
    let removal = try home.remove("m", by: "b")
    home["x"] = Household.Device("x", seed: 9)
    try home.merge("m", "x")
    home.look("x")
    let filled = home["x"].membership.insert(junk(1100, by: home["m"], 1))
    #expect(Set(filled.refused.map(\.reason)) == [.full] && home.members(seenBy: "x") == "a b m x")
    #expect(home["x"].membership.insert([removal]).added == [removal.hash(.simulated)])
    #expect(home.members(seenBy: "x") == "x")
  }

  /// What was taken in is there after a restart, though by what all of it says the device is out, and the room would be counted otherwise.
  @Test func whatADiskHasKeptIsThereAgain() throws {
    var home = try Household.looking("a", "b", "m")
    let removal = try home.remove("m", by: "b")
    home["x"] = Household.Device("x", seed: 9)
    let founding = try #require(home["x"].membership.records.first)
    try home.merge("m", "x")
    home.look("x")
    let junk = junk(600, by: home["a"], 1)
    #expect(home["x"].membership.insert(junk + [removal]).added.count == 601)
    #expect(home.members(seenBy: "x") == "x")
    let kept = Membership([founding] + home["x"].membership.records, .simulated)
    #expect((junk + [removal]).allSatisfy { kept.contains($0.hash(.simulated)) })
    #expect(kept.fingerprint == home["x"].membership.fingerprint)
  }

  /// Devices that were taken in make up as many records as there is room for, and are removed. What has left is given up in the end, on the
  /// disk as well: their own. A member has another one removed as if it had not heard of it, so that what that one had signed leaves, or
  /// one that it had let in, before or after that.
  @Test(arguments: [0, 11], ["d", "h"]) func whatHasLeftIsGivenUp(lies number: UInt8, about signer: String)
    throws
  {
    var home = try Household.looking("a", "m", "d", "t")
    home["h"] = Household.Device("h", seed: 50)
    try home.merge("d", "h")
    home.meet()
    home.look("h")
    let founding = home["m"].founding.hash(.simulated)
    let gone = [try home.remove("t", by: signer), try home.remove(signer, by: signer)]
    let lie = MembershipRecord.Removal(
      author: founding, isByRecoveryKey: false, target: home["d"].publicKey, cuts: [])
    var disk = home["a"].membership.held
    for turn in 0..<UInt8(20) {
      let name = "s\(turn)"
      var signing = home
      signing[name] = Household.Device(name, seed: 100 + UInt64(turn))
      signing["y"] = Household.Device("y", seed: 200 + UInt64(turn))
      try signing.merge("a", name)
      try signing.merge(name, "y")
      let made =
        signing["y"].membership.records + junk(120, by: signing[name], turn)
        + junk(120, by: signing["y"], turn)
      let lies =
        turn == number
        ? [MembershipRecord.forged(.remove(lie), knowing: [founding], by: [home["m"].key])] : []
      for offered in [turn == number ? gone : [], lies, made, [try signing.remove(name, by: "a")]] {
        let added = home["a"].membership.insert(offered).added.compactMap { home["a"].membership[$0] }
        disk = home["a"].membership.takeGivenUp() ? home["a"].membership.held : disk + added
      }
      #expect(disk == home["a"].membership.held && disk.count <= Limits.membershipKept, "\(turn)")
    }
    let removal = try home.remove("m", by: "a", counted: [])
    let kept = Membership(disk + [removal], .simulated)
    let members = try #require(kept.group(of: home["a"].publicKey)?.members.map(\.name))
    #expect(members.contains("a") && !members.contains { ["m", signer, "t"].contains($0) })
  }

  /// However much a disk holds, nothing that stands behind the rest is left out: it may be a removal.
  @Test func aDiskIsReadToItsEnd() throws {
    var home = try Household.looking("a", "m")
    let before = home["a"].membership.held
    let removal = try home.remove("m", by: "a")
    let disk = before + junk(Limits.membershipOffered, by: home["m"], 1) + [removal]
    let kept = Membership(disk, .simulated)
    #expect(kept.held.count == disk.count)
    #expect(kept.group(of: home["a"].publicKey)?.isMember(home["m"].publicKey) == false)
  }

  /// A device leaves, and others of its branch have filled that.
  @Test func whoLeavesIsHeardThoughItsBranchIsFull() throws {
    var home = try Household.looking("a", "b", "c")
    home["m"] = Household.Device("m", seed: 9)
    try home.merge("b", "m")
    home.meet()
    let leaving = try home.remove("b", by: "b")
    home.look("c")
    let filled = home["c"].membership.insert(junk(1100, by: home["m"], 1))
    #expect(Set(filled.refused.map(\.reason)) == [.full])
    #expect(home["c"].membership.insert([leaving]).added == [leaving.hash(.simulated)])
    #expect(home["c"].group?.isMember(home["b"].publicKey) == false)
  }

  /// Where no room is left at all, the seniors' removals are taken all the same, and what they name.
  @Test func aRemovalIsTakenByAFullSet() throws {
    var home = try Household.looking("a", "b", "m")
    _ = home["b"].membership.insert(junk(1100, by: home["a"], 7))
    #expect(home["b"].membership.count == Limits.membershipRecords)
    _ = home["a"].membership.insert(try home["m"].letIn(madeUp: 100, seed: 1_000))
    let removal = try home.remove("m", by: "a")
    home["b"].membership.look(from: home["b"].publicKey, preferring: try #require(home["b"].group).id)
    _ = home["b"].membership.insert(home["a"].membership.records)
    #expect(home["b"].membership.contains(removal.hash(.simulated)))
    #expect(home["b"].group?.isMember(home["m"].publicKey) == false)
    #expect(home["b"].group?.members.count == 102)
  }

  /// A removal that is overruled: what had left is back.
  @Test func whatHadLeftComesBackWithItsAuthor() throws {
    var home = try Household.looking("a", "b", "m")
    home.meet()
    let removal = try home.remove("m", by: "b")
    _ = home["m"].membership.insert(junk(5, by: home["m"], 1))
    home["x"] = Household.Device("x", seed: 9)
    try home.merge("m", "x")
    home["a"].membership = home["m"].membership
    home.look("a")
    #expect(home.members(seenBy: "a") == "a b m x")
    _ = home["a"].membership.insert([removal])
    #expect(home.members(seenBy: "a") == "a b" && home["a"].membership.count == 6)
    // The first device removes who had removed it, not knowing of that.
    let overruling = try home["m"].membership.removal(
      of: home["b"].publicKey, cuts: [], by: home["a"].key)
    _ = home["a"].membership.insert([overruling])
    #expect(home.members(seenBy: "a") == "a m x")
  }

  /// What a full set cannot take costs its hash, and no signature.
  @Test func refusingIsCheap() throws {
    let verified = Mutex(0)
    let simulated = Cryptography.simulated
    let counting = Cryptography(
      hash: simulated.hash,
      verify: { signature, message, key in
        verified.withLock { $0 += 1 }
        return simulated.verify(signature, message, key)
      })
    let (first, member) = (Household.Device("a", seed: 1), Household.Device("m", seed: 2))
    let united = try Membership.united(
      [(first.key, first.founding), (member.key, member.founding)], .simulated)
    var membership = Membership(united.records, counting)
    _ = membership.insert(junk(1100, by: first, 1))
    #expect(membership.count == Limits.membershipRecords)
    let before = verified.withLock { $0 }
    let refused = membership.insert(junk(500, by: member, 2)).refused
    #expect(refused.count == 500 && Set(refused.map(\.reason)) == [.full])
    #expect(verified.withLock { $0 } == before)
  }
}
