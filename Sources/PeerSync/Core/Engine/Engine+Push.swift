// Pushing: what is written here, or comes here as news, goes at once to every peer that is not known to have it.
extension Engine {
  /// Sends the own writes of this batch of events as commits.
  mutating func push(_ effects: inout Effects) {
    seal()
    for commit in sealed { spread(commit, by: replica.id(of: commit.author), except: nil, &effects) }
    sealed = []
  }

  /// Signs the own writes that wait for it. Before anything of the registers is sent: writes travel with their proof.
  mutating func seal() {
    guard !commit.isEmpty else { return }
    for piece in pieces(of: commit) {
      if let commit = replica.seal(piece, by: signer) { sealed.append(commit) }
    }
    commit = WriteBatch()
  }

  /// Cuts writes into commits: consecutive, and no larger than fits into frames.
  private func pieces(of batch: WriteBatch) -> [WriteBatch] {
    var pieces: [WriteBatch] = []
    var piece = WriteBatch()
    var next: UInt64 = 0
    batch.forEach { write in
      let isFull = piece.bytes.count >= chunkBytes || piece.count == Limits.commitWrites
      if !piece.isEmpty, isFull || write.sequence != next {
        pieces.append(piece)
        piece = WriteBatch()
      }
      piece.append(write)
      next = write.sequence + 1
    }
    return pieces + [piece]
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
    let author = replica.id(of: commit.author)
    sessions.flow(id) { $0.comparison.owesReport = true }
    // Even when nothing is new here, the peer may be in sync now.
    effects.changed = true
    let isNews = !replica.vector.contains(Dot(replica: author, sequence: commit.last))
    let outcome = take(commit.batch, from: id, now: now, &effects)
    guard outcome.forgery == nil, sessions[id]?.isReady == true else { return }
    sessions.flow(id) { $0.comparison.noteSent(commit, by: author) }
    guard isNews, outcome.isWhole else { return }
    let moved = replica.claim(commit)
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
      if sessions.flow(id)?.comparison.peerVector == replica.vector { noteInSync(id, now: now) }
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
