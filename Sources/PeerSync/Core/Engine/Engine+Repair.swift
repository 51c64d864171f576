// The repair: two replicas with equal vectors and different registers find the difference by key ranges. Digests of
// sixteen parts of a range are compared, parts that differ are divided again, and a small part is exchanged whole. This
// should never be needed; it is here for disks that lie and for faults of this program, and it raises an alarm.
extension Engine {
  mutating func beginRepair(_ id: SessionID, _ effects: inout Effects) {
    guard let device = sessions[id]?.device else { return }
    effects.notices.append(.divergence(device))
    send(.ranges(KeyRange.all.children.map { replica.registers.summary(of: $0) }), on: id, &effects)
  }

  mutating func receive(_ ranges: [RangeDigest], on id: SessionID, _ effects: inout Effects) {
    for theirs in ranges.prefix(Limits.repairItems) {
      guard theirs.range.isValid, let session = sessions[id], session.queuedBytes < queueLimit
      else { continue }
      let ours = replica.registers.summary(of: theirs.range)
      guard ours != theirs else { continue }
      exchange(theirs.range, count: max(ours.count, theirs.count), on: id, &effects)
    }
  }

  private mutating func exchange(_ range: KeyRange, count: UInt64, on id: SessionID, _ effects: inout Effects)
  {
    let parts = range.children
    if parts.isEmpty || count <= 64 {
      let commits = commits(in: range, &effects)
      if parts.isEmpty || commits.bytes.count < chunkBytes {
        return send(.items(RangeItems(range: range, wantsReply: true, commits: commits)), on: id, &effects)
      }
    }
    send(.ranges(parts.map { replica.registers.summary(of: $0) }), on: id, &effects)
  }

  mutating func receive(_ items: RangeItems, on id: SessionID, now: Now, _ effects: inout Effects) {
    guard items.range.isValid else { return end(id, .unexpected, &effects) }
    let outcome = take(items.commits, from: id, isRepair: true, now: now, &effects)
    _ = sessions.update(id) { $0.owesReport = true }
    guard outcome.isWhole, items.wantsReply else { return }
    let commits = commits(in: items.range, &effects)
    send(.items(RangeItems(range: items.range, wantsReply: false, commits: commits)), on: id, &effects)
  }

  /// The commits of the writes of a range, as many as fit into one frame, without those that this device's disk has spoilt.
  private mutating func commits(in range: KeyRange, _ effects: inout Effects) -> SignedBatch {
    seal()
    let (commits, damaged) = replica.items(in: range, upTo: chunkBytes)
    if damaged > 0 { effects.notices.append(.damaged(commits: damaged)) }
    return commits
  }
}

extension KeyRange {
  /// Whether the range is one that ``children`` makes.
  fileprivate var isValid: Bool {
    depth <= 32 && depth % 4 == 0 && (depth == 0 ? prefix == 0 : prefix << UInt64(depth) == 0)
  }
}
