import PeerSyncCore
import Testing

/// Devices that have left, and whose key or disk is used again: as they were before they left, or by somebody else.
@Suite struct ReturningLeaverTests {
  private func home(_ names: String...) throws -> Household {
    var home = Household(names + ["x"])
    for name in names.dropFirst() {
      try home.merge(names[0], name)
      for other in names { home.meet(names[0], other) }
    }
    return home
  }

  /// All have heard that it left. Then it signs as if it had not, and its own recovery key says that this was so when it removed the device.
  @Test("I5: who has left decides nothing by its own recovery key", arguments: [false, true])
  func byItsOwnRecoveryKey(hasSenior: Bool) throws {
    var home = try home("a", "l", "k")
    for name in ["a", "k"] { home.look(name) }
    let before = home["l"].membership
    try home.remove("l", by: "l")
    home.meet("a", "l", "k")
    if !hasSenior { try home.remove("a", by: "a") }
    home.meet("a", "l", "k")
    let members = home.members(seenBy: "k")
    home["l"].membership = before
    let (group, own) = (home["a"].founding.hash(.simulated), home["l"].founding.hash(.simulated))
    let merge = try home.merge("l", "x")
    let removal = try home.remove("k", by: "l")
    let recovery = MembershipRecord.Removal(
      author: own, isByRecoveryKey: true, target: home["l"].publicKey, cuts: [])
    let records = [
      merge, removal,
      .forged(
        .remove(recovery), knowing: [group, own, merge.hash(.simulated), removal.hash(.simulated)],
        by: [home["l"].recovery]),
    ]
    for name in ["a", "k"] {
      _ = home[name].membership.insert([home["x"].founding] + records)
      if name == "k" || hasSenior { #expect(home.members(seenBy: name) == members) }
    }
  }

  /// What the key of a device, or its recovery key, says once it has left: that it knew less then, or that all is taken back.
  private enum LaterWord: CaseIterable { case leavesAgain, recoveryKey, recoveryKeyTakesBack }

  /// A device has let another one in, removed it, and left, and all have heard that.
  private func removedAndLeft() throws -> (Household, letIn: MembershipRecord) {
    var home = try home("a", "l", "k")
    for name in ["a", "k"] { home.look(name) }
    let letIn = try home.merge("l", "x")
    try home.remove("x", by: "l")
    try home.remove("l", by: "l")
    home.meet()
    return (home, letIn)
  }

  private func said(
    _ word: LaterWord, of name: String, _ home: Household, knowing known: MembershipRecord
  ) -> MembershipRecord {
    let device = home[name]
    let isByRecoveryKey = word != .leavesAgain
    let removal = MembershipRecord.Removal(
      author: device.founding.hash(.simulated), isByRecoveryKey: isByRecoveryKey, target: device.publicKey,
      cuts: [], counted: word == .recoveryKeyTakesBack ? [] : nil)
    return .forged(
      .remove(removal), knowing: [known.hash(.simulated)],
      by: [isByRecoveryKey ? device.recovery : device.key])
  }

  /// Both remedies that the warning names end it.
  @Test(
    "I5: whom a device had removed before it left, and its keys bring back since, is told",
    arguments: LaterWord.allCases, [false, true])
  private func broughtBack(word: LaterWord, isKept: Bool) throws {
    var (home, merge) = try removedAndLeft()
    #expect(home["a"].membership.broughtBack(seenBy: home["a"].publicKey).isEmpty)
    for name in ["a", "k"] {
      _ = home[name].membership.insert([said(word, of: "l", home, knowing: merge)])
      #expect(home.members(seenBy: name) == "a k x" || home.members(seenBy: name) == "a x k")
      let told = home[name].membership.broughtBack(seenBy: home[name].publicKey)
      #expect(told.map(\.host.name) == ["l"] && told.flatMap(\.devices).map(\.name) == ["x"])
      #expect(told.map(\.isBelow) == [name == "a"])
    }
    _ = try isKept ? home.remove("l", by: "a", counted: []) : home.remove("x", by: "k")
    home.meet()
    for name in ["a", "k"] {
      #expect(home[name].group?.isMember(home["x"].publicKey) == isKept)
      #expect(home[name].membership.broughtBack(seenBy: home[name].publicKey).isEmpty)
    }
  }

  @Test(
    "I5: somebody senior who removes a device that has left keeps out for good whom that one had removed",
    arguments: LaterWord.allCases)
  private func boundOnceItLeft(word: LaterWord) throws {
    var (home, merge) = try removedAndLeft()
    #expect(home.members(seenBy: "a") == "a k" && home.removed(seenBy: "a") == "l x")
    try home.remove("l", by: "a")
    home.meet()
    #expect(throws: MembershipError.removedAlready) { try home.remove("l", by: "a") }
    let record = said(word, of: "l", home, knowing: merge)
    for name in ["a", "k"] {
      _ = home[name].membership.insert([record])
      #expect(home.members(seenBy: name) == "a k" && home.removed(seenBy: name) == "l x")
    }
  }

  /// By that nothing counts that the key signs afterwards: as much is in and out as before.
  @Test("I12: somebody senior removes a device also where its own recovery key has taken all back")
  func boundAfterItsRecoveryKey() throws {
    var home = try home("a", "l")
    home.look("a")
    let recovery = MembershipRecord.Removal(
      author: home["l"].founding.hash(.simulated), isByRecoveryKey: true, target: home["l"].publicKey,
      cuts: [], counted: [])
    let known = home["l"].membership.records.map { $0.hash(.simulated) }
    let record = MembershipRecord.forged(.remove(recovery), knowing: known, by: [home["l"].recovery])
    _ = home["a"].membership.insert([record])
    try home.remove("l", by: "a")
    #expect(throws: MembershipError.removedAlready) { try home.remove("l", by: "a") }
  }

  /// The thief of a device whose owner has used its own recovery key.
  @Test(
    "I10: whom a thief removes stays in, whatever he says of its leaving, once its own recovery key was used",
    arguments: [false, true])
  func leavesOnceRemoved(takesBack: Bool) throws {
    var home = try home("a", "j", "h")
    for name in ["a", "h"] { home.look(name) }
    let before = home["j"].membership.records.map { $0.hash(.simulated) }
    let removal = try home.remove("h", by: "j")
    home.meet()
    let recovery = MembershipRecord.Removal(
      author: home["j"].founding.hash(.simulated), isByRecoveryKey: true, target: home["j"].publicKey,
      cuts: [], counted: takesBack ? [] : nil)
    let leaving = MembershipRecord.Removal(
      author: home["j"].founding.hash(.simulated), isByRecoveryKey: false, target: home["j"].publicKey,
      cuts: [])
    let known = home["j"].membership.records.map { $0.hash(.simulated) }
    #expect(known.contains(removal.hash(.simulated)))
    let recovered = MembershipRecord.forged(
      .remove(recovery), knowing: takesBack ? known : before, by: [home["j"].recovery])
    let leaves = MembershipRecord.forged(.remove(leaving), knowing: known, by: [home["j"].key])
    for name in ["a", "h"] {
      for record in [recovered, leaves] { _ = home[name].membership.insert([record]) }
      #expect(home.members(seenBy: name) == "a h")
    }
  }

  /// Its old disk joins another group, and is removed there: that it had left others says for good that these do not follow it.
  @Test("F62: whom a device had left does not follow it, nor once it is removed")
  func removedWhereItCameLater() throws {
    var home = Household("s", "x", "h", "t")
    let before = home["s"].membership
    let merge = try home.merge("s", "x")
    try home.remove("s", by: "s")
    let left = home["s"].membership.records
    home["s"].membership = before
    let joinings = try [home.merge("h", "s"), home.merge("h", "t")]
    home.look("h")
    // What counts knows of these.
    let removal = MembershipRecord.Removal(
      author: home["s"].founding.hash(.simulated), isByRecoveryKey: false, target: home["t"].publicKey,
      cuts: [])
    let record = MembershipRecord.forged(
      .remove(removal), knowing: (joinings + [merge]).map { $0.hash(.simulated) }, by: [home["s"].key])
    #expect(home["h"].membership.insert(left + [record]).refused.isEmpty)
    #expect(home.members(seenBy: "h") == "h s")
    try home.remove("s", by: "h")
    #expect(home.members(seenBy: "h") == "h" && home.removed(seenBy: "h") == "s t")
  }

  /// A stranger takes it in, and removes it as if it had not left, or it leaves there once more.
  @Test("F62: the first device, once it has left, puts its group under nobody", arguments: [false, true])
  func underAStranger(leavesAgain: Bool) throws {
    var home = try home("a", "b", "c")
    let before = home["a"].membership
    let group = try #require(home["b"].group)
    try home.remove("a", by: "a")
    home.meet("a", "b", "c")
    home["a"].membership = before
    try home.merge("x", "a")
    if leavesAgain {
      try home.remove("a", by: "a")
    } else {
      try home.remove("a", by: "x")
    }
    home.meet()
    for name in ["b", "c"] {
      let seen = home[name].membership.group(of: home[name].publicKey, preferring: group.id)
      #expect(seen?.members.map(\.name) == ["b", "c"])
    }
  }

  /// Who met the stranger first took it for the most senior member. The stranger may have removed the one that it let in.
  @Test(
    "F62: who came in below the first device goes along with those who heard that it had left",
    arguments: [false, true])
  func metTheStrangerFirst(isRemoved: Bool) throws {
    var home = try home("a", "b", "c")
    let before = home["a"].membership
    try home.remove("a", by: "a")
    home.meet("a", "c")
    home["a"].membership = before
    try home.merge("x", "a")
    if isRemoved { try home.remove("a", by: "x") }
    home.meet("x", "b")
    let stranger = try #require(home["b"].group)
    #expect(stranger.members.map(\.name) == (isRemoved ? ["x", "b", "c"] : ["x", "a", "b", "c"]))
    home.meet("b", "c")
    for name in ["b", "c"] {
      let seen = home[name].membership.group(of: home[name].publicKey, preferring: stranger.id)
      #expect(seen?.members.map(\.name) == ["b", "c"] && seen?.removed.map(\.device.name) == ["a"])
    }
    // And it may come to those whom the one that it let in had left.
    try home.merge("b", "x")
    home.meet()
    for name in ["b", "c", "x"] {
      let seen = home[name].membership.group(of: home[name].publicKey, preferring: stranger.id)
      #expect(seen?.members.map(\.name) == ["b", "c", "x"])
    }
  }

  /// It comes alone, with whom it lets in from then on.
  @Test("F62: a first device that has left brings a stranger those whom nobody knew of")
  func bringsWhomItLetInSince() throws {
    var home = try home("a", "b", "y")
    let before = home["a"].membership
    try home.remove("a", by: "a")
    home.meet("a", "b", "y")
    home["a"].membership = before
    for name in ["v", "w"] { home.found(name) }
    try home.merge("a", "v")
    try home.merge("x", "a")
    try home.merge("a", "w")
    home.meet()
    for name in ["x", "v", "w"] { #expect(home.members(seenBy: name) == "x a v w") }
    #expect(home.members(seenBy: "b") == "b y")
  }

  /// It signs once more that it leaves, as it was before it came under another group.
  @Test("F62: who has left puts nobody out by saying that it had left before it came in")
  func leftBefore() throws {
    var home = try home("b", "c")
    let before = home["b"].membership
    try home.merge("x", "b")
    home.meet()
    try home.remove("b", by: "b")
    home.meet()
    let group = try #require(home["c"].group)
    #expect(group.members.map(\.name) == ["x", "c"])
    home["b"].membership = before
    try home.remove("b", by: "b")
    home.meet()
    for name in ["c", "x"] {
      let seen = home[name].membership.group(of: home[name].publicKey, preferring: group.id)
      #expect(seen?.members == group.members)
    }
  }

  /// What it had signed when it left knows of one whom the removal disowns.
  @Test(
    "F62: nor does it so once it was removed with one that it had let in", arguments: [false, true],
    [false, true])
  func leftBeforeAndDisowned(takesBack: Bool, isHeardLater: Bool) throws {
    var home = Household("a", "b", "c", "z")
    let brought = try home.merge("b", "c")
    home.meet("b", "c")
    try home.merge("a", "b")
    home.meet("a", "b", "c")
    let letIn = try home.merge("b", "z")
    home.meet()
    try home.remove("b", by: "b")
    home.meet()
    for name in ["a", "c"] { home.look(name) }
    let removal = MembershipRecord.Removal(
      author: home["b"].founding.hash(.simulated), isByRecoveryKey: false, target: home["b"].publicKey,
      cuts: [])
    let leaving = MembershipRecord.forged(
      .remove(removal), knowing: [brought.hash(.simulated)], by: [home["b"].key])
    if !isHeardLater { _ = home["c"].membership.insert([leaving]) }
    try home.remove("b", by: "a", counted: takesBack ? [] : nil, disowning: [letIn])
    home.meet("a", "c")
    for name in ["a", "c"] {
      _ = home[name].membership.insert([leaving])
      #expect(home.members(seenBy: name) == "a c" && home.removed(seenBy: name) == "b")
    }
    #expect(home["a"].membership.fingerprint == home["c"].membership.fingerprint)
  }

  /// A stolen first device says that it had left before its group came under another one: nobody can tell that from one that a stranger
  /// took in after it had left.
  @Test("F62: a recovery key has those follow the first device who fell behind", arguments: [false, true])
  func fallenBehind(isRemoved: Bool) throws {
    var home = try home("b", "c")
    let before = home["b"].membership
    try home.merge("x", "b")
    home.meet()
    if isRemoved { try home.remove("b", by: "x") }
    home.meet()
    let group = try #require(home["c"].group)
    #expect(group.members.map(\.name) == (isRemoved ? ["x", "c"] : ["x", "b", "c"]))
    home["b"].membership = before
    try home.remove("b", by: "b")
    home.meet()
    #expect(home.members(seenBy: "c") == "c" && home.members(seenBy: "x") == (isRemoved ? "x" : "x b"))
    var other = home
    try other.merge("c", "x")
    other.meet()
    for name in ["c", "x"] { #expect(other.members(seenBy: name) == "c x") }
    try home.recover("b", withKeyOf: "b", on: "x")
    home.meet()
    for name in ["c", "x"] { #expect(home.members(seenBy: name) == "x c") }
  }

  /// The one removes the other as if neither had left, so that what the other one has signed since would count.
  @Test("F62: of two devices that have left neither lets a stranger in for the other")
  func twoThatLeft() throws {
    var home = Household("a", "b", "c", "x")
    try home.merge("a", "b")
    home.meet("a", "b")
    try home.merge("b", "c")
    home.meet("a", "b", "c")
    let (b, c) = (home["b"].membership, home["c"].membership)
    for name in ["b", "c"] { try home.remove(name, by: name) }
    home.meet("a", "b", "c")
    #expect(home.members(seenBy: "a") == "a")
    (home["b"].membership, home["c"].membership) = (b, c)
    try home.merge("c", "x")
    home.meet("b", "c", "x")
    try home.remove("c", by: "b")
    home.meet()
    #expect(home.members(seenBy: "a") == "a" && home.members(seenBy: "x") == "x")
  }

  /// It signs once more that it leaves, as it was before it let the last one in, and then lets a stranger in.
  @Test("F62: who has left is not the last one for saying that there was nobody else")
  func notTheLast() throws {
    var home = Household("a", "b", "x", "y")
    try home.merge("a", "b")
    home.meet("a", "b")
    let before = home["b"].membership
    try home.merge("b", "x")
    home.meet("a", "b", "x")
    try home.remove("a", by: "a")
    home.meet("a", "b", "x")
    try home.remove("b", by: "b")
    home.meet("a", "b", "x")
    #expect(home.members(seenBy: "x") == "x" && home.removed(seenBy: "x") == "a b")
    home["b"].membership = before
    let leaving = try home.remove("b", by: "b")
    home["b"].membership = before
    try home.merge("b", "y")
    _ = home["b"].membership.insert([leaving])
    home.meet()
    #expect(home.members(seenBy: "x") == "x" && home.removed(seenBy: "x") == "a b")
  }

  @Test("F62: the last device stays although it has signed that it leaves, and lets others in")
  func theLastGoesOn() throws {
    var home = try home("a", "b")
    try home.remove("b", by: "b")
    try home.recover("a", withKeyOf: "a", on: "b")
    #expect(home.members(seenBy: "b") == "b")
    try home.merge("b", "x")
    home.meet()
    for name in ["b", "x"] { #expect(home.members(seenBy: name) == "b x") }
    #expect(home.removed(seenBy: "x") == "a")
    try home.remove("b", by: "x")
    home.meet()
    #expect(home.members(seenBy: "x") == "x")
  }

  /// Whom it has let in since is there when it leaves once more. By what it signed the first time it knew of nobody.
  @Test("F62: the last device, having stayed and let others in, leaves")
  func theLastLeavesLater() throws {
    var home = Household("a", "b", "x", "y", "z")
    try home.merge("a", "b")
    try home.remove("b", by: "b")
    try home.recover("a", withKeyOf: "a", on: "b")
    try home.merge("b", "x")
    try home.merge("x", "y")
    home.meet("b", "x", "y")
    #expect(home.members(seenBy: "y") == "b x y")
    try home.remove("b", by: "b")
    home.meet("b", "x", "y")
    for name in ["b", "x", "y"] {
      #expect(home.members(seenBy: name) == "x y" && home.removed(seenBy: name) == "a b")
    }
    // It stays once more where these go.
    for name in ["x", "y"] { try home.recover(name, withKeyOf: "b", on: "y") }
    home.meet("b", "x", "y")
    #expect(home.members(seenBy: "b") == "b")
    try home.merge("b", "z")
    #expect(home.members(seenBy: "z") == "b z")
  }
}
