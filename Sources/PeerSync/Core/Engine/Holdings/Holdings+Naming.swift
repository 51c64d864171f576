// What a device had spent, given and taken over beyond a cut of its writes. A number that came ahead of its turn has replaced the one before
// it, which counts; with the cut both would be gone, and the custodian would take over rights that were used up, or those to whom the device
// gave them would have spent what they never had. So whoever has to drop such a number names it, and shows that the device had signed it.
// What the device does after its removal is void as before: nobody is given it, but nobody takes it over either once it was seen.
extension Holdings {
  /// A number that this device names.
  struct Named {
    /// Of the register that names it, encoded.
    let key: [UInt8]
    let stamp: Stamp
    /// What shows it.
    let proof: [UInt8]
  }

  /// A void number that may have to be named.
  private struct Candidate {
    /// Of the register that holds it.
    var name: UInt32
    var stamp: Stamp
    /// Whether another device than its author has signed it.
    var isNaming: Bool
    /// The register that would name it.
    let register: RegisterID
    /// nil: one that nobody has met.
    let signer: PublicKey?
    /// What has places of its own for it.
    let place: Place
    /// How much it matters, the least the most.
    var rank: Int
    /// Whether it is named however many others there are.
    var isSure = false
  }

  /// What has places of its own, so that nobody crowds it out: of credits of which something was bought.
  private enum Place: Hashable {
    /// What a life has spent that is known here, one place for each.
    case life
    /// What passed between the device and another one of the group, or nobody, whichever of their lives it was.
    case passed(credit: Name, signer: PublicKey?, other: PublicKey?, way: CreditState.Passage.Way)
    case common
  }

  /// What numbers are judged by.
  private struct Measure {
    let roster: Roster
    let sold: SoldCredits
    /// The devices that were met.
    let met: Set<PublicKey>
    let forked: Set<PublicKey>
    let own: PublicKey

    /// A device that was met, or has belonged to the group; nil: another one. Those may be made up, and share what there is for one.
    func known(_ signer: PublicKey) -> PublicKey? {
      met.contains(signer) || roster.authors.contains(signer) ? signer : nil
    }

    /// Whether what a device has signed may have to be named: it cannot state it again itself.
    func isOut(_ signer: PublicKey) -> Bool {
      signer != own && (forked.contains(signer) || !roster.group.isMember(signer))
    }
  }

  /// What has to be named once replicas are cut: numbers of other devices that are void then; and what earlier lives of this device had
  /// named.
  ///
  /// What each life had spent has a place of its own, and of what passed between two devices the ``Limits/namedPassages`` greatest numbers
  /// have, however many lives these have. Beside them ``Limits/namedNumbers`` are named in all of what one device has signed, or all that
  /// nobody has met, those that matter most first.
  mutating func numbersToName(beyond cuts: [ReplicaID: UInt64], in roster: Roster) -> [Named] {
    let cuts = cuts.filter { $0.key != replica.id }.map { Dot(replica: $0.key, sequence: $0.value) }.sorted()
    guard let shown = registersShown(beyond: cuts) else { return [] }
    let measure = Measure(
      roster: roster, sold: ledgerCache.sold(replica.registers, trusting: trustedRoots),
      met: Set(replica.knownReplicas.map(\.1)),
      forked: Set(replica.forkedReplicas.compactMap { replica.incarnation(of: $0)?.key }), own: key)
    let own = ownNames()
    let apart = shown.union(own.map { RegisterID(key: $0.key.encoded, author: replica.id) })
    var candidates = greatest(candidates(beyond: cuts, measure, apart: apart))
    guard !candidates.isEmpty else { return [] }
    let (room, named) = sums(of: own, measure)
    secure(&candidates, beside: named)
    let chosen = chosen(of: candidates, room)
    let numbers = chosen.map { replica.registers.write($0.name) }
    let proofs = replica.proofs(of: Set(zip(chosen, numbers).filter { !$0.0.isNaming }.map(\.1.register)))
    return zip(chosen, numbers).compactMap { candidate, number in
      let proof = candidate.isNaming ? number.value : proofs[number.register]
      return proof.map { Named(key: candidate.register.key, stamp: number.stamp, proof: $0) }
    }
  }

  /// The registers that would name what authors show of others' numbers; nil where there is no number at all.
  private func registersShown(beyond cuts: [Dot]) -> Set<RegisterID>? {
    var shown: Set<RegisterID>?
    for cut in cuts {
      replica.forEachNumber(of: cut.replica, beyond: cut.sequence) { _, number in
        if shown == nil { shown = [] }
        if number.isNaming, let key = named(number) { shown?.insert(register(naming: key)) }
      }
    }
    return shown
  }

  /// The key of the register that would name a number.
  private func named(_ number: borrowing WriteView) -> RegisterKey? {
    (try? RegisterKey(decoding: Array(number.key)[...]))?.named(by: replica.id)
  }

  private func register(naming key: RegisterKey) -> RegisterID {
    RegisterID(key: key.encoded, author: replica.id)
  }

  /// The numbers that may be named: all that have a place of their own, and of the others no more than there can be room for. A member may
  /// have made up hundreds of thousands.
  ///
  /// - Parameter apart: registers that name more than one of them, or something already: all of these are among them
  private func candidates(beyond cuts: [Dot], _ measure: Measure, apart: Set<RegisterID>) -> [Candidate] {
    /// Those that matter as much, of one signer.
    struct Tier: Hashable {
      let signer: PublicKey?
      let rank: Int
    }
    var (candidates, tiers) = ([Candidate](), [Tier: Int]())
    for cut in cuts {
      guard let key = replica.incarnation(of: cut.replica)?.key else { continue }
      let (isOut, author) = (measure.isOut(key), measure.known(key))
      // Lives of which nothing counts may be made up by the thousand.
      let penalty = replica.vector[cut.replica] == 0 ? 1 : 0
      replica.forEachNumber(of: cut.replica, beyond: cut.sequence) { name, number in
        let isNaming = number.isNaming
        let shown = isNaming ? NumberProof.signer(of: number.value) : nil
        guard isNaming ? shown.map(measure.isOut) == true : isOut,
          number.stamp.rawValue > 0, let named = named(number)
        else { return }
        let signer = shown.map(measure.known) ?? author
        let place = place(of: named, signedBy: signer, measure)
        // What the signer has stated itself comes before what others show of it, which they can do again in each of their lives.
        let rank = 6 * (penalty + (isNaming ? 2 : 0)) + rank(of: named, measure)
        let tier = Tier(signer: signer, rank: rank)
        if place == .common {
          let isCrowded = tiers[tier, default: 0] >= Limits.namedNumbers
          let isApart = !apart.isEmpty && apart.contains(register(naming: named))
          if isCrowded, !isApart { return }
          if !isApart { tiers[tier, default: 0] += 1 }
        }
        candidates.append(
          Candidate(
            name: name, stamp: number.stamp, isNaming: isNaming, register: register(naming: named),
            signer: signer, place: place, rank: rank))
      }
    }
    return candidates
  }

  /// Of those that one register would name the greatest number, in the order of the first of each.
  private func greatest(_ candidates: [Candidate]) -> [Candidate] {
    var places: [RegisterID: Int] = [:]
    var greatest: [Candidate] = []
    for candidate in candidates {
      guard let place = places[candidate.register] else {
        places[candidate.register] = greatest.count
        greatest.append(candidate)
        continue
      }
      if greatest[place].stamp < candidate.stamp {
        (greatest[place].name, greatest[place].stamp) = (candidate.name, candidate.stamp)
        greatest[place].isNaming = candidate.isNaming
      }
      greatest[place].rank = min(greatest[place].rank, candidate.rank)
    }
    return greatest
  }

  /// Those for which there is room, in the order in which they are named.
  private func chosen(of candidates: [Candidate], _ room: [PublicKey?: Int]) -> [Candidate] {
    var left = room
    let order = candidates.indices.sorted {
      let (one, other) = (candidates[$0], candidates[$1])
      return (one.isSure ? 0 : 1, one.rank, $0) < (other.isSure ? 0 : 1, other.rank, $1)
    }
    return order.map { candidates[$0] }.filter { candidate in
      guard replica.registers.name(of: candidate.register) == nil else { return true }
      left[candidate.signer, default: Limits.namedNumbers] -= 1
      return candidate.isSure || left[candidate.signer, default: 0] >= 0
    }
  }

  /// Names numbers that are void now.
  mutating func name(_ numbers: [Named], _ effects: inout Effects) {
    var won = WriteBatch()
    for number in numbers {
      guard replica.hasRoom(forWrites: 1, bytes: number.key.count + number.proof.count) else { break }
      let made = replica.write(key: number.key, stamp: number.stamp, value: number.proof)
      if let made { won.append(made) }
    }
    publish(won, &effects)
  }

  /// Says which numbers have a place of their own. The lives of a device are one where it is worked out who pays, so that of what passed
  /// between two devices the sum counts: whoever makes up greater numbers has more named, and not less. Numbers that were named before leave
  /// a place to those that say more than an eighth of what they say together.
  private func secure(_ candidates: inout [Candidate], beside named: [Place: Sum]) {
    var turns: [Place: Int] = [:]
    let byNumber = candidates.indices.filter { candidates[$0].place != .common }
      .sorted { (candidates[$1].stamp, $0) < (candidates[$0].stamp, $1) }
    for index in byNumber where replica.registers.name(of: candidates[index].register) == nil {
      let place = candidates[index].place
      switch place {
      case .common: break
      case .life: candidates[index].isSure = true
      case .passed:
        let turn = turns[place, default: 0]
        turns[place] = turn + 1
        let others = named[place] ?? Sum()
        candidates[index].isSure =
          turn < Limits.namedPassages
          && (others.count < Limits.namedPassages
            || candidates[index].stamp.rawValue > others.amount / UInt64(Limits.namedPassages))
      }
    }
  }

  /// Numbers that are named.
  private struct Sum {
    var count = 0
    var amount: UInt64 = 0
  }

  /// What this device names of others.
  private mutating func ownNames() -> [(key: RegisterKey, amount: UInt64, signer: PublicKey)] {
    var names: [(key: RegisterKey, amount: UInt64, signer: PublicKey)] = []
    replica.registers.forEach(of: replica.id, in: 1...Limits.sequence) { write in
      guard RegisterKey.isNaming(write.key), let signer = NumberProof.signer(of: write.value),
        let key = try? RegisterKey(decoding: Array(write.key)[...])
      else { return }
      // One beyond the limit counts as that.
      names.append((key, min(write.stamp.rawValue, UInt64(Limits.creditTotal)), signer))
    }
    return names
  }

  /// How many more numbers this device names of those of whom it has named some, and what it has named.
  private func sums(
    of names: [(key: RegisterKey, amount: UInt64, signer: PublicKey)], _ measure: Measure
  ) -> (room: [PublicKey?: Int], named: [Place: Sum]) {
    var (room, named) = ([PublicKey?: Int](), [Place: Sum]())
    for (key, amount, signer) in names {
      let signer = measure.known(signer)
      let place = place(of: key, signedBy: signer, measure)
      named[place, default: Sum()].count += 1
      named[place, default: Sum()].amount &+= amount
      room[signer, default: Limits.namedNumbers] -= 1
    }
    return (room, named)
  }

  /// What has places of its own for what a number says.
  ///
  /// - Parameter signer: nil: one that nobody has met
  private func place(of named: RegisterKey, signedBy signer: PublicKey?, _ measure: Measure) -> Place {
    guard let (credit, life, other) = named.passage, measure.sold.bought.contains(Name(credit)) else {
      return .common
    }
    guard let other else {
      return signer != nil && replica.incarnation(of: life)?.key == signer ? .life : .common
    }
    let key = replica.incarnation(of: other)?.key
    let (way, roster) = (named.way, measure.roster)
    switch key {
    case let key? where roster.group.isMember(key) || way != .given && roster.authors.contains(key): break
    case nil where CreditHolder(other) == .nobody && way != .given: break
    default: return .common
    }
    return .passed(credit: Name(credit), signer: signer, other: key, way: way)
  }

  /// How much it matters that a number is named, below 6. Members that go on with what they were given come first; those whose other side
  /// nobody has met may be made up by the thousand.
  private func rank(of named: RegisterKey, _ measure: Measure) -> Int {
    guard let (credit, _, other) = named.passage, measure.sold.known.contains(Name(credit)) else { return 5 }
    guard let other else { return 1 }
    guard CreditHolder(other) != .nobody else { return 2 }
    guard let key = replica.incarnation(of: other)?.key else { return 4 }
    guard case .creditTransferAgain = named, measure.roster.group.isMember(key) else { return 3 }
    return 0
  }
}

extension RegisterKey {
  /// Of what is named of a credit, whose number it is, and to whom something has passed from there, or from whom it was taken.
  fileprivate var passage: (credit: String, holder: ReplicaID, other: ReplicaID?)? {
    switch self {
    case .creditRowAgain(let credit, let life, _): (credit, life, nil)
    case .creditTransferAgain(let credit, let giver, let receiver, _): (credit, giver, receiver)
    case .creditTakingAgain(let credit, let taken, _): (credit, taken.taker, taken.from)
    default: nil
    }
  }

  /// How that has passed.
  fileprivate var way: CreditState.Passage.Way {
    guard case .creditTakingAgain(_, let taken, _) = self else { return .given }
    return taken.isLost ? .lost : .taken
  }
}
