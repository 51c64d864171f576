import PeerSyncCore
import Testing

/// A member that a more senior one has removed, and the recovery key that it has made for itself.
@Suite struct BoundRecoveryTests {
  /// A first device, one that it let in, and whom that one let in.
  private func home() throws -> Household {
    var home = Household("a", "e", "c", "d")
    for (host, joiner) in [("a", "e"), ("e", "c"), ("c", "d")] {
      try home.merge(host, joiner)
      home.meet()
    }
    return home
  }

  /// A removal that its recovery key signs.
  private func removal(
    of target: String, _ home: Household, knowing records: [MembershipRecord]
  ) -> MembershipRecord {
    let founding = home["e"].founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: founding, isByRecoveryKey: true, target: home[target].publicKey, cuts: [])
    return .forged(
      .remove(removal), knowing: [founding] + records.map { $0.hash(.simulated) }, by: [home["e"].recovery])
  }

  private func joining(of name: String, _ home: Household) throws -> MembershipRecord {
    try #require(
      home["a"].membership.records.first { record in
        guard case .merge(let merge) = record.body else { return false }
        return merge.joiner == home[name].founding.hash(.simulated)
      })
  }

  private func tell(_ record: MembershipRecord, _ home: inout Household) {
    for name in home.devices.keys.sorted() { #expect(home[name].membership.insert([record]).refused.isEmpty) }
  }

  /// It says that it is out, and had let nobody in, or had never come in.
  @Test("E48: by it a removed device puts out nobody whom it has let in", arguments: [nil, "e", "c"])
  func ofItself(knowing known: String?) throws {
    var home = try home()
    try home.remove("e", by: "a", cuts: [Dot(replica: ReplicaID(high: 0, low: 1), sequence: 4)])
    home.meet()
    tell(removal(of: "e", home, knowing: try known.map { [try joining(of: $0, home)] } ?? []), &home)
    for name in ["a", "c", "d"] {
      #expect(home.members(seenBy: name) == "a c d" && home.removed(seenBy: name) == "e")
      // Nor does it take back what had counted.
      #expect(home[name].group?.removed.first?.cuts.count == 1)
    }
  }

  @Test("E48: nor does it remove them")
  func ofOthers() throws {
    var home = try home()
    try home.remove("e", by: "a")
    home.meet()
    for target in ["e", "c"] {
      #expect(throws: MembershipError.wrongRecoveryKey) { try home.recover(target, withKeyOf: "e", on: "a") }
    }
    tell(removal(of: "c", home, knowing: [try joining(of: "c", home)]), &home)
    for name in ["a", "c", "d"] { #expect(home.members(seenBy: name) == "a c d") }
  }

  /// Nor is it where a junior has removed the device: that one may be a thief.
  @Test("E48: what it had done before the removal stays done", arguments: ["a", "d"])
  func before(by author: String) throws {
    var home = try home()
    try home.recover("c", withKeyOf: "e", on: "a")
    home.meet()
    try home.remove("e", by: author == "a" ? "a" : "d")
    home.meet()
    #expect(home.members(seenBy: "a") == "a d")
    if author == "d" {
      try home.recover("d", withKeyOf: "e", on: "a")
      #expect(home.members(seenBy: "a") == "a")
    }
  }

  /// By the recovery key of whoever came in below it, as well.
  @Test("E48: nor does the recovery key of a device that it let in undo what others did")
  func ofOneBelow() throws {
    var home = try home()
    try home.remove("c", by: "a")
    home.meet()
    let founding = home["c"].founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: founding, isByRecoveryKey: true, target: home["d"].publicKey, cuts: [])
    tell(
      .forged(
        .remove(removal), knowing: [founding, try joining(of: "d", home).hash(.simulated)],
        by: [home["c"].recovery]), &home)
    #expect(home.members(seenBy: "a") == "a e d")
  }

  /// Whom it had let in before it came here with them may leave with it: nobody can tell that from a thief who had it come.
  @Test("F62: by it those leave who had come along, and those stay whom it has let in since")
  func cameAlong() throws {
    var home = Household("a", "e", "f", "c")
    try home.merge("e", "f")
    try home.merge("a", "e")
    home.meet("a", "e", "f")
    try home.merge("e", "c")
    home.meet()
    try home.remove("e", by: "a")
    home.meet()
    #expect(home.members(seenBy: "f") == "a f c")
    try home.recover("e", withKeyOf: "e", on: "f")
    home.meet()
    for name in ["a", "c"] { #expect(home.members(seenBy: name) == "a c") }
    #expect(home.members(seenBy: "f") == "f" && home.removed(seenBy: "f") == "e")
    #expect(home.removed(seenBy: "a") == "e")
  }

  /// Somebody who came in later names what the recovery key had disowned, and so does the one that removes the device again.
  @Test("F62: whom a recovery key has disowned stays out when the device is removed once more")
  func disownedBefore() throws {
    var home = Household("r", "m", "k", "x", "n")
    for (host, joiner) in [("r", "m"), ("r", "k"), ("m", "x"), ("r", "n")] {
      try home.merge(host, joiner)
      home.meet()
    }
    let founding = home["x"].founding.hash(.simulated)
    let merge = try #require(
      home["r"].membership.records.first { record in
        if case .merge(let merge) = record.body { merge.joiner == founding } else { false }
      })
    try home.recover("m", withKeyOf: "m", on: "k", disowning: [merge])
    home.meet()
    #expect(home.members(seenBy: "r") == "r k n")
    home.found("o")
    try home.merge("r", "o")
    home.meet()
    _ = try? home.remove("m", by: "r", counted: [])
    home.meet()
    for name in ["r", "k", "o"] { #expect(!home.members(seenBy: name).contains("x")) }
  }
}
