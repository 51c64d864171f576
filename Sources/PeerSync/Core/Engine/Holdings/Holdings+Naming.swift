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
    /// How much it matters, the least the most.
    var rank: Int

    var isNaming: Bool { number.withView { $0.isNaming } }
  }

  /// What has to be named once replicas are cut: numbers of other devices that are void then, ``Limits/namedNumbers`` at most of what one of
  /// them has signed, or all that nobody has met, those that matter most first; and what earlier lives of this device had named.
  mutating func numbersToName(beyond cuts: [ReplicaID: UInt64], in roster: Roster) -> [Named] {
    let candidates = greatest(candidates(beyond: cuts, in: roster))
    guard !candidates.isEmpty else { return [] }
    // A device that was met, or has belonged to the group; nil: another one. Those may be made up, and share what there is for one.
    let known = Set(replica.knownReplicas.map(\.1))
    let met = { (signer: PublicKey) in
      known.contains(signer) || roster.authors.contains(signer) ? signer : nil
    }
    var room = roomForNaming(met)
    let order = candidates.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    let chosen = order.map(\.element).filter { candidate in
      guard replica.registers[candidate.register] == nil else { return true }
      let signer = met(candidate.signer)
      room[signer, default: Limits.namedNumbers] -= 1
      return room[signer, default: 0] >= 0
    }
    let proofs = replica.proofs(of: Set(chosen.filter { !$0.isNaming }.map(\.number.register)))
    return chosen.compactMap { candidate in
      let number = candidate.number
      let proof = candidate.isNaming ? number.value : proofs[number.register]
      return proof.map { Named(key: candidate.register.key, stamp: number.stamp, proof: $0) }
    }
  }

  private mutating func candidates(beyond cuts: [ReplicaID: UInt64], in roster: Roster) -> [Candidate] {
    let forked = Set(replica.forkedReplicas.compactMap { replica.incarnation(of: $0)?.key })
    var candidates: [Candidate] = []
    var backed: [String: Set<CreditHolder>] = [:]
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
        // which nothing counts, and those that never had anything, may be made up by the thousand as well.
        let (isEmpty, isBacked) = (replica.vector[life] == 0, isBacked(named, &backed))
        let rank = rank(of: named, in: roster)
        let penalty = (isNaming ? 4 : 0) + (isEmpty ? 2 : 0) + (isBacked ? 0 : 1)
        let register = RegisterID(key: named.encoded, author: replica.id)
        candidates.append(
          Candidate(number: number, register: register, signer: signer, rank: 6 * penalty + rank))
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

  /// How many more numbers this device names of those of whom it has named some.
  private mutating func roomForNaming(_ met: (PublicKey) -> PublicKey?) -> [PublicKey?: Int] {
    var signers: [PublicKey: Int] = [:]
    replica.registers.forEach(of: replica.id, in: 1...Limits.sequence) { write in
      guard RegisterKey.isNaming(write.key), let signer = NumberProof.signer(of: write.value) else { return }
      signers[signer, default: 0] += 1
    }
    var room: [PublicKey?: Int] = [:]
    for (signer, count) in signers { room[met(signer), default: Limits.namedNumbers] -= count }
    return room
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

  /// Whether the device whose number it is was given something by a member in that life, or bought something for it.
  private mutating func isBacked(_ named: RegisterKey, _ backed: inout [String: Set<CreditHolder>]) -> Bool {
    guard let (credit, holder, _) = named.passage else { return false }
    let holders = backed[credit] ?? ledger { $0.backed(credit) }
    backed[credit] = holders
    return holders.contains(CreditHolder(holder))
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
}
