import PeerSyncCore
import Testing

/// What follows from the records is what follows from them now, whenever they came.
@Suite struct RosterTests {
  private let own = NewDevice.simulated(seed: 1, bundleId: "com.example.owls")
  private let signer = SigningKey.simulated(seed: 1)
  private let other = SigningKey.simulated(seed: 2)
  private let mine = ContentHash(words: (9, 9, 9, 9))
  private let theirs = ContentHash(words: (8, 8, 8, 8))

  @Test func itFollowsTheRecords() throws {
    let founding = MembershipRecord.found(
      name: "Tablet", recoveryKey: signer.publicKey, environment: .sandbox, bundleId: "com.example.owls",
      storeRoot: theirs, by: other)
    let united = try Membership.united([(signer, own.founding), (other, founding)], .simulated)
    let (counted, unknown) = (ReplicaID(high: 2, low: 1), ReplicaID(high: 2, low: 2))
    let removal = try united.removal(
      of: other.publicKey, cuts: [Dot(replica: counted, sequence: 5)], by: signer)
    var roster = Roster(of: own.identity, Membership([own.founding], .simulated), trusting: [mine])
    #expect(roster.trustedRoots == [mine] && roster.group.members.map(\.key) == [signer.publicKey])
    #expect(!roster.authors.contains(other.publicKey))
    #expect(roster.authors.cut(of: counted, by: other.publicKey) == 0)

    #expect(roster.insert(united.records).added.count == 2)
    #expect(roster.trustedRoots == [mine, theirs] && roster.group.members.count == 2)
    #expect(roster.authors.contains(other.publicKey))
    #expect(roster.authors.cut(of: counted, by: other.publicKey) == nil)

    #expect(roster.insert([removal]).added.count == 1)
    #expect(roster.trustedRoots == [mine, theirs] && roster.group.members.map(\.key) == [signer.publicKey])
    let authors = roster.authors
    #expect(authors.contains(other.publicKey) && authors.cut(of: counted, by: other.publicKey) == 5)
    #expect(authors.cut(of: unknown, by: other.publicKey) == 0)
    #expect(authors.cut(of: own.identity.replica, by: signer.publicKey) == nil)
    let known = [(unknown, other.publicKey), (own.identity.replica, signer.publicKey)]
    #expect(authors.cuts(of: known) == [unknown: 0])
    #expect(authors.lastCounted(of: counted, by: other.publicKey) == nil)

    // Another removal takes back what the device had decided: of both the lower counts, and what is taken stays.
    let takingBack = try united.removal(
      of: other.publicKey, cuts: [Dot(replica: counted, sequence: 7)],
      counted: [Dot(replica: counted, sequence: 2)], by: signer)
    var both = roster
    #expect(both.insert([takingBack]).added.count == 1)
    #expect(both.authors.cut(of: counted, by: other.publicKey) == 5)
    #expect(both.authors.lastCounted(of: counted, by: other.publicKey) == 2)
    #expect(both.authors.lastCounted(of: own.identity.replica, by: signer.publicKey) == nil)

    // As if all had been there from the beginning; what is known already changes nothing.
    let all = Roster(of: own.identity, roster.records, trusting: [mine])
    #expect(all.group == roster.group && all.authors == authors && all.trustedRoots == roster.trustedRoots)
    #expect(roster.insert(united.records + [removal]).added.isEmpty && roster.group == all.group)
  }

  /// Who is out with its host, and who is of another group.
  @Test func whoIsOutWithItsHostIsKnown() throws {
    var home = Household("a", "b", "c", "x", "y", "z")
    try home.merge("x", "z")
    try home.merge("a", "b")
    try home.merge("a", "c")
    let letIn = try home.merge("b", "x")
    home.meet("a", "b", "c", "x", "z")
    try home.remove("b", by: "a", disowning: [letIn])
    home.meet("a", "b", "c", "x", "z")
    #expect(home.members(seenBy: "a") == "a c" && home.members(seenBy: "x") == "x z")
    #expect(["a", "c", "x", "z"].map { isOutWithHost(home, $0) } == [false, false, true, true])
    try home.merge("x", "y")
    home.meet("x", "y", "z")
    // Now that somebody has come under it, it goes on by itself.
    #expect(["b", "x", "y", "z"].allSatisfy { !isOutWithHost(home, $0) })
    try home.remove("y", by: "y")
    home.meet("x", "y", "z")
    #expect(home.removed(seenBy: "x") == "y")
  }

  /// Its disk was put back to before it left, or it was sold.
  @Test("I10: a device that has left lets nobody in, and removes nobody", arguments: ["a", "c"])
  func whoHasLeftLetsNobodyIn(leaver: String) throws {
    var home = Household("a", "b", "c", "x")
    try home.merge("a", "b")
    home.meet("a", "b")
    try home.merge("a", "c")
    home.meet("a", "b", "c")
    let before = home[leaver].membership
    try home.remove(leaver, by: leaver)
    home.meet("a", "b", "c")
    let others = leaver == "a" ? "b c" : "a b"
    #expect(home.members(seenBy: "b") == others)
    home[leaver].membership = before
    try home.merge(leaver, "x")
    try home.remove("b", by: leaver)
    home[leaver].membership = before
    try home.remove(leaver, by: leaver, counted: [])
    home.meet()
    for name in ["b", leaver == "a" ? "c" : "a"] {
      #expect(home.members(seenBy: name) == others)
      #expect(home.removed(seenBy: name) == leaver)
    }
    #expect(home.members(seenBy: "x") == "x")
  }

  /// Whoever has the key of a device that has left signs once more that it leaves, as if it had let nobody in.
  @Test("F62: a removal by somebody senior puts right what a device says of its leaving")
  func whoLeftAsIfItHadLetNobodyIn() throws {
    var home = Household("a", "b", "c")
    try home.merge("a", "b")
    home.meet("a", "b")
    let before = home["b"].membership
    try home.merge("b", "c")
    home.meet()
    try home.remove("b", by: "b")
    home.meet()
    #expect(home.members(seenBy: "a") == "a c")
    home["b"].membership = before
    try home.remove("b", by: "b", counted: [])
    home.meet()
    #expect(home.members(seenBy: "a") == "a")
    try home.recover("b", withKeyOf: "a", on: "a")
    home.meet()
    #expect(home.members(seenBy: "a") == "a c" && home.members(seenBy: "c") == "a c")
  }

  /// Two left at one moment, and one of them stays.
  @Test func whoStaysAlthoughItHasLeftGoesOn() throws {
    var home = Household("a", "b", "x")
    try home.merge("a", "b")
    home.meet("a", "b")
    try home.remove("a", by: "a")
    try home.remove("b", by: "b")
    home.meet("a", "b")
    let stays = home.members(seenBy: "a")
    #expect(stays.count == 1)
    try home.merge(stays, "x")
    home.meet()
    #expect(home.members(seenBy: "x").contains("x"))
  }

  @Test("F60: who has much is told with those that it let in, the lowest that has so much with them")
  func whoHasMuchWithThoseBelow() throws {
    var home = Household("a", "b", "c", "x", "y", "z")
    for (host, joiner) in [("a", "b"), ("a", "c"), ("c", "x"), ("x", "y"), ("x", "z")] {
      try home.merge(host, joiner)
      home.meet("a", "b", "c", "x", "y", "z")
    }
    try home.remove("y", by: "a")
    let group = try #require(home["a"].group)
    let all = ["a", "b", "c", "x", "y", "z"]
    let names = Dictionary(uniqueKeysWithValues: all.map { (home[$0].publicKey, $0) })
    func branch(_ counts: [String: Int]) -> [String] {
      let found = group.branch(with: 10) { counts[names[$0.key] ?? ""] ?? 0 }
      guard let found else { return [] }
      return [names[found.device.key] ?? "", "\(found.below)", "\(found.count)"]
    }
    #expect(branch(["b": 3, "y": 3, "z": 4]).isEmpty)
    #expect(branch(["b": 3, "y": 5, "z": 6]) == ["x", "2", "11"])
    #expect(branch(["c": 5, "y": 5, "z": 5]) == ["c", "3", "15"])
    #expect(branch(["b": 6, "z": 6]) == ["a", "5", "12"])
    // One alone is told by itself.
    #expect(branch(["b": 11]) == ["a", "5", "11"])
  }

  private func isOutWithHost(_ home: Household, _ name: String) -> Bool {
    home[name].group.map(home[name].membership.isOutWithHost) ?? false
  }
}
