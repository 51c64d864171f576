import PeerSyncCore
import Testing

/// [E48, F61] A record names no more than 256 others. However many a dishonest member makes up, a removal knows what it has to.
@Suite struct ParentsTests {
  /// The first device, one that it let in and that has let in a guest, and one that is dishonest and has a device that it made up.
  private var home = Household("a", "b", "m", "f", "c")
  private let evil: MembershipRecord

  init() throws {
    try home.merge("a", "b")
    home.meet("a", "b")
    try home.merge("a", "m")
    evil = try home.merge("m", "f")
    try home.merge("b", "c")
    home.meet()
  }

  /// Removals that a device makes up, deep in the order: all know of some record and a few of these, and of nothing else.
  private func junk(
    _ count: Int, by name: String, after known: MembershipRecord, of targets: (Int) -> PublicKey
  ) -> [MembershipRecord] {
    var made: [MembershipRecord] = []
    for number in 0..<count {
      let removal = MembershipRecord.Removal(
        author: home[name].founding.hash(.simulated), isByRecoveryKey: false, target: targets(number),
        cuts: [Dot(replica: ReplicaID(high: 0, low: 1), sequence: UInt64(number + 1))])
      let parent = number == 0 ? known : made[min(number, 8) - 1]
      let unsigned = MembershipRecord(
        parents: [parent.hash(.simulated)], body: .remove(removal), signatures: [])
      made.append(
        MembershipRecord(
          parents: unsigned.parents, body: unsigned.body,
          signatures: [home[name].key.sign(unsigned.signedBytes)]))
    }
    return made
  }

  private func nobody(_ number: Int) -> PublicKey {
    SigningKey.simulated(seed: 10_000 + UInt64(number)).publicKey
  }

  /// Has all hear of removals of nobody, or of a device that was made up for that.
  private mutating func fill(isOfNobody: Bool) {
    let fake = home["f"].publicKey
    let made = junk(300, by: "m", after: evil) { isOfNobody ? nobody($0) : fake }
    #expect(home["a"].membership.insert(made).added.count > Limits.membershipParents)
    home.meet()
  }

  /// - Parameter members: sorted by name: of those that were let in at one depth it depends on hashes who is senior
  private func expectOut(_ out: String, members: String) {
    for name in members.split(separator: " ") {
      let seen = home[String(name)].group?.members.map(\.name).sorted().joined(separator: " ")
      #expect(seen == members && home.removed(seenBy: String(name)) == out, "\(name)")
    }
  }

  @Test(
    "E48: whom a removed device let in stays, whatever another one has made up", arguments: [false, true])
  mutating func removed(isOfNobody: Bool) throws {
    fill(isOfNobody: isOfNobody)
    try home.remove("b", by: "a")
    home.meet()
    expectOut(isOfNobody ? "b" : "b f", members: isOfNobody ? "a c f m" : "a c m")
  }

  @Test("whom a device let in stays when that leaves", arguments: [false, true])
  mutating func left(isOfNobody: Bool) throws {
    fill(isOfNobody: isOfNobody)
    try home.remove("b", by: "b")
    home.meet()
    expectOut(isOfNobody ? "b" : "b f", members: isOfNobody ? "a c f m" : "a c m")
  }

  @Test("so it does where a recovery key removes that", arguments: [false, true])
  mutating func recovered(isOfNobody: Bool) throws {
    fill(isOfNobody: isOfNobody)
    try home.recover("b", withKeyOf: "a", on: "c")
    home.meet()
    expectOut(isOfNobody ? "b" : "b f", members: isOfNobody ? "a c f m" : "a c m")
  }

  /// It goes on to count, though whoever stole that device has made up more removals than one record names.
  @Test("E48: what a device did before it was stolen counts when it is removed")
  mutating func stolen() throws {
    home.found("x")
    try home.merge("a", "x")
    home.meet()
    let removal = try home.remove("x", by: "b")
    home.meet()
    let fake = home["f"].publicKey
    let made = junk(280, by: "b", after: try #require(home["b"].membership[removal.parents[0]])) { _ in fake }
    #expect(home["a"].membership.insert(made).added.count > Limits.membershipParents)
    try home.remove("b", by: "a")
    home.meet()
    expectOut("b f x", members: "a c m")
  }

  /// Nobody names them, though others are removed while they are there.
  @Test("F61: removals of nobody leave with whoever made them up")
  mutating func leave() throws {
    home.look("a")
    fill(isOfNobody: true)
    #expect(home["a"].membership.crowders.map(\.founding) == [home["m"].founding.hash(.simulated)])
    try home.remove("b", by: "a")
    try home.remove("m", by: "a")
    #expect(home["a"].membership.crowders.isEmpty && home["a"].membership.count < 64)
    #expect(home.members(seenBy: "a").contains("c"))
  }

  /// They come in by pairs, so that each second one says more than the joining of an honest device does.
  @Test("F62: nor does a stolen first device by those that it lets in")
  func letsInByPairs() throws {
    var home = Household("f", "a", "b", "h")
    for name in ["a", "b"] {
      try home.merge("f", name)
      home.meet("f", "a", "b")
    }
    let early = try #require(home["b"].membership.records.last)
    try home.merge("f", "h")
    home.meet()
    let group = home["f"].founding.hash(.simulated)
    func letIn(_ joiner: Household.Device, knowing known: [MembershipRecord]) -> MembershipRecord {
      let founding = joiner.founding.hash(.simulated)
      let merge = MembershipRecord.Merge(group: group, host: group, joiner: founding)
      return .forged(
        .merge(merge), knowing: [founding] + known.map { $0.hash(.simulated) },
        by: [home["f"].key, joiner.key])
    }
    var (made, heads): ([MembershipRecord], [MembershipRecord]) = ([], [])
    for number in 0..<UInt64(262) {
      let pair = (0..<UInt64(2)).map { Household.Device("x", seed: 1_000 + 2 * number + $0) }
      let first = letIn(pair[0], knowing: [early])
      heads.append(letIn(pair[1], knowing: [first]))
      made += pair.map(\.founding) + [first, heads[heads.count - 1]]
    }
    // What a device that counts names finds room.
    let guest = Household.Device("x", seed: 1_000)
    for part in [heads.prefix(200), heads.dropFirst(200)] {
      let removal = MembershipRecord.Removal(
        author: guest.founding.hash(.simulated), isByRecoveryKey: false,
        target: Household.Device("x", seed: 1_003).publicKey, cuts: [])
      made.append(
        .forged(
          .remove(removal), knowing: (made[2...2] + part).map { $0.hash(.simulated) }, by: [guest.key]))
    }
    for name in ["a", "b", "h"] { #expect(home[name].membership.insert(made).added.count > 1_000) }
    try home.recover("f", withKeyOf: "f", on: "b")
    home.meet("a", "b", "h")
    for name in ["a", "b", "h"] {
      #expect(home.members(seenBy: name).split(separator: " ").filter { $0 != "x" } == ["a", "b", "h"])
    }
  }
}
