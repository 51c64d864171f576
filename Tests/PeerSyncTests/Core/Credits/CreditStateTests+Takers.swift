import PeerSyncCore
import Testing

// Who pays for what several say that they took over.
extension CreditStateTests {
  /// A junior member says that it took over without end, and has given it to its second device.
  /// Also one that has left since, whatever a member says that it took.
  @Test("F58: who honestly took over pays last", arguments: [false, true], [3, 1_000] as [UInt64])
  func takersPayInTurn(hasLeft: Bool, lie: UInt64) {
    let (removed, custodian, liar, second) = (
      Self.replica(0), Self.replica(1), Self.replica(2), Self.replica(3)
    )
    let authors = (1...4).map { Author($0).key.publicKey }
    let holders = [removed, custodian, liar, second].map { CreditHolder($0) }
    let lives = DeviceLives(
      Dictionary(uniqueKeysWithValues: zip(holders, authors)),
      members: hasLeft ? [authors[3]: 0, authors[2]: 1] : [authors[1]: 0, authors[2]: 1, authors[3]: 2],
      removed: hasLeft ? [authors[0], authors[1]] : [authors[0]],
      succession: Succession(former: hasLeft ? [authors[1]] : []))
    var state = CreditState(lives: lives)
    state.count(Self.bought(5, of: 5), at: holders[0], sign: 1)
    state.apply(.taken(from: removed, by: custodian), total: 5)
    state.apply(.taken(from: removed, by: liar), total: lie)
    state.apply(.moved(from: liar, to: second), total: lie)
    #expect(state.available(to: holders[1]) == 5 && state.available(to: holders[3]) == 0)
    #expect(state.balance == 5)
    state.apply(.spent(by: second), total: lie)
    #expect(state.available(to: holders[1]) == 5 && state.balance == 5)
    #expect(state.doubts.map(\.holder) == [holders[2]])
  }

  /// Who was senior took over first, and a later custodian no more than what is left: the first one has left, the second one lies.
  @Test(
    "F58: of several custodians the later one pays first", arguments: [false, true], [0, 1, 7] as [UInt64])
  func laterCustodiansPayFirst(isRemoved: Bool, keys: UInt64) {
    // Whatever the order of the keys.
    let authors = (1...4).map { Author(keys == 0 ? $0 : 8 - $0 + keys).key.publicKey }
    let (left, first, liar, honest) = (Self.replica(0), Self.replica(1), Self.replica(2), Self.replica(3))
    let holders = [left, first, liar, honest].map { CreditHolder($0) }
    let lives = DeviceLives(
      Dictionary(uniqueKeysWithValues: zip(holders, authors)),
      members: isRemoved ? [authors[3]: 0] : [authors[2]: 0, authors[3]: 1],
      removed: Set(isRemoved ? authors.prefix(3) : authors.prefix(2)),
      succession: Succession(former: isRemoved ? [authors[1], authors[2]] : [authors[1]]))
    for from in [left, ReplicaID(high: 0, low: 0)] {
      var state = CreditState(lives: lives)
      state.count(Self.bought(100, of: 100), at: CreditHolder(from), sign: 1)
      state.apply(.taken(from: from, by: first), total: 100)
      state.apply(.moved(from: first, to: honest), total: 60)
      state.apply(.moved(from: first, to: liar), total: 40)
      state.apply(.taken(from: from, by: liar), total: 99)
      state.apply(.spent(by: liar), total: 139)
      #expect(state.available(to: holders[3]) == 60 && state.balance == 60)
      #expect(state.doubts.map(\.holder) == [holders[2]])
    }
  }

  /// The first device was stolen and is out; with its key somebody signs on.
  @Test(
    "F58: of whom others name what it took over pays before all who state it", arguments: [true, false],
    [[0, 1], [1, 0], [0, 1, 2]])
  func whoIsNamedPaysFirst(isLost: Bool, order: [Int]) {
    let (gone, thief, custodian, honest) = (
      Self.replica(0), Self.replica(1), Self.replica(2), Self.replica(3)
    )
    let authors = (1...4).map { Author($0).key.publicKey }
    let holders = [gone, thief, custodian, honest].map { CreditHolder($0) }
    let lives = DeviceLives(
      Dictionary(uniqueKeysWithValues: zip(holders, authors)), members: [authors[2]: 0, authors[3]: 1],
      removed: Set(authors.prefix(2)), succession: Succession(former: [authors[1]]))
    var state = CreditState(lives: lives)
    state.count(Self.bought(100, of: 100), at: holders[0], sign: 1)
    state.apply(.taken(from: gone, by: custodian), total: 100)
    state.apply(.moved(from: custodian, to: honest), total: 50)
    state.apply(.spent(by: custodian), total: 25)
    let taking = CreditTaking(from: gone, by: thief, isLost: isLost)
    let stated: CreditEntry = isLost ? .lost(from: gone, by: thief) : .taken(from: gone, by: thief)
    // What it had stated itself is less, until it states as much.
    let numbers: [(CreditEntry, UInt64)] = [(.takenAgain(taking, by: honest), 90), (stated, 7), (stated, 90)]
    for place in order { state.apply(numbers[place].0, total: numbers[place].1) }
    state.apply(.spentInAll(thief, by: honest), total: 90)
    let isNamed = order.count == 2
    #expect(state.named.isEmpty == !isNamed)
    guard isNamed else { return }
    #expect(holders.map { state.available(to: $0) } == [0, 0, 25, 50] && state.balance == 75)
    #expect(state.doubts.map(\.holder) == [holders[1]])
  }

  /// The custodian was set back without noticing it: others name what it had taken over, and it never states that again.
  @Test("F58: a custodian whose taking others name pays no sooner than one that lies") func namedCustodian() {
    let (gone, custodian, liar) = (Self.replica(0), Self.replica(1), Self.replica(2))
    let authors = (1...3).map { Author($0).key.publicKey }
    let holders = [gone, custodian, liar].map { CreditHolder($0) }
    let lives = DeviceLives(
      Dictionary(uniqueKeysWithValues: zip(holders, authors)), members: [authors[1]: 0, authors[2]: 1],
      removed: [authors[0]])
    var state = CreditState(lives: lives)
    state.count(Self.bought(20, of: 20), at: holders[0], sign: 1)
    state.apply(.takenAgain(CreditTaking(from: gone, by: custodian, isLost: false), by: liar), total: 20)
    state.apply(.taken(from: gone, by: liar), total: 20)
    #expect(holders.map { state.available(to: $0) } == [0, 20, 0])
  }

  /// The custodian of a group that has come under another one is no custodian there, and may be junior to a liar.
  @Test("F58: who says that it took over more than was ever bought pays first") func moreThanWasBought() {
    let (first, liar, honest) = (Self.replica(0), Self.replica(1), Self.replica(2))
    let (nobody, authors) = (ReplicaID(high: 0, low: 0), (1...3).map { Author($0).key.publicKey })
    let holders = [first, liar, honest].map { CreditHolder($0) }
    let lives = DeviceLives(
      Dictionary(uniqueKeysWithValues: zip(holders, authors)),
      members: [authors[0]: 0, authors[1]: 1, authors[2]: 2])
    var state = CreditState(lives: lives)
    state.count(Self.bought(100, of: 100), at: .nobody, sign: 1)
    state.apply(.taken(from: nobody, by: honest), total: 100)
    state.apply(.spent(by: honest), total: 60)
    state.apply(.taken(from: nobody, by: liar), total: 1_000_000)
    #expect(holders.map { state.available(to: $0) } == [0, 0, 40] && state.balance == 40)
    #expect(state.doubts.isEmpty)
    state.apply(.spent(by: liar), total: 1_000_000)
    #expect(holders.map { state.available(to: $0) } == [0, 0, 40] && state.balance == 40)
    #expect(state.doubts.map(\.holder) == [holders[1]])
  }

  /// Who says that it took over what never was and that it spent it costs those nothing who rightly took over; refunds explain theirs.
  @Test("F58: nobody pays what another taker cannot", arguments: [true, false], [0, 20] as [Int64])
  func takersPayForThemselves(isMember: Bool, refunded: Int64) {
    let (removed, custodian, liar, friend) = (
      Self.replica(0), Self.replica(1), Self.replica(2), Self.replica(3)
    )
    let authors = (1...4).map { Author($0).key.publicKey }
    let holders = [removed, custodian, liar, friend].map { CreditHolder($0) }
    let lives = DeviceLives(
      Dictionary(uniqueKeysWithValues: zip(holders, authors)),
      members: isMember ? [authors[1]: 0, authors[2]: 1] : [authors[1]: 0], removed: [authors[0]])
    var state = CreditState(lives: lives)
    state.count(Self.bought(100 - refunded, of: 100), at: holders[0], sign: 1)
    state.apply(.taken(from: removed, by: custodian), total: 100)
    state.apply(.taken(from: removed, by: liar), total: 1_000_000)
    state.apply(.spent(by: liar), total: 1_000_000)
    #expect(state.available(to: holders[1]) == 100 - Int64(refunded) && state.balance == 100 - refunded)
    #expect(state.doubts.map(\.holder) == [holders[2]])
    // To whom it gave some pays that.
    state.apply(.moved(from: liar, to: friend), total: 30)
    #expect(state.available(to: holders[3]) == 0 && state.balance == 100 - refunded)
    // The custodian has spent what was refunded: all pay that, and nobody doubts it.
    state.apply(.spent(by: custodian), total: 100)
    #expect(state.balance == 0 - refunded && state.doubts.map(\.holder) == [holders[2]])
  }
}
