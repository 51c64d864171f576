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
      author: author, isByRecoveryKey: false, target: home["d"].publicKey, cuts: [])
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

  @Test("I10: so is whom its recovery key had removed")
  func comesBackFromItsRecoveryKey() throws {
    var home = Household("a", "l", "c")
    try home.merge("a", "l")
    try home.merge("l", "c")
    home.meet()
    try home.recover("c", withKeyOf: "l", on: "a")
    try home.remove("l", by: "a", counted: [])
    home.meet()
    for name in ["a", "c"] { #expect(home.members(seenBy: name) == "a c") }
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

  /// That it leaves is no removal of somebody else. Nor does one by a junior say anything.
  @Test func whatItDoesToItselfStays() throws {
    var home = try home()
    try home.remove("l", by: "l")
    home.meet()
    try home.remove("l", by: "a", counted: [])
    home.meet()
    #expect(home.members(seenBy: "a") == "a d h")
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
}
