// A device that was set back without noticing it, as by a snapshot of a whole machine, writes again under dots that it had used.
// Two commits of one dot are evidence (`Fork`). But a commit whose writes were all replaced is not kept, so that two branches of
// one life can meet with no dot in common. What they say of the same register tells all the same [F66].
extension Replica {
  /// Keeps what this device signed itself, for it to write again [F66]. Of credits the spends: the numbers are those of one
  /// incarnation.
  func noteForgotten(
    _ commit: borrowing CommitView, _ author: Incarnation, _ replica: ReplicaID, _ outcome: inout MergeOutcome
  ) {
    guard isOwn(author) else { return }
    commit.forEachWrite(
      by: replica,
      full: { write, _ in
        if RegisterKey.isWrittenAgain(write.key) { outcome.forgotten.append(Write(write)) }
      }, replaced: { _, _ in })
  }

  /// Keeps what is lost if a commit is taken that is of another branch of its author's life: the author for itself, to write
  /// it again; others as a commit, to be given back.
  mutating func notePartedLives(
    _ commit: borrowing CommitView, of replica: ReplicaID, in batch: SignedBatch, hasSpends: Bool,
    _ outcome: inout MergeOutcome
  ) {
    let isOwn = incarnation(of: replica).map(isOwn) ?? false
    guard hasSpends || isOwn else { return }
    var (outbid, isOutbid): (Set<Dot>, Bool) = ([], false)
    commit.forEachWrite(
      by: replica,
      full: { view, _ in
        let write = Write(view)
        guard let held = registers[write.register], held.dot.replica == replica, held.dot != write.dot
        else { return }
        let isBeaten = registers.isBeaten(by: view)
        guard isParted(held, write, isOwn: isOwn, isBeaten: isBeaten) else { return }
        if isBeaten { outbid.insert(held.dot) } else { isOutbid = true }
        if isOwn { outcome.forgotten.append(isBeaten ? held : write) }
        if replica == id { outcome.isOwnNews = true }
      }, replaced: { _, _ in })
    guard !isOwn else { return }
    if isOutbid { outcome.outbid.append(SignedBatch(commit, of: batch)) }
    outcome.outbid += items(holding: outbid)
  }

  private func isOwn(_ author: Incarnation) -> Bool { author.key == incarnation(of: id)?.key }

  /// Whether two writes of one register cannot be of one branch of their author's life.
  ///
  /// - Parameter isOwn: whether it is a life of this device
  private func isParted(_ held: Write, _ write: Write, isOwn: Bool, isBeaten: Bool) -> Bool {
    if write.key.withUnsafeBytes(RegisterKey.isSpend) { return !mayBeOfOneBranch(held, write) }
    guard isOwn, RegisterKind.isDecision(write.key), write.value != held.value else { return false }
    let (first, second) = held.dot.sequence < write.dot.sequence ? (held, write) : (write, held)
    // A device knows all that its present branch has written: this is not of it, and would replace what is.
    if isBeaten, write.dot.replica == id, write.dot.sequence <= max(vector[id], lastUsed) { return true }
    // Decided later, by its stamp, than what replaces it. In an earlier life, too: a device that has just begun a new one, for
    // it has met the other branch, still holds what it had decided on its own.
    return second.withView { first.outranks($0) }
  }

  /// Whether a life can have made two spends that are remembered in one place, which is used again only after all others.
  private func mayBeOfOneBranch(_ one: Write, _ other: Write) -> Bool {
    let (first, second) = one.dot.sequence < other.dot.sequence ? (one, other) : (other, one)
    guard let spend = try? CreditSpend(decoding: second.value[...]) else { return true }
    let places = UInt64(Limits.rememberedSpends)
    if let number = spend.number, let before = (try? CreditSpend(decoding: first.value[...]))?.number {
      return number >= places && number - places >= before
    }
    // An earlier version did not number them: each costs one credit at least.
    let before = second.stamp.rawValue.subtractingReportingOverflow(UInt64(spend.amount))
    return !before.overflow && before.partialValue >= places - 1
      && before.partialValue - (places - 1) >= first.stamp.rawValue
  }

  /// The commits of writes of one replica that are held, each a batch with those writes in full.
  private mutating func items(holding dots: Set<Dot>) -> [SignedBatch] {
    guard let first = dots.min() else { return [] }
    let names = registers.names(of: first.replica, beyond: first.sequence - 1)
      .filter { registers.dot($0).map(dots.contains) ?? false }
    return items(of: names, upTo: 1).batches
  }
}
