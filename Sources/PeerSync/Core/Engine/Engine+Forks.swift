// Forks: evidence that a device has signed two conflicting commits.
extension Engine {
  /// Shows a peer all evidence that it has not shown itself.
  mutating func tellForks(on id: SessionID, _ effects: inout Effects) {
    guard let session = sessions[id], let device = session.device else { return }
    let known = knownPeers[device]?.forks ?? [:]
    var news: [Fork] = []
    // Of a device that does not belong to the group the peer would take none.
    for fork in holdings.replica.forks where holdings.replica.takes(fork.author.key) {
      let shown = known[holdings.replica.id(of: fork.author)] ?? .max
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
    let known = Set(holdings.replica.forkedReplicas)
    for fork in forks {
      let forked = holdings.replica.id(of: fork.author)
      if known.contains(forked) { knownPeers[device]?.forks[forked] = fork.cut }
    }
  }

  /// Takes evidence in and passes on what is new; a session that brings none is ended.
  mutating func learn(_ forks: [Fork], from id: SessionID?, now: Now, _ effects: inout Effects) {
    var news: [Fork] = []
    do throws(Forgery) {
      for fork in forks where try holdings.replica.add(fork) { news.append(fork) }
    } catch {
      if let id { end(id, .forged, &effects) }
    }
    guard !news.isEmpty else { return }
    var cuts: [ReplicaID: UInt64] = [:]
    for fork in news {
      let forked = holdings.replica.id(of: fork.author)
      cuts[forked] = min(cuts[forked] ?? .max, fork.cut)
      effects.notices.append(.forked(forked, DeviceID(of: fork.author.key, holdings.replica.cryptography)))
    }
    for other in sessions.ready where other != id { tell(news, on: other, &effects) }
    effects.changed = true
    setAside(beyond: cuts, &effects)
    apply(cuts, now: now, &effects)
  }
}
