// Anti-entropy, as far as it speaks: asking, telling vectors, and deltas to peers.
extension PeerNetwork {
  /// Opens the exchange with a peer: with the delta from where both were in sync before, if they were.
  package mutating func beginSync(_ id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects) {
    guard let device = sessions[id]?.device else { return }
    if let common = known[device]?.common, common != holdings.replica.vector,
      holdings.replica.vector.covers(common)
    {
      sessions.flow(id) { $0.comparison.noteAnnounced(common.hash) }
      beginDelta(id, base: common, &holdings, &effects)
      // The probe follows the delta, so that it finds the peer in sync.
    } else {
      probe(id, holdings, &effects)
      guard let common = known[device]?.common, holdings.replica.vector.covers(common) else { return }
      sessions.flow(id) { $0.comparison.noteAnnounced(common.hash) }
    }
  }

  /// Asks the peer to compare vectors.
  package mutating func probe(_ id: SessionID, _ holdings: Holdings, _ effects: inout Effects) {
    sessions.flow(id) {
      $0.comparison.noteProbe()
      $0.comparison.noteShown(holdings.replica.vectorHash)
    }
    send(.summary(holdings.summary(isProbe: true)), on: id, &effects)
  }

  package mutating func announceVector(_ id: SessionID, _ holdings: Holdings, _ effects: inout Effects) {
    // A peer that asks and does not read is answered once its queue has drained.
    guard hasRoom(on: id) else {
      _ = sessions.update(id) { $0.queue.isBehind = true }
      return
    }
    let hash = holdings.replica.vectorHash
    sessions.flow(id) { $0.comparison.noteTold(hash) }
    send(.vector(holdings.replica.told), on: id, &effects)
  }

  package mutating func receive(
    _ told: ToldVector, on id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    guard let flow = sessions.flow(id) else { return }
    let vector = told.vector
    sessions.flow(id) { $0.comparison.note(told) }
    effects.changed = true
    if vector == holdings.replica.vector { seekReplaced(id, holdings, &effects) }
    if !holdings.replica.vector.covers(vector), flow.comparison.toldHash != holdings.replica.vectorHash {
      announceVector(id, holdings, &effects)
    }
    let isPostponed = sessions.flow(id) { $0.outgoing.postpone(vector) }
    if isPostponed == false { beginDelta(id, base: vector, &holdings, &effects) }
  }
}

// Sending a delta.
extension PeerNetwork {
  /// Begins the delta for a peer that stands at `base`; nothing when it lacks nothing.
  package mutating func beginDelta(
    _ id: SessionID, base: VersionVector, _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    holdings.seal()
    let names = holdings.replica.names(beyond: base)
    let claims = holdings.replica.vector.entries(beyond: base)
    guard !names.isEmpty || !claims.isEmpty else { return }
    let alike = sessions[id]?.device.flatMap { known[$0]?.alike }
    let told = sessions.flow(id)?.comparison.told
    let heads = holdings.replica.heads(beyond: base, common: alike, told: told)
    let revivals = holdings.replica.revivals
    sessions.flow(id) {
      $0.outgoing.begin(names, heads: heads, claims: claims, base: base, revivals: revivals)
    }
    continueDelta(id, &holdings, &effects)
  }

  /// Drops the heads of commits that every other member has come past, with whatever is saved next: no two devices can hold branches
  /// any more that part there.
  package mutating func dropKnownHeads(in group: MembershipGroup, _ holdings: inout Holdings) {
    guard !holdings.isSaved, holdings.replica.hasHeads else { return }
    var vectors: [VersionVector] = []
    for other in group.others(than: device) {
      guard let alike = known[other]?.alike else { return }
      vectors.append(alike)
    }
    holdings.replica.dropHeads(knownTo: vectors)
  }

  /// Sends pieces of a delta while the session's queue has room.
  package mutating func continueDelta(_ id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects) {
    while let delta = sessions.flow(id)?.outgoing.current, hasRoom(on: id) {
      holdings.seal()
      var (batch, progress) = (SignedBatch(), delta.progress)
      holdings.replica.fill(&batch, from: delta.names, &progress, upTo: holdings.outbox.chunkBytes)
      holdings.replica.fill(&batch, withHeadsFor: delta.claims, &progress, upTo: holdings.outbox.chunkBytes)
      sessions.flow(id) { $0.outgoing.advance(to: progress) }
      if batch.isEmpty {
        endDelta(id, &holdings, &effects)
      } else {
        sendChunk(batch, on: id, &effects)
      }
    }
  }

  private mutating func sendChunk(_ batch: SignedBatch, on id: SessionID, _ effects: inout Effects) {
    guard let delta = sessions.flow(id)?.outgoing.current else { return }
    send(.delta(DeltaChunk(delta: delta.number, index: delta.chunks, commits: batch)), on: id, &effects)
    sessions.flow(id) { $0.outgoing.noteChunk() }
  }

  private mutating func endDelta(_ id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects) {
    guard let delta = sessions.flow(id)?.outgoing.current else { return }
    let next = sessions.flow(id) { $0.outgoing.end() } ?? nil
    if delta.revivals != holdings.replica.revivals {
      return beginDelta(id, base: next ?? delta.base, &holdings, &effects)
    }
    let claims = delta.progress.isDamaged ? [] : delta.claims
    let end = DeltaEnd(
      delta: delta.number, chunks: delta.chunks, baseHash: delta.base.hash, claims: claims)
    send(.deltaEnd(end), on: id, &effects)
    // A reunion opened with this delta: now let the peer see whether that was all.
    if sessions.flow(id)?.comparison.peerVector == nil, delta.number == 1 {
      probe(id, holdings, &effects)
    }
    if let next { beginDelta(id, base: next, &holdings, &effects) }
  }
}

// Evidence of forks.
extension PeerNetwork {
  /// Shows a peer all evidence that it has not shown itself.
  package mutating func tellForks(on id: SessionID, of replica: Replica, _ effects: inout Effects) {
    guard let session = sessions[id], let device = session.device else { return }
    let shown = known[device]?.forks ?? [:]
    var news: [Fork] = []
    // Of a device that does not belong to the group the peer would take none.
    for fork in replica.forks where replica.takes(fork.author.key) {
      let cut = shown[replica.id(of: fork.author)] ?? .max
      if cut > fork.cut { news.append(fork) }
    }
    tell(news, on: id, &effects)
  }

  package mutating func tell(_ forks: [Fork], on id: SessionID, _ effects: inout Effects) {
    var rest = forks[...]
    while !rest.isEmpty {
      send(.forks(Array(rest.prefix(Limits.forks))), on: id, &effects)
      rest = rest.dropFirst(Limits.forks)
    }
  }
}
