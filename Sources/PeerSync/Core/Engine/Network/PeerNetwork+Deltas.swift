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
    _ = sessions.update(id) { $0.times.noteProbe() }
    sessions.flow(id) {
      $0.comparison.noteProbe()
      $0.comparison.noteShown(holdings.replica.vectorHash)
    }
    send(.summary(holdings.summary(isProbe: true)), on: id, &effects)
  }

  /// Notes that a peer is to be asked to compare vectors, because of what came from elsewhere.
  package mutating func oweProbe(_ id: SessionID) { _ = sessions.update(id) { $0.times.oweProbe() } }

  /// Asks the peers that are to be asked, each once whatever has come, and no more often than a peer may: or whoever sends others
  /// little pieces by the hundred would have them end their sessions with each other.
  package mutating func askPeers(_ holdings: Holdings, now: Now, _ effects: inout Effects) {
    for id in sessions.ready where sessions.update(id, { $0.times.ask(at: now.monotonic) }) == true {
      probe(id, holdings, &effects)
    }
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
    let lacks = vector.entries(beyond: holdings.replica.vector)
    let isBehind = lacks.contains { !flow.comparison.strangers.contains($0.replica) }
    if isBehind, flow.comparison.toldHash != holdings.replica.vectorHash {
      announceVector(id, holdings, &effects)
    }
    let isPostponed = sessions.flow(id) { $0.outgoing.postpone(vector) }
    if isPostponed == false { beginDelta(id, base: vector, &holdings, &effects) }
  }
}

// Sending a delta.
extension PeerNetwork {
  /// Begins the delta for a peer that stands at `base`; nothing when it lacks nothing.
  ///
  /// - Returns: whether it lacks something
  @discardableResult package mutating func beginDelta(
    _ id: SessionID, base: VersionVector, _ holdings: inout Holdings, _ effects: inout Effects
  ) -> Bool {
    holdings.seal()
    let names = holdings.replica.names(beyond: base)
    let claims = holdings.replica.vector.entries(beyond: base)
    guard !names.isEmpty || !claims.isEmpty else { return false }
    let alike = sessions[id]?.device.flatMap { known[$0]?.alike }
    let told = sessions.flow(id)?.comparison.told
    let heads = holdings.replica.heads(beyond: base, common: alike, told: told)
    let revivals = holdings.replica.revivals
    sessions.flow(id) {
      $0.outgoing.begin(names, heads: heads, claims: claims, base: base, revivals: revivals)
    }
    continueDelta(id, &holdings, &effects)
    return true
  }

  /// Begins the delta that is under way once more: what it promises does not hold any more.
  mutating func restartDelta(_ id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects) {
    guard let delta = sessions.flow(id)?.outgoing.current else { return }
    let base = (sessions.flow(id) { $0.outgoing.end() } ?? nil) ?? delta.base
    guard !beginDelta(id, base: base, &holdings, &effects) else { return }
    // The peer waits for the end of the one that was under way.
    let end = DeltaEnd(delta: delta.number, chunks: delta.chunks, baseHash: base.hash, claims: [])
    send(.deltaEnd(end), on: id, &effects)
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
    guard delta.revivals == holdings.replica.revivals else { return restartDelta(id, &holdings, &effects) }
    let next = sessions.flow(id) { $0.outgoing.end() } ?? nil
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

  /// Tells the peers of evidence that has come since, as often as a peer may be told.
  package mutating func tellNewForks(of replica: Replica, now: Now, _ effects: inout Effects) {
    for id in sessions.ready {
      guard let untold = sessions[id]?.untoldForks, !untold.isEmpty else { continue }
      let hasRoom = hasRoom(on: id)
      guard sessions.update(id, { $0.times.tellForks(at: now.monotonic, hasRoom: hasRoom) }) == true else {
        continue
      }
      _ = sessions.update(id) { $0.untoldForks = [] }
      tell(replica.forks.filter { untold.contains(replica.id(of: $0.author)) }, on: id, &effects)
    }
  }

  private mutating func tell(_ forks: [Fork], on id: SessionID, _ effects: inout Effects) {
    var rest = forks[...]
    while !rest.isEmpty {
      send(.forks(Array(rest.prefix(Limits.forks))), on: id, &effects)
      rest = rest.dropFirst(Limits.forks)
    }
  }
}
