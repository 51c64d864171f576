import PeerSyncCore
import Testing

/// The cases of docs/membership.md by hand.
@Suite struct MembershipCaseTests {
  @Test("E48: a stolen device is removed, with its cut, and nothing it makes up brings it back")
  func stolen() throws {
    var home = Household("phone", "tablet", "watch")
    try home.merge("phone", "tablet")
    try home.merge("tablet", "watch")
    home.meet()
    let cut = Dot(replica: ReplicaID(high: 1, low: 2), sequence: 7)
    try home.remove("watch", by: "phone", cuts: [cut])
    // The thief knows nothing of that and takes in an accomplice.
    var thief = home
    thief["x"] = Household.Device("x", seed: 99)
    try thief.merge("watch", "x")
    let offered = thief["x"].membership.records
    _ = home["phone"].membership.insert(offered)
    #expect(home.members(seenBy: "phone") == "phone tablet")
    let group = try #require(home["phone"].group)
    #expect(group.cuts(for: home["watch"].publicKey) == [cut])
    #expect(group.hasEverBelonged(home["watch"].publicKey))
    #expect(!group.hasEverBelonged(thief["x"].publicKey))
    #expect(group.cuts(for: home["tablet"].publicKey) == nil)
  }

  @Test("E49: two that remove each other: the senior one stays")
  func mutualRemoval() throws {
    var home = Household("a", "b", "c")
    try home.merge("a", "b")
    try home.merge("b", "c")
    home.meet()
    try home.remove("b", by: "a")
    try home.remove("a", by: "b")
    home.meet()
    for name in ["a", "b", "c"] {
      #expect(home.members(seenBy: name) == "a c")
      #expect(home.removed(seenBy: name) == "b")
    }
    #expect(throws: MembershipError.removed) { try home.remove("c", by: "b") }
  }

  @Test("E50: a removed device meets a member that has not heard yet")
  func notHeardYet() throws {
    var home = Household("a", "b", "c", "d")
    try home.merge("a", "b")
    try home.merge("a", "c")
    home.meet("a", "b", "c")
    try home.remove("c", by: "a")
    try home.merge("c", "d")
    home.meet("b", "c", "d")
    #expect(home.members(seenBy: "b") == "a b c d")
    home.meet()
    #expect(home.members(seenBy: "b") == "a b")
    // The one it took in is on its own again, and may join anew.
    #expect(home.members(seenBy: "d") == "d")
    try home.merge("b", "d")
    home.meet()
    #expect(home.members(seenBy: "a") == "a b d")
    #expect(throws: MembershipError.joinerRemoved) { try home.merge("b", "c") }
  }

  @Test("E51: two groups become one, in whatever order")
  func groupsJoin() throws {
    var home = Household("a", "b", "x", "y")
    try home.merge("a", "b")
    try home.merge("x", "y")
    #expect(throws: MembershipError.notFirst) { try home.merge("b", "y") }
    try home.merge("b", "x")
    home.meet()
    for name in ["a", "b", "x", "y"] { #expect(home.members(seenBy: name) == "a b x y") }
    #expect(home["y"].group?.id == home["a"].group?.id)
    #expect(throws: MembershipError.alreadyKnown) { try home.merge("a", "y") }
  }

  @Test("E51: groups that join each other at the same time are one group")
  func groupsJoinEachOther() throws {
    var home = Household("a", "b", "x", "y")
    try home.merge("a", "b")
    try home.merge("x", "y")
    home.meet("a", "b")
    home.meet("x", "y")
    var other = home
    let one = try home.merge("b", "x")
    let two = try other.merge("y", "a")
    for name in ["a", "b", "x", "y"] {
      _ = home[name].membership.insert(
        home["b"].membership.records + other["y"].membership.records + [one, two])
    }
    let members = home.members(seenBy: "a")
    #expect(members == "a b x y" || members == "x y a b")
    for name in ["b", "x", "y"] { #expect(home.members(seenBy: name) == members) }
  }

  @Test("E51: groups that come one under another, twenty times, are one group")
  func groupsInAChain() throws {
    let names = (0..<20).map { "d\($0)" }
    var home = Household(names)
    for (host, joiner) in zip(names.dropFirst(), names) { try home.merge(host, joiner) }
    home.meet()
    for name in names {
      #expect(home.members(seenBy: name) == names.reversed().joined(separator: " "))
    }
  }

  @Test("a junior's removal counts at once, and the senior may overrule it")
  func overruled() throws {
    var home = Household("a", "b", "c")
    try home.merge("a", "b")
    try home.merge("a", "c")
    home.meet()
    try home.remove("a", by: "c")
    home.meet()
    #expect(home.members(seenBy: "b") == "b c")
    #expect(home["b"].group?.removed.first?.device.isBound == false)
    #expect(home["b"].group?.removed.first?.isFinal == false)
    try home.remove("c", by: "a")
    home.meet()
    #expect(home.members(seenBy: "b") == "a b")
  }

  @Test("a removal is final if a senior signed it, or who left")
  func final() throws {
    var home = Household("a", "b", "c")
    try home.merge("a", "b")
    try home.merge("a", "c")
    home.meet()
    try home.remove("b", by: "a")
    try home.remove("c", by: "c")
    home.meet()
    #expect(home.members(seenBy: "a") == "a")
    #expect(home["a"].group?.removed.map(\.isFinal) == [true, true])
  }

  @Test("who was removed and sees one member is not alone in its group")
  func alone() throws {
    var home = Household("a", "b")
    try home.merge("a", "b")
    home.meet()
    try home.remove("b", by: "a")
    home.meet()
    #expect(home["a"].group?.isAlone(home["a"].publicKey) == true)
    #expect(home.members(seenBy: "b") == "a")
    #expect(home["b"].group?.isAlone(home["b"].publicKey) == false)
  }

  @Test(
    "whoever was removed, or has left, is removed again where less of it is to count, and not to say the same once more"
  )
  func removedAgain() throws {
    var home = Household("a", "b", "c", "d")
    for name in ["b", "c", "d"] { try home.merge("a", name) }
    home.meet()
    let (replica, other) = (ReplicaID(high: 1, low: 2), ReplicaID(high: 1, low: 3))
    func cuts(of name: String, seenBy member: String) -> [Dot]? {
      home[member].group?.cuts(for: home[name].publicKey)
    }
    try home.remove("d", by: "b", cuts: [Dot(replica: replica, sequence: 7)])
    home.meet()
    #expect(throws: MembershipError.removedAlready) {
      try home.remove(
        "d", by: "b", cuts: [Dot(replica: replica, sequence: 9), Dot(replica: other, sequence: 1)])
    }
    try home.remove("d", by: "b", cuts: [Dot(replica: replica, sequence: 3)])
    home.meet()
    for name in ["a", "b", "c"] {
      #expect(cuts(of: "d", seenBy: name) == [Dot(replica: replica, sequence: 3)])
    }
    // Of one that has left a member takes back as well, and so does the recovery key: it binds what it removes.
    try home.remove("c", by: "c", cuts: [Dot(replica: other, sequence: 5)])
    home.meet()
    #expect(home["a"].group?.removed.map(\.device.isBound) == [false, true])
    try home.recover("c", withKeyOf: "a", on: "b")
    home.meet()
    #expect(home["a"].group?.removed.map(\.device.isBound) == [true, true])
    #expect(cuts(of: "c", seenBy: "a") == [] && home.members(seenBy: "d") == "a b")
    #expect(throws: MembershipError.removedAlready) { try home.recover("c", withKeyOf: "a", on: "b") }
    #expect(throws: MembershipError.unknownDevice) {
      try home["a"].membership.removal(
        of: SigningKey.simulated(seed: 9).publicKey, cuts: [], by: home["a"].key)
    }
    #expect(throws: MembershipError.removed) { try home.remove("a", by: "d") }
  }

  @Test("of two that are all there are, the senior one may overrule too")
  func overruledByTwo() throws {
    var home = Household("a", "b")
    try home.merge("a", "b")
    try home.remove("a", by: "b")
    home.meet()
    #expect(home.members(seenBy: "a") == "b")
    #expect(throws: MembershipError.lastMember) { try home.remove("b", by: "b") }
    try home.remove("b", by: "a")
    home.meet()
    #expect(home.members(seenBy: "b") == "a")
  }

  @Test("the last member stays, whoever leaves or removes")
  func neverEmpty() throws {
    var home = Household("a", "b")
    #expect(throws: MembershipError.lastMember) { try home.remove("a", by: "a") }
    try home.merge("a", "b")
    try home.remove("a", by: "a")
    try home.remove("b", by: "b")
    home.meet()
    #expect(home.members(seenBy: "a") == "b")
    #expect(home.removed(seenBy: "b") == "a")
  }

  @Test("the last member stays, even where a junior that was removed would come back for it")
  func theLastDoesNotLeave() throws {
    var home = Household("a", "b")
    try home.merge("a", "b")
    try home.recover("b", withKeyOf: "b", on: "a")
    #expect(home.members(seenBy: "a") == "a")
    #expect(throws: MembershipError.lastMember) { try home.remove("a", by: "a") }
  }

  @Test("the recovery key removes the first device, and undoes that it joined a thief's group")
  func recovery() throws {
    var home = Household("a", "b", "c", "x")
    try home.merge("a", "b")
    try home.merge("b", "c")
    home.meet("a", "b", "c")
    let taken = try home.merge("x", "a")
    home.meet()
    #expect(home.members(seenBy: "c") == "x a b c")
    #expect(throws: MembershipError.wrongRecoveryKey) { try home.recover("x", withKeyOf: "a", on: "b") }
    try home.recover("a", withKeyOf: "a", on: "b", disowning: [taken])
    // Whatever the thief does with his group.
    try home.remove("a", by: "x")
    try home.remove("b", by: "x")
    home.meet()
    for name in ["b", "c"] { #expect(home.members(seenBy: name) == "b c") }
    #expect(home.members(seenBy: "x") == "x")
  }

  @Test(
    "F62: who came in below a device that was in a group already stays there, though it uses that device's recovery key"
  )
  func recoveryFromBelow() throws {
    var home = Household("a", "b", "c", "e")
    try home.merge("a", "b")
    try home.merge("a", "c")
    home.meet("a", "b", "c")
    try home.merge("b", "e")
    try home.recover("b", withKeyOf: "b", on: "e")
    #expect(home.members(seenBy: "e") == "a c e" && home.removed(seenBy: "e") == "b")
    home.meet()
    for name in ["a", "b", "c", "e"] {
      #expect(home.members(seenBy: name) == "a c e" && home.removed(seenBy: name) == "b", "\(name)")
    }
  }

  @Test("a device that one side has removed does not keep the others from becoming one group")
  func removedByOneSide() throws {
    var home = Household("a", "b", "x")
    try home.merge("a", "b")
    home.meet("a", "b")
    // b has not heard that a came under x, and removes a: that merge does not count, for a's recovery key did not know it.
    try home.merge("x", "a")
    try home.recover("a", withKeyOf: "a", on: "b")
    #expect(home.members(seenBy: "x") == "x a b" && home.members(seenBy: "b") == "b")
    try home.merge("b", "x")
    home.meet("b", "x")
    for name in ["b", "x"] { #expect(home.members(seenBy: name) == "b x") }
  }

  @Test("the recovery key of a device that joined reaches what came in below it, and no one else")
  func recoveryBelow() throws {
    var home = Household("a", "b", "c")
    try home.merge("a", "b")
    try home.merge("b", "c")
    home.meet()
    #expect(throws: MembershipError.wrongRecoveryKey) { try home.recover("a", withKeyOf: "b", on: "c") }
    try home.recover("c", withKeyOf: "b", on: "a")
    #expect(home.members(seenBy: "a") == "a b")
  }

  @Test("whom an author disowns goes with what he brought in")
  func disowned() throws {
    var home = Household("a", "b", "x", "z")
    try home.merge("a", "b")
    let first = try home.merge("b", "x")
    try home.merge("x", "z")
    home.meet()
    #expect(home.members(seenBy: "a") == "a b x z")
    try home.remove("b", by: "a", disowning: [first])
    #expect(home.members(seenBy: "a") == "a")
    #expect(home.removed(seenBy: "a") == "b")
  }

  @Test("a made-up ring does not undo a merge")
  func madeUpRing() throws {
    var home = Household("a", "b", "c")
    try home.merge("b", "c")
    try home.merge("a", "b")
    home.meet()
    try home.remove("b", by: "a")
    let before = home.members(seenBy: "a")
    let foundings = ["b", "c"].map { home[$0].founding.hash(.simulated) }
    for number in UInt64(0)..<20 {
      let x = Household.Device("x", seed: 100 + number)
      let host = x.founding.hash(.simulated)
      let merge = MembershipRecord.Merge(group: foundings[1], host: host, joiner: foundings[0])
      let unsigned = MembershipRecord(
        parents: (foundings + [host]).sorted(), body: .merge(merge), signatures: [])
      let forged = MembershipRecord(
        parents: unsigned.parents, body: unsigned.body,
        signatures: [x.key, home["b"].key].map { $0.sign(unsigned.signedBytes) })
      #expect(home["a"].membership.insert([x.founding, forged]).added.count == 2)
      #expect(home.members(seenBy: "a") == before)
    }
  }

  @Test("devices of other apps and environments never form a group")
  func otherApps() {
    var home = Household("a")
    home["b"] = Household.Device("b", seed: 8, bundleId: "other")
    home["c"] = Household.Device("c", seed: 9, environment: .production)
    #expect(throws: MembershipError.otherApp) { try home.merge("a", "b") }
    #expect(throws: MembershipError.otherApp) { try home.merge("a", "c") }
  }

  @Test("a joiner signs only what it agreed to")
  func otherProposal() throws {
    var home = Household("a", "b", "x")
    try home.merge("a", "b")
    let (joiner, host) = (home["x"], home["b"])
    let proposal = try host.membership.proposeMerge(
      host: host.publicKey, joiner: joiner.publicKey, of: joiner.membership)
    let check = { (proposal: MergeProposal) in
      try joiner.membership.check(
        proposal, joiner: joiner.publicKey, host: host.publicKey, of: host.membership)
    }
    #expect(throws: Never.self) { try check(proposal) }
    #expect(try MergeProposal(decoding: proposal.encoded) == proposal)
    let other = try home["a"].membership.proposeMerge(
      host: home["a"].publicKey, joiner: joiner.publicKey, of: joiner.membership)
    #expect(throws: MembershipError.otherProposal) { try check(other) }
  }
}
