import PeerSyncCore
import PeerSyncSimulation
import Testing

/// [F63] Devices that are not known show that they are members, and strangers get nothing by it.
@Suite struct IntroducingTests {
  /// A device of the household that an engine does not know, with the records that make it a member.
  private func newcomer(_ number: UInt64 = 50) throws -> (author: Author, records: [MembershipRecord]) {
    let (host, author) = (Author(1), Author(number))
    let founding = Harness.device(author).founding
    let proposal = try Harness.household.proposeMerge(
      host: host.key.publicKey, joiner: author.key.publicKey, of: Membership([founding], .simulated))
    let merge = MembershipRecord(
      proposal, host: proposal.signature(by: host.key), joiner: proposal.signature(by: author.key))
    return (author, [founding, merge])
  }

  /// What is shown to whom it would make no difference.
  private static let nothing = Message.records(RecordsPart(records: [], isLast: true))

  private func open(_ harness: Harness, _ author: Author) -> SessionID {
    harness.open(0, as: author, over: .introduction(author.key.publicKey))
  }

  private func introduce(_ harness: Harness, _ author: Author, _ records: [MembershipRecord]) -> Effects {
    let part = Message.records(RecordsPart(records: records, isLast: true))
    return harness.handle(0, [.received(open(harness, author), part)])
  }

  @Test func aMemberThatWasNotKnownIsOneThen() throws {
    let harness = Harness(1)
    let (author, records) = try newcomer()
    let effects = introduce(harness, author, records)
    #expect(effects.messages.map(\.1) == [Self.nothing] && effects.closings.map(\.1) == [.leaving])
    #expect(harness.engines[0].group.isMember(author.key.publicKey))
    #expect(harness.disks[0].records.count == 2)
    #expect(harness.admitted[0]?.contains(author.key.publicKey) == true)
  }

  /// Nothing is kept of what a stranger shows, and nothing is said to one that knows nothing of the group.
  @Test func aStrangerStaysOne() throws {
    let (author, records) = try newcomer()
    let stranger = Author(51)
    let own = Harness.device(stranger).founding
    for shown in [[], [own], records, records + [own], Array(records.dropFirst()), Array(records.dropLast())]
    {
      let harness = Harness(1)
      let effects = introduce(harness, stranger, shown)
      #expect(effects.durable.isEmpty && effects.closings.map(\.1) == [.stranger])
      #expect(effects.messages.isEmpty == (shown.count < 2 && shown.last?.parents.isEmpty ?? true))
    }
    let harness = Harness(1)
    let message = harness.handle(0, [.received(open(harness, author), Harness.hello(of: author))])
    #expect(message.messages.isEmpty && message.closings.map(\.1) == [.unexpected])
  }

  /// One that was removed cannot show itself in again.
  @Test func aRemovedDeviceStaysOut() throws {
    let harness = Harness(1)
    let (author, records) = try newcomer()
    _ = introduce(harness, author, records)
    harness.request(.remove(author.device, recoveryKey: nil), of: 0)
    let effects = introduce(harness, author, records)
    #expect(effects.durable.isEmpty && effects.closings.map(\.1) == [.stranger])
    // Nor whom it took in since.
    let late = Author(52)
    let founding = Harness.device(late).founding
    let known = Membership(Harness.household.records + records, .simulated)
    let proposal = try known.proposeMerge(
      host: author.key.publicKey, joiner: late.key.publicKey, of: Membership([founding], .simulated))
    let merge = MembershipRecord(
      proposal, host: proposal.signature(by: author.key), joiner: proposal.signature(by: late.key))
    #expect(introduce(harness, late, records + [founding, merge]).closings.map(\.1) == [.stranger])
  }

  @Test func howOftenAndHowMuchIsBounded() throws {
    let harness = Harness(1)
    let stranger = Author(51)
    let (author, records) = try newcomer()
    // Who knows nothing of the group takes nobody's turn.
    let own = Harness.device(stranger).founding
    for shown in Array(repeating: [], count: 20) + Array(repeating: [own], count: 20) {
      #expect(introduce(harness, stranger, shown).closings.map(\.1) == [.stranger])
    }
    for _ in 0..<Limits.introductions {
      #expect(introduce(harness, stranger, records).closings.map(\.1) == [.stranger])
    }
    #expect(introduce(harness, author, records).closings.map(\.1) == [.busy])
    harness.monotonic += Limits.introductionMilliseconds
    #expect(introduce(harness, author, records).closings.map(\.1) == [.leaving])
    harness.monotonic += Limits.introductionMilliseconds
    let many = (UInt64(100)..<520).map { Harness.device(Author($0)).founding }
    #expect(many.reduce(0) { $0 + $1.encoded.count } > Limits.introductionBytes)
    #expect(introduce(harness, stranger, many).closings.map(\.1) == [.beyondLimit])
    // One that says nothing is cut in time, like any stranger.
    let silent = open(harness, stranger)
    harness.advance(Limits.handshakeMilliseconds + 1)
    #expect(harness.closings.last?.session == silent && harness.closings.last?.reason == .handshakeTimeout)
  }

  /// What is shown fits the bound, and is enough for whoever lacks the last of it.
  @Test func whatIsShownFits() throws {
    let (author, records) = try newcomer()
    let all = Membership(Harness.household.records + records, .simulated)
    let key = author.key.publicKey
    let whole = all.introduction(of: key, preferring: nil, atMost: Limits.introductionBytes)
    #expect(whole.count == all.count)
    let bytes = records.reduce(0) { $0 + $1.encoded.count }
    #expect(all.introduction(of: key, preferring: nil, atMost: bytes) == records)
    let harness = Harness(1)
    #expect(introduce(harness, author, records).closings.map(\.1) == [.leaving])
  }

  /// A device that was removed while it was away shows its records, and is shown in turn what removed it.
  @Test func whoWasRemovedWhileItWasAwayHearsIt() {
    let harness = Harness(2)
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.connectsDials = true
    harness.restart(1)
    harness.start(1, peers: [harness.address(0)])
    let isUnaware = !harness.engines[1].isRemoved
    #expect(isUnaware)
    harness.advance(1_000)
    #expect(
      harness.engines[1].isRemoved
        && harness.engines[1].membership.count == harness.engines[0].membership.count)
    // It has heard: nobody dials it again to show it so.
    let dials = harness.dials.count
    harness.advance(20 * Limits.redialMaximumMilliseconds)
    #expect(harness.dials.count == dials)
  }

  /// [E49] Two have removed each other, and nobody else is there to tell them. Whoever dials, both take the word of the senior one.
  @Test(arguments: [[0], [1], [0, 1]])
  func twoThatRemovedEachOtherComeToOneOutcome(diallers: [Int]) {
    let harness = Harness(2)
    (harness.connectsDials, harness.isCut) = (true, true)
    for index in diallers { know(harness, index, [1 - index]) }
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.request(.remove(harness.identities[0].device, recoveryKey: nil), of: 1)
    harness.advance(1_000)
    #expect(!harness.engines[0].isRemoved && !harness.engines[1].isRemoved)
    harness.isCut = false
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    let areOut = harness.engines.map(\.isRemoved)
    #expect(areOut == [false, true])
    // Both know now, and are quiet.
    let dials = harness.dials.count
    harness.advance(20 * Limits.redialMaximumMilliseconds)
    #expect(harness.dials.count - dials <= 1)
  }

  /// [E49] Each of three has removed the next, in one or the other direction: of the last two removals one counts for nothing by the first
  /// device's. Whoever meets whom first, one is left, and hears so from one that is out itself.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], [1, 2])
  func aRingComesToOneOutcome(order: [Int], step: Int) {
    let harness = Harness(3)
    (harness.connectsDials, harness.isCut) = (true, true)
    for index in 0...2 { know(harness, index, (0...2).filter { $0 != index }) }
    for index in 0...2 {
      let next = harness.identities[(index + step) % 3].device
      harness.request(.remove(next, recoveryKey: nil), of: index)
      harness.request(.setOnline(false), of: index)
    }
    harness.isCut = false
    for index in order {
      harness.request(.setOnline(true), of: index)
      harness.advance(Limits.redialMaximumMilliseconds)
    }
    harness.advance(4 * Limits.redialMaximumMilliseconds)
    let left = harness.engines.indices.filter { !harness.engines[$0].isRemoved }
    #expect(left == [step == 1 ? 2 : 1])
    let dials = harness.dials.count
    harness.advance(20 * Limits.redialMaximumMilliseconds)
    #expect(harness.dials.count == dials)
  }

  /// Whoever removes whom while all are apart, and in whatever order they come back: all know the same group then, and are quiet.
  @Test(arguments: 0..<16 as Range<UInt64>) func removalsWhileApartComeToOneOutcome(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 3...5, using: &random)
    let harness = Harness(count)
    (harness.connectsDials, harness.isCut) = (true, true)
    for index in 0..<count { know(harness, index, (0..<count).filter { $0 != index }) }
    for _ in 0..<Int.random(in: 2...6, using: &random) {
      let pair = (0..<count).shuffled(using: &random).prefix(2)
      harness.request(.remove(harness.identities[pair[1]].device, recoveryKey: nil), of: pair[0])
    }
    for index in 0..<count { harness.request(.setOnline(false), of: index) }
    harness.isCut = false
    for index in (0..<count).shuffled(using: &random) {
      harness.request(.setOnline(true), of: index)
      harness.advance(Limits.redialMaximumMilliseconds)
    }
    harness.advance(6 * Limits.redialMaximumMilliseconds)
    let groups = Set(harness.engines.map { $0.group.members.map(\.id) })
    #expect(groups.count == 1)
    let connected = harness.engines.filter { !$0.isRemoved }.map(\.readySessions)
    #expect(connected.allSatisfy { $0 == connected.count - 1 })
    let dials = harness.dials.count
    harness.advance(20 * Limits.redialMaximumMilliseconds)
    #expect(harness.dials.count == dials)
  }

  /// Somebody else may be at the address of a removed device by now: a member is met there.
  @Test func aMemberAtTheAddressOfARemovedDeviceIsMet() {
    let harness = Harness(3)
    let entry = KnownPeer.Listening(
      device: harness.identities[1].device, address: harness.address(2), stamp: Stamp(rawValue: 1))
    harness.disks[0].addresses = [entry]
    (harness.connectsDials, harness.isCut) = (true, true)
    harness.restart(0)
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.start(0, peers: [harness.address(2)])
    harness.isCut = false
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    #expect(harness.engines[0].readySessions == 1 && harness.engines[2].readySessions == 1)
  }

  /// One that was removed makes up a removal of its own after the other, to be dialled and shown it at once: it waits as anybody does.
  @Test func whoMakesUpRemovalsIsNotDialledForEach() throws {
    let harness = Harness(2)
    know(harness, 1, [0])
    let (liar, address) = (harness.author(0), harness.address(0))
    harness.handle(1, [.unreachable(address, nil)])
    let removal = Request.remove(liar.device, recoveryKey: nil)
    var dials = harness.handle(1, [.requested(RequestID(rawValue: 1), removal)]).dials
    let end = harness.monotonic + 20 * Limits.redialMaximumMilliseconds
    var shown: UInt64 = 0
    while harness.monotonic < end, shown < 100 {
      guard dials.popLast() != nil else {
        harness.monotonic = max(harness.monotonic, harness.engines[1].nextDeadline ?? end)
        dials += harness.handle(1, [.deadline]).dials
        continue
      }
      shown += 1
      let leaving = try Harness.household.removal(
        of: liar.key.publicKey, cuts: [Dot(replica: liar.replica, sequence: 1_000 - shown)], by: liar.key)
      let session = harness.open(1, dialled: address, over: .introduction(liar.key.publicKey))
      let part = Message.records(RecordsPart(records: [leaving], isLast: true))
      dials += harness.handle(1, [.received(session, part), .closed(session)]).dials
    }
    #expect((2..<60).contains(shown))
  }

  /// Two that nobody removed from what they take for their group are out of that of the third: they hear it, one by the other.
  @Test func twoThatStayTogetherHearThatBothAreOut() {
    let harness = Harness(3)
    for index in 1...2 { harness.request(.remove(harness.identities[index].device, recoveryKey: nil), of: 0) }
    harness.connectsDials = true
    for index in 1...2 { harness.restart(index) }
    harness.start(2, peers: [harness.address(1)])
    harness.advance(1_000)
    let areTogether = harness.engines[1...2].allSatisfy { !$0.isRemoved && $0.readySessions == 1 }
    #expect(areTogether)
    harness.start(1, peers: [harness.address(0)])
    harness.advance(1_000)
    #expect(harness.engines[1].isRemoved && harness.engines[2].isRemoved)
  }

  /// A removed device is shown so where it was last known to be, and no more once it has been; also after a restart.
  @Test func whoWasRemovedIsDialledUntilItWasShownSo() {
    let harness = Harness(2)
    (harness.connectsDials, harness.isCut) = (true, true)
    know(harness, 0, [1])
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    // Nobody answers there; then it is off the network, which says nothing.
    harness.advance(3 * Limits.redialMaximumMilliseconds)
    let inVain = harness.dials.count
    let goToIt = harness.dials.allSatisfy { $0.address == harness.address(1) }
    #expect(inVain > 1 && goToIt)
    harness.isCut = false
    harness.request(.setOnline(false), of: 1)
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    let isUnaware = !harness.engines[1].isRemoved
    #expect(isUnaware)
    harness.request(.setOnline(true), of: 1)
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    let hasHeard = harness.engines[1].isRemoved
    #expect(hasHeard)
    let dials = harness.dials.count
    harness.advance(20 * Limits.redialMaximumMilliseconds)
    #expect(harness.dials.count == dials)
    harness.restart(0)
    harness.advance(20 * Limits.redialMaximumMilliseconds)
    #expect((dials...dials + 1).contains(harness.dials.count))
  }

  /// Has an engine know where others listen.
  private func know(_ harness: Harness, _ index: Int, _ others: [Int]) {
    harness.disks[index].addresses = others.map {
      KnownPeer.Listening(
        device: harness.identities[$0].device, address: harness.address($0), stamp: Stamp(rawValue: 1))
    }
    harness.restart(index)
  }

  /// One that was removed is no member, and knows nobody any more: that says nothing of whoever removed it, and reaches it alone.
  @Test func whoRemovesADeviceIsNotTakenForRemoved() {
    let harness = Harness(2)
    harness.connectsDials = true
    harness.start(0)
    harness.start(1, peers: [harness.address(0)])
    harness.advance(1_000)
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.settle()
    harness.connectsDials = false
    for _ in 0..<4 {
      harness.advance(Limits.redialMaximumMilliseconds)
      harness.handle(0, [.unreachable(harness.address(1), .stranger)])
    }
    #expect(harness.engines[0].readySessions == 0 && !harness.engines[0].mayBeRemoved)
  }

  /// It is said of nobody who is alone, or was not reached.
  @Test func nobodyWhoWasNotReachedIsTakenForRemoved() {
    let harness = Harness(2)
    harness.connectsDials = true
    harness.start(1, peers: [harness.address(0)])
    #expect(!harness.engines[1].mayBeRemoved)
    harness.advance(1)
    #expect(harness.engines[1].readySessions == 1 && !harness.engines[1].mayBeRemoved)
    harness.restart(1)
    _ = harness.handle(1, [.unreachable(harness.address(0), nil)])
    #expect(!harness.engines[1].mayBeRemoved)
  }

  /// Who is off the network ends every session as one does that has taken in what it was shown, and so may one that does not say the
  /// truth: a stranger to it comes again at once for that, but once.
  @Test func whoSaysAgainAndAgainToComeAgainIsNotBelieved() {
    let (harness, address) = (Harness(1), Address(host: "nobody", port: 1))
    var dials = harness.handle(0, [.started(listening: [], peers: [address])]).dials
    let end = harness.monotonic + 20 * Limits.redialMaximumMilliseconds
    var introductions: [UInt64] = []
    while harness.monotonic < end {
      if let dial = dials.popLast() {
        guard dial.isIntroduction else {
          dials += harness.handle(0, [.unreachable(address, .stranger)]).dials
          continue
        }
        introductions.append(harness.monotonic)
        let session = harness.open(0, dialled: address, over: .introduction(Author(40).key.publicKey))
        dials += harness.handle(0, [.received(session, .close(.leaving)), .closed(session)]).dials
      } else {
        harness.monotonic = max(harness.monotonic, harness.engines[0].nextDeadline ?? end)
        dials += harness.handle(0, [.deadline]).dials
      }
    }
    #expect((20..<60).contains(introductions.count))
    #expect(introductions[1] - introductions[0] <= Limits.redialMinimumMilliseconds)
  }

  /// Whoever holds an address for a moment, a member or one that was removed: who was there before is met there again.
  @Test("G75: who answers at the address of another keeps nobody away from it", arguments: [false, true])
  func anotherAnswersForAMoment(isRemoved: Bool) {
    let (harness, address) = (Harness(3), Address(host: "moved", port: 1))
    let other = harness.identities[2]
    if isRemoved { harness.request(.remove(other.device, recoveryKey: nil), of: 0) }
    introduce(harness, at: address, to: other.key)
    if !isRemoved { harness.connect(0, 2) }
    // It is not there any more.
    let dials = harness.dials.count
    for _ in 0..<4 {
      harness.advance(Limits.redialMaximumMilliseconds)
      harness.handle(0, [.unreachable(address, nil)])
    }
    #expect(harness.dials.count > dials && harness.dials.last?.address == address)
  }

  /// Whoever answers may refuse, also one that proves no key: then the next one there is shown the same.
  @Test(arguments: [(nil, false), (0, false), (1, true)] as [(Int?, Bool)])
  func whoMayBeRemovedHearsItFromAMember(place: Int?, isTold: Bool) {
    let (harness, address) = (Harness(2), Address(host: "there", port: 1))
    let key = place.map { $0 == 1 ? harness.identities[1].key : Author(99).key.publicKey }
    introduce(harness, at: address, to: key)
    #expect(harness.engines[0].mayBeRemoved == isTold)
    harness.advance(Limits.redialMaximumMilliseconds)
    let dials = harness.dials.count
    harness.handle(0, [.unreachable(address, .stranger)])
    harness.advance(Limits.redialMaximumMilliseconds)
    #expect(harness.dials[dials].isIntroduction == !isTold)
  }

  /// Has the first engine, which knows the second one at an address, introduce itself there in vain.
  ///
  /// - Parameter key: what whoever is there proves; nil: nothing
  private func introduce(_ harness: Harness, at address: Address, to key: PublicKey?) {
    harness.disks[0].addresses = [
      KnownPeer.Listening(
        device: harness.identities[1].device, address: address, stamp: Stamp(rawValue: 1))
    ]
    harness.restart(0)
    harness.advance(1)
    harness.handle(0, [.unreachable(address, .stranger)])
    harness.advance(Limits.redialMinimumMilliseconds)
    guard let key else { return _ = harness.handle(0, [.unreachable(address, .stranger)]) }
    let session = harness.open(0, dialled: address, over: .introduction(key))
    harness.handle(0, [.received(session, .close(.stranger)), .closed(session)])
  }
}
