// Anti-entropy. Two replicas compare hashes of their version vectors; where those differ they tell the vectors, and each
// sends what the other lacks as a delta: the registers whose writes lie beyond the other's vector, in pieces, with the
// vector entries that a receiver of all of them may claim. Writes travel as whole commits, which their authors signed, and
// each claim is backed by a signed head. One and a half round trips, in proportion to the difference.
//
// A reunion of devices that were in sync before is faster: each opens with the delta from the last vector that both had.
extension Engine {

  mutating func receiveData(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects) {
    if let device = network.sessions[id]?.device {
      network.known[device, default: KnownPeer()].seen = now.wall
    }
    guard network.isWithinBudget(message, on: id, now: now, &effects) else { return }
    switch message {
    case .summary(let summary): receive(summary, on: id, now: now, &effects)
    case .vector(let told): receive(told, on: id, now: now, &effects)
    case .commit(let commit): receive(commit, on: id, now: now, &effects)
    case .delta(let chunk): receive(chunk, on: id, now: now, &effects)
    case .deltaEnd(let end): receive(end, on: id, &effects)
    case .ranges(let ranges): network.receive(ranges, on: id, &holdings, &effects)
    case .items(let items): receive(items, on: id, now: now, &effects)
    case .addresses(let entries):
      network.learn(
        entries, of: network.sessions[id]?.device, from: id, in: group, &holdings, at: moment(now), &effects)
    case .forks(let forks): recovery.receive(forks, on: id, roster, &holdings, &network, &effects)
    case .recordHashes(let hashes): tellRecords(except: hashes, on: id, &effects)
    case .records(let part): receive(part, on: id, now: now, &effects)
    case .time(let reading): receive(reading, on: id, now: now, &effects)
    case .heldBack(let held): receive(held, on: id, now: now, &effects)
    case .rightsWanted(let wanted): receive(wanted: wanted, on: id, now: now, &effects)
    case .dialBack: network.dialBack(id, now: now.monotonic, &effects)
    case .dialledBack(let dialled): network.take(dialled, on: id, &effects)
    case .rightsGiven(let given): escrow.receive(given: given, on: id, network)
    case .hello, .welcome, .join, .introduction, .consent, .admitted, .close:
      network.end(id, .unexpected, &effects)
    }
  }

  // MARK: Comparing

  private mutating func receive(
    _ summary: Summary, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let flow = network.sessions.flow(id) else { return }
    let isSame = summary.vectorHash == holdings.replica.vectorHash
    network.sessions.flow(id) { $0.comparison.heard = isSame ? nil : summary }
    if isSame {
      // A delta of which the end never came has nothing more to bring, and what waits for it waited as long as the session lives.
      if summary.digest == holdings.replica.digest { network.sessions.flow(id) { $0.incoming = nil } }
      noteSameVector(id, with: summary, now: now, &effects)
      if network.sessions.flow(id)?.comparison.isMismatched == false {
        escrow.noteInSync(id, holdings, network, now: now)
      }
      // The first probe of a session was sent by both sides at once; a later one is a beat that waits for an answer.
      if summary.isProbe, flow.comparison.wasProbed {
        network.sessions.flow(id) { $0.comparison.owesReport = true }
      }
    } else if summary.isProbe {
      network.announceVector(id, holdings, &effects)
    }
    if summary.isProbe { network.sessions.flow(id) { $0.comparison.wasProbed = true } }
  }

  /// Notes which peers have said before that they stand where this side has come to by now.
  mutating func noteArrivals(now: Now, _ effects: inout Effects) {
    for id in network.sessions.ready {
      guard let heard = network.sessions.flow(id)?.comparison.heard,
        heard.vectorHash == holdings.replica.vectorHash, heard.digest == holdings.replica.digest
      else { continue }
      network.sessions.flow(id) { $0.comparison.heard = nil }
      noteSameVector(id, with: heard, now: now, &effects)
      escrow.noteInSync(id, holdings, network, now: now)
    }
  }

  /// The peer's vector is the same as this one.
  private mutating func noteSameVector(
    _ id: SessionID, with summary: Summary, now: Now, _ effects: inout Effects
  ) {
    guard let flow = network.sessions.flow(id) else { return }
    let device = flow.peer.device
    let (vector, digest) = (holdings.replica.vector, holdings.replica.digest)
    if flow.comparison.peerVector != vector { effects.changed = true }
    network.sessions.flow(id) {
      $0.comparison.noteSame(
        vector, hash: summary.vectorHash, digest: digest, theirs: summary.digest, at: now.monotonic)
    }
    network.known[device]?.common = vector
    guard summary.digest != digest else {
      network.known[device]?.cuts = holdings.replica.cuts
      network.known[device]?.alike = vector
      network.known[device]?.wasAlike = true
      _ = network.sessions.update(id) { $0.times.noteAlike() }
      if network.sessions.flow(id, { $0.clock.endHoldingBack() }) == true { effects.changed = true }
      noteRepair(by: device, now: now, &effects)
      recovery.endSetBack(&effects)
      return recovery.settleSetAside(on: id, roster, &holdings, &network, &effects)
    }
    // Once can be an interrupted delta, whose writes are here and not yet claimed: the deltas put that right.
    // Still there at a probe that comes some time later, it is a fault, of a disk or of this program. Reports do not count: they come with
    // every message of a repair, and each would begin another one.
    if !flow.comparison.isMismatched {
      // The peer, which may have been told when they were alike, is to say that it is not in sync either.
      network.sessions.flow(id) { $0.comparison.owesReport = true }
      network.announceVector(id, holdings, &effects)
      network.seekReplaced(id, holdings, &effects)
      noteDivergence(from: device, now: now, &effects)
      // A member may have claimed what it held back. Those who meet for less than the time between two beats would never hear of it.
      if !network.isReceiving {
        _ = network.sessions.update(id) {
          $0.times.lookAgain(by: now.monotonic + Limits.differenceMilliseconds)
        }
      }
    } else if summary.isProbe || flow.comparison.mismatchedDigest == digest {
      // Whoever asks first at each beat hears answers alone: where nothing was repaired since, these count as well.
      noteDivergence(from: device, now: now, &effects)
      guard summary.isProbe, flow.comparison.isMismatched(forLongAt: now.monotonic),
        !network.clocksDiffer(on: id), network.hasScanBudget(for: device, now: now)
      else { return }
      let isExpected = network.mayHoldReplaced(device, holdings)
      network.beginRepair(id, isExpected: isExpected, holdings, &effects)
    }
  }

  /// What this device's disk had spoilt may be here again.
  private mutating func noteRepair(by device: DeviceID, now: Now, _ effects: inout Effects) {
    guard recovery.noteRepair(by: device, roster, &holdings, &network, now: now, &effects) else { return }
    renewIncarnation(now: now, &effects)
    // Items of the store that peers hold under other names are here without a proof that could be passed on.
    recovery.proveUnproven(&holdings, &effects)
  }

  private mutating func noteDivergence(from device: DeviceID, now: Now, _ effects: inout Effects) {
    recovery.noteDivergence(from: device, roster, &holdings, &network, now: now, &effects)
  }

  private mutating func receive(
    _ told: ToldVector, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard let flow = network.sessions.flow(id) else { return }
    // Told once more: what the peer could send for the vector that it was told before is here.
    if flow.comparison.peerVector == told.vector {
      noteDivergence(from: flow.peer.device, now: now, &effects)
    }
    network.receive(told, on: id, &holdings, &effects)
  }

  // MARK: Receiving a delta

  private mutating func receive(_ chunk: DeltaChunk, on id: SessionID, now: Now, _ effects: inout Effects) {
    let outcome = merge(chunk.commits, from: id, isOfDelta: true, now: now, &effects)
    network.sessions.flow(id) { flow in
      var delta = flow.incoming ?? IncomingDelta(number: chunk.delta)
      delta.note(chunk, outcome)
      flow.incoming = delta
    }
  }

  private mutating func receive(_ end: DeltaEnd, on id: SessionID, _ effects: inout Effects) {
    guard let flow = network.sessions.flow(id) else { return }
    let delta = flow.incoming ?? IncomingDelta(number: end.delta)
    network.sessions.flow(id) {
      $0.incoming = nil
      $0.comparison.owesReport = true
    }
    guard delta.isComplete(at: end) else { return }
    guard flow.comparison.announced.contains(end.baseHash) || end.baseHash == holdings.replica.vectorHash
    else {
      // Computed against a vector that this replica may never have reached: ask again from where it stands.
      return network.announceVector(id, holdings, &effects)
    }
    let claims = end.claims.filter { !delta.strangers.contains($0.replica) }
    guard claims.allSatisfy({ holdings.replica.isBacked($0) }) else {
      return network.end(id, .forged, &effects)
    }
    network.sessions.flow(id) {
      $0.comparison.noteClaims(end.claims, from: end.baseHash)
      $0.comparison.strangers = delta.strangers
    }
    let isOfMembers = delta.strangers.isEmpty
    claim(isOfMembers ? claims : claims.compactMap(holdings.replica.presentPart), from: id, &effects)
  }

  private mutating func claim(_ claims: [Dot], from id: SessionID, _ effects: inout Effects) {
    let moved = holdings.replica.claim(claims)
    // Even when nothing is new here, the peer may be in sync now.
    effects.changed = true
    guard !moved.isEmpty else { return }
    effects.durable.append(.claimed(moved))
    // A device that was damaged asks whether it holds the same as the peer now: then it is whole.
    for other in network.sessions.ready where other != id || recovery.damage != nil {
      network.oweProbe(other)
    }
  }

  /// Merges writes of others, and does what follows from them.
  ///
  /// - Parameters:
  ///   - id: who sent them; nil: this device had them set aside
  ///   - isOfDelta: whether they are a piece of a delta, and may wait for the disk
  @discardableResult mutating func merge(
    _ batch: SignedBatch, from id: SessionID?, isOfDelta: Bool = false, isRepair: Bool = false, now: Now,
    _ effects: inout Effects
  ) -> MergeOutcome {
    let outcome = holdings.merge(
      batch, isOfDelta: isOfDelta, isRepair: isRepair, at: moment(now).present, &effects)
    if outcome.heldBack > 0, let id { tellHeldBack(outcome, on: id, now: now, &effects) }
    recovery.note(outcome, roster, holdings, &network, &effects)
    if outcome.forgery != nil, let id { network.end(id, .forged, &effects) }
    if !outcome.forks.isEmpty {
      recovery.learn(outcome.forks, from: nil, roster, &holdings, &network, &effects)
    }
    return outcome
  }

  // MARK: Commits

  private mutating func receive(_ commit: Commit, on id: SessionID, now: Now, _ effects: inout Effects) {
    let author = holdings.replica.id(of: commit.author)
    network.sessions.flow(id) { $0.comparison.owesReport = true }
    // Even when nothing is new here, the peer may be in sync now.
    effects.changed = true
    let isNews = !holdings.replica.vector.contains(Dot(replica: author, sequence: commit.last))
    let outcome = merge(commit.batch, from: id, now: now, &effects)
    guard outcome.forgery == nil, network.sessions[id]?.isReady == true else { return }
    network.sessions.flow(id) { $0.comparison.noteSent(commit, by: author) }
    guard isNews, outcome.isWhole else { return }
    let moved = holdings.replica.claim(commit)
    effects.durable.append(.claimed(moved))
    // Passed on only by whoever could claim it: so it goes round once, whatever the shape of the group.
    if !moved.isEmpty {
      network.spread(commit, by: author, within: holdings.replica.vector, except: id, &effects)
    }
    // Earlier news whose turn came only now was not passed on.
    if moved.contains(where: { $0.replica != author || $0.sequence != commit.last }) {
      for other in network.sessions.ready where other != id { network.oweProbe(other) }
    }
  }

  /// Tells peers that sent something where this side stands, now that it is about to be durable. The others are told soon if
  /// they cannot know, once and whatever else comes meanwhile: what this side has was passed on by others as well.
  mutating func sendReports(now: Now, _ effects: inout Effects) {
    let hash = holdings.replica.vectorHash
    for id in network.sessions.ready {
      if network.sessions.flow(id)?.comparison.owesReport == true {
        report(on: id, at: hash, now: now, &effects)
      }
      let isShown = network.sessions.flow(id)?.comparison.shownHash == hash
      _ = network.sessions.update(id) {
        $0.times.nextReport = isShown ? nil : $0.times.nextReport ?? now.monotonic + Limits.reportMilliseconds
      }
    }
  }

  private mutating func report(on id: SessionID, at hash: UInt64, now: Now, _ effects: inout Effects) {
    network.sessions.flow(id) {
      $0.comparison.owesReport = false
      $0.comparison.noteShown(hash)
    }
    network.send(.summary(holdings.summary(isProbe: false)), on: id, &effects)
    if network.sessions.flow(id)?.comparison.peerVector == holdings.replica.vector {
      escrow.noteInSync(id, holdings, network, now: now)
    }
  }

  mutating func drained(_ id: SessionID, now: Now, _ effects: inout Effects) {
    let wasBehind = network.sessions.update(id) {
      $0.times.noteHandedOver(at: now.monotonic)
      return $0.queue.drain() && $0.isReady
    }
    if wasBehind == true { network.oweProbe(id) }
    tellRecordsAskedFor(on: id, &effects)
    network.continueRepair(id, &holdings, &effects)
  }

  // MARK: Records

  /// Tells a peer the records that it does not name. What waits for it already goes first: it may ask as often as it likes.
  mutating func tellRecords(except hashes: [ContentHash], on id: SessionID, _ effects: inout Effects) {
    if network.hasRoom(on: id) {
      network.tell(membership.records(except: hashes), on: id, &effects)
    } else {
      _ = network.sessions.update(id) { $0.asksForRecords = true }
    }
  }

  /// Answers what a peer asked when there was no room for the answer.
  mutating func tellRecordsAskedFor(on id: SessionID, _ effects: inout Effects) {
    guard let session = network.sessions[id], session.asksForRecords, !session.isEnding else { return }
    _ = network.sessions.update(id) { $0.asksForRecords = false }
    network.tell(membership.records, on: id, &effects)
  }

  // MARK: Repair

  private mutating func receive(_ items: RangeItems, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard items.range.isValid else { return network.end(id, .unexpected, &effects) }
    let outcome = merge(items.commits, from: id, isRepair: true, now: now, &effects)
    network.sessions.flow(id) { $0.comparison.owesReport = true }
    if outcome.isWhole { network.answer(items, on: id, &holdings, &effects) }
  }

  // MARK: Rights

  private mutating func receive(
    wanted: RightsTotal, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard network.sessions[id]?.peer != nil else { return }
    renewIncarnation(now: now, &effects)
    guard network.sessions[id]?.isReady == true else { return }
    escrow.receive(wanted: wanted, on: id, roster, &holdings, &network, &effects)
  }
}
