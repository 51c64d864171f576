import PeerSyncCore
import Testing

/// A liar removes a device as if it had not heard of it.
@Suite struct UnheardRemovalTests {
  /// A first device, a liar, a device that the first one has let in and that has let in another one, and one that is no member.
  private func home() throws -> Household {
    var home = Household("a", "l", "d", "h", "n")
    for (host, joiner) in [("a", "l"), ("a", "d"), ("d", "h")] {
      try home.merge(host, joiner)
      home.meet("a", "l", "d", "h")
    }
    return home
  }

  /// A removal by the liar, or by the recovery key that it has made for itself.
  private func removal(
    of target: String, _ home: Household, byRecoveryKey: Bool = false,
    knowing known: [MembershipRecord]
  ) -> MembershipRecord {
    let author = home["l"].founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: author, isByRecoveryKey: byRecoveryKey, target: home[target].publicKey, cuts: [])
    return .forged(
      .remove(removal), knowing: [author] + known.map { $0.hash(.simulated) },
      by: [byRecoveryKey ? home["l"].recovery : home["l"].key])
  }

  private func tell(_ records: [MembershipRecord], _ home: inout Household) {
    for name in ["a", "d", "h"] { #expect(home[name].membership.insert(records).refused.isEmpty) }
  }

  /// A merge into the group of a device, by two that are made up.
  private func merge(into name: String, _ home: Household) -> [MembershipRecord] {
    let (x, y) = (Household.Device("x", seed: 50), Household.Device("y", seed: 51))
    let hashes = [home[name].founding, x.founding, y.founding].map { $0.hash(.simulated) }
    let merge = MembershipRecord.Merge(group: hashes[0], host: hashes[1], joiner: hashes[2])
    return [x.founding, y.founding, .forged(.merge(merge), knowing: hashes, by: [x.key, y.key])]
  }

  @Test("E48: whom a member removes is in the list, whatever the removal knows", arguments: [false, true])
  func isListed(knowsOfAMadeUpGroup: Bool) throws {
    var home = try home()
    let made = knowsOfAMadeUpGroup ? merge(into: "d", home) : []
    tell(made + [removal(of: "d", home, knowing: made.suffix(1))], &home)
    #expect(home.members(seenBy: "a") == "a l" && home.removed(seenBy: "a") == "d")
    try home.remove("l", by: "a")
    home.meet("a", "d", "h")
    #expect(home.removed(seenBy: "a") == "l d")
    // And whom it had let in joins anew.
    try home.merge("a", "h")
    home.meet("a", "d", "h")
    for name in ["a", "h"] { #expect(home.members(seenBy: name) == "a h") }
  }

  /// No honest record names it, so that it does not stay with those who would.
  @Test("E48: a removal of no member ends with its author's", arguments: [false, true])
  func ofAStranger(isInTheSet: Bool) throws {
    var home = try home()
    let made = removal(of: "n", home, knowing: isInTheSet ? [home["n"].founding] : [])
    tell((isInTheSet ? [home["n"].founding] : []) + [made], &home)
    #expect(throws: MembershipError.joinerRemoved) { try home.merge("a", "n") }
    let removal = try home.remove("l", by: "a")
    #expect(!removal.parents.contains(made.hash(.simulated)))
    try home.merge("a", "n")
    home.meet("a", "d", "h", "n")
    for name in ["a", "d", "h", "n"] { #expect(home.members(seenBy: name) == "a d h n") }
  }

  /// Its recovery key removes nobody but it and whom it has let in.
  @Test("E48: a removal by a recovery key of somebody else says nothing", arguments: ["a", "d", "h", "n"])
  func byItsRecoveryKey(of target: String) throws {
    var home = try home()
    let made = removal(of: target, home, byRecoveryKey: true, knowing: home["a"].membership.records.suffix(1))
    tell([made], &home)
    #expect(home.members(seenBy: "a") == "a l d h")
    try home.merge("a", "n")
    home.meet("a", "d", "h", "n")
    let removal = try home.remove("d", by: "a")
    #expect(!removal.parents.contains(made.hash(.simulated)))
    home.meet("a", "d", "h", "n")
    for name in ["a", "h", "n"] { #expect(home.members(seenBy: name) == "a l h n") }
    // Whom the liar lets in itself is another matter.
    if target == "n" {
      home.found("m")
      _ = home["l"].membership.insert([self.removal(of: "m", home, byRecoveryKey: true, knowing: [])])
      #expect(throws: MembershipError.joinerRemoved) { try home.merge("l", "m") }
    }
  }

  /// Whoever is let in while that counts knows of it, with all whom they let in.
  @Test("E48: whom others let in stays, although a liar had removed the first device meanwhile")
  func overruled() throws {
    var home = Household("a", "j", "l", "k", "h")
    for name in ["j", "l", "k"] { try home.merge("a", name) }
    home.meet("a", "j", "l", "k")
    try home.remove("a", by: "l")
    try home.remove("k", by: "l")
    home.meet("a", "j", "l", "k")
    try home.merge("j", "h")
    home.meet()
    #expect(home.members(seenBy: "h") == "j l h")
    try home.remove("l", by: "a")
    home.meet()
    // What it did after it had removed the one that overrules it is not believed.
    for name in ["a", "j", "k", "h"] { #expect(home.members(seenBy: name) == "a j k h") }
    home.found("n")
    try home.merge("a", "n")
    home.meet()
    try home.remove("j", by: "a")
    home.meet()
    for name in ["a", "k", "h", "n"] { #expect(home.members(seenBy: name) == "a k h n") }
    try home.remove("h", by: "a")
    home.meet()
    for name in ["a", "k", "n"] { #expect(home.members(seenBy: name) == "a k n") }
  }

  /// Its own coming in descends from theirs: the removal knows nothing of it.
  @Test("F60: whom a device had let in before it joined itself is disowned with it")
  func disownsWhoCameAlong() throws {
    var home = Household("f", "t", "x")
    let merge = try home.merge("t", "x")
    home.meet("t", "x")
    try home.merge("f", "t")
    home.meet()
    try home.remove("t", by: "f", disowning: [merge])
    home.meet()
    #expect(home.members(seenBy: "f") == "f" && home.removed(seenBy: "f") == "t")
    #expect(home.members(seenBy: "x") == "x")
  }

  /// One that had been removed before it heard of it let in the first device of the group that they came under later. That merge counts
  /// nowhere, and takes nothing away from what that first device does.
  @Test(
    "F56: who is out hears so from the first device, though a removed one had let that in",
    arguments: [false, true])
  func firstDeviceLetInByARemovedOne(inOneGo: Bool) throws {
    var home = Household("x", "r", "s", "h")
    try home.merge("x", "r")
    try home.remove("r", by: "x")
    let letIn = try home.merge("r", "s")
    home.meet("x", "s")
    #expect(home.members(seenBy: "s") == "s")
    try home.merge("s", "h")
    let before = home["s"].membership
    try home.merge("h", "x")
    for name in ["s", "x"] { home.look(name) }
    #expect(home.members(seenBy: "x") == "s h x")
    home["s"].membership = before
    try home.remove("h", by: "s")
    #expect(home["s"].membership.records.contains(letIn))
    let told = home["s"].membership.records.filter { inOneGo || $0 != letIn }
    _ = home["x"].membership.insert(told)
    #expect(home.members(seenBy: "x") == "x")
    #expect(home["x"].group.map(home["x"].membership.isOutWithHost) == true)
  }

  /// Each of two groups comes under the other one by a device that is removed there and has not heard so.
  @Test("F56: so do two groups that removed ones have let in crosswise", arguments: [false, true])
  func letInCrosswise(isReversed: Bool) throws {
    var home = Household("a", "r", "s", "h")
    try home.merge("a", "r")
    try home.merge("s", "h")
    try home.remove("r", by: "a")
    try home.remove("h", by: "s")
    for (host, joiner) in isReversed ? [("r", "s"), ("h", "a")] : [("h", "a"), ("r", "s")] {
      try home.merge(host, joiner)
    }
    for name in ["a", "s"] { home.look(name) }
    for _ in 0...1 { home.meet() }
    for name in ["a", "s"] { #expect(home.members(seenBy: name) == name) }
  }

  /// A thief who has the first device, and one that a member has removed, had that one let the first device in: a ring, which counts nowhere.
  @Test("F62: so is who is put out by a thief of the first device told", arguments: [false, true])
  func firstDeviceLetInByAThief(hasRing: Bool) throws {
    var home = Household("s", "g", "d", "e")
    try home.merge("d", "g")
    let known = try home.merge("s", "e")
    try home.merge("s", "d")
    home.meet()
    for name in ["d", "e"] { home.look(name) }
    let (s, g) = (home["s"], home["g"])
    if hasRing {
      let hashes = [home["d"], g, s].map { $0.founding.hash(.simulated) }
      let merge = MembershipRecord.Merge(group: hashes[0], host: hashes[1], joiner: hashes[2])
      let all = home["d"].membership.records.map { $0.hash(.simulated) }
      let ring = MembershipRecord.forged(.merge(merge), knowing: all, by: [g.key, s.key])
      for name in ["d", "e"] { #expect(home[name].membership.insert([ring]).refused.isEmpty) }
    }
    try home.remove("g", by: "d")
    home.meet("d", "e")
    let removal = MembershipRecord.Removal(
      author: s.founding.hash(.simulated), isByRecoveryKey: false, target: s.publicKey, cuts: [])
    let leaving = MembershipRecord.forged(.remove(removal), knowing: [known.hash(.simulated)], by: [s.key])
    for name in ["d", "e"] { #expect(home[name].membership.insert([leaving]).refused.isEmpty) }
    for name in ["d", "e"] { #expect(home.members(seenBy: name) == name) }
    #expect(home["d"].group.flatMap(home["d"].membership.leaver) == "s")
  }
}
