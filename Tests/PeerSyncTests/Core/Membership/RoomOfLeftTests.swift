import PeerSyncCore
import Testing

/// [F61] A member lets in devices that it makes up, and puts them out with all that they have brought in, time and again.
@Suite struct RoomOfLeftTests {
  private var home: Household
  private let base: Int

  init() throws {
    home = Household("a", "m", "t", "p")
    for (host, joiner) in [("a", "m"), ("m", "t"), ("a", "p")] { try home.merge(host, joiner) }
    home.meet()
    for name in ["a", "m", "t", "p"] { home.look(name) }
    base = home["a"].membership.count
  }

  /// Has some devices hear of devices that one of them has made up and put out.
  private mutating func putOut(
    _ turns: UInt64, by liar: String, devices: Int = 0, heardBy names: [String]
  ) throws {
    let group = home["a"].founding.hash(.simulated)
    for turn in 1...turns {
      let (made, removal) = try home[liar].putOut(
        devices: devices, others: 118 - 2 * devices, in: group, seed: 1_000 * turn)
      for name in names {
        _ = home[name].membership.insert(made)
        _ = home[name].membership.insert([removal])
      }
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

  /// However often it does so: once it is removed with all that it had decided, all of them are members again, and there is room for others.
  @Test(arguments: ["m", "t"]) func whatMayBeBackIsBounded(liar: String) throws {
    var test = self
    try test.putOut(8, by: liar, devices: 10, heardBy: ["a"])
    let most = Limits.membershipBranchRecords * (liar == "m" ? 3 : 2)
    #expect(test.home["a"].membership.held.count <= test.base + most + Limits.membershipReserveRemovals)
    #expect(
      test.home["a"].membership.crowders.map { $0.records >= Limits.membershipBranchRecords - 2 } == [true])
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

  /// Whoever let that member in removes it, or the first device does: its branch has its room again.
  @Test(arguments: ["m", "a"]) func aRemovalFreesTheRoom(of branch: String) throws {
    var test = self
    try test.putOut(8, by: "t", heardBy: ["a", "m"])
    #expect(throws: MembershipError.full) { try test.takeIn(by: "m", "x", seed: 8) }
    let removal = try test.home.remove("t", by: branch)
    for name in ["a", "m"] { _ = test.home[name].membership.insert([removal]) }
    #expect(test.home["m"].membership.count < test.base + Limits.membershipReserveRemovals)
    for seed in UInt64(9)...100 { try test.takeIn(by: "m", "n", seed: seed) }
    #expect(test.home.members(seenBy: "m").hasSuffix("n"))
  }

  /// A device outside has removed the one that did so, and its branch has all of its room.
  @Test func whatOthersPutOutTakesNoRoom() throws {
    var test = self
    try test.putOut(8, by: "m", heardBy: ["a"])
    #expect(throws: MembershipError.full) {
      test.home["t"].membership = test.home["a"].membership
      test.home.look("t")
      try test.takeIn(by: "t", "x", seed: 8)
    }
    let removal = try test.home.remove("m", by: "a")
    _ = test.home["t"].membership.insert([removal])
    try test.takeIn(by: "t", "n", seed: 9)
    #expect(test.home.members(seenBy: "t").hasSuffix("n"))
  }
}
