import PeerSyncCore
import Testing

/// [F62] The first device is stolen, and the thief signs more by its key than that it came under one group of his. One use of its recovery
/// key is enough, and it is out for good.
@Suite struct StolenFirstTests {
  private func removal(
    of target: PublicKey, by device: Household.Device, after record: MembershipRecord
  ) -> MembershipRecord {
    let removal = MembershipRecord.Removal(
      author: device.founding.hash(.simulated), isByRecoveryKey: false, target: target, cuts: [])
    return .forged(.remove(removal), knowing: [record.hash(.simulated)], by: [device.key])
  }

  /// The merge by which a device comes under a group of the thief's.
  private func merge(
    of joiner: Household.Device, under host: Household.Device, after known: [MembershipRecord]
  ) -> MembershipRecord {
    let (group, founding) = (host.founding.hash(.simulated), joiner.founding.hash(.simulated))
    let merge = MembershipRecord.Merge(group: group, host: group, joiner: founding)
    return .forged(
      .merge(merge), knowing: [group, founding] + known.map { $0.hash(.simulated) },
      by: [host.key, joiner.key])
  }

  /// Groups of the thief's that the first device comes under. By a removal of a member it says each time that it knows of that.
  ///
  /// - Parameter removed: whom each of the groups removes
  private func groups(
    _ numbers: Range<UInt64>, over home: Household, after known: [MembershipRecord],
    removing removed: [String] = []
  ) -> [MembershipRecord] {
    numbers.flatMap { number in
      let thief = Household.Device("thief", seed: 100 + number)
      let merge = merge(of: home["e"], under: thief, after: known)
      let says = removal(of: home["f"].publicKey, by: home["e"], after: merge)
      return [thief.founding, merge, says]
        + removed.map { removal(of: home[$0].publicKey, by: thief, after: merge) }
    }
  }

  /// Merges by which the thief's groups come under that of the first device, by one another: they count nowhere.
  private func ring(_ numbers: Range<UInt64>, over home: Household) -> [MembershipRecord] {
    let thieves = numbers.map { Household.Device("thief", seed: 100 + $0) }
    return thieves.indices.map { place in
      let (joiner, host) = (thieves[place], thieves[(place + 1) % thieves.count])
      let foundings = [home["e"], host, joiner].map { $0.founding.hash(.simulated) }
      let merge = MembershipRecord.Merge(group: foundings[0], host: foundings[1], joiner: foundings[2])
      return .forged(.merge(merge), knowing: foundings, by: [host.key, joiner.key])
    }
  }

  /// His group takes it in as if it had not let in the last one, and removes it: with the others that one is out, and how it came in has left.
  @Test(
    "F62: whom the thief had put out there is a member again by the recovery key", arguments: [false, true])
  func putOutInAThiefsGroup(takesBack: Bool) throws {
    var home = Household("e", "a", "b", "c")
    try home.merge("e", "a")
    let known = try home.merge("e", "b")
    try home.merge("e", "c")
    home.meet()
    for name in ["a", "b", "c"] { home.look(name) }
    let thief = Household.Device("thief", seed: 100)
    let joins = merge(of: home["e"], under: thief, after: [known])
    let removes = removal(of: home["e"].publicKey, by: thief, after: joins)
    for name in ["a", "b", "c"] { _ = home[name].membership.insert([thief.founding, joins, removes]) }
    #expect(home.members(seenBy: "a") == "thief a b" && home.members(seenBy: "c") == "c")
    try home.recover("e", withKeyOf: "e", taking: takesBack ? [] : nil, on: "a")
    for name in ["b", "c"] { _ = home[name].membership.insert(home["a"].membership.records) }
    for name in ["a", "b", "c"] {
      #expect(home.members(seenBy: name) == "a b c" && home.removed(seenBy: name) == "e")
    }
  }

  private func home() throws -> (Household, [MembershipRecord]) {
    var home = Household("e", "a", "c", "f")
    try home.merge("e", "a")
    try home.merge("e", "c")
    let last = try home.merge("e", "f")
    home.meet()
    return (home, [last])
  }

  @Test("F62: one use of the recovery key leads out of all the thief's groups", arguments: [false, true])
  func manyGroups(removes: Bool) throws {
    var (home, known) = try home()
    let made = groups(
      0..<20, over: home, after: known, removing: removes ? ["a", "c"] : [])
    _ = home["a"].membership.insert(made)
    #expect(home["a"].group?.founding != home["e"].founding.hash(.simulated))
    try home.recover("e", withKeyOf: "e", on: "a")
    // Nor does it come under others later, or under those of which nobody had heard.
    _ = home["a"].membership.insert(groups(20..<40, over: home, after: known))
    let later = groups(40..<50, over: home, after: home["a"].membership.records.suffix(1))
    _ = home["a"].membership.insert(later)
    home.meet("a", "c")
    for name in ["a", "c"] {
      #expect(home.members(seenBy: name) == "a c f" && home.removed(seenBy: name) == "e")
    }
  }

  @Test(
    "F61: of hundreds of groups that a first device has come under few are looked at, also where they are tied",
    arguments: [false, true])
  func fewAreLookedAt(isTied: Bool) throws {
    var (home, known) = try home()
    home.look("a")
    _ = home["a"].membership.insert(groups(0..<250, over: home, after: known))
    if isTied {
      // There was room for each when it came.
      let thieves = (0..<UInt64(250)).map { Household.Device("thief", seed: 100 + $0) }
      let ties = thieves.map { merge(of: $0, under: home["e"], after: known) }
      home["a"].membership = Membership(home["a"].membership.held + ties, .simulated)
      home.look("a")
    }
    let count = home["a"].membership.count
    let insertion = home["a"].membership.insert(
      MembershipRecord.unknown(1, by: home["a"].key, home["a"].founding, 1))
    #expect(count > (isTied ? 1000 : 750) && (isTied || insertion.added.count == 1))
    // Each record is gone over, and each group has these devices and the thief's.
    let most = 4 * count + (isTied ? 2 : 1) * (Limits.membershipPlacings + 300)
    #expect(insertion.work > 4 * count && insertion.work < most)
    #expect(home["a"].group?.isMember(home["a"].publicKey) == true)
  }

  /// Nobody is above or below then, as far as can be told without working each group out.
  @Test("F62: it leads out of groups that the thief has tied with it in a ring, and others join as before")
  func ringOfGroups() throws {
    var (home, known) = try home()
    home.look("a")
    _ = home["a"].membership.insert(groups(0..<40, over: home, after: known))
    let last = home["a"].membership.insert(ring(0..<40, over: home))
    #expect(last.added.count == 40)
    let founding = home["e"].founding.hash(.simulated)
    #expect(home["a"].group?.founding != founding)
    try home.recover("e", withKeyOf: "e", on: "a")
    #expect(home["a"].group?.founding == founding)
    home.found("n")
    try home.merge("a", "n")
    for name in ["a", "n"] { #expect(home.members(seenBy: name) == "a c f n") }
  }

  /// Nobody proves that the recovery key of a founding is his.
  @Test("F62: so it does where the thief has put a device above whose founding names the same recovery key")
  func namesTheSameKey() throws {
    var (home, known) = try home()
    let thief = Household.Device("thief", seed: 100)
    let founding = MembershipRecord.found(
      name: "e", recoveryKey: home["e"].recovery.publicKey, environment: .sandbox, bundleId: "app",
      by: SigningKey.simulated(seed: 101))
    let (group, below) = (thief.founding.hash(.simulated), founding.hash(.simulated))
    let merges = [
      MembershipRecord.Merge(group: group, host: group, joiner: below),
      MembershipRecord.Merge(group: group, host: below, joiner: home["e"].founding.hash(.simulated)),
    ]
    let copy = MembershipRecord.forged(
      .merge(merges[0]), knowing: [group, below], by: [thief.key, .simulated(seed: 101)])
    let joining = MembershipRecord.forged(
      .merge(merges[1]), knowing: (known + [copy, home["e"].founding]).map { $0.hash(.simulated) },
      by: [.simulated(seed: 101), home["e"].key])
    for name in ["a", "c"] {
      _ = home[name].membership.insert([thief.founding, founding, copy, joining])
      #expect(home.members(seenBy: name) == "thief e e a c f")
    }
    try home.recover("e", withKeyOf: "e", on: "a")
    home.meet("a", "c")
    for name in ["a", "c"] {
      #expect(home.members(seenBy: name) == "a c f" && home.removed(seenBy: name) == "e")
    }
  }

  /// Of the stolen device itself there is another founding, which names the same recovery key and comes in ahead, or later.
  @Test(
    "F62: so it does where the key has signed another founding that names the same recovery key",
    arguments: [false, true])
  func foundedTwice(comesLater: Bool) throws {
    var (home, known) = try home()
    let (thief, device) = (Household.Device("thief", seed: 100), home["e"])
    let other = MembershipRecord.found(
      name: "e", recoveryKey: device.recovery.publicKey, environment: .sandbox, bundleId: "app",
      storeRoot: ContentHash(words: (1, 2, 3, 4)), by: device.key)
    let (group, second) = (thief.founding.hash(.simulated), other.hash(.simulated))
    let joining = merge(of: device, under: thief, after: known)
    let again = MembershipRecord.forged(
      .merge(MembershipRecord.Merge(group: group, host: group, joiner: second)),
      knowing: [group, second] + (comesLater ? [joining.hash(.simulated)] : []), by: [thief.key, device.key])
    for name in ["a", "c"] {
      _ = home[name].membership.insert([thief.founding, other, joining, again])
      #expect(home.members(seenBy: name) == "thief e a c f")
    }
    try home.recover("e", withKeyOf: "e", on: "a")
    home.meet("a", "c")
    for name in ["a", "c"] {
      #expect(home.members(seenBy: name) == "a c f" && home.removed(seenBy: name) == "e")
    }
  }

  /// It came in by two foundings, one of which names the recovery key of the stolen device as its own.
  @Test("F62: later the key removes, in all its places, a device that the thief has let in")
  func guestFoundedTwice() throws {
    var (home, known) = try home()
    let (device, key) = (home["e"], SigningKey.simulated(seed: 100))
    let founding = device.founding.hash(.simulated)
    let guests = [device.recovery, .simulated(seed: 101)].map {
      MembershipRecord.found(
        name: "x", recoveryKey: $0.publicKey, environment: .sandbox, bundleId: "app", by: key)
    }
    let letIn = guests.map { guest in
      let merge = MembershipRecord.Merge(group: founding, host: founding, joiner: guest.hash(.simulated))
      return MembershipRecord.forged(
        .merge(merge), knowing: known.map { $0.hash(.simulated) } + [guest.hash(.simulated)],
        by: [device.key, key])
    }
    for name in ["a", "c"] { _ = home[name].membership.insert(guests + letIn) }
    // Who disowns it does so by all of them.
    #expect(home["a"].membership.merges(of: [guests[0].hash(.simulated)], by: founding).count == 2)
    try home.recover("e", withKeyOf: "e", on: "a")
    #expect(home.members(seenBy: "a") == "a c f x")
    let removal = try home["a"].membership.removal(
      of: key.publicKey, cuts: [], byRecoveryKey: device.recovery, inGroupOf: home["a"].publicKey)
    _ = home["a"].membership.insert([removal])
    home.found("y")
    let later = guests.map { guest in
      let (host, joiner) = (guest.hash(.simulated), home["y"].founding.hash(.simulated))
      let merge = MembershipRecord.Merge(group: founding, host: host, joiner: joiner)
      return MembershipRecord.forged(
        .merge(merge), knowing: letIn.map { $0.hash(.simulated) } + [joiner], by: [key, home["y"].key])
    }
    _ = home["a"].membership.insert([home["y"].founding] + later)
    #expect(home.members(seenBy: "a") == "a c f")
  }

  /// The set is full, and dozens of made-up devices are senior to the stolen one. What the thief has made up leaves with his group, and
  /// others can join.
  @Test("F61, F62: so it does where the thief's group is full and has dozens ahead", arguments: [5, 40])
  func fullGroup(count: Int) throws {
    var (home, known) = try home()
    let thief = Household.Device("thief", seed: 100)
    var made = [thief.founding]
    for seed in 101...UInt64(100 + count) {
      let device = Household.Device("thief", seed: seed)
      made += [device.founding, merge(of: device, under: thief, after: [])]
    }
    made.append(merge(of: home["e"], under: thief, after: known + made.suffix(1)))
    for name in ["a", "c"] {
      _ = home[name].membership.insert(made)
      home.look(name)
      let junk = MembershipRecord.unknown(1100, by: thief.key, thief.founding, 1)
      #expect(home[name].membership.insert(junk).refused.contains { $0.reason == .full })
    }
    let ranks = home["a"].group?.members.map(\.name)
    #expect(ranks?.firstIndex(of: "e") == count + 1)
    try home.recover("e", withKeyOf: "e", on: "a")
    home.meet("a", "c")
    for name in ["a", "c"] { #expect(home.members(seenBy: name) == "a c f") }
    home.look("a")
    #expect(home["a"].membership.count < 20)
    home.found("n")
    try home.merge("a", "n")
    #expect(home.members(seenBy: "n") == "a c f n")
  }

  /// Each has dozens of devices, and what puts the thief's group there counts nowhere.
  @Test("F62: so it does where the thief's group has hundreds above it")
  func groupsAboveTheThiefs() throws {
    let (home, known) = try home()
    let devices = (100..<360).map { Household.Device("thief", seed: $0) }
    let (group, nobody, common) = (devices[0], devices[1], devices[2])
    let (guests, upper) = (devices[3..<63], devices[63...])
    var made = devices.map(\.founding) + [merge(of: home["e"], under: group, after: known)]
    made += guests.map { merge(of: $0, under: common, after: []) }
    for one in upper {
      let foundings = [one, nobody, group].map { $0.founding.hash(.simulated) }
      let vain = MembershipRecord.Merge(group: foundings[0], host: foundings[1], joiner: foundings[2])
      made += [
        merge(of: common, under: one, after: []),
        .forged(.merge(vain), knowing: foundings, by: [nobody.key, group.key]),
      ]
    }
    let id = GroupID(founding: group.founding.hash(.simulated))
    let key = home["a"].publicKey
    var membership = Membership(home["a"].membership.held + made, .simulated)
    #expect(membership.group(of: key, preferring: id)?.id == id)
    let record = try membership.removal(
      of: home["e"].publicKey, cuts: [], byRecoveryKey: home["e"].recovery, inGroupOf: key, preferring: id)
    _ = membership.insert([record])
    let after = membership.group(of: key, preferring: id)
    #expect(
      after?.founding == home["e"].founding.hash(.simulated) && after?.members.map(\.name) == ["a", "c", "f"])
  }

  @Test("F62: who joins agrees to the group that the host is in, of several")
  func hostIsInSeveral() throws {
    var (home, known) = try home()
    _ = home["a"].membership.insert(groups(0..<3, over: home, after: known))
    home.found("n")
    let (host, joiner) = (home["a"], home["n"])
    let ids = (0..<3).map { number in
      GroupID(founding: Household.Device("thief", seed: 100 + number).founding.hash(.simulated))
    }
    for id in ids {
      let proposal = try host.membership.proposeMerge(
        host: host.publicKey, joiner: joiner.publicKey, of: joiner.membership, preferring: id)
      #expect(GroupID(founding: proposal.merge.group) == id)
      try joiner.membership.check(
        proposal, joiner: joiner.publicKey, host: host.publicKey, of: host.membership)
    }
  }

  /// By what it signs it leaves as if it had not let that device in: in its own group it has not, then.
  @Test("F62: so it does where the device has left as if it had not let this one in")
  func leftBefore() throws {
    var (home, known) = try home()
    let device = home["e"]
    let leaving = removal(of: device.publicKey, by: device, after: try #require(merges(of: home).first))
    _ = home["c"].membership.insert([leaving] + groups(0..<1, over: home, after: known))
    #expect(home["c"].group?.founding != device.founding.hash(.simulated))
    try home.recover("e", withKeyOf: "e", on: "c")
    #expect(home["c"].group?.founding == device.founding.hash(.simulated))
    #expect(home.removed(seenBy: "c") == "e")
  }

  private func merges(of home: Household) -> [MembershipRecord] {
    home["e"].membership.records.filter { if case .merge = $0.body { true } else { false } }
  }

  /// It is in none of its groups, and was put out by a removal or a leaving that knows of no more than that.
  @Test("F62: so it does where the device has put this one out", arguments: [false, true])
  func putOut(isByRemoval: Bool) throws {
    var (home, known) = try home()
    let device = home["e"]
    let thief = Household.Device("thief", seed: 100)
    let merge = merge(of: device, under: thief, after: [])
    let all = self.merge(of: device, under: thief, after: known)
    let made =
      isByRemoval
      ? [thief.founding, merge, removal(of: device.publicKey, by: thief, after: merge)]
      : [
        thief.founding, all, removal(of: device.publicKey, by: device, after: merges(of: home)[0]),
        removal(of: device.publicKey, by: device, after: all),
      ]
    _ = home["c"].membership.insert(made)
    try home.recover("e", withKeyOf: "e", on: "c")
    #expect(home["c"].group?.founding == device.founding.hash(.simulated))
    home.meet("a", "c")
    for name in ["a", "c"] {
      #expect(home.members(seenBy: name) == "a c f" && home.removed(seenBy: name) == "e")
    }
  }

  /// Whose group had rightly come under another one comes out of that as well, and can come under it anew.
  @Test("F62: the group comes out of the one that it was in, and may join it again")
  func joinsAgain() throws {
    var (home, _) = try home()
    home.found("p")
    home.found("d")
    try home.merge("p", "e")
    home.meet()
    try home.merge("p", "d")
    home.meet()
    let known = Array(home["e"].membership.records.suffix(1))
    _ = home["a"].membership.insert(groups(0..<3, over: home, after: known))
    try home.recover("e", withKeyOf: "e", on: "a")
    home.meet()
    for name in ["a", "c"] { #expect(home.members(seenBy: name) == "a c f") }
    for name in ["p", "d"] { #expect(home.members(seenBy: name) == "p d") }
    try home.merge("a", "p")
    home.meet()
    for name in ["a", "c", "p", "d"] { #expect(home.members(seenBy: name) == "a c f p d") }
  }
}
