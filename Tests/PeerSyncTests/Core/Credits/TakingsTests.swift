import PeerSyncCore
import Testing

/// Whose rights are taken over by whom, and whose numbers are named.
@Suite struct TakingsTests {
  /// How a device that a number is said of stands to the group.
  enum Standing { case member, forked, removed, outside, unshared, unmet }

  private static let nobody = ReplicaID(high: 0, low: 0)

  private func includes(_ key: RegisterKey, showing proof: [UInt8] = [], _ counting: Counting) -> Bool {
    let dot = Dot(replica: ReplicaID(high: 1, low: 1), sequence: 1)
    return Write(key: key.encoded, stamp: Stamp(rawValue: 1), value: proof, dot: dot)
      .withView { counting.includes(undecided: $0) }
  }

  /// Its disk may be the only one that says whose life it was, and a member may have shown a life to one device alone.
  @Test(
    "F59: a life is lost of which devices in sync know nothing, whoever has met it, and however its taker and its device stand to the group",
    arguments: [false, true], [nil, 0, 1, 2] as [Int?])
  func whoIsLost(isMet: Bool, place: Int?) {
    let (taker, other, third) = (Author(1), Author(2), Author(3))
    let known = [(taker.replica, taker.key.publicKey)] + (isMet ? [(other.replica, other.key.publicKey)] : [])
    var members = [taker, third].map(\.key.publicKey)
    if let place { members.insert(other.key.publicKey, at: place) }
    for removed in [[], [other.key.publicKey]] where removed.isEmpty || place == nil {
      let takings = Takings(
        known, shared: [taker.replica], members: members, removed: Set(removed),
        forked: isMet ? [other.replica] : [])
      let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
      for taken in [
        RegisterKey.creditTaking(credit: "c", from: other.replica, by: taker.replica),
        .creditLost(credit: "c", from: other.replica, by: taker.replica),
      ] {
        #expect(includes(taken, counting))
        let taking = Write(
          key: taken.encoded, stamp: Stamp(rawValue: 1), value: [],
          dot: Dot(replica: taker.replica, sequence: 1)
        )
        .withView { RegisterKey.taking($0) }
        #expect(taking.map(takings.isFromLost) == true)
      }
    }
  }

  /// It is claimed, or has a register of its own: the first of its writes may be held back, so that nothing of it is claimed.
  @Test(
    "F59: whom all know only its own device takes for lost, and of the removed nobody but the custodian takes",
    arguments: [(0, false), (1, false), (nil, false), (nil, true)] as [(Int?, Bool)])
  func whoIsKnown(place: Int?, isRemoved: Bool) {
    let (taker, other, third) = (Author(1), Author(2), Author(3))
    let authors = [taker, other, third]
    var members = [taker, third].map(\.key.publicKey)
    if let place { members.insert(other.key.publicKey, at: place) }
    let takings = Takings(
      authors.map { ($0.replica, $0.key.publicKey) }, shared: Set(authors.map(\.replica)), members: members,
      removed: isRemoved ? [other.key.publicKey] : [])
    let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
    for (author, isTaken) in [(taker, isRemoved), (other, true), (third, false)] {
      let (own, other) = (author.replica, other.replica)
      #expect(includes(.creditTaking(credit: "c", from: other, by: own), counting) == isTaken)
      #expect(includes(.creditLost(credit: "c", from: other, by: own), counting) == (own == other))
    }
  }

  /// A life of which nothing counts is its signer's; what is named of a life that is known counts by its own device's signature alone.
  @Test(
    "F59: numbers are named of whoever is no member, or has equivocated, and by their signatures",
    arguments: [
      (.member, false), (.forked, true), (.removed, true), (.outside, true), (.unshared, true),
      (.unmet, true),
    ]
      as [(Standing, Bool)])
  func whoseNumbersAreNamed(standing: Standing, isNamed: Bool) throws {
    let (one, other, third) = (Author(1), Author(2), Author(3))
    let (mine, theirs) = (one.replica, other.replica)
    let key = other.key.publicKey
    let isMember = standing == .member || standing == .forked
    let isKnown = standing != .unmet && standing != .unshared
    let takings = Takings(
      [(mine, one.key.publicKey)] + (standing == .unmet ? [] : [(theirs, key)]),
      shared: standing == .unshared ? [mine] : [mine, theirs],
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
      for stranger in [third] + (isKnown ? [Author(99)] : []) {
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
      #expect(includes(key, showing: proof, counting) == !isKnown)
    }
    #expect(!includes(.creditRowAgain(credit: "c", life: Self.nobody, by: mine), showing: proof, counting))
    // A spend by its id only a life of the same device names.
    #expect(
      !includes(
        .creditSpendAgain(credit: "c", life: theirs, spend: SpendID(high: 1, low: 2), by: mine), counting))
  }

  /// It was removed or had left, and what of it counted was known to all; disowned with its host, nothing of it counts any more. Its
  /// custodian may have had a group of its own then, which has come under another one since.
  @Test("F59: what was taken over stays taken when the device it came from is disowned")
  func whoIsDisowned() {
    let (senior, custodian, gone) = (Author(1), Author(2), Author(3))
    let known = [senior, custodian, gone].map { ($0.replica, $0.key.publicKey) }
    let members = [senior, custodian].map(\.key.publicKey)
    for isDisowned in [false, true] {
      // Later the custodian has left as well.
      for count in [2, 1] {
        let takings = Takings(
          known, shared: Set(known.map(\.0).prefix(isDisowned ? 2 : 3)),
          members: Array(members.prefix(count)),
          removed: Set(members.dropFirst(count)))
        let counting = Counting(own: [], ceiling: Stamp(rawValue: .max), takings: takings)
        let taken = RegisterKey.creditTaking(credit: "c", from: gone.replica, by: custodian.replica)
        #expect(includes(taken, counting) == isDisowned)
      }
    }
  }

  /// Six bits of a replica's id are lost in its holder.
  @Test("F59: by no id of its holder anybody takes from a member", arguments: [false, true])
  func takenByAnotherId(isCustodian: Bool) {
    let (taker, victim) = (Author(1), Author(2))
    let keys = [taker, victim].map(\.key.publicKey)
    let takings = Takings(
      [(taker.replica, keys[0]), (victim.replica, keys[1])],
      shared: Set([taker, victim].map(\.replica)),
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
      shared: Set(authors.map(\.replica)),
      members: [keys[1], keys[2], keys[4]], removed: [keys[0], keys[3], keys[5]],
      succession: Succession(
        former: [keys[0]],
        hosts: [
          keys[1]: keys[0], keys[2]: keys[1], keys[3]: keys[2], keys[4]: keys[1], keys[5]: keys[2],
        ]))
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
      shared: standing == 1 ? [first.replica, second.replica] : [second.replica],
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
