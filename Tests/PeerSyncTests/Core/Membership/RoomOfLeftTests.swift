import PeerSyncCore
import Testing

/// [F61] A member lets in devices that it makes up, and puts them out with all that they have brought in, time and again.
@Suite struct RoomOfLeftTests {
  private var home: Household
  private let base: Int

  init() throws {
    home = Household("a", "m", "t", "p", "u")
    for (host, joiner) in [("a", "m"), ("m", "t"), ("a", "p")] { try home.merge(host, joiner) }
    home.meet("a", "m", "t", "p")
    for name in ["a", "m", "t", "p"] { home.look(name) }
    base = home["a"].membership.count
  }

  /// Has some devices hear of devices that one of them has made up and put out.
  ///
  /// - Returns: the foundings of these
  @discardableResult private mutating func putOut(
    _ turns: UInt64, by liar: String, devices: Int = 0, heardBy names: [String]
  ) throws -> [MembershipRecord] {
    let group = home["a"].founding.hash(.simulated)
    return try (1...turns).map { turn in
      let (made, removal) = try home[liar].putOut(
        devices: devices, others: 118 - 2 * devices, in: group,
        seed: 1_000 * turn + (liar == "u" ? 100_000 : 0))
      for name in names {
        _ = home[name].membership.insert(made)
        _ = home[name].membership.insert([removal])
      }
      return made[0]
    }
  }

  /// A new device, which one that is there takes in.
  private mutating func takeIn(by host: String, _ joiner: String, seed: UInt64) throws {
    home[joiner] = Household.Device(joiner, seed: seed)
    try home.merge(host, joiner)
  }

  /// Nothing of that plays any part, as long as it has room.
  @Test func whoIsRemovedUnheardLeavesWithAllItBroughtIn() throws {
    var test = self
    try test.putOut(4, by: "m", devices: 20, heardBy: ["a"])
    #expect(test.home["a"].membership.held.count > test.base + 4 * 118)
    #expect(test.home["a"].membership.count == test.base + 4 * 3)
    try test.takeIn(by: "a", "n", seed: 9)
  }

  /// However often it does so: once it is removed with all that it had decided, all of them are members again, and the set is not full.
  @Test(arguments: ["m", "t"], [false, true])
  func whatMayBeBackIsBounded(liar: String, isAlone: Bool) throws {
    var test = self
    // Who had let it in was sold.
    if isAlone, liar == "t" { try test.home.remove("m", by: "a") }
    try test.putOut(8, by: liar, devices: 10, heardBy: ["a"])
    let most = Limits.membershipBranchRecords * (liar == "m" ? 3 : 2)
    #expect(test.home["a"].membership.held.count <= test.base + most + Limits.membershipReserveRemovals)
    let crowders = test.home["a"].membership.crowders
    #expect(crowders.map(\.founding) == [test.home[liar].founding.hash(.simulated)])
    #expect(crowders.allSatisfy { $0.records > Limits.membershipBranchRecords })
    try test.home.remove(liar, by: "a", counted: [])
    let back = test.home["a"].membership.count
    #expect(
      back > test.base + Limits.membershipBranchRecords
        && back < test.base + most + Limits.membershipReserveRemovals)
    test.home["p"].membership = test.home["a"].membership
    test.home.look("p")
    try test.takeIn(by: "p", "n", seed: 9)
    #expect(test.home.members(seenBy: "p").hasSuffix("n"))
  }

  /// Whoever let that member in removes it with whom it had made up, or the first device does: its branch has its room again.
  @Test(arguments: ["m", "a"]) func aRemovalFreesTheRoom(of branch: String) throws {
    var test = self
    let made = try test.putOut(8, by: "t", heardBy: ["a", "m"])
    #expect(throws: MembershipError.full) { try test.takeIn(by: "m", "x", seed: 8) }
    let removal = try test.home.remove("t", by: branch, disowning: made)
    for name in ["a", "m"] { _ = test.home[name].membership.insert([removal]) }
    #expect(test.home["m"].membership.count < test.base + Limits.membershipReserveRemovals)
    for seed in UInt64(9)...100 { try test.takeIn(by: "m", "n", seed: seed) }
    #expect(test.home.members(seenBy: "m").hasSuffix("n"))
  }

  /// The second time the first device has to, also where that was done.
  @Test func theFirstDeviceFreesTheRoomAgain() throws {
    var test = self
    try test.home.merge("m", "u")
    test.home.meet()
    test.home.look("u")
    var all: [MembershipRecord] = []
    for liar in ["t", "u"] {
      all = try test.putOut(8, by: liar, heardBy: ["a", "m"])
      let removal = try test.home.remove(liar, by: "m", disowning: all)
      _ = test.home["a"].membership.insert([removal])
    }
    #expect(throws: MembershipError.full) { try test.takeIn(by: "m", "x", seed: 8) }
    let crowders = test.home["a"].membership.crowders
    #expect(crowders.map(\.senior) == [test.home["a"].founding.hash(.simulated)])
    let removal = try test.home.remove("u", by: "a", disowning: all)
    _ = test.home["m"].membership.insert([removal])
    try test.takeIn(by: "m", "n", seed: 9)
    #expect(test.home.members(seenBy: "m").hasSuffix("n"))
    #expect(throws: MembershipError.removedAlready) { try test.home.remove("u", by: "a", disowning: all) }
  }

  /// A device outside has removed the one that did so, with whom it had made up, and its branch has all of its room.
  @Test func whatOthersPutOutTakesNoRoom() throws {
    var test = self
    let made = try test.putOut(8, by: "m", heardBy: ["a"])
    #expect(throws: MembershipError.full) {
      test.home["t"].membership = test.home["a"].membership
      test.home.look("t")
      try test.takeIn(by: "t", "x", seed: 8)
    }
    let removal = try test.home.remove("m", by: "a", disowning: made)
    _ = test.home["t"].membership.insert([removal])
    try test.takeIn(by: "t", "n", seed: 9)
    #expect(test.home.members(seenBy: "t").hasSuffix("n"))
  }
}
