// The repair: two replicas with equal vectors and different registers find the difference by key ranges. Digests of
// sixteen parts of a range are compared, parts that differ are divided again, and a small part is exchanged whole. This
// should never be needed; it is here for disks that lie and for faults of this program, and it raises an alarm. But for one
// case: a void write leaves its register, and who never took it may still hold what it had replaced.
extension PeerNetwork {
  /// Whether only one of this device and a peer in sync may hold what void writes had replaced, although both claim it.
  package func mayHoldReplaced(_ device: DeviceID, _ holdings: Holdings) -> Bool {
    known[device]?.cuts != holdings.replica.cuts
  }

  /// Asks a peer in sync for what void writes had replaced: once in a session.
  package mutating func seekReplaced(_ id: SessionID, _ holdings: Holdings, _ effects: inout Effects) {
    guard let flow = sessions.flow(id), !flow.comparison.hasSought,
      mayHoldReplaced(flow.peer.device, holdings)
    else {
      return
    }
    sessions.flow(id) { $0.comparison.hasSought = true }
    beginRepair(id, isExpected: true, holdings, &effects)
  }

  /// - Parameter isExpected: whether there is no fault: void writes have left their registers, and what they had replaced
  ///   may be with the peer
  package mutating func beginRepair(
    _ id: SessionID, isExpected: Bool, _ holdings: Holdings, _ effects: inout Effects
  ) {
    guard let device = sessions[id]?.device else { return }
    if !isExpected { effects.notices.append(.divergence(device)) }
    send(.ranges(KeyRange.all.children.map { holdings.replica.registers.summary(of: $0) }), on: id, &effects)
  }

  /// Answers each range that differs. The ranges are apart from each other, so that all of them together are walked
  /// once.
  package mutating func receive(
    _ ranges: [RangeDigest], on id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    guard ranges.areApart else { return end(id, .unexpected, &effects) }
    answer(ranges, on: id, &holdings, &effects)
  }

  /// Goes on with a repair that had filled the queue.
  package mutating func continueRepair(
    _ id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    guard let ranges = sessions.flow(id, { $0.comparison.takeUnanswered() }) else { return }
    answer(ranges, on: id, &holdings, &effects)
  }

  private mutating func answer(
    _ ranges: [RangeDigest], on id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    for (place, theirs) in ranges.enumerated() {
      guard hasRoom(on: id) else {
        return sessions.flow(id) { $0.comparison.postpone(ranges[place...]) } ?? ()
      }
      let parts = theirs.range.children.map { holdings.replica.registers.summary(of: $0) }
      let ours =
        parts.isEmpty ? holdings.replica.registers.summary(of: theirs.range) : theirs.range.total(of: parts)
      guard ours != theirs else { continue }
      exchange(theirs.range, parts, count: max(ours.count, theirs.count), on: id, &holdings, &effects)
    }
  }

  private mutating func exchange(
    _ range: KeyRange, _ parts: [RangeDigest], count: UInt64, on id: SessionID,
    _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    if parts.isEmpty || count <= 64 {
      let commits = holdings.commits(in: range, &effects)
      if parts.isEmpty || commits.bytes.count < holdings.outbox.chunkBytes {
        return send(.items(RangeItems(range: range, wantsReply: true, commits: commits)), on: id, &effects)
      }
    }
    send(.ranges(parts), on: id, &effects)
  }

  /// Answers what a peer holds in a range with what is held here.
  package mutating func answer(
    _ items: RangeItems, on id: SessionID, _ holdings: inout Holdings, _ effects: inout Effects
  ) {
    guard items.wantsReply else { return }
    guard hasRoom(on: id) else {
      // Of what the peer has there all is here now: it is told as one that has nothing.
      let nothing = RangeDigest(range: items.range, count: 0, digest: Digest())
      return sessions.flow(id) { $0.comparison.postpone([nothing]) } ?? ()
    }
    let commits = holdings.commits(in: items.range, &effects)
    send(.items(RangeItems(range: items.range, wantsReply: false, commits: commits)), on: id, &effects)
  }
}

extension [RangeDigest] {
  /// Whether all are valid, in order, and none reaches into the next.
  fileprivate var areApart: Bool {
    allSatisfy(\.range.isValid) && zip(self, dropFirst()).allSatisfy { $0.range.last < $1.range.prefix }
  }
}

extension KeyRange {
  /// The digest of the range, from those of its parts.
  fileprivate func total(of parts: [RangeDigest]) -> RangeDigest {
    var (count, digest) = (UInt64(0), Digest())
    for part in parts {
      count += part.count
      digest.add(part.digest)
    }
    return RangeDigest(range: self, count: count, digest: digest)
  }

  /// Whether the range is one that ``children`` makes.
  var isValid: Bool {
    depth <= 32 && depth % 4 == 0 && (depth == 0 ? prefix == 0 : prefix << UInt64(depth) == 0)
  }
}
