// Pushing: what is written here, or comes here as news, goes at once to every peer that is not known to have it.
extension Engine {
  /// Sends the own writes of this batch of events as commits.
  mutating func push(_ effects: inout Effects) {
    guard !commit.isEmpty else { return }
    for commit in commits(of: commit) { spread(commit, except: nil, &effects) }
    commit = WriteBatch()
  }

  /// Cuts consecutive writes into commits that fit into frames.
  private func commits(of batch: WriteBatch) -> [Commit] {
    var pieces = [WriteBatch()]
    batch.forEach { write in
      if pieces[pieces.count - 1].bytes.count >= chunkBytes { pieces.append(WriteBatch()) }
      pieces[pieces.count - 1].append(write)
    }
    return pieces.compactMap { piece in
      piece.firstSequence.flatMap { try? Commit(replica: replica.id, first: $0, writes: piece) }
    }
  }

  private mutating func spread(_ commit: Commit, except source: SessionID?, _ effects: inout Effects) {
    let last = Dot(replica: commit.replica, sequence: commit.last)
    for id in sessions.ready where id != source {
      guard let session = sessions[id], session.peer?.replica != commit.replica else { continue }
      guard session.peerVector?.contains(last) != true else { continue }
      guard session.queuedBytes < queueLimit else {
        _ = sessions.update(id) { $0.isBehind = true }
        continue
      }
      send(.commit(commit), on: id, &effects)
    }
  }

  mutating func receive(_ commit: Commit, on id: SessionID, now: Now, _ effects: inout Effects) {
    _ = sessions.update(id) { session in
      session.owesReport = true
      guard let known = session.peerVector?[commit.replica], known + 1 >= commit.first else { return }
      session.peerVector?.advance(commit.replica, to: commit.last)
    }
    // Even when nothing is new here, the peer may be in sync now.
    effects.changed = true
    let isNews = !replica.vector.contains(Dot(replica: commit.replica, sequence: commit.last))
    let outcome = take(commit.writes, from: id, now: now, &effects)
    guard isNews, outcome.isWhole else { return }
    let moved = replica.claim(commit)
    effects.durable.claims += moved
    // Passed on only by whoever could claim it: so it goes round once, whatever the shape of the group.
    if !moved.isEmpty { spread(commit, except: id, &effects) }
    // Earlier news whose turn came only now was not passed on.
    if moved.contains(where: { $0.replica != commit.replica || $0.sequence != commit.last }) {
      for other in sessions.ready where other != id { probe(other, &effects) }
    }
  }

  /// Tells peers that sent something where this side stands, now that it is about to be durable.
  mutating func sendReports(_ effects: inout Effects) {
    for id in sessions.ready where sessions[id]?.owesReport == true {
      _ = sessions.update(id) { $0.owesReport = false }
      send(.summary(summary(isProbe: false)), on: id, &effects)
    }
  }

  mutating func drained(_ id: SessionID, _ effects: inout Effects) {
    let wasBehind = sessions.update(id) { session -> Bool in
      defer { session.isBehind = false }
      session.queuedBytes = 0
      return session.isBehind && session.isReady
    }
    if wasBehind == true { probe(id, &effects) }
  }
}

extension WriteBatch {
  /// The sequence of the first write.
  fileprivate var firstSequence: UInt64? {
    var first: UInt64?
    forEach { if first == nil { first = $0.sequence } }
    return first
  }
}
