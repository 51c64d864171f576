import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct EscrowTests {
  private let first = RequestID(rawValue: 1)
  private let second = RequestID(rawValue: 2)
  private let session = SessionID(rawValue: 5)

  /// A device that knows a product of five owls.
  private func machines() throws -> Machines {
    var machines = try Machines()
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    _ = machines.holdings.putProducts([product], at: Machines.moment(), &machines.effects)
    machines.holdings.count(in: machines.roster)
    return machines
  }

  private func spend(
    _ escrow: inout Escrow, _ machines: inout Machines, _ amount: Int64, id: String = "s",
    credit: String = "owls", as request: RequestID? = nil
  ) {
    escrow.spend(
      Spending(credit: credit, amount: amount, id: id), as: request ?? first, machines.roster,
      &machines.holdings, &machines.network, now: Machines.now(), &machines.effects)
  }

  private func settle(_ escrow: inout Escrow, _ machines: inout Machines, after passed: Int64 = 0) {
    escrow.settlePending(
      machines.roster, &machines.holdings, &machines.network, now: Machines.now(passed), &machines.effects)
  }

  private func wanted(_ messages: [Message]) -> [Int64] {
    messages.compactMap { if case .rightsWanted(let wanted) = $0 { wanted.total } else { nil } }
  }

  /// Gives the device rights to some of five owls, as the second author would who has bought them.
  private func give(_ amount: Int64, to machines: inout Machines) throws {
    var giver = try Machines(Author(2), with: [Author(1)])
    let (from, to) = (giver.author.replica, machines.author.replica)
    var bought = Transaction(
      transactionId: "t", productId: "five", bundleId: Machines.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Machines.wall), quantity: 1, verification: .simulated)
    bought.accountToken = CreditHolder(from).accountToken
    _ = giver.holdings.write(SimulatedStore.writes(of: bought), at: Machines.moment(), &giver.effects)
    giver.holdings.write([.moved(from: from, to: to)], total: amount, of: "owls", &giver.effects)
    let commits = giver.holdings.takeSealed()
    _ = machines.holdings.merge(
      .joined(commits.map(\.batch)), at: Machines.moment().present, &machines.effects)
    for commit in commits { _ = machines.holdings.replica.claim(commit) }
    machines.holdings.count(in: machines.roster)
  }

  @Test func whatCannotBeIsRefusedAtOnce() throws {
    var (machines, escrow) = (try machines(), Escrow())
    spend(&escrow, &machines, 1, credit: "lynxes")
    spend(&escrow, &machines, 0)
    #expect(machines.effects.answers.map(\.1) == [.refused(.unknownCredit), .refused(.tooLarge)])
    #expect(escrow.deadline == nil)
  }

  @Test func whoIsAloneWithNothingIsRefused() throws {
    var (machines, escrow) = (try machines(), Escrow())
    spend(&escrow, &machines, 1)
    #expect(machines.effects.answers.isEmpty)
    #expect(escrow.deadline == Machines.now().monotonic + Limits.spendWaitMilliseconds)
    settle(&escrow, &machines)
    guard case .refused(.notEnough(let shortage))? = machines.effects.answers.first?.1 else {
      return #expect(Bool(false), "no shortage")
    }
    #expect(shortage.available == 0 && escrow.deadline == nil)
  }

  @Test func aPeerIsAskedOnceAndWaitedFor() throws {
    var (machines, escrow) = (try machines(), Escrow())
    machines.connect(Author(2), as: session.rawValue)
    spend(&escrow, &machines, 3)
    settle(&escrow, &machines)
    settle(&escrow, &machines)
    #expect(wanted(machines.takeMessages()) == [3] && machines.effects.answers.isEmpty)
    escrow.receive(given: RightsTotal(credit: "owls", total: 0), on: session, machines.network)
    settle(&escrow, &machines)
    #expect(wanted(machines.takeMessages()) == [] && machines.effects.answers.count == 1)
  }

  @Test func whatWasGivenIsSpentOnce() throws {
    var (machines, escrow) = (try machines(), Escrow())
    machines.connect(Author(2), as: session.rawValue)
    spend(&escrow, &machines, 3)
    settle(&escrow, &machines)
    try give(4, to: &machines)
    escrow.receive(given: RightsTotal(credit: "owls", total: 4), on: session, machines.network)
    settle(&escrow, &machines)
    spend(&escrow, &machines, 3, as: second)
    spend(&escrow, &machines, 2, as: second)
    let answers = machines.effects.answers.map(\.1)
    guard case .spent(let spent)? = answers.first else { return #expect(Bool(false), "not spent") }
    let again = Spent(id: spent.id, amount: 3, balance: spent.balance, isRepeated: true)
    #expect(spent.amount == 3 && !spent.isRepeated)
    #expect(answers[1] == .spent(again) && answers[2] == .refused(.spentOtherwise(3)))
    #expect(Escrow.available("owls", machines.roster, &machines.holdings) == 1)
  }

  /// Of a request that is heard twice nothing moves twice; and nobody gives what it has not.
  @Test func rightsAreGivenUpToATotal() throws {
    var (machines, escrow) = (try machines(), Escrow())
    machines.connect(Author(3), as: session.rawValue)
    // Whoever has never written is given nothing.
    var other = try Machines(Author(3), with: [Author(1)])
    _ = other.holdings.setValue("a", to: [1], at: Machines.moment(), &other.effects)
    let theirs = SignedBatch.joined(other.holdings.takeSealed().map(\.batch))
    try give(4, to: &machines)
    var given: [Int64] = []
    for (isKnown, total) in [(false, 3), (true, 3), (true, 3), (true, 9)] as [(Bool, Int64)] {
      if isKnown { _ = machines.holdings.merge(theirs, at: Machines.moment().present, &machines.effects) }
      _ = machines.takeMessages()
      escrow.receive(
        wanted: RightsTotal(credit: "owls", total: total), on: session, machines.roster, &machines.holdings,
        &machines.network, &machines.effects)
      for message in machines.takeMessages() {
        if case .rightsGiven(let answer) = message { given.append(answer.total) }
      }
    }
    #expect(given == [0, 3, 3, 4])
  }

  /// A member that says in its hello that it writes under the life of another device is given nothing for that one.
  @Test func nobodyAsksForAnother() throws {
    var (machines, escrow) = (try machines(), Escrow())
    try give(4, to: &machines)
    let (thief, named) = (Author(3), Author(2))
    var talk = Session(
      id: session, opening: .accepted(from: Address(host: "thief", port: 1)),
      channel: .certificate(thief.key.publicKey), openedAt: 0)
    let peer = Peer(key: thief.key.publicKey, device: thief.device, hello: Peer.of(named).hello)
    talk.advance(
      to: .welcoming(Session.Greeting(peer: peer, toldFingerprint: ContentHash(words: (1, 1, 1, 1)))))
    _ = talk.becomeReady(at: 0, nextBeat: nil)
    machines.network.sessions[session] = talk
    _ = machines.takeMessages()
    escrow.receive(
      wanted: RightsTotal(credit: "owls", total: 3), on: session, machines.roster, &machines.holdings,
      &machines.network, &machines.effects)
    #expect(machines.takeMessages().contains(.rightsGiven(RightsTotal(credit: "owls", total: 0))))
    #expect(Escrow.available("owls", machines.roster, &machines.holdings) == 4)
  }

  /// A member that was given rights, and that another life of its own "gave" as many as there can be: once it is removed what it was
  /// given comes back, and nothing else [D44].
  @Test func whatARemovedDeviceMadeUpKeepsNothingBack() throws {
    var machines = try machines()
    let (own, thief, other) = (machines.author.replica, Author(2), Author(2, life: 1))
    var bought = Transaction(
      transactionId: "t", productId: "five", bundleId: Machines.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: Machines.wall), quantity: 4, verification: .simulated)
    bought.accountToken = CreditHolder(own).accountToken
    _ = machines.holdings.write(SimulatedStore.writes(of: bought), at: Machines.moment(), &machines.effects)
    machines.holdings.write(
      [.moved(from: own, to: thief.replica)], total: 15, of: "owls", &machines.effects)
    let made: [(Author, CreditEntry, Int64)] = [
      (thief, .spent(by: thief.replica), 0),
      (other, .moved(from: other.replica, to: thief.replica), Limits.creditTotal),
    ]
    let commits = made.compactMap { author, entry, total in
      author.commit([
        Write(
          key: entry.key(of: "owls").encoded, stamp: Stamp(rawValue: UInt64(total)), value: entry.value,
          dot: Dot(replica: author.replica, sequence: 1))
      ])
    }
    _ = machines.holdings.merge(
      .joined(commits.map(\.batch)), at: Machines.moment().present, &machines.effects)
    for commit in commits { _ = machines.holdings.replica.claim(commit) }
    for gone in [thief, Author(3)] {
      let cuts = machines.holdings.replica.replicas(of: gone.key.publicKey).map {
        Dot(replica: $0, sequence: 1)
      }
      let removal = try machines.roster.records.removal(
        of: gone.key.publicKey, cuts: cuts, counted: nil, by: machines.author.key, disowning: [],
        preferring: machines.identity.group)
      _ = machines.roster.insert([removal])
    }
    machines.holdings.follow(machines.roster)
    machines.holdings.count(in: machines.roster)
    #expect(Escrow.available("owls", machines.roster, &machines.holdings) == 5)
    // Another life may have spent them.
    #expect([thief, Author(3)].map { machines.waitsToBeAsked(about: $0) } == [true, false])
    #expect(machines.heldByRemoved == [15])
    #expect(machines.reclaim() == .done(changed: 1))
    #expect(machines.heldByRemoved == [])
    #expect(Escrow.available("owls", machines.roster, &machines.holdings) == 20)
    #expect(machines.holdings.ledger { $0.balance("owls") } == 20)
  }

  /// The first of two devices, of which the second holds five owls, and how much of that one is known.
  private func pair() throws -> (Machines, known: UInt64) {
    var machines = try Machines(Author(1), with: [Author(2)])
    let product = Product(id: "five", type: .consumable, credit: "owls", amount: 5)
    _ = machines.holdings.putProducts([product], at: Machines.moment(), &machines.effects)
    machines.holdings.count(in: machines.roster)
    try give(2, to: &machines)
    let known = machines.holdings.replica.vector[Author(2).replica]
    return (machines, known)
  }

  /// It names writes that nobody ever saw: what removed devices hold is locked, and removing it again unlocks it.
  @Test func whoLeavesWithWritesThatNobodyHasIsRemovedAgain() throws {
    let (both, known) = try pair()
    var machines = both
    #expect(known > 0)
    try machines.removeSecond(by: Author(2), upTo: known + 7)
    #expect(machines.takenBeyondAll == [Author(2).key.publicKey] && machines.reclaim() == .done(changed: 0))
    try machines.removeSecond(by: Author(1), upTo: known)
    #expect(machines.takenBeyondAll.isEmpty && machines.reclaim() == .done(changed: 1))
    #expect(Escrow.available("owls", machines.roster, &machines.holdings) == 5)
  }

  @Test("F60: writes of others that a removal names, and nobody has, keep nothing back")
  func writesOfOthersAreNamed() throws {
    let (both, known) = try pair()
    var machines = both
    try machines.removeSecond(
      by: Author(1), upTo: known, naming: [Dot(replica: machines.holdings.replica.id, sequence: 1_000_000)])
    #expect(machines.takenBeyondAll.isEmpty && machines.reclaim() == .done(changed: 1))
  }
}

extension Machines {
  fileprivate mutating func removeSecond(
    by author: Author, upTo last: UInt64, naming others: [Dot] = []
  ) throws {
    let cuts = [Dot(replica: Author(2).replica, sequence: last)] + others
    let removal = try roster.records.removal(
      of: Author(2).key.publicKey, cuts: cuts.sorted { $0.replica < $1.replica }, counted: nil,
      by: author.key, disowning: [], preferring: identity.group)
    _ = roster.insert([removal])
    holdings.follow(roster)
    holdings.count(in: roster)
  }

  fileprivate func waitsToBeAsked(about removed: Author) -> Bool {
    Escrow.waitsToBeAsked(about: removed.key.publicKey, roster, holdings, network)
  }

  fileprivate var heldByRemoved: [Int64] {
    mutating get { Escrow.heldByRemoved("owls", roster, &holdings).map(\.amount) }
  }

  fileprivate var takenBeyondAll: [PublicKey] {
    Escrow.takenBeyondAll(roster, holdings, network).map(\.key)
  }

  fileprivate mutating func reclaim() -> Answer {
    Escrow.reclaim("owls", roster, &holdings, &network, &effects)
  }
}
