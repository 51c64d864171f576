// Cuts: of whose writes how many count.
extension Recovery {
  /// The last sequence of each of a member's replicas that this device knows, or knew before its disk was damaged: what
  /// counts if it is removed now.
  package func cuts(of key: PublicKey, _ holdings: Holdings) -> [Dot] {
    holdings.replica.replicas(of: key).map {
      let known = max(holdings.replica.vector[$0], damage?.lost[$0] ?? 0)
      return Dot(replica: $0, sequence: min(known, holdings.replica.cuts[$0] ?? .max))
    }
  }

  /// The same of one that has put this device out: how far goes what is set aside of it, or what it has said itself and had come here. What
  /// else it said, somebody who stole it may have said ahead.
  func cuts(of key: PublicKey, saying said: [Dot], _ history: VectorHistory) -> [Dot] {
    var known = VersionVector()
    for dot in said { known.advance(dot.replica, to: min(dot.sequence, history.known[dot.replica])) }
    for part in setAside.parts {
      guard let batch = part.batch, batch.authors.first?.key == key else { continue }
      batch.forEach { known.advance(part.replica, to: $0.last) }
    }
    return known.entries
  }

  /// Members that can still tell what this device has forgotten of one that is to be removed: without them, all that it
  /// does not know would be void for everybody.
  package func members(
    toAskBeforeRemoving device: DeviceID, by own: DeviceID, in group: MembershipGroup
  ) -> [DeviceID] {
    // How far a database had come that was set back, or that is gone whole, nobody noted.
    let isUnknown =
      setBack != nil || damage.map { $0.concernsLedger && !$0.isFinal && $0.lost.entries.isEmpty } ?? false
    guard isUnknown else { return [] }
    return group.members.map(\.id).filter { $0 != device && $0 != own }
  }

  /// Whether this device may have written what it does not know, and a peer has yet to bring back.
  package var hasForgotten: Bool {
    setBack != nil || damage.map { $0.concernsLedger && !$0.isFinal } ?? false
  }

  /// Cuts replicas, as the members' records say: of each the last sequence that counts. Of several cuts of one replica the
  /// lowest holds; saying one again changes nothing.
  ///
  /// When something was voided everything is compared anew with every peer.
  package func apply(
    _ cuts: [ReplicaID: UInt64], _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    holdings.seal()
    // What shows them goes with them. A device that was removed names them as well: should that be overruled, nobody else may know.
    let numbers = holdings.numbersToName(beyond: cuts, in: roster)
    let outcome = holdings.replica.apply(cuts, own: holdings.key)
    guard !outcome.isEmpty else { return }
    let kept = Self.worthKeeping(outcome.kept, &holdings)
    holdings.drop(.voided(outcome.voided), &effects)
    effects.notices.append(.voided(registers: outcome.removed, kept: kept.count))
    holdings.writeAgain(kept, &effects)
    holdings.carry(outcome.numbers, &effects)
    holdings.name(numbers, &effects)
    network.compareAnew(&holdings, &effects)
  }
}

// Forks: evidence that a device has signed two conflicting commits.
extension Recovery {
  package mutating func receive(
    _ forks: [Fork], on id: SessionID, _ roster: Roster, _ holdings: inout Holdings,
    _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    learn(forks, from: id, roster, &holdings, &network, &effects)
    guard let device = network.sessions[id]?.device else { return }
    // Of those that are known here alone: what a peer makes up is not remembered.
    let known = Set(holdings.replica.forkedReplicas)
    for fork in forks {
      let forked = holdings.replica.id(of: fork.author)
      if known.contains(forked) { network.known[device]?.forks[forked] = fork.cut }
    }
  }

  /// Takes evidence in and has what is new passed on; a session that brings what is none is ended. Of an author that is no member nothing
  /// is taken.
  package mutating func learn(
    _ forks: [Fork], from id: SessionID?, _ roster: Roster, _ holdings: inout Holdings,
    _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    var news: [Fork] = []
    do throws(Forgery) {
      for fork in forks where try holdings.replica.add(fork) { news.append(fork) }
    } catch {
      if let id { network.end(id, .forged, &effects) }
    }
    guard !news.isEmpty else { return }
    var cuts: [ReplicaID: UInt64] = [:]
    for fork in news {
      let forked = holdings.replica.id(of: fork.author)
      cuts[forked] = min(cuts[forked] ?? .max, fork.cut)
      effects.notices.append(.forked(forked, DeviceID(of: fork.author.key, holdings.replica.cryptography)))
    }
    for other in network.sessions.ready where other != id {
      _ = network.sessions.update(other) { $0.untoldForks.formUnion(cuts.keys) }
    }
    effects.changed = true
    let aside = setAside(beyond: cuts, roster, &holdings, &effects)
    apply(cuts, roster, &holdings, &network, &effects)
    giveBack(aside, holdings, &network, &effects)
  }
}
