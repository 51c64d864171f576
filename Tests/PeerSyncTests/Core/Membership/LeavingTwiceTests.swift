import PeerSyncCore
import Testing

/// Devices that have put others out by leaving once more, as if they had let nobody in: by a stolen key, or an old backup.
@Suite struct LeavingTwiceTests {
  /// Lets an old tablet in first, and then the others, one of them below another.
  private func home(leaving hasLeft: Bool) throws -> (Household, first: Membership) {
    var home = Household("a", "t", "b", "c", "x", "s")
    try home.merge("a", "t")
    let first = home["a"].membership
    for name in ["b", "c"] { try home.merge("a", name) }
    try home.merge("b", "x")
    if hasLeft { try home.remove("a", by: "a") }
    home.meet("a", "t", "b", "c", "x")
    return (home, first)
  }

  private func sorted(_ names: [String]?) -> String { (names ?? []).sorted().joined(separator: " ") }

  /// It says that it leaves as it was with the tablet alone, with or without a stranger, and is in no group then that the others are in.
  /// Where it has not left before, whom its thief let in stays until it is removed.
  @Test(
    "F62: the recovery key of a device brings those together again whom it has put out",
    arguments: [false, true], [false, true])
  func putOut(hasLeft: Bool, hasStranger: Bool) throws {
    var (home, first) = try home(leaving: hasLeft)
    home["a"].membership = first
    if hasStranger { try home.merge("a", "s") }
    try home.remove("a", by: "a")
    home.meet()
    for name in ["b", "c", "x"] { #expect(home.members(seenBy: name) == name) }
    #expect(throws: MembershipError.wrongRecoveryKey) { try home.recover("a", withKeyOf: "t", on: "b") }
    #expect(throws: MembershipError.unknownDevice) { try home.recover("t", withKeyOf: "a", on: "b") }
    // On each by itself: what these say has to fit together.
    for name in ["b", "c", "x"] { try home.recover("a", withKeyOf: "a", on: name) }
    home.meet()
    let together = hasStranger && !hasLeft ? "b c s t x" : "b c t x"
    for name in ["b", "c", "t", "x"] {
      #expect(sorted(home[name].group?.members.map(\.name)) == together)
      #expect(home.removed(seenBy: name) == "a")
    }
    #expect(home.members(seenBy: "s").contains("b") == (hasStranger && !hasLeft))
    #expect(home["b"].membership.above(home["b"].publicKey).isEmpty)
  }

  /// What it decided counts as far as it said when it left honestly.
  @Test("F62: a device that has put others out is told with its cuts")
  func above() throws {
    var home = Household("a", "t", "b", "c")
    try home.merge("a", "t")
    let first = home["a"].membership
    for name in ["b", "c"] { try home.merge("a", name) }
    let cut = Dot(replica: ReplicaID(high: 0, low: 7), sequence: 5)
    try home.remove("a", by: "a", cuts: [cut])
    home.meet()
    #expect(home["b"].membership.above(home["b"].publicKey).isEmpty)
    home["a"].membership = first
    try home.remove("a", by: "a", cuts: [Dot(replica: ReplicaID(high: 0, low: 7), sequence: 2)])
    home.meet()
    let above = home["b"].membership.above(home["b"].publicKey)
    #expect(above.map(\.device.name) == ["a"] && above.map(\.cuts) == [[cut]])
    try home.recover("a", withKeyOf: "a", cuts: [cut], on: "b")
    #expect(home["b"].group?.removed.map(\.cuts) == [[cut]])
  }

  /// The first device is there still, and the recovery key is that one's.
  @Test("F62: the recovery key of a device above has the same effect")
  func below() throws {
    var home = Household("a", "b", "x")
    try home.merge("a", "b")
    let before = home["b"].membership
    try home.merge("b", "x")
    try home.remove("b", by: "b")
    home.meet()
    home["b"].membership = before
    try home.remove("b", by: "b")
    home.meet()
    #expect(home.members(seenBy: "x") == "x" && home.members(seenBy: "a") == "a")
    try home.recover("b", withKeyOf: "a", on: "x")
    home.meet()
    for name in ["a", "x"] {
      #expect(home.members(seenBy: name) == "a x" && home.removed(seenBy: name) == "b")
    }
  }

  /// Each of the two keeps it out as long as the other one is not removed.
  @Test("F62: two that have put one out are removed one after the other", arguments: [false, true])
  func both(isReversed: Bool) throws {
    var home = Household("a", "t", "b", "c", "x")
    try home.merge("a", "t")
    let first = home["a"].membership
    try home.merge("a", "b")
    let second = home["b"].membership
    try home.merge("a", "c")
    try home.merge("b", "x")
    home.meet()
    for name in ["a", "b"] { try home.remove(name, by: name) }
    home.meet()
    #expect(sorted(home["x"].group?.members.map(\.name)) == "c t x")
    (home["a"].membership, home["b"].membership) = (first, second)
    for name in ["a", "b"] { try home.remove(name, by: name) }
    home.meet()
    #expect(home.members(seenBy: "x") == "x")
    for name in isReversed ? ["b", "a"] : ["a", "b"] { try home.recover(name, withKeyOf: "a", on: "x") }
    home.meet()
    for name in ["t", "c", "x"] {
      #expect(sorted(home[name].group?.members.map(\.name)) == "c t x")
      #expect(home.removed(seenBy: name) == "a b")
    }
  }

  /// It says of a group of its own, which nobody knew of, that it leaves that, to each member by another record.
  @Test("I5: who heard of its leavings in another order holds the same records once it is removed")
  func toldInAnotherOrder() throws {
    var home = Household("a", "p", "q", "b")
    for name in ["p", "q", "b"] { try home.merge("a", name) }
    home.meet()
    for name in ["a", "p", "q"] { home.look(name) }
    let (b, guest) = (home["b"], Household.Device("guest", seed: 50))
    let own = b.founding.hash(.simulated)
    let merge = MembershipRecord.Merge(group: own, host: own, joiner: guest.founding.hash(.simulated))
    let letIn = MembershipRecord.forged(.merge(merge), knowing: [own, merge.joiner], by: [b.key, guest.key])
    let leavings = [UInt64(1), 2].map { sequence -> MembershipRecord in
      let cut = Dot(replica: ReplicaID(high: 0, low: 7), sequence: sequence)
      let removal = MembershipRecord.Removal(
        author: own, isByRecoveryKey: false, target: b.publicKey, cuts: [cut])
      return .forged(.remove(removal), knowing: [letIn.hash(.simulated)], by: [b.key])
    }
    for (name, leaving) in zip(["p", "q"], leavings) {
      _ = home[name].membership.insert([guest.founding, letIn, leaving])
    }
    home.meet("a", "p", "q")
    let disowned = home["a"].membership.records.filter { $0.hash(.simulated) == letIn.hash(.simulated) }
    try home.remove("b", by: "a", counted: [], disowning: disowned)
    for _ in 0...1 { home.meet("a", "p", "q") }
    let held = ["a", "p", "q"].map { home[$0].membership.fingerprint }
    #expect(Set(held).count == 1)
  }
}
