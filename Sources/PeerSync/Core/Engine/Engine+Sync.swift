// Anti-entropy. Two replicas compare hashes of their version vectors; where those differ they tell the vectors, and each
// sends what the other lacks as a delta: the registers whose writes lie beyond the other's vector, in pieces, with the
// vector entries that a receiver of all of them may claim. Writes travel as whole commits, which their authors signed, and
// each claim is backed by a signed head. One and a half round trips, in proportion to the difference.
//
// A reunion of devices that were in sync before is faster: each opens with the delta from the last vector that both had.
extension Engine {
  func summary(isProbe: Bool) -> Summary {
    Summary(isProbe: isProbe, vectorHash: holdings.replica.vectorHash, digest: holdings.replica.digest)
  }

  /// Asks the peer to compare vectors.
  mutating func probe(_ id: SessionID, _ effects: inout Effects) {
    sessions.flow(id) { $0.comparison.noteProbe() }
    send(.summary(summary(isProbe: true)), on: id, &effects)
  }

  mutating func beginSync(_ id: SessionID, peer: DeviceID, _ effects: inout Effects) {
    tellForks(on: id, &effects)
    giveBack(on: id, &effects)
    if let common = knownPeers[peer]?.common, common != holdings.replica.vector,
      holdings.replica.vector.covers(common)
    {
      sessions.flow(id) { $0.comparison.noteAnnounced(common.hash) }
      beginDelta(id, base: common, &effects)
      // The probe follows the delta, so that it finds the peer in sync.
    } else {
      probe(id, &effects)
      guard let common = knownPeers[peer]?.common, holdings.replica.vector.covers(common) else { return }
      sessions.flow(id) { $0.comparison.noteAnnounced(common.hash) }
    }
  }

  mutating func receiveData(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects) {
    if let device = sessions[id]?.device { knownPeers[device, default: KnownPeer()].seen = now.wall }
    guard isWithinBudget(message, on: id, now: now, &effects) else { return }
    switch message {
    case .summary(let summary): receive(summary, on: id, now: now, &effects)
    case .vector(let vector): receive(vector, on: id, &effects)
    case .commit(let commit): receive(commit, on: id, now: now, &effects)
    case .delta(let chunk): receive(chunk, on: id, now: now, &effects)
    case .deltaEnd(let end): receive(end, on: id, &effects)
    case .ranges(let ranges): receive(ranges, on: id, &effects)
    case .items(let items): receive(items, on: id, now: now, &effects)
    case .addresses(let entries): learn(entries, from: id, now: now, &effects)
    case .forks(let forks): receive(forks, on: id, now: now, &effects)
    case .recordHashes(let hashes): tell(membership.records(except: hashes), on: id, &effects)
    case .records(let part): receive(part, on: id, now: now, &effects)
    case .time(let reading): receive(reading, on: id, now: now, &effects)
    case .heldBack(let held): receive(held, on: id, now: now, &effects)
    case .rightsWanted(let wanted): receiveWanted(wanted, on: id, now: now, &effects)
    case .rightsGiven(let given): receiveGiven(given, on: id)
    case .hello, .welcome, .join, .introduction, .consent, .admitted, .close: end(id, .unexpected, &effects)
    }
  }

  // MARK: Comparing

  private mutating func receive(
    _ summary: Summary, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let flow = sessions.flow(id) else { return }
    if summary.vectorHash == holdings.replica.vectorHash {
      noteSameVector(id, with: summary, now: now, &effects)
      if sessions.flow(id)?.comparison.isMismatched == false { noteInSync(id, now: now) }
      // The first probe of a session was sent by both sides at once; a later one is a beat that waits for an answer.
      if summary.isProbe, flow.comparison.wasProbed {
        sessions.flow(id) { $0.comparison.owesReport = true }
      }
    } else if summary.isProbe {
      announceVector(id, &effects)
    }
    if summary.isProbe { sessions.flow(id) { $0.comparison.wasProbed = true } }
  }

  /// The peer's vector is the same as this one.
  private mutating func noteSameVector(
    _ id: SessionID, with summary: Summary, now: Now, _ effects: inout Effects
  ) {
    guard let flow = sessions.flow(id) else { return }
    let device = flow.peer.device
    let (vector, digest) = (holdings.replica.vector, holdings.replica.digest)
    if flow.comparison.peerVector != vector { effects.changed = true }
    sessions.flow(id) { $0.comparison.noteSame(vector, digest: digest, theirs: summary.digest) }
    knownPeers[device]?.common = vector
    guard summary.digest != digest else {
      knownPeers[device]?.voidings = holdings.voidings
      noteRepair(&effects)
      endSetBack(&effects)
      return settleSetAside(on: id, &effects)
    }
    // Once can be an interrupted delta, whose writes are here and not yet claimed: the deltas put that right.
    // Still there at a later probe, it is a fault, of a disk or of this program. Reports do not count: they come with
    // every message of a repair, and each would begin another one.
    if !flow.comparison.isMismatched {
      // The peer, which may have been told when they were alike, is to say that it is not in sync either.
      sessions.flow(id) { $0.comparison.owesReport = true }
      announceVector(id, &effects)
      seekReplaced(id, &effects)
      noteDivergence(&effects)
    } else if summary.isProbe, !clocksDiffer(on: id), hasScanBudget(for: device, now: now) {
      beginRepair(id, isExpected: mayHoldReplaced(device), &effects)
    }
  }

  mutating func announceVector(_ id: SessionID, _ effects: inout Effects) {
    // A peer that asks and does not read is answered once its queue has drained.
    guard hasRoom(on: id) else {
      _ = sessions.update(id) { $0.queue.isBehind = true }
      return
    }
    let hash = holdings.replica.vectorHash
    sessions.flow(id) { $0.comparison.noteTold(hash) }
    send(.vector(holdings.replica.vector), on: id, &effects)
  }

  private mutating func receive(_ vector: VersionVector, on id: SessionID, _ effects: inout Effects) {
    guard let flow = sessions.flow(id) else { return }
    sessions.flow(id) { $0.comparison.peerVector = vector }
    effects.changed = true
    if vector == holdings.replica.vector { seekReplaced(id, &effects) }
    if !holdings.replica.vector.covers(vector), flow.comparison.toldHash != holdings.replica.vectorHash {
      announceVector(id, &effects)
    }
    let isPostponed = sessions.flow(id) { $0.outgoing.postpone(vector) }
    if isPostponed == false { beginDelta(id, base: vector, &effects) }
  }

  // MARK: Sending a delta

  /// Begins the delta for a peer that stands at `base`; nothing when it lacks nothing.
  private mutating func beginDelta(_ id: SessionID, base: VersionVector, _ effects: inout Effects) {
    holdings.seal()
    let names = holdings.replica.names(beyond: base)
    let claims = holdings.replica.vector.entries(beyond: base)
    guard !names.isEmpty || !claims.isEmpty else { return }
    let revivals = holdings.replica.revivals
    sessions.flow(id) { $0.outgoing.begin(names, claims: claims, base: base, revivals: revivals) }
    continueDelta(id, &effects)
  }

  /// Sends pieces of a delta while the session's queue has room.
  mutating func continueDelta(_ id: SessionID, _ effects: inout Effects) {
    while let delta = sessions.flow(id)?.outgoing.current, hasRoom(on: id) {
      holdings.seal()
      var (batch, progress) = (SignedBatch(), delta.progress)
      holdings.replica.fill(&batch, from: delta.names, &progress, upTo: holdings.outbox.chunkBytes)
      holdings.replica.fill(&batch, withHeadsFor: delta.claims, &progress, upTo: holdings.outbox.chunkBytes)
      sessions.flow(id) { $0.outgoing.advance(to: progress) }
      if batch.isEmpty {
        endDelta(id, &effects)
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

  private mutating func endDelta(_ id: SessionID, _ effects: inout Effects) {
    guard let delta = sessions.flow(id)?.outgoing.current else { return }
    let next = sessions.flow(id) { $0.outgoing.end() } ?? nil
    if delta.revivals != holdings.replica.revivals {
      return beginDelta(id, base: next ?? delta.base, &effects)
    }
    let claims = delta.progress.isDamaged ? [] : delta.claims
    let end = DeltaEnd(
      delta: delta.number, chunks: delta.chunks, baseHash: delta.base.hash, claims: claims)
    send(.deltaEnd(end), on: id, &effects)
    // A reunion opened with this delta: now let the peer see whether that was all.
    if sessions.flow(id)?.comparison.peerVector == nil, delta.number == 1 {
      probe(id, &effects)
    }
    if let next { beginDelta(id, base: next, &effects) }
  }

  // MARK: Receiving a delta

  private mutating func receive(_ chunk: DeltaChunk, on id: SessionID, now: Now, _ effects: inout Effects) {
    let outcome = merge(chunk.commits, from: id, isOfDelta: true, now: now, &effects)
    sessions.flow(id) { flow in
      var delta = flow.incoming ?? IncomingDelta(number: chunk.delta)
      delta.note(chunk, isWhole: outcome.isWhole)
      flow.incoming = delta
    }
  }

  private mutating func receive(_ end: DeltaEnd, on id: SessionID, _ effects: inout Effects) {
    guard let flow = sessions.flow(id) else { return }
    let delta = flow.incoming ?? IncomingDelta(number: end.delta)
    sessions.flow(id) {
      $0.incoming = nil
      $0.comparison.owesReport = true
    }
    guard delta.isComplete(at: end) else { return }
    guard flow.comparison.announced.contains(end.baseHash) || end.baseHash == holdings.replica.vectorHash
    else {
      // Computed against a vector that this replica may never have reached: ask again from where it stands.
      return announceVector(id, &effects)
    }
    guard end.claims.allSatisfy({ holdings.replica.isBacked($0) }) else {
      return self.end(id, .forged, &effects)
    }
    claim(end.claims, from: id, &effects)
  }

  private mutating func claim(_ claims: [Dot], from id: SessionID, _ effects: inout Effects) {
    let moved = holdings.replica.claim(claims)
    sessions.flow(id) { $0.comparison.noteClaims(claims) }
    // Even when nothing is new here, the peer may be in sync now.
    effects.changed = true
    guard !moved.isEmpty else { return }
    effects.durable.append(.claimed(moved))
    // A device that was damaged asks whether it holds the same as the peer now: then it is whole.
    for other in sessions.ready where other != id || damage != nil { probe(other, &effects) }
  }

  /// Merges writes of others, and does what follows from them.
  ///
  /// - Parameter isOfDelta: whether they are a piece of a delta, and may wait for the disk
  @discardableResult mutating func merge(
    _ batch: SignedBatch, from id: SessionID, isOfDelta: Bool = false, isRepair: Bool = false, now: Now,
    _ effects: inout Effects
  ) -> MergeOutcome {
    let outcome = holdings.merge(
      batch, isOfDelta: isOfDelta, isRepair: isRepair, at: moment(now).present, &effects)
    if outcome.heldBack > 0 { tellHeldBack(outcome, on: id, now: now, &effects) }
    forgotten += outcome.forgotten
    setAside(outcome.outbid, &effects)
    if outcome.forgery != nil { end(id, .forged, &effects) }
    if !outcome.forks.isEmpty { learn(outcome.forks, from: nil, now: now, &effects) }
    return outcome
  }
}
