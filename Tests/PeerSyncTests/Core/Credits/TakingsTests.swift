import PeerSyncCore
import Testing

/// Whose rights are taken over by whom, and whose numbers are named.
@Suite struct TakingsTests {
  /// How a device that a number is said of stands to the group.
  enum Standing { case member, forked, removed, outside, unmet }

  private static let nobody = ReplicaID(high: 0, low: 0)

  private func includes(_ key: RegisterKey, showing proof: [UInt8] = [], _ counting: Counting) -> Bool {
    let dot = Dot(replica: ReplicaID(high: 1, low: 1), sequence: 1)
    return Write(key: key.encoded, stamp: Stamp(rawValue: 1), value: proof, dot: dot)
      .withView { counting.includes(undecided: $0) }
  }

  /// Its disk may be the only one that says whose life it was. All devices count alike, so nothing moves until it is said to be lost.
  @Test(
    "F59: of a life of which nothing counts its own device takes no more than others let it",
    arguments: [0, 1] as [UInt64], [false, true])
  func whoTakesFromAnEmptyLife(claimed: UInt64, isCustodian: Bool) {
    let (mine, earlier, key) = (
      CreditStateTests.replica(0), CreditStateTests.replica(1), Author(1).key.publicKey
    )
    let vector = VersionVector(
      [Dot(replica: mine, sequence: 1), Dot(replica: earlier, sequence: claimed)].filter { $0.sequence > 0 })
    let taking = RegisterKey.creditTaking(credit: "c", from: earlier, by: mine)
    let lost = RegisterKey.creditLost(credit: "c", from: earlier, by: mine)
    for known in [[(mine, key), (earlier, key)], [(mine, key)]] where known.count == 2 || claimed == 0 {
      let members = (isCustodian ? [] : [Author(2).key.publicKey]) + [key]
      let takings = Takings(known, claimed: vector, members: members, removed: [])
      let counting = Counting(own: [mine], ceiling: Stamp(rawValue: .max), takings: takings)
      #expect(includes(taking, counting) == (claimed > 0 || isCustodian) && includes(lost, counting))
    }
  }

  @Test(
    "F59: as lost a device is taken for that belongs to nobody's group, and of which nothing counts; of the members a junior one",
    arguments: [(nil, 0, true), (nil, 1, false), (1, 0, true), (0, 0, false), (1, 1, false)]
      as [(Int?, UInt64, Bool)])
  func whoIsLost(place: Int?, claimed: UInt64, isLost: Bool) {
    let (taker, other) = (Author(1), Author(2))
    let (mine, theirs) = (CreditStateTests.replica(0), CreditStateTests.replica(1))
    var members = [taker.key.publicKey]
    if let place { members.insert(other.key.publicKey, at: place) }
    let dots = [Dot(replica: mine, sequence: 1), Dot(replica: theirs, sequence: claimed)]
    let takings = Takings(
      [(mine, taker.key.publicKey), (theirs, other.key.publicKey)],
      claimed: VersionVector(dots.filter { $0.sequence > 0 }), members: members, removed: [])
    let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
    #expect(includes(CreditEntry.lost(from: theirs, by: mine).key(of: "owls"), counting) == isLost)
  }

  /// A life of which nothing counts is its signer's; what is named of a life that is known counts by its own device's signature alone.
  @Test(
    "F59: numbers are named of whoever is no member, or has equivocated, and by their signatures",
    arguments: [(.member, false), (.forked, true), (.removed, true), (.outside, true), (.unmet, true)]
      as [(Standing, Bool)])
  func whoseNumbersAreNamed(standing: Standing, isNamed: Bool) throws {
    let (one, other, third) = (Author(1), Author(2), Author(3))
    let (mine, theirs) = (one.replica, other.replica)
    let key = other.key.publicKey
    let isMember = standing == .member || standing == .forked
    let takings = Takings(
      [(mine, one.key.publicKey)] + (standing == .unmet ? [] : [(theirs, key)]),
      claimed: VersionVector([Dot(replica: mine, sequence: 1)]),
      members: [one.key.publicKey, third.key.publicKey] + (isMember ? [key] : []),
      removed: standing == .removed ? [key] : [], forked: standing == .forked ? [theirs] : [])
    let counting = Counting(own: [mine], ceiling: Stamp(rawValue: .max), takings: takings)
    let entries: [CreditEntry] = [
      .spent(by: theirs), .moved(from: theirs, to: mine), .taken(from: Self.nobody, by: theirs),
      .lost(from: ReplicaID(high: 8, low: 8), by: theirs),
    ]
    let proofs = other.proofs(of: entries)
    #expect(proofs.count == entries.count)
    for (number, proof) in proofs {
      let named = try #require(RegisterKey(decoding: number.key[...]).named(by: mine))
      #expect(includes(named, showing: proof, counting) == isNamed)
      #expect(!includes(named, counting))
      // A member's signature says nothing of others; nor does that of a device that nobody has met, of one that is known.
      for stranger in [third] + (standing == .unmet ? [] : [Author(99)]) {
        for (_, proof) in stranger.proofs(of: [.spent(by: stranger.replica)]) {
          #expect(!includes(named, showing: proof, counting))
        }
      }
    }
    // What its device had carried over says nothing of a life that nobody has met.
    for (number, proof) in other.proofs(of: [
      .movedAgain(from: Author(2, life: 1).replica, to: mine, by: theirs)
    ]) {
      let named = try #require(RegisterKey(decoding: number.key[...]).named(by: mine))
      #expect(!includes(named, showing: proof, counting))
    }
    // What is the same holder, by another id.
    let alike = ReplicaID(high: theirs.high ^ 0x1000, low: theirs.low)
    #expect(CreditHolder(alike) == CreditHolder(theirs))
    let proof = try #require(proofs.first).proof
    for key in [
      RegisterKey.creditRowAgain(credit: "c", life: alike, by: mine),
      .creditTransferAgain(credit: "c", from: alike, to: mine, by: mine),
      .creditTakingAgain(
        credit: "c", taken: CreditTaking(from: Self.nobody, by: alike, isLost: false), by: mine),
    ] {
      #expect(includes(key, showing: proof, counting) == (standing == .unmet))
    }
    #expect(!includes(.creditRowAgain(credit: "c", life: Self.nobody, by: mine), showing: proof, counting))
    // A spend by its id only a life of the same device names.
    #expect(
      !includes(
        .creditSpendAgain(credit: "c", life: theirs, spend: SpendID(high: 1, low: 2), by: mine), counting))
  }

  /// The first device and the second one were the most senior; the third let the fourth in, which is removed, and the fifth is nobody's host.
  /// It was removed or had left, and what of it counted was known to all; disowned with its host, nothing of it counts any more.
  @Test("F59: what the custodian took over stays taken when the device it came from is disowned")
  func whoIsDisowned() {
    let (custodian, other, gone) = (Author(1), Author(2), Author(3))
    let known = [custodian, other, gone].map { ($0.replica, $0.key.publicKey) }
    let claimed = VersionVector([custodian, other].map { Dot(replica: $0.replica, sequence: 1) })
    let members = [custodian, other].map(\.key.publicKey)
    // Later that one has left as well.
    for (members, removed, former) in [
      (members, [], []), ([members[1]], [members[0]], [members[0]] as Set<PublicKey>),
    ] as [([PublicKey], Set<PublicKey>, Set<PublicKey>)] {
      let takings = Takings(known, claimed: claimed, members: members, removed: removed, former: former)
      let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
      let taken = { RegisterKey.creditTaking(credit: "c", from: gone.replica, by: $0) }
      #expect(includes(taken(custodian.replica), counting))
      #expect(includes(taken(other.replica), counting) == (members.count == 1))
    }
  }

  /// Six bits of a replica's id are lost in its holder.
  @Test("F59: by no id of its holder anybody takes from a member", arguments: [false, true])
  func takenByAnotherId(isCustodian: Bool) {
    let (taker, victim) = (Author(1), Author(2))
    let keys = [taker, victim].map(\.key.publicKey)
    let takings = Takings(
      [(taker.replica, keys[0]), (victim.replica, keys[1])],
      claimed: VersionVector([taker, victim].map { Dot(replica: $0.replica, sequence: 1) }),
      members: isCustodian ? keys : keys.reversed(), removed: [])
    let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
    for (high, low) in [(0, 0), (1 << 12, 0), (1 << 15, 0), (0, 1 << 62), (0xf000, 3 << 62)]
      as [(UInt64, UInt64)]
    {
      let id = ReplicaID(high: victim.replica.high ^ high, low: victim.replica.low ^ low)
      #expect(CreditHolder(id) == CreditHolder(victim.replica))
      #expect(!includes(.creditTaking(credit: "c", from: id, by: taker.replica), counting))
      #expect(!includes(.creditLost(credit: "c", from: id, by: taker.replica), counting))
    }
  }

  @Test("F59: what a removed device held its custodian takes over, and nobody else")
  func whoIsCustodian() {
    let authors = (0...5).map { Author(UInt64($0) + 1) }
    let keys = authors.map(\.key.publicKey)
    let takings = Takings(
      authors.map { ($0.replica, $0.key.publicKey) },
      claimed: VersionVector(authors.map { Dot(replica: $0.replica, sequence: 1) }),
      members: [keys[1], keys[2], keys[4]], removed: [keys[0], keys[3], keys[5]], former: [keys[0]],
      hosts: [keys[1]: keys[0], keys[2]: keys[1], keys[3]: keys[2], keys[4]: keys[1], keys[5]: keys[2]])
    let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
    let takers = authors.filter {
      includes(.creditTaking(credit: "c", from: authors[3].replica, by: $0.replica), counting)
    }
    // A device takes over from its own lives: the removed one itself counts as well.
    #expect(takers.map(\.number) == [1, 2, 3, 4])
    // Of a removed one as well, whoever has met the life in which it did.
    for (place, isTaken) in [(0, true), (5, false)] {
      let life = Author(authors[place].number, life: 7)
      for (number, proof) in life.proofs(of: [.taken(from: authors[3].replica, by: life.replica)]) {
        let named = RegisterKey.creditTakingAgain(
          credit: "owls", taken: CreditTaking(from: authors[3].replica, by: life.replica, isLost: false),
          by: authors[1].replica)
        #expect(number.stamp == Stamp(rawValue: 1) && includes(named, showing: proof, counting) == isTaken)
      }
    }
    // Nobody takes it by saying that it is lost.
    #expect(
      !authors.prefix(3).contains {
        includes(.creditLost(credit: "c", from: authors[3].replica, by: $0.replica), counting)
      })
  }

  /// Some may have met a life that others never will.
  @Test("F66: of an earlier life of its own a device names what is known to all", arguments: [0, 1, 2, 3])
  func whichLivesAreNamed(standing: Int) {
    let (first, second) = (Author(1), Author(1, life: 1))
    let takings = Takings(
      [(first.replica, first.key.publicKey), (second.replica, second.key.publicKey)],
      claimed: VersionVector(
        [Dot(replica: second.replica, sequence: 1)]
          + (standing == 1 ? [Dot(replica: first.replica, sequence: 1)] : [])),
      // Evidence of one that went with its host nobody is shown any more.
      members: [standing == 3 ? Author(2).key.publicKey : first.key.publicKey], removed: [],
      forked: standing >= 2 ? [first.replica] : [])
    let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
    for key in [
      RegisterKey.creditSpendAgain(
        credit: "c", life: first.replica, spend: SpendID(high: 1, low: 2), by: second.replica),
      .creditTransferAgain(credit: "c", from: first.replica, to: Self.nobody, by: second.replica),
    ] {
      #expect(includes(key, counting) == [1, 2].contains(standing))
    }
  }
}
