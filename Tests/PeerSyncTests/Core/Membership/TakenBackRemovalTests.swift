import PeerSyncCore
import Testing

/// [I10] Once a member is removed with all that it had decided, its removals of others count for nothing either.
@Suite struct TakenBackRemovalTests {
  /// A first device, a liar, one that it removes, and whom that one has let in.
  private func home() throws -> Household {
    var home = Household("a", "l", "d", "h")
    for (host, joiner) in [("a", "l"), ("a", "d"), ("d", "h")] {
      try home.merge(host, joiner)
      home.meet()
    }
    return home
  }

  /// The removal says that it had not heard whom that one had let in.
  private func removeUnheard(_ home: inout Household) {
    let author = home["l"].founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: author, isByRecoveryKey: false, target: home["d"].publicKey,
      cuts: [Dot(replica: ReplicaID(high: 0, low: 1), sequence: 9)])
    let record = MembershipRecord.forged(.remove(removal), knowing: [author], by: [home["l"].key])
    for name in ["a", "l", "d", "h"] { _ = home[name].membership.insert([record]) }
  }

  @Test("I10: whom a member had removed is a member again", arguments: [false, true], [false, true])
  func comesBack(isRemovedBefore: Bool, byRecoveryKey: Bool) throws {
    var home = try home()
    removeUnheard(&home)
    #expect(home.members(seenBy: "a") == "a l")
    if isRemovedBefore {
      try home.remove("l", by: "a")
      home.meet()
      #expect(home.removed(seenBy: "a") == "l d")
    }
    if byRecoveryKey {
      try home.recover("l", withKeyOf: "a", taking: [], on: "a")
    } else {
      try home.remove("l", by: "a", counted: [])
    }
    home.meet()
    for name in ["a", "d", "h"] {
      #expect(home.members(seenBy: name) == "a d h" && home.removed(seenBy: name) == "l")
    }
  }

  /// As long as the lie counts the thief is in no list, and who had removed it leaves, or is removed. By that nothing is lost.
  @Test("I10, E50: but not whom another one had removed", arguments: [false, true])
  func removedByAnother(leaves: Bool) throws {
    var home = Household("a", "l", "d", "q", "h")
    for (host, joiner) in [("a", "l"), ("a", "d"), ("a", "q"), ("d", "h")] {
      try home.merge(host, joiner)
      home.meet()
    }
    try home.remove("h", by: "q")
    home.meet()
    removeUnheard(&home)
    home.meet()
    #expect(home.members(seenBy: "a") == "a l q" && home.removed(seenBy: "a") == "d")
    try home.remove("q", by: leaves ? "q" : "a")
    home.meet("a", "q")
    try home.remove("l", by: "a", counted: [])
    home.meet()
    for name in ["a", "d"] {
      #expect(home.members(seenBy: name) == "a d" && home.removed(seenBy: name).contains("h"))
    }
  }

  @Test(
    "I10: so is whom it had let in itself, or its recovery key had removed", arguments: [false, true],
    [false, true])
  func below(byItsRecoveryKey: Bool, isUnheard: Bool) throws {
    var home = Household("a", "l", "c", "h")
    for (host, joiner) in [("a", "l"), ("l", "c"), ("c", "h")] {
      try home.merge(host, joiner)
      home.meet()
    }
    let founding = home["l"].founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: founding, isByRecoveryKey: byItsRecoveryKey, target: home["c"].publicKey, cuts: [])
    let known = isUnheard ? [] : home["l"].membership.records.suffix(1)
    let record = MembershipRecord.forged(
      .remove(removal), knowing: [founding] + known.map { $0.hash(.simulated) },
      by: [byItsRecoveryKey ? home["l"].recovery : home["l"].key])
    for name in ["a", "c", "h"] { _ = home[name].membership.insert([record]) }
    #expect(home.members(seenBy: "a") == (isUnheard ? "a l" : "a l h"))
    try home.remove("l", by: "a", counted: [])
    home.meet()
    for name in ["a", "c", "h"] { #expect(home.members(seenBy: name) == "a c h") }
  }

  /// A thief has the first device, and removes the others by it.
  @Test(
    "F62: a recovery key that takes all back brings back whom its device had removed",
    arguments: [false, true])
  func fromTheFirst(isByOneOfThem: Bool) throws {
    var home = Household("f", "a", "b", "c")
    for name in ["a", "b", "c"] {
      try home.merge("f", name)
      home.meet()
    }
    for name in ["a", "b"] {
      try home.remove(name, by: "f", counted: [])
      home.meet()
    }
    try home.recover("f", withKeyOf: "f", taking: [], on: isByOneOfThem ? "b" : "c")
    home.meet()
    for name in ["a", "b", "c"] {
      #expect(home.members(seenBy: name) == "a b c" && home.removed(seenBy: name) == "f")
    }
  }

  /// It had removed the first device, and let one in; then somebody else let one in.
  @Test("F56: whom it has let in stays, also after it had removed who removes it")
  func letInStays() throws {
    var home = try home()
    try home.remove("a", by: "l")
    home.meet()
    for (host, joiner) in [("l", "x"), ("d", "y")] {
      home.found(joiner)
      try home.merge(host, joiner)
      home.meet()
    }
    try home.remove("l", by: "a", counted: [])
    home.meet()
    for name in ["a", "d", "h", "x", "y"] {
      #expect(home.members(seenBy: name).split(separator: " ").sorted() == ["a", "d", "h", "x", "y"])
    }
  }

  @Test(
    "E49: a junior does not have count for nothing what a senior had removed, nor does one that is removed")
  func seniority() throws {
    var home = try home()
    try home.remove("h", by: "l")
    home.meet()
    try home.remove("l", by: "d", counted: [])
    home.meet()
    #expect(home.members(seenBy: "a") == "a d")
    try home.remove("d", by: "a")
    home.meet()
    #expect(home.removed(seenBy: "a") == "l d h")
  }

  /// The owner of the key takes back, and goes on to use it.
  @Test(
    "F62: a recovery key that takes all back removes those who came in below its device, before and after")
  func recoveryKeyGoesOn() throws {
    var home = Household("f", "x", "b", "a", "y")
    for name in ["x", "b", "a", "y"] {
      try home.merge("f", name)
      home.meet()
    }
    try home.recover("y", withKeyOf: "f", on: "b")
    try home.recover("f", withKeyOf: "f", taking: [], on: "b")
    home.meet()
    #expect(home.members(seenBy: "a") == "x b a")
    try home.recover("x", withKeyOf: "f", on: "a")
    home.meet()
    for name in ["a", "b"] {
      #expect(home.members(seenBy: name) == "b a" && home.removed(seenBy: name) == "f x y")
    }
  }

  /// It takes nothing back, and leaves what is.
  @Test(
    "I10: a plain removal of a device of which all was taken back has nobody out again",
    arguments: ["j", "f"])
  func plainlyRemovedAgain(withKeyOf owner: String) throws {
    var home = Household("f", "j", "k", "a")
    for name in ["j", "k", "a"] {
      try home.merge("f", name)
      home.meet()
    }
    try home.remove("k", by: "j")
    home.meet()
    home.found("m")
    try home.merge("f", "m")
    home.meet()
    try home.recover("j", withKeyOf: owner, taking: [], on: "a")
    home.meet()
    #expect(home.members(seenBy: "k") == "f k a m")
    if (try? home.remove("j", by: "f")) != nil { home.meet() }
    for name in ["f", "k", "a", "m"] { #expect(home.members(seenBy: name) == "f k a m") }
  }

  /// An honest device believes the liar, and takes back what the removed one had decided.
  @Test("I10: what a liar says of a removed device is not made others' own", arguments: [false, true])
  func liesOfARemovedDevice(isKnownBefore: Bool) throws {
    var home = try home()
    if !isKnownBefore {
      home.found("i")
      let before = home["a"].membership
      try home.merge("d", "i")
      home["a"].membership = before
    }
    // What counts for nothing leaves, as in an engine.
    home.look("a")
    removeUnheard(&home)
    #expect(home["a"].membership.count < home["a"].membership.held.count)
    home.meet()
    try home.remove("d", by: "a", counted: [])
    home.meet()
    #expect(home.members(seenBy: "a") == "a l")
    try home.remove("l", by: "a", counted: [])
    home.meet()
    for name in ["a", "h"] { #expect(home.members(seenBy: name) == "a h") }
    #expect(isKnownBefore || home.members(seenBy: "i") == "i")
  }
}
