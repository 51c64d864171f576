// What a device had spent, given and taken over beyond a cut of its writes. A number that came ahead of its turn has replaced the one before
// it, which counts; with the cut both would be gone, and the custodian would take over rights that were used up, or those to whom the device
// gave them would have spent what they never had. So whoever has to drop such a number names it, and shows that the device had signed it.
// What the device does after its removal is void as before: nobody is given it, but nobody takes it over either once it was seen.
extension Holdings {
  /// A number that this device names.
  struct Named {
    let key: RegisterKey
    let stamp: Stamp
    /// What shows it.
    let proof: [UInt8]
  }

  /// A void number that may have to be named, and the register that would name it.
  private struct Candidate {
    var number: Write
    let key: RegisterKey
    let signer: PublicKey
    /// How much it matters, the least the most. What the signer has stated itself comes before what others show of it, of which they can show
    /// the same again in each of their lives.
    var rank: Int

    var isNaming: Bool { number.withView { $0.isNaming } }
  }

  /// What has to be named once replicas are cut: numbers of other devices that are void then, ``Limits/namedNumbers`` at most of what one of
  /// them has signed, or all that nobody has met, those that matter most first; and what earlier lives of this device had named.
  mutating func numbersToName(beyond cuts: [ReplicaID: UInt64], in roster: Roster) -> [Named] {
    let candidates = greatest(candidates(beyond: cuts, in: roster))
    guard !candidates.isEmpty else { return [] }
    var room = roomForNaming(in: roster)
    let order = candidates.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    let chosen = order.map(\.element).filter { candidate in
      let register = RegisterID(key: candidate.key.encoded, author: replica.id)
      guard replica.registers[register] == nil else { return true }
      let signer = met(candidate.signer, in: roster)
      room[signer, default: Limits.namedNumbers] -= 1
      return room[signer, default: 0] >= 0
    }
    let proofs = replica.proofs(of: Set(chosen.filter { !$0.isNaming }.map(\.number.register)))
    return chosen.compactMap { candidate in
      let number = candidate.number
      let proof = candidate.isNaming ? number.value : proofs[number.register]
      return proof.map { Named(key: candidate.key, stamp: number.stamp, proof: $0) }
    }
  }

  private mutating func candidates(beyond cuts: [ReplicaID: UInt64], in roster: Roster) -> [Candidate] {
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
        // Lives of which nothing counts may be made up by the thousand as well.
        let rank = replica.vector[life] > 0 ? rank(of: named) : 5
        candidates.append(
          Candidate(number: number, key: named, signer: signer, rank: isNaming ? rank + 6 : rank))
      }
    }
    return candidates
  }

  /// Of those that one register would name the greatest number, in the order of the first of each.
  private func greatest(_ candidates: [Candidate]) -> [Candidate] {
    var places: [RegisterKey: Int] = [:]
    var greatest: [Candidate] = []
    for candidate in candidates {
      guard let place = places[candidate.key] else {
        places[candidate.key] = greatest.count
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
      let key = number.key.encoded
      guard replica.hasRoom(forWrites: 1, bytes: key.count + number.proof.count) else { break }
      if let made = replica.write(key: key, stamp: number.stamp, value: number.proof) { won.append(made) }
    }
    publish(won, &effects)
  }

  /// How many more numbers this device names of those of whom it has named some.
  private mutating func roomForNaming(in roster: Roster) -> [PublicKey?: Int] {
    var signers: [PublicKey: Int] = [:]
    replica.registers.forEach(of: replica.id, in: 1...Limits.sequence) { write in
      guard RegisterKey.isNaming(write.key), let signer = NumberProof.signer(of: write.value) else { return }
      signers[signer, default: 0] += 1
    }
    var room: [PublicKey?: Int] = [:]
    for (signer, count) in signers { room[met(signer, in: roster), default: Limits.namedNumbers] -= count }
    return room
  }

  /// A device that was met, or has belonged to the group; nil: another one. Those may be made up, and share what there is for one.
  private func met(_ signer: PublicKey, in roster: Roster) -> PublicKey? {
    roster.authors.contains(signer) || !replica.replicas(of: signer).isEmpty ? signer : nil
  }

  /// How much it matters that a number is named: those whose other side nobody has met may be made up by the thousand.
  private mutating func rank(of named: RegisterKey) -> Int {
    switch named {
    case .creditRowAgain(let credit, _, _): ledger { $0.knowsCredit(credit) } ? 0 : 4
    case .creditTakingAgain(let credit, let taken, _): rank(of: taken.from, credit)
    case .creditTransferAgain(let credit, _, let receiver, _): rank(of: receiver, credit)
    default: 4
    }
  }

  private mutating func rank(of other: ReplicaID, _ credit: String) -> Int {
    guard ledger({ $0.knowsCredit(credit) }) else { return 4 }
    return CreditHolder(other) == .nobody ? 1 : replica.incarnation(of: other) == nil ? 3 : 2
  }
}
