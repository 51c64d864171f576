import PeerSyncCore
import Testing

/// A dishonest device signs another founding with its key, and another one lets it in by that, ahead of its own coming in.
@Suite struct SecondFoundingTests {
  /// A first device, a liar that came in before the second one, and whom the second one has let in.
  private func home() throws -> Household {
    var home = Household("a", "l", "d", "h")
    try home.merge("a", "l")
    try home.merge("a", "d")
    try home.merge("d", "h")
    home.meet()
    try foundAgain(&home)
    return home
  }

  private var recovery: SigningKey { .simulated(seed: 77) }

  private func foundAgain(_ home: inout Household) throws {
    let founding = MembershipRecord.found(
      name: "d", recoveryKey: recovery.publicKey, environment: .sandbox, bundleId: "app", by: home["d"].key)
    let hashes = [home["a"].founding, home["l"].founding, founding].map { $0.hash(.simulated) }
    let merge = MembershipRecord.Merge(group: hashes[0], host: hashes[1], joiner: hashes[2])
    tell(
      [
        founding,
        MembershipRecord.forged(.merge(merge), knowing: hashes, by: [home["l"].key, home["d"].key]),
      ], &home)
  }

  private func tell(_ records: [MembershipRecord], _ home: inout Household) {
    for name in home.devices.keys.sorted() {
      let insertion = home[name].membership.insert(records)
      #expect(insertion.refused.isEmpty && insertion.added.count == records.count)
    }
  }

  @Test("E48: whom a device has let in stays, whatever else its key has founded")
  func staysIn() throws {
    var home = try home()
    for name in ["a", "l", "d", "h"] { #expect(home.members(seenBy: name) == "a l d h") }
    for (target, author) in [("l", "a"), ("d", "a")] {
      try home.remove(target, by: author)
      home.meet()
      #expect(home.members(seenBy: "h") == home.members(seenBy: "a"))
    }
    #expect(home.members(seenBy: "a") == "a h" && home.removed(seenBy: "a") == "l d")
    // Who let it in says how it goes with that one.
    let removed = home["a"].group?.removed.first { $0.device.name == "d" }
    #expect(home["a"].group?.members.last?.host == removed?.device.founding)
  }

  /// By one founding nothing is said of what it did by the other, not even that it left.
  @Test("E48: nor does it put out whom it has let in by leaving as the other")
  func leavesAsTheOther() throws {
    var home = try home()
    let hashes = home["a"].membership.records.filter { record in
      guard case .found(let founding) = record.body else { return false }
      return founding.key == home["d"].publicKey && founding.recoveryKey == recovery.publicKey
    }.map { $0.hash(.simulated) }
    let joining = try #require(
      home["a"].membership.records.first { record in
        guard case .merge(let merge) = record.body else { return false }
        return hashes.contains(merge.joiner)
      })
    let removal = MembershipRecord.Removal(
      author: hashes[0], isByRecoveryKey: false, target: home["d"].publicKey, cuts: [], counted: nil)
    tell(
      [MembershipRecord.forged(.remove(removal), knowing: [joining.hash(.simulated)], by: [home["d"].key])],
      &home)
    #expect(home.members(seenBy: "a") == "a l h" && home.members(seenBy: "h") == "a l h")
  }

  @Test("F62: the recovery key of either founding removes the device", arguments: [false, true])
  func recovers(byTheOther: Bool) throws {
    var home = try home()
    let key = byTheOther ? recovery : home["d"].recovery
    let record = try home["a"].membership.removal(
      of: home["d"].publicKey, cuts: [], byRecoveryKey: key, inGroupOf: home["a"].publicKey)
    tell([record], &home)
    for name in ["a", "l", "h"] { #expect(home.members(seenBy: name) == "a l h") }
  }

  /// The one that it was founded by first may be named to go with it.
  @Test func isDisowned() throws {
    var home = try home()
    let founding = try #require(home["a"].group?.members.first { $0.name == "d" }?.founding)
    let merges = home["a"].membership.merges(of: [home["h"].founding.hash(.simulated)], by: founding)
    #expect(merges.count == 1)
    let disowned = home["a"].membership.records.filter { merges.contains($0.hash(.simulated)) }
    try home.remove("d", by: "a", disowning: disowned)
    home.meet()
    #expect(home.members(seenBy: "a") == "a l" && home.members(seenBy: "h") == "h")
  }
}

/// A liar removes a device that is no member.
@Suite struct RemovedStrangerTests {
  /// The device was taken in by one that had been removed, and has shown so.
  @Test("E50: who was taken in by a removed device joins anew once whoever has removed it as well is out")
  func joinsAnew() throws {
    var home = Household("a", "l", "d", "e")
    try home.merge("a", "l")
    try home.merge("a", "d")
    home.meet("a", "l", "d")
    try home.remove("d", by: "a")
    try home.merge("d", "e")
    home.meet()
    #expect(home.members(seenBy: "a") == "a l" && home.members(seenBy: "e") == "e")
    let (author, founding) = (home["l"].founding.hash(.simulated), home["e"].founding.hash(.simulated))
    let known = home["l"].membership.records.filter { $0.hash(.simulated) != founding }
    let removal = MembershipRecord.Removal(
      author: author, isByRecoveryKey: false, target: home["e"].publicKey, cuts: [], counted: nil)
    let record = MembershipRecord.forged(
      .remove(removal), knowing: [try #require(known.last).hash(.simulated), founding], by: [home["l"].key])
    for name in ["a", "l", "d", "e"] { _ = home[name].membership.insert([record]) }
    #expect(throws: MembershipError.joinerRemoved) { try home.merge("a", "e") }
    let oustings = home["a"].membership.oustings(seenBy: home["a"].publicKey)
    #expect(oustings.map { [$0.author.name] + $0.names } == [["l", "e"]])
    // What others sign meanwhile names it no more than the removal does.
    home.found("n")
    try home.merge("l", "n")
    home.meet("a", "l", "n")
    try home.remove("l", by: "a")
    try home.merge("a", "e")
    home.meet()
    for name in ["a", "n", "e"] { #expect(home.members(seenBy: name) == "a n e") }
  }
}

/// A member removes a junior as if that had never come in: it knows nothing of the merge by which it did.
@Suite struct OustingTests {
  @Test(
    "E48, I10: whom a member has removed unheard is back once that member is removed",
    arguments: [false, true])
  func isBack(hasLetIn: Bool) throws {
    var home = Household("a", "l", "d", "h")
    for name in ["l", "d"] { try home.merge("a", name) }
    home.meet("a", "l", "d")
    if hasLetIn { try home.merge("d", "h") }
    home.meet()
    let author = home["l"].founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: author, isByRecoveryKey: false, target: home["d"].publicKey, cuts: [], counted: nil)
    let foundings = [author, home["d"].founding.hash(.simulated)]
    let record = MembershipRecord.forged(.remove(removal), knowing: foundings, by: [home["l"].key])
    for name in ["a", "l", "d", "h"] { _ = home[name].membership.insert([record]) }
    #expect(home.members(seenBy: "a") == "a l" && home.members(seenBy: "d") == "d")
    // Both sides can tell why.
    for name in ["a", "l"] {
      let oustings = home[name].membership.oustings(seenBy: home[name].publicKey)
      #expect(oustings.map { [$0.author.name] + $0.names } == [["l", "d"]])
    }
    let group = try #require(home["d"].group)
    #expect(home["d"].membership.isOutWithHost(group) && home["d"].membership.ouster(of: group) == "l")
    if hasLetIn { #expect(try home["h"].membership.ouster(of: #require(home["h"].group)) == "l") }
    home.found("n")
    try home.merge("a", "n")
    try home.remove("l", by: "a")
    home.meet()
    #expect(home.members(seenBy: "a") == (hasLetIn ? "a d n h" : "a d n"))
    for name in ["d", "n"] { #expect(home.members(seenBy: name) == home.members(seenBy: "a")) }
    #expect(home["a"].membership.oustings(seenBy: home["a"].publicKey).isEmpty)
  }

  /// Of whom it knew a member removes rightly, also where nobody else has heard.
  @Test func whoIsRemovedRightlyIsNotOusted() throws {
    var home = Household("a", "l", "d", "h")
    for name in ["l", "d"] { try home.merge("a", name) }
    home.meet("a", "l", "d")
    try home.remove("d", by: "l")
    try home.merge("d", "h")
    home.meet()
    for name in ["a", "l"] { #expect(home[name].membership.oustings(seenBy: home[name].publicKey).isEmpty) }
    #expect(try home["h"].membership.ouster(of: #require(home["h"].group)) == nil)
  }

  /// Nor is one that has gone with its host since.
  @Test func whoWentWithItsHostIsNotOusted() throws {
    var home = Household("a", "b", "h", "x")
    for name in ["b", "h"] { try home.merge("a", name) }
    home.meet("a", "b", "h")
    try home.merge("h", "x")
    home.meet("b", "h", "x")
    try home.remove("x", by: "b")
    try home.remove("h", by: "a")
    home.meet()
    #expect(home.members(seenBy: "a") == "a b" && home.removed(seenBy: "a") == "h")
    for name in ["a", "b"] { #expect(home[name].membership.oustings(seenBy: home[name].publicKey).isEmpty) }
  }
}
