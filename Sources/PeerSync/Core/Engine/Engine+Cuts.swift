// Cuts and forks: voided writes, and a device that continues as a new incarnation.
extension Engine {
  /// Cuts replicas, as the members' records say: of each the last sequence that counts. Of several cuts of one replica the
  /// lowest holds; saying one again changes nothing.
  ///
  /// When something was voided every session between members ends, for much has to be compared anew.
  package mutating func apply(_ cuts: [ReplicaID: UInt64], now: Now, _ effects: inout Effects) {
    seal()
    let outcome = replica.apply(cuts, own: signer.publicKey)
    guard !outcome.isEmpty else { return }
    flush(&effects)
    effects.durable.append(.removed(outcome.removed))
    effects.durable.append(.vector(replica.vector))
    effects.notices.append(.voided(registers: outcome.removed.count, kept: outcome.kept.count))
    effects.changed = true
    ledgerCache.invalidate()
    if !outcome.removed.isEmpty { voidings += 1 }
    writeAgain(outcome.kept, &effects)
    carry(outcome.numbers, &effects)
    for device in knownPeers.keys { knownPeers[device]?.common = nil }
    endMeetings(&effects)
  }

  /// Makes writes again under this device's own dots, with the stamps and values that they had: of decisions those that it has
  /// not decided otherwise since.
  ///
  /// - Returns: how many won their registers
  @discardableResult mutating func writeAgain(_ writes: [Write], _ effects: inout Effects) -> Int {
    var won = WriteBatch()
    for write in writes.sorted(by: { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }) {
      let own = replica.registers[RegisterID(key: write.key, author: replica.id)]
      if let own, RegisterKind.isDecision(write.key), !own.withView({ write.outranks($0) }) { continue }
      guard let made = replica.write(key: write.key, stamp: write.stamp, value: write.value) else { continue }
      won.append(made)
      // Should the stamp be wrong, it is this life's to correct.
      if RegisterKind.isDecision(write.key) { clock = HybridLogicalClock(last: max(clock.last, write.stamp)) }
    }
    publish(won, &effects)
    return won.count
  }

  // MARK: Own incarnations

  /// Whether others take what this device writes as void, or already know other writes under the same dots: it has to go on
  /// under a new incarnation.
  package var needsIncarnation: Bool { hasOwnNews || replica.cuts[replica.id] != nil }

  /// Continues as a new incarnation of this device. What it wrote beyond a cut of the old one is written again: nothing
  /// of its own is lost.
  package mutating func begin(_ incarnation: Incarnation, now: Now, _ effects: inout Effects) {
    seal()
    let old = replica.id
    guard incarnation.key == signer.publicKey, replica.begin(incarnation), replica.id != old else { return }
    identity.replica = replica.id
    countDecisions(now: now)
    effects.durable.append(.replica(replica.id))
    effects.changed = true
    hasOwnNews = false
    // Peers know which incarnation they speak to from the hello: they give it rights.
    endMeetings(&effects)
    if let cut = replica.cuts[old] { apply([old: cut], now: now, &effects) }
  }

  // MARK: Forks

  /// Shows a peer all evidence that it has not shown itself.
  mutating func tellForks(on id: SessionID, _ effects: inout Effects) {
    guard let session = sessions[id], let device = session.device else { return }
    let known = knownPeers[device]?.forks ?? [:]
    var news: [Fork] = []
    // Of a device that does not belong to the group the peer would take none.
    for fork in replica.forks where replica.takes(fork.author.key) {
      let shown = known[replica.id(of: fork.author)] ?? .max
      if shown > fork.cut { news.append(fork) }
    }
    tell(news, on: id, &effects)
  }

  private mutating func tell(_ forks: [Fork], on id: SessionID, _ effects: inout Effects) {
    var rest = forks[...]
    while !rest.isEmpty {
      send(.forks(Array(rest.prefix(Limits.forks))), on: id, &effects)
      rest = rest.dropFirst(Limits.forks)
    }
  }

  mutating func receive(_ forks: [Fork], on id: SessionID, now: Now, _ effects: inout Effects) {
    learn(forks, from: id, now: now, &effects)
    guard let device = sessions[id]?.device else { return }
    // Of those that are known here alone: what a peer makes up is not remembered.
    let known = Set(replica.forkedReplicas)
    for fork in forks {
      let forked = replica.id(of: fork.author)
      if known.contains(forked) { knownPeers[device]?.forks[forked] = fork.cut }
    }
  }

  /// Takes evidence in and passes on what is new; a session that brings none is ended.
  mutating func learn(_ forks: [Fork], from id: SessionID?, now: Now, _ effects: inout Effects) {
    var news: [Fork] = []
    do throws(Forgery) {
      for fork in forks where try replica.add(fork) { news.append(fork) }
    } catch {
      if let id { end(id, .forged, &effects) }
    }
    guard !news.isEmpty else { return }
    var cuts: [ReplicaID: UInt64] = [:]
    for fork in news {
      let forked = replica.id(of: fork.author)
      cuts[forked] = min(cuts[forked] ?? .max, fork.cut)
      effects.notices.append(.forked(forked, DeviceID(of: fork.author.key, replica.cryptography)))
    }
    for other in sessions.ready where other != id { tell(news, on: other, &effects) }
    effects.changed = true
    setAside(beyond: cuts, &effects)
    apply(cuts, now: now, &effects)
  }
}
