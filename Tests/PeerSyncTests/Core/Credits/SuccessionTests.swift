import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Who takes over what a removed device held goes by what those who removed it knew.
@Suite struct SuccessionTests {
  /// What a household knows.
  private struct View {
    let succession: Succession
    let home: Household

    init(_ home: Household, from name: String) throws {
      var records = home[name].membership
      let group = try #require(home[name].group)
      records.look(from: home[name].publicKey, preferring: group.id)
      self.home = home
      succession = Succession(records, group)
    }

    /// Who may have taken over from a device, of some.
    func custodians(of gone: String, among names: String...) -> [String] {
      names.filter {
        let isSenior = home["a"].group?.members.first?.name == $0
        return succession.isCustodian(home[$0].publicKey, isSenior: isSenior, of: home[gone].publicKey)
      }
    }

    /// How senior each is to the others that took over from a device, the most senior first.
    func order(from gone: String, _ names: String...) -> [String] {
      let holders = Dictionary(
        uniqueKeysWithValues: (names + [gone]).enumerated().map {
          ($1, CreditHolder(ReplicaID(high: 0, low: UInt64($0 + 1))))
        })
      let members = home["a"].group?.members ?? []
      let lives = DeviceLives(
        Dictionary(uniqueKeysWithValues: holders.map { ($1, home[$0].publicKey) }),
        members: Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.key, $0) }),
        succession: succession)
      var state = CreditState(lives: lives)
      let ids = names.enumerated().map { ReplicaID(high: 0, low: UInt64($0.offset + 1)) }
      let from = ReplicaID(high: 0, low: UInt64(names.count + 1))
      // Each says that it took over all there was. Who is left with it was senior to the others.
      state.count(CreditStateTests.bought(1, of: 1), at: CreditHolder(from), sign: 1)
      var (order, left) = ([String](), Array(names.indices))
      while !left.isEmpty {
        var state = state
        for place in left { state.apply(.taken(from: from, by: ids[place]), total: 1) }
        guard let first = left.first(where: { state.available(to: CreditHolder(ids[$0])) == 1 }) else {
          break
        }
        order.append(names[first])
        left.removeAll { $0 == first }
      }
      return order
    }
  }

  /// a is the first; b and c came in by it, and d by c.
  private func home() throws -> Household {
    var home = Household("a", "b", "c", "d")
    for (host, joiner) in [("a", "b"), ("a", "c"), ("c", "d")] {
      try home.merge(host, joiner)
      home.meet("a", "b", "c", "d")
    }
    return home
  }

  @Test(
    "F59: who was out when another device was removed has not taken over from it", arguments: [true, false])
  func whoIsOutBefore(isKnown: Bool) throws {
    var home = try home()
    try home.remove("c", by: "a")
    if isKnown { home.meet() }
    // It leaves, or is removed.
    try home.remove("d", by: isKnown ? "d" : "b")
    home.meet()
    let view = try View(home, from: "a")
    #expect(view.custodians(of: "d", among: "a", "b", "c") == (isKnown ? ["a"] : ["a", "c"]))
    #expect(view.custodians(of: "c", among: "a", "b", "d") == ["a"])
  }

  /// What it took over by the first removal stays taken.
  @Test("F59: a device that is removed once more keeps who took over from it") func whoIsRemovedTwice() throws
  {
    var home = try home()
    let life = ReplicaID(high: 1, low: 1)
    try home.remove("d", by: "c", cuts: [Dot(replica: life, sequence: 5)])
    home.meet()
    try home.remove("c", by: "c")
    home.meet()
    try home.remove("d", by: "a", cuts: [Dot(replica: life, sequence: 2)])
    home.meet()
    #expect(home["a"].group?.removed.first { $0.device.name == "d" }?.records.count == 2)
    #expect(try View(home, from: "a").custodians(of: "d", among: "a", "b", "c") == ["a", "c"])
  }

  @Test("F59: a custodian that left keeps what it took over", arguments: [true, false])
  func whoLeftAfter(isBefore: Bool) throws {
    var home = try home()
    for name in isBefore ? ["a", "d"] : ["d", "a"] {
      try home.remove(name, by: name == "d" ? "b" : name)
      home.meet()
    }
    let view = try View(home, from: "b")
    #expect(view.succession.former == [home["a"].publicKey])
    #expect(view.custodians(of: "d", among: "a") == (isBefore ? [] : ["a"]))
  }

  /// Who is senior by now signs as if he had not heard: the removal by which the custodian took over counts no more.
  @Test("F59: nobody makes what a custodian took over void by removals made again", arguments: [true, false])
  func madeVoid(isInLowerGroup: Bool) throws {
    var home = Household("a", "b", "c", "d", "e")
    for (host, joiner) in isInLowerGroup ? [("c", "d"), ("c", "e")] : [("c", "b"), ("c", "d"), ("c", "e")] {
      try home.merge(host, joiner)
      home.meet("b", "c", "d", "e")
    }
    if isInLowerGroup { try home.merge("a", "b") }
    // As the one knows things that is senior to the others once the custodian is out.
    let liar = isInLowerGroup ? "a" : "b"
    let before = home[liar].membership
    try home.remove("d", by: isInLowerGroup ? "e" : "d")
    home.meet("b", "c", "d", "e")
    if isInLowerGroup {
      try home.merge("a", "c")
    } else {
      try home.remove("c", by: "c")
    }
    home.meet()
    let after = home[liar].membership
    var lying = home
    lying[liar].membership = before
    if isInLowerGroup {
      // It has to know of those whom it removes: of the merges, but of no removal.
      _ = lying[liar].membership.insert(
        after.records.filter { if case .remove = $0.body { false } else { true } })
    }
    let lies = try ["c", "d"].compactMap { target -> MembershipRecord? in
      guard lying[liar].group?.isMember(lying[target].publicKey) == true else { return nil }
      return try lying.remove(target, by: liar)
    }
    _ = home[liar].membership.insert(lies)
    home.meet()
    let view = try View(home, from: "e")
    #expect(view.custodians(of: "d", among: "c") == ["c"])
  }

  /// c and those below it come under a, and a under z.
  private func united(_ removing: (_ step: Int, inout Household) throws -> Void) throws -> View {
    var home = Household("a", "b", "c", "d", "e", "z")
    try home.merge("c", "e")
    try home.merge("e", "d")
    home.meet("c", "d", "e")
    try removing(0, &home)
    try home.merge("a", "b")
    try home.merge("a", "c")
    home.meet("a", "b", "c", "d", "e")
    try removing(1, &home)
    try home.merge("z", "a")
    home.meet()
    try removing(2, &home)
    home.meet()
    return try View(home, from: "a")
  }

  @Test("F58: of custodians that of the group in which a device was removed pays last", arguments: 0...2)
  func firstOfGroup(step: Int) throws {
    let view = try united { current, home in
      guard current == step else { return }
      try home.remove("d", by: "e")
      if step < 2 { home.meet("c", "d", "e") }
      if step == 1 { home.meet("a", "b", "c", "d", "e") }
    }
    let order = view.order(from: "d", "z", "a", "c", "e")
    #expect(order.first == ["c", "a", "z"][step])
    #expect(order == [["c", "a", "z", "e"], ["a", "z", "c", "e"], ["z", "a", "c", "e"]][step])
  }

  /// As somebody can who is senior to all by now: he was not there when it was removed.
  @Test("F58: a removal made again puts nobody before who was custodian") func removedAgain() throws {
    let view = try united { step, home in
      guard step != 1 else { return }
      try home.remove(
        "d", by: step == 0 ? "e" : "z",
        cuts: step == 0 ? [Dot(replica: ReplicaID(high: 1, low: 1), sequence: 1)] : [])
      if step == 0 { home.meet("c", "d", "e") }
    }
    #expect(view.order(from: "d", "z", "a", "c", "e").first == "c")
  }

  /// The first device let in l, a and d, and has left.
  private func withoutTheFirst() throws -> Household {
    var home = Household("f", "l", "a", "d")
    for name in ["l", "a", "d"] {
      try home.merge("f", name)
      home.meet()
    }
    try home.remove("f", by: "f")
    home.meet()
    return home
  }

  /// Its own recovery key removes nobody but it and whom it has let in, and a device that nobody has let in removes nobody.
  @Test(
    "F59: who was out before is no custodian, whatever it has signed without effect",
    arguments: [false, true])
  func removalWithoutEffect(isByAStranger: Bool) throws {
    var home = try withoutTheFirst()
    let author = isByAStranger ? Household.Device("x", seed: 90) : home["l"]
    let founding = author.founding.hash(.simulated)
    let removal = MembershipRecord.forged(
      .remove(
        MembershipRecord.Removal(
          author: founding, isByRecoveryKey: !isByAStranger, target: home["d"].publicKey, cuts: [])),
      knowing: [founding] + home["a"].membership.records.suffix(1).map { $0.hash(.simulated) },
      by: [isByAStranger ? author.key : author.recovery])
    home.found("n")
    let joiner = home["n"].founding.hash(.simulated)
    let merge = MembershipRecord.Merge(
      group: home["f"].founding.hash(.simulated), host: home["l"].founding.hash(.simulated), joiner: joiner)
    let joining = MembershipRecord.forged(
      .merge(merge), knowing: [joiner, removal.hash(.simulated)], by: [home["l"].key, home["n"].key])
    let made = [author.founding, removal, home["n"].founding, joining]
    #expect(home["a"].membership.insert(made).refused.isEmpty)
    for name in ["l", "d"] {
      try home.remove(name, by: "a")
      home.meet("a", "d")
    }
    #expect(home.members(seenBy: "a") == "a n")
    #expect(try View(home, from: "a").custodians(of: "d", among: "l", "a") == ["a"])
  }

  /// It had removed that one itself, so that others knew of it, and all of that was taken back.
  @Test("F59: nor is who had removed the device itself, once that is taken back", arguments: [false, true])
  func removalTakenBack(takesBack: Bool) throws {
    var home = try withoutTheFirst()
    try home.remove("d", by: "l")
    home.meet()
    home.found("n")
    try home.merge("a", "n")
    home.meet()
    try home.recover("l", withKeyOf: "l", taking: takesBack ? [] : nil, on: "a")
    home.meet()
    guard takesBack else {
      #expect(try View(home, from: "a").custodians(of: "d", among: "l", "a") == ["l", "a"])
      return
    }
    #expect(home.members(seenBy: "a") == "a d n")
    try home.remove("d", by: "a")
    home.meet()
    #expect(try View(home, from: "a").custodians(of: "d", among: "l", "a") == ["a"])
  }

  /// Which of two lies cannot be told, until a person says so.
  @Test(
    "F58: who was removed with all that it had decided pays before all who took over", arguments: ["z", "c"])
  func removedWithAll(liar: String) throws {
    let view = try united { step, home in
      if step == 0 {
        try home.remove("d", by: "e")
        home.meet("c", "d", "e")
      }
      if step == 2 {
        let life = Dot(replica: ReplicaID(high: 1, low: 1), sequence: 5)
        try home.remove(liar, by: "a", cuts: [life], counted: [])
      }
    }
    #expect(view.order(from: "d", "z", "c") == [liar == "z" ? "c" : "z", liar])
  }

  /// The custodian says ahead what it took over, and is found out.
  @Test(
    "F59: what a custodian says ahead is void once it is out", arguments: [true, false], [true, false])
  func saidAhead(hasLeft: Bool, isOutBefore: Bool) {
    let harness = Harness(3)
    let (liar, victim) = (harness.replica(0).id, harness.replica(2).id)
    harness.buyOwls(by: 2, for: victim)
    for (one, other) in [(0, 1), (0, 2), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.perform(0) { engine, _, effects in
      engine.holdings.write([.taken(from: victim, by: liar)], total: 1_000, of: "owls", &effects)
      engine.holdings.write([.spent(by: liar)], total: 1_000, of: "owls", &effects)
    }
    harness.settle()
    let removals = [
      { harness.request(.remove(harness.identities[0].device, recoveryKey: nil), of: 1) },
      {
        harness.request(
          .remove(harness.identities[2].device, recoveryKey: nil, takingBack: .nothing), of: hasLeft ? 2 : 1)
      },
    ]
    for remove in isOutBefore ? removals : removals.reversed() {
      let request = remove()
      harness.settle()
      #expect(harness.answers[request] == .done(changed: 1))
    }
    // Now the one that stays takes over what there is.
    harness.perform(1) { engine, _, effects in
      engine.holdings.write([.taken(from: victim, by: engine.replica.id)], total: 5, of: "owls", &effects)
    }
    harness.adjust(1) { engine in
      let own = CreditHolder(engine.replica.id)
      #expect(engine.ledger { $0.available("owls", to: own) } == (isOutBefore ? 5 : 0))
      #expect(engine.ledger { $0.doubts(of: "owls") }.map(\.holder) == [CreditHolder(liar)])
    }
  }
}
