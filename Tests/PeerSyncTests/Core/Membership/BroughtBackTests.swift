import PeerSyncCore
import Testing

/// Devices that were members until the one that had let them in signed that it leaves, as if it had not: by a stolen key, or an old backup.
@Suite struct BroughtBackTests {
  /// A first device, a junior that it let in, and between them one that let others in and then says that it had not.
  private func home(meeting isHeard: Bool = true) throws -> Household {
    var home = Household("a", "e", "c", "d", "b")
    try home.merge("a", "e")
    try home.merge("a", "b")
    home.meet("a", "e", "b")
    // What comes later is named by nobody's joining, so the removal has to name it itself.
    let before = home["e"].membership
    try home.merge("e", "c")
    try home.merge("c", "d")
    home.meet()
    home["e"].membership = before
    try home.remove("e", by: "e")
    if isHeard { home.meet() }
    return home
  }

  @Test(
    "F62: a removal by somebody senior brings back those whom a device had put out",
    arguments: [false, true],
    [false, true])
  func broughtBack(byRecoveryKey: Bool, afterStart: Bool) throws {
    var home = try home()
    if afterStart { home.start("a") }
    #expect(home.members(seenBy: "a") == "a b" && home.members(seenBy: "c") == "c")
    let putOut = home["a"].membership.putOut(seenBy: home["a"].publicKey)
    #expect(putOut.map { ([$0.host] + $0.devices).map(\.name) } == [["e", "c", "d"]])
    #expect(putOut.map(\.isBelow) == [true] && putOut.map { $0.letIn.map(\.name) } == [["c"]])
    for name in ["c", "d"] {
      #expect(home[name].group.flatMap(home[name].membership.leaver) == "e")
    }
    #expect(home["b"].membership.putOut(seenBy: home["b"].publicKey).map(\.isBelow) == [false])
    if byRecoveryKey { try home.recover("e", withKeyOf: "a", on: "a") } else { try home.remove("e", by: "a") }
    home.meet()
    for name in ["a", "b", "c", "d"] {
      #expect(home.members(seenBy: name) == "a b c d" && home.removed(seenBy: name) == "e")
      #expect(home[name].membership.putOut(seenBy: home[name].publicKey).isEmpty)
    }
  }

  /// It counts nowhere, whoever hears it.
  @Test("F62: who is out is told by whom, whatever a stranger has signed", arguments: ["c", "d"])
  func removedByAStranger(name: String) throws {
    var home = try home()
    let (e, stranger) = (home["e"], Household.Device("stranger", seed: 50))
    let author = stranger.founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: author, isByRecoveryKey: false, target: e.publicKey, cuts: [])
    let record = MembershipRecord.forged(
      .remove(removal), knowing: [author, e.founding.hash(.simulated)], by: [stranger.key])
    #expect(home[name].membership.insert([stranger.founding, record]).added.count == 2)
    #expect(home[name].group.flatMap(home[name].membership.leaver) == "e")
  }

  /// A junior has removed it before that one came in: that says nothing of whom it let in.
  @Test("F62: so it does where a junior had removed the device before")
  func removedByAJunior() throws {
    var home = Household("f", "j", "k", "h")
    for name in ["j", "k"] {
      try home.merge("f", name)
      home.meet("f", "j", "k")
    }
    let before = home["j"].membership
    try home.merge("j", "h")
    try home.remove("j", by: "k")
    home.meet("f", "k")
    home.meet()
    #expect(home.members(seenBy: "f") == "f k h")
    home["j"].membership = before
    try home.remove("j", by: "j")
    home.meet()
    #expect(home.members(seenBy: "f") == "f k")
    try home.remove("j", by: "f")
    home.meet()
    for name in ["f", "k", "h"] { #expect(home.members(seenBy: name) == "f k h") }
  }

  /// A thief had let it in before he signed that the device leaves.
  @Test("F62: whom a removal disowns stays out, and nobody is told of them again")
  func disowned() throws {
    var home = try home()
    let merge = try #require(
      home["a"].membership.records.first {
        guard case .merge(let merge) = $0.body else { return false }
        return merge.joiner == home["c"].founding.hash(.simulated)
      })
    try home.remove("e", by: "a", disowning: [merge])
    home.meet()
    #expect(home.members(seenBy: "a") == "a b" && home.members(seenBy: "c") == "c")
    #expect(home["a"].membership.putOut(seenBy: home["a"].publicKey).isEmpty)
  }

  /// Who bought it lets a device of his in, and shows that when all have heard.
  @Test(
    "F62: whom the key of a device that has left lets in is brought back by nobody",
    arguments: [false, true],
    [false, true])
  func letInSince(hasPutOut: Bool, afterStart: Bool) throws {
    var home = try home(meeting: hasPutOut)
    if !hasPutOut { try leaveRightly(&home) }
    try letIn("x", &home)
    #expect(!home.members(seenBy: "a").contains("x"))
    if afterStart { home.start("a") }
    try home.remove("e", by: "a")
    home.meet()
    for name in ["a", "b", "c", "d"] { #expect(home.members(seenBy: name) == "a b c d") }
    #expect(home.members(seenBy: "x") == "x")
  }

  /// A merge that names little stands before a leaving in the order of records, in which everything is told.
  @Test(
    "F62: nor by a device that joins later, and hears of all of it in one go, whatever else the thief has signed",
    arguments: [false, true])
  func toldInOneGo(leavesAgain: Bool) throws {
    var home = try home(meeting: false)
    let leaving = try leaveRightly(&home)
    let merge = try letIn("x", &home)
    if leavesAgain { leaveOnceMore(after: leaving, knowing: merge, &home) }
    home.found("n")
    try home.merge("a", "n")
    #expect(home["n"].membership.putOut(seenBy: home["n"].publicKey).isEmpty)
    try home.recover("e", withKeyOf: "a", on: "n")
    home.meet()
    for name in ["a", "n"] { #expect(!home.members(seenBy: name).contains("x")) }
  }

  /// The stranger is told before the leaving that puts others out, or after it.
  @Test("F62: nor by the first one's recovery key on a device that it has put out", arguments: [false, true])
  func putOutWithAStranger(isToldLast: Bool) throws {
    var home = try home(meeting: false)
    let short = try #require(home["e"].membership.records.last { $0.isRemoval(by: home["e"]) })
    let leaving = try leaveRightly(&home)
    if isToldLast { for name in ["a", "b", "c", "d"] { _ = home[name].membership.insert([short]) } }
    let merge = try letIn("x", &home)
    leaveOnceMore(after: leaving, knowing: merge, &home)
    home.meet("a", "b", "c", "d")
    _ = home["a"].membership.insert([short])
    home.meet("a", "b", "c", "d")
    #expect(home.members(seenBy: "c") == "c")
    try home.recover("e", withKeyOf: "a", on: "c")
    home.meet()
    for name in ["a", "c"] { #expect(home.members(seenBy: name) == "a b c d") }
  }

  /// Its own recovery key had removed it before that.
  @Test("F62: who is put out is told of, also where its own recovery key has removed the device")
  func afterItsOwnKey() throws {
    var home = Household("a", "e", "c")
    try home.merge("a", "e")
    let before = home["e"].membership
    try home.merge("e", "c")
    home.meet("a", "e", "c")
    try home.recover("e", withKeyOf: "e", on: "a")
    home["e"].membership = before
    try home.remove("e", by: "e")
    home.meet()
    #expect(home.members(seenBy: "a") == "a")
    let putOut = home["a"].membership.putOut(seenBy: home["a"].publicKey)
    #expect(putOut.map { $0.devices.map(\.name) } == [["c"]])
    try home.remove("e", by: "a")
    home.meet()
    for name in ["a", "c"] { #expect(home.members(seenBy: name) == "a c") }
  }

  /// Whoever has left has its key as well.
  @Test("F62: its own recovery key brings nobody back, and says so")
  func byItsOwnKey() throws {
    var home = try home()
    for name in ["a", "c"] {
      #expect(throws: MembershipError.hasLeft, "\(name)") { try home.recover("e", withKeyOf: "e", on: name) }

    }
  }

  /// The key has the device leave again: it knows of all that the first leaving knew of, and of a stranger.
  private func leaveOnceMore(
    after leaving: MembershipRecord, knowing merge: MembershipRecord, _ home: inout Household
  ) {
    let parents = Set(leaving.parents + [merge.hash(.simulated)]).sorted()
    let unsigned = MembershipRecord(parents: parents, body: leaving.body, signatures: [])
    let again = MembershipRecord(
      parents: parents, body: leaving.body, signatures: [home["e"].key.sign(unsigned.signedBytes)])
    _ = home["a"].membership.insert([again])
  }

  /// The device leaves, knowing of all.
  @discardableResult
  private func leaveRightly(_ home: inout Household) throws -> MembershipRecord {
    home["e"].membership = home["a"].membership
    let leaving = try home.remove("e", by: "e")
    home.meet("a", "e", "c", "d", "b")
    return leaving
  }

  /// Whoever has the key of the device that has left lets one in, naming nothing but what that one needs.
  @discardableResult
  private func letIn(_ name: String, _ home: inout Household) throws -> MembershipRecord {
    home.found(name)
    let foundings = [home["a"], home["e"], home[name]].map { $0.founding.hash(.simulated) }
    let merge = MembershipRecord.Merge(group: foundings[0], host: foundings[1], joiner: foundings[2])
    let unsigned = MembershipRecord(parents: foundings.sorted(), body: .merge(merge), signatures: [])
    let record = MembershipRecord(
      parents: foundings.sorted(), body: .merge(merge),
      signatures: [home["e"], home[name]].map { $0.key.sign(unsigned.signedBytes) })
    for device in home.devices.keys.sorted() {
      _ = home[device].membership.insert([home[name].founding, record])
    }
    home.meet()
    return record
  }
}

extension MembershipRecord {
  fileprivate func isRemoval(by device: Household.Device) -> Bool {
    guard case .remove(let removal) = body else { return false }
    return removal.author == device.founding.hash(.simulated)
  }
}

extension Household {
  /// Starts a device again, with what its disk has kept.
  fileprivate mutating func start(_ name: String) {
    self[name].membership = Membership(self[name].membership.held, .simulated)
  }
}
