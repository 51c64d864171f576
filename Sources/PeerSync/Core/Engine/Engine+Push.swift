// Pushing: what is written here, or comes here as news, goes at once to every peer that is not known to have it.
extension Engine {
  /// Sends the own writes of this batch of events as commits.
  mutating func push(_ effects: inout Effects) {
    for commit in holdings.takeSealed() {
      spread(commit, by: holdings.replica.id(of: commit.author), except: nil, &effects)
    }
  }

  private mutating func spread(
    _ commit: Commit, by author: ReplicaID, except source: SessionID?, _ effects: inout Effects
  ) {
    let last = Dot(replica: author, sequence: commit.last)
    for id in sessions.ready where id != source {
      guard let session = sessions[id], let flow = session.flow, flow.peer.replica != author else { continue }
      guard !flow.comparison.peerHas(last) else { continue }
      guard session.queue.bytes < queueLimit else {
        _ = sessions.update(id) { $0.queue.isBehind = true }
        continue
      }
      send(.commit(commit), on: id, &effects)
    }
  }

  mutating func receive(_ commit: Commit, on id: SessionID, now: Now, _ effects: inout Effects) {
    let author = holdings.replica.id(of: commit.author)
    sessions.flow(id) { $0.comparison.owesReport = true }
    // Even when nothing is new here, the peer may be in sync now.
    effects.changed = true
    let isNews = !holdings.replica.vector.contains(Dot(replica: author, sequence: commit.last))
    let outcome = merge(commit.batch, from: id, now: now, &effects)
    guard outcome.forgery == nil, sessions[id]?.isReady == true else { return }
    sessions.flow(id) { $0.comparison.noteSent(commit, by: author) }
    guard isNews, outcome.isWhole else { return }
    let moved = holdings.replica.claim(commit)
    effects.durable.append(.claimed(moved))
    // Passed on only by whoever could claim it: so it goes round once, whatever the shape of the group.
    if !moved.isEmpty { spread(commit, by: author, except: id, &effects) }
    // Earlier news whose turn came only now was not passed on.
    if moved.contains(where: { $0.replica != author || $0.sequence != commit.last }) {
      for other in sessions.ready where other != id { probe(other, &effects) }
    }
  }

  /// Tells peers that sent something where this side stands, now that it is about to be durable.
  mutating func sendReports(now: Now, _ effects: inout Effects) {
    for id in sessions.ready where sessions.flow(id)?.comparison.owesReport == true {
      sessions.flow(id) { $0.comparison.owesReport = false }
      send(.summary(summary(isProbe: false)), on: id, &effects)
      if sessions.flow(id)?.comparison.peerVector == holdings.replica.vector { noteInSync(id, now: now) }
    }
  }

  mutating func drained(_ id: SessionID, now: Now, _ effects: inout Effects) {
    let wasBehind = sessions.update(id) {
      $0.times.noteHandedOver(at: now.monotonic)
      return $0.queue.drain() && $0.isReady
    }
    if wasBehind == true { probe(id, &effects) }
  }
}
