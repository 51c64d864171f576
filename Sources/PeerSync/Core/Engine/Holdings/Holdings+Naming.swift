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
    var number: Write
    /// The register that would name it.
    let register: RegisterID
    let signer: PublicKey
    /// What has places of its own for it.
    let place: Place
    /// How much it matters, the least the most.
    var rank: Int
    /// Whether it is named however many others there are.
    var isSure = false

    var isNaming: Bool { number.withView { $0.isNaming } }
  }

  /// What has places of its own, so that nobody crowds it out: of credits of which something was bought.
  private enum Place: Hashable {
    /// What a life has spent that is known here, one place for each.
    case life
    /// What passed between the device and another one of the group, or nobody, whichever of their lives it was.
    case passed(credit: Name, signer: PublicKey?, other: PublicKey?, way: CreditState.Passage.Way)
    case common
  }

  /// What has to be named once replicas are cut: numbers of other devices that are void then; and what earlier lives of this device had
  /// named.
  ///
  /// What each life had spent has a place of its own, and of what passed between two devices the ``Limits/namedPassages`` greatest numbers
  /// have, however many lives these have. Beside them ``Limits/namedNumbers`` are named in all of what one device has signed, or all that
  /// nobody has met, those that matter most first.
  mutating func numbersToName(beyond cuts: [ReplicaID: UInt64], in roster: Roster) -> [Named] {
    // A device that was met, or has belonged to the group; nil: another one. Those may be made up, and share what there is for one.
    let known = Set(replica.knownReplicas.map(\.1))
    let met = { (signer: PublicKey) in
      known.contains(signer) || roster.authors.contains(signer) ? signer : nil
    }
    var bought: [String: Bool] = [:]
    var candidates = greatest(candidates(beyond: cuts, in: roster, met, &bought))
    guard !candidates.isEmpty else { return [] }
    let (room, named) = named(in: roster, met, &bought)
    secure(&candidates, beside: named)
    var left = room
    let order = candidates.enumerated().sorted {
      let (one, other) = ($0.element, $1.element)
      return (one.isSure ? 0 : 1, one.rank, $0.offset) < (other.isSure ? 0 : 1, other.rank, $1.offset)
    }
    let chosen = order.map(\.element).filter { candidate in
      guard replica.registers[candidate.register] == nil else { return true }
      let signer = met(candidate.signer)
      left[signer, default: Limits.namedNumbers] -= 1
      return candidate.isSure || left[signer, default: 0] >= 0
    }
    let proofs = replica.proofs(of: Set(chosen.filter { !$0.isNaming }.map(\.number.register)))
    return chosen.compactMap { candidate in
      let number = candidate.number
      let proof = candidate.isNaming ? number.value : proofs[number.register]
      return proof.map { Named(key: candidate.register.key, stamp: number.stamp, proof: $0) }
    }
  }

  private mutating func candidates(
    beyond cuts: [ReplicaID: UInt64], in roster: Roster, _ met: (PublicKey) -> PublicKey?,
    _ bought: inout [String: Bool]
  ) -> [Candidate] {
    let forked = Set(replica.forkedReplicas.compactMap { replica.incarnation(of: $0)?.key })
    var candidates: [Candidate] = []
    for (life, cut) in cuts.sorted(by: { $0.key < $1.key }) where life != replica.id {
      guard let key = replica.incarnation(of: life)?.key else { continue }
      for number in replica.numbers(of: life, beyond: cut) {
        let isNaming = number.withView { $0.isNaming }
        let signer: PublicKey? = isNaming ? number.value.withUnsafeBytes { NumberProof.signer(of: $0) } : key
        guard let signer, signer != self.key, !roster.group.isMember(signer) || forked.contains(signer),
          (1...UInt64(Limits.creditTotal)).contains(number.stamp.rawValue),
          let named = (try? RegisterKey(decoding: number.key[...]))?.named(by: replica.id)
        else { continue }
        // What the signer has stated itself comes before what others show of it, which they can do again in each of their lives. Lives of
        // which nothing counts may be made up by the thousand as well.
        let penalty = (isNaming ? 2 : 0) + (replica.vector[life] == 0 ? 1 : 0)
        candidates.append(
          Candidate(
            number: number, register: RegisterID(key: named.encoded, author: replica.id), signer: signer,
            place: place(of: named, signedBy: met(signer), in: roster, &bought),
            rank: 6 * penalty + rank(of: named, in: roster)))
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
      if greatest[place].number.stamp < candidate.number.stamp { greatest[place].number = candidate.number }
      greatest[place].rank = min(greatest[place].rank, candidate.rank)
    }
    return greatest
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
    let byNumber = candidates.indices.sorted {
      (candidates[$1].number.stamp, $0) < (candidates[$0].number.stamp, $1)
    }
    for index in byNumber where replica.registers[candidates[index].register] == nil {
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
            || candidates[index].number.stamp.rawValue > others.amount / UInt64(Limits.namedPassages))
      }
    }
  }

  /// Numbers that are named.
  private struct Sum {
    var count = 0
    var amount: UInt64 = 0
  }

  /// How many more numbers this device names of those of whom it has named some, and what it has named.
  private mutating func named(
    in roster: Roster, _ met: (PublicKey) -> PublicKey?, _ bought: inout [String: Bool]
  ) -> (room: [PublicKey?: Int], named: [Place: Sum]) {
    var names: [(key: RegisterKey, amount: UInt64, signer: PublicKey)] = []
    replica.registers.forEach(of: replica.id, in: 1...Limits.sequence) { write in
      guard RegisterKey.isNaming(write.key), let signer = NumberProof.signer(of: write.value),
        let key = try? RegisterKey(decoding: Array(write.key)[...])
      else { return }
      names.append((key, write.stamp.rawValue, signer))
    }
    var (room, named) = ([PublicKey?: Int](), [Place: Sum]())
    for (key, amount, signer) in names {
      let place = place(of: key, signedBy: met(signer), in: roster, &bought)
      named[place, default: Sum()].count += 1
      named[place, default: Sum()].amount &+= amount
      room[met(signer), default: Limits.namedNumbers] -= 1
    }
    return (room, named)
  }

  /// What has places of its own for what a number says.
  ///
  /// - Parameter signer: nil: one that nobody has met
  private mutating func place(
    of named: RegisterKey, signedBy signer: PublicKey?, in roster: Roster, _ bought: inout [String: Bool]
  ) -> Place {
    guard let (credit, life, other) = named.passage, isBought(credit, &bought) else { return .common }
    guard let other else {
      return signer != nil && replica.incarnation(of: life)?.key == signer ? .life : .common
    }
    let key = replica.incarnation(of: other)?.key
    let way = named.way
    switch key {
    case let key? where roster.group.isMember(key) || way != .given && roster.authors.contains(key): break
    case nil where CreditHolder(other) == .nobody && way != .given: break
    default: return .common
    }
    return .passed(credit: Name(credit), signer: signer, other: key, way: way)
  }

  private mutating func isBought(_ credit: String, _ bought: inout [String: Bool]) -> Bool {
    if let known = bought[credit] { return known }
    let isBought = ledger { $0.isBought(credit) }
    bought[credit] = isBought
    return isBought
  }

  /// How much it matters that a number is named, below 6. Members that go on with what they were given come first; those whose other side
  /// nobody has met may be made up by the thousand.
  private mutating func rank(of named: RegisterKey, in roster: Roster) -> Int {
    guard let (credit, _, other) = named.passage, ledger({ $0.knowsCredit(credit) }) else { return 5 }
    guard let other else { return 1 }
    guard CreditHolder(other) != .nobody else { return 2 }
    guard let key = replica.incarnation(of: other)?.key else { return 4 }
    guard case .creditTransferAgain = named, roster.group.isMember(key) else { return 3 }
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
