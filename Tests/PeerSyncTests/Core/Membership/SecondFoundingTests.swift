import PeerSyncCore
import Testing

/// A dishonest device signs another founding with its key, and another one lets it in by that, ahead of its own coming in.
@Suite struct SecondFoundingTests {
  /// A first device, a liar that came in before the second one, and whom the second one has let in.
  ///
  /// - Parameter comesLater: whether it comes in by the second founding after it has by the first
  private func home(comesLater: Bool = false) throws -> Household {
    var home = Household("a", "l", "d", "h")
    try home.merge("a", "l")
    try home.merge("a", "d")
    try home.merge("d", "h")
    home.meet()
    try foundAgain(&home, knowing: comesLater ? home["a"].membership.records.suffix(1) : [])
    return home
  }

  private var recovery: SigningKey { .simulated(seed: 77) }

  private func foundAgain(_ home: inout Household, knowing known: [MembershipRecord]) throws {
    tell(secondFounding(letInBy: "l", home, knowing: known), &home)
  }

  /// Another founding of the device's key, and the merge by which somebody lets it in.
  private func secondFounding(
    letInBy host: String, _ home: Household, knowing known: [MembershipRecord]
  ) -> [MembershipRecord] {
    let founding = MembershipRecord.found(
      name: "d", recoveryKey: recovery.publicKey, environment: .sandbox, bundleId: "app", by: home["d"].key)
    let hashes = [home["a"].founding, home[host].founding, founding].map { $0.hash(.simulated) }
    let merge = MembershipRecord.Merge(group: hashes[0], host: hashes[1], joiner: hashes[2])
    return [
      founding,
      .forged(
        .merge(merge), knowing: hashes + known.map { $0.hash(.simulated) },
        by: [home[host].key, home["d"].key]),
    ]
  }

  private func tell(_ records: [MembershipRecord], _ home: inout Household) {
    for name in home.devices.keys.sorted() {
      let insertion = home[name].membership.insert(records)
      #expect(insertion.refused.isEmpty && insertion.added.count == records.count)
    }
  }

  @Test("E48: whom a device has let in stays, whatever else its key has founded")
  func staysIn() throws {
    var home = try home()
    for name in ["a", "l", "d", "h"] { #expect(home.members(seenBy: name) == "a l d h") }
    for (target, author) in [("l", "a"), ("d", "a")] {
      try home.remove(target, by: author)
      home.meet()
      #expect(home.members(seenBy: "h") == home.members(seenBy: "a"))
    }
    #expect(home.members(seenBy: "a") == "a h" && home.removed(seenBy: "a") == "l d")
    // Who let it in says how it goes with that one.
    let removed = home["a"].group?.removed.first { $0.device.name == "d" }
    #expect(home["a"].group?.members.last?.host == removed?.device.founding)
  }

  /// A junior had removed it, who is senior to the place that its second founding has, and then its key says that it leaves.
  @Test("F62: nor by leaving where it has a second place")
  func leavesWithASecondPlace() throws {
    var home = Household("a", "d", "k", "h", "y")
    for name in ["d", "k"] {
      try home.merge("a", name)
      home.meet("a", "d", "k")
    }
    let before = home["d"].membership
    try home.merge("d", "h")
    try home.remove("d", by: "k")
    home.meet("a", "k")
    home.meet("a", "d", "k", "h")
    #expect(home.members(seenBy: "a") == "a k h")
    home["d"].membership = before
    try home.merge("d", "y")
    let again = secondFounding(letInBy: "y", home, knowing: home["d"].membership.records)
    #expect(home["d"].membership.insert(again).refused.isEmpty)
    try home.remove("d", by: "d")
    home.meet("a", "d", "k", "h")
    #expect(!home.members(seenBy: "a").contains("h"))
    try home.remove("d", by: "a")
    home.meet("a", "k", "h")
    for name in ["a", "k", "h"] { #expect(home.members(seenBy: name) == "a k y h") }
  }

  /// Whom it has let in lets it in once more, and it leaves: by no founding does it let in others since.
  @Test("I5: who has left decides nothing by a second founding that it has brought in")
  func leavesAndStays() throws {
    var home = Household("a", "d", "y", "x")
    try home.merge("a", "d")
    home.meet("a", "d")
    home.look("a")
    try home.merge("d", "y")
    let again = secondFounding(letInBy: "y", home, knowing: home["d"].membership.records)
    _ = home["d"].membership.insert(again)
    try home.remove("y", by: "d")
    try home.remove("d", by: "d")
    #expect(home["a"].membership.insert(home["d"].membership.records).refused.isEmpty)
    #expect(home.members(seenBy: "a") == "a")
    let hashes = [home["a"].founding, again[0], home["x"].founding].map { $0.hash(.simulated) }
    let bringing = MembershipRecord.forged(
      .merge(MembershipRecord.Merge(group: hashes[0], host: hashes[1], joiner: hashes[2])),
      knowing: [again[1].hash(.simulated), hashes[2]], by: [home["d"].key, home["x"].key])
    _ = home["a"].membership.insert([home["x"].founding, bringing])
    #expect(home.members(seenBy: "a") == "a")
  }

  /// One of the device's foundings, and the merge by which somebody let it in by that.
  private func comingIn(isSecond: Bool, _ home: Household) throws -> (
    founding: ContentHash, merge: ContentHash
  ) {
    let records = home["a"].membership.records
    for record in records {
      guard case .merge(let merge) = record.body, let joiner = home["a"].membership[merge.joiner],
        case .found(let founding) = joiner.body, founding.key == home["d"].publicKey,
        (founding.recoveryKey == recovery.publicKey) == isSecond
      else { continue }
      return (merge.joiner, record.hash(.simulated))
    }
    throw MembershipError.unknownDevice
  }

  private func leaving(
    _ founding: ContentHash, knowing known: ContentHash, cuts: [Dot] = [], _ home: Household
  ) -> MembershipRecord {
    let removal = MembershipRecord.Removal(
      author: founding, isByRecoveryKey: false, target: home["d"].publicKey, cuts: cuts)
    return .forged(.remove(removal), knowing: [founding, known], by: [home["d"].key])
  }

  /// It leaves by one of them, as if it had let nobody in and did not stand by the other. By that one it lets a stranger in then, and removes
  /// who let it in.
  @Test(
    "I5: who has left by one founding decides nothing by another", arguments: [false, true], [false, true])
  func leavesByEither(comesLater: Bool, bySecond: Bool) throws {
    var home = try home(comesLater: comesLater)
    home.look("a")
    let (one, other) = try (comingIn(isSecond: bySecond, home), comingIn(isSecond: !bySecond, home))
    tell([leaving(one.founding, knowing: one.merge, home)], &home)
    // Who let it in by the second one later knew of whom it had let in.
    let members = comesLater && bySecond ? "a l h" : "a l"
    #expect(home.members(seenBy: "a") == members && home.removed(seenBy: "a") == "d")
    #expect(home["a"].group?.removed.map(\.isFinal) == [true])
    home.found("x")
    let merge = MembershipRecord.Merge(
      group: home["a"].founding.hash(.simulated), host: other.founding,
      joiner: home["x"].founding.hash(.simulated))
    let removal = MembershipRecord.Removal(
      author: other.founding, isByRecoveryKey: false, target: home["l"].publicKey, cuts: [])
    _ = home["a"].membership.insert([
      home["x"].founding,
      .forged(.merge(merge), knowing: [other.merge, merge.joiner], by: [home["d"].key, home["x"].key]),
      .forged(.remove(removal), knowing: [other.merge], by: [home["d"].key]),
    ])
    #expect(home.members(seenBy: "a") == members)
    // Whom it had let in before it left is back by this.
    try home.remove("d", by: "a")
    #expect(home.members(seenBy: "a") == "a l h" && home.removed(seenBy: "a") == "d")
  }

  /// Whoever has the key of a device makes up a founding, and leaves by it.
  private func leavesAsNobody(times: Int, isRemoved: Bool = false) throws -> Household {
    var home = Household("a", "d", "h")
    let cameIn = try home.merge("a", "d").hash(.simulated)
    try home.merge("d", "h")
    home.meet()
    home.look("a")
    let founding = MembershipRecord.found(
      name: "d", recoveryKey: recovery.publicKey, environment: .sandbox, bundleId: "app", by: home["d"].key)
    let leavings = (1...times).map { time in
      let cut = Dot(replica: ReplicaID(high: 0, low: 7), sequence: UInt64(time))
      return leaving(founding.hash(.simulated), knowing: cameIn, cuts: [cut], home)
    }
    if isRemoved { try home.remove("d", by: "a") }
    _ = home["a"].membership.insert([founding] + leavings)
    return home
  }

  @Test(
    "F62: a device that leaves by a founding by which it is not in has left, and whom that puts out is told")
  func leavesAsNobody() throws {
    var home = try leavesAsNobody(times: 1)
    #expect(home.members(seenBy: "a") == "a" && home.removed(seenBy: "a") == "d")
    let putOut = home["a"].membership.putOut(seenBy: home["a"].publicKey)
    #expect(putOut.map(\.host.name) == ["d"] && putOut.first?.devices.map(\.name) == ["h"])
    home.meet("a", "h")
    let out = try #require(home["h"].group)
    #expect(out.members.map(\.name) == ["h"] && home["h"].membership.leaver(puttingOut: out) == "d")
    try home.remove("d", by: "a")
    home.meet()
    for name in ["a", "h"] { #expect(home.members(seenBy: name) == "a h") }
  }

  @Test("F61: and is charged for that")
  func leavesAsNobodyManyTimes() throws {
    let home = try leavesAsNobody(times: Limits.membershipBranchRecords + 1)
    let crowders = home["a"].membership.crowders
    #expect(crowders.map(\.founding) == [home["d"].founding.hash(.simulated)])
  }

  /// Nor does it use up the room of whoever had let it in.
  @Test("F61: and not once it was removed")
  func leavesAsNobodyOnceRemoved() throws {
    let home = try leavesAsNobody(times: Limits.membershipBranchRecords + 1, isRemoved: true)
    #expect(home["a"].membership.crowders.isEmpty && home["a"].membership.count < 20)
  }

  /// The thief of the first device has as much room as there is.
  @Test("F61: nor the first device, once its recovery key was used")
  func firstLeavesAsNobody() throws {
    var home = try Household.looking("a", "b", "c")
    let founding = MembershipRecord.found(
      name: "a", recoveryKey: recovery.publicKey, environment: .sandbox, bundleId: "app", by: home["a"].key)
    let known = home["b"].membership.records.map { $0.hash(.simulated) }
    let leavings = (1...Limits.membershipRecords).map { time in
      let removal = MembershipRecord.Removal(
        author: founding.hash(.simulated), isByRecoveryKey: false, target: home["a"].publicKey,
        cuts: [Dot(replica: ReplicaID(high: 0, low: 7), sequence: UInt64(time))])
      return MembershipRecord.forged(
        .remove(removal), knowing: known + [founding.hash(.simulated)], by: [home["a"].key])
    }
    for name in ["b", "c"] { _ = home[name].membership.insert([founding] + leavings) }
    #expect(home["b"].membership.isFull)
    try home.recover("a", withKeyOf: "a", taking: [], on: "b")
    home.meet("b", "c")
    home.found("n")
    try home.merge("c", "n")
    for name in ["b", "c"] { #expect(home[name].membership.count < 20) }
  }

  @Test("F62: the recovery key of either founding removes the device", arguments: [false, true])
  func recovers(byTheOther: Bool) throws {
    var home = try home()
    let key = byTheOther ? recovery : home["d"].recovery
    let record = try home["a"].membership.removal(
      of: home["d"].publicKey, cuts: [], byRecoveryKey: key, inGroupOf: home["a"].publicKey)
    tell([record], &home)
    for name in ["a", "l", "h"] { #expect(home.members(seenBy: name) == "a l h") }
  }

  /// By the other founding the device is not bound, and may overrule its removal: somebody senior removes it once more.
  @Test func isBoundByASeniorInAllItsPlaces() throws {
    var home = try home(comesLater: true)
    let other = try #require(
      home["a"].membership.records.first { record in
        guard case .found(let founding) = record.body else { return false }
        return founding.recoveryKey == recovery.publicKey
      }
    ).hash(.simulated)
    try home.remove("l", by: "a")
    home.meet()
    try home.recover("d", withKeyOf: "d", on: "h")
    home.meet()
    #expect(home["a"].group?.removed.map(\.isFinal) == [true, false])
    let removal = try home.remove("d", by: "a")
    home.meet()
    #expect(home["a"].group?.removed.map(\.isFinal) == [true, true])
    home.found("y")
    let hashes = [home["a"].founding.hash(.simulated), other, home["y"].founding.hash(.simulated)]
    let merge = MembershipRecord.Merge(group: hashes[0], host: hashes[1], joiner: hashes[2])
    let letIn = MembershipRecord.forged(.merge(merge), knowing: hashes, by: [home["d"].key, home["y"].key])
    for name in ["a", "h"] {
      #expect(home[name].membership.insert([home["y"].founding, letIn]).added.count == 2)
      #expect(home.members(seenBy: name) == "a h" && home[name].membership.contains(removal.hash(.simulated)))
    }
  }

  /// Hundreds of them are let in by devices that the thief has made up. The removal names 256 records.
  @Test("E48: nor does it by foundings that a removal would have to name")
  func foundsByTheHundred() throws {
    var home = Household("e", "a", "h")
    let first = try home.merge("e", "a")
    home.meet("e", "a")
    let (group, key) = (home["e"].founding.hash(.simulated), home["e"].key)
    func merge(
      _ host: ContentHash, _ joiner: ContentHash, knowing record: MembershipRecord, _ keys: [SigningKey]
    )
      -> MembershipRecord
    {
      .forged(
        .merge(MembershipRecord.Merge(group: group, host: host, joiner: joiner)),
        knowing: [record.hash(.simulated), joiner], by: keys)
    }
    for number in 0..<UInt64(3) {
      let guest = Household.Device("x", seed: 1_000 * (number + 1))
      let host = guest.founding.hash(.simulated)
      let letIn = merge(group, host, knowing: first, [key, guest.key])
      var made = [guest.founding, letIn]
      for other in 0..<UInt64(95) {
        let founding = MembershipRecord.found(
          name: "e", recoveryKey: SigningKey.simulated(seed: 10_000 + 100 * number + other).publicKey,
          environment: .sandbox, bundleId: "app", by: key)
        made += [founding, merge(host, founding.hash(.simulated), knowing: letIn, [guest.key, key])]
      }
      #expect(home["a"].membership.insert(made).refused.isEmpty)
    }
    try home.merge("e", "h")
    home.meet("e", "h", "a")
    try home.recover("e", withKeyOf: "e", on: "a")
    home.meet("a", "h")
    for name in ["a", "h"] {
      #expect(
        home.members(seenBy: name).hasPrefix("a") && home[name].group?.isMember(home["h"].publicKey) == true)
    }
  }

  /// The one that it was founded by first may be named to go with it.
  @Test func isDisowned() throws {
    var home = try home()
    let founding = try #require(home["a"].group?.members.first { $0.name == "d" }?.founding)
    let merges = home["a"].membership.merges(of: [home["h"].founding.hash(.simulated)], by: founding)
    #expect(merges.count == 1)
    let disowned = home["a"].membership.records.filter { merges.contains($0.hash(.simulated)) }
    try home.remove("d", by: "a", disowning: disowned)
    home.meet()
    #expect(home.members(seenBy: "a") == "a l" && home.members(seenBy: "h") == "h")
  }
}
