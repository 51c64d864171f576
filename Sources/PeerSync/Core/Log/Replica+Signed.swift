/// Memory for merging commits, used for one after another.
private struct Workspace {
  var hasher: CommitHasher
  /// Hashes of the registers of the writes in full.
  var hashes: [UInt64] = []
  /// Whether every write in full is what its key says.
  var fitsKeys = true
  /// Whether the commit has numbers of credits.
  var hasNumbers = false
  /// Keeps the optimizer from leaving out reads that only warm the cache.
  var touched: UInt64 = 0
  /// Whether some write in full is one of the last spends of a credit.
  var hasSpends = false
  /// What is merged.
  let batch: SignedBatch
  /// The authors of the batch with their replicas.
  var authors: [(incarnation: Incarnation, replica: ReplicaID)] = []
  /// The cuts that forks met in this batch call for.
  var cuts: [ReplicaID: UInt64] = [:]
}

// MARK: - Receiving

extension Replica {
  /// The replica of an author.
  package func id(of author: Incarnation) -> ReplicaID { author.replica(log.cryptography) }

  /// The functions that verify and hash.
  package var cryptography: Cryptography { log.cryptography }

  /// How often a write that had been replaced came back.
  package var revivals: UInt64 { log.revivals }

  /// Whether a signed commit reaches as far as a claim, as far as it counts.
  package func isBacked(_ claim: Dot) -> Bool {
    min(claim.sequence, cuts[claim.replica] ?? .max) <= reach(of: claim.replica)
  }

  /// How far a signed commit of the replica reaches; 0 when none is known.
  package func reach(of replica: ReplicaID) -> UInt64 { log.reach(of: replica) }

  /// How far writes of a replica have come here, whether they are claimed or not.
  package func known(of replica: ReplicaID) -> UInt64 { max(vector[replica], reach(of: replica)) }

  /// The incarnation behind a replica that is known.
  package func incarnation(of replica: ReplicaID) -> Incarnation? {
    log.number(of: replica).map { log.incarnation($0) }
  }

  /// Takes in the commits of others, each once its signature has been verified.
  ///
  /// Ends at the first commit that is not its author's (``MergeOutcome/forgery``); those before it were taken.
  ///
  /// - Parameters:
  ///   - ceiling: the latest stamp that a clock may have given; later decisions are held back
  ///   - isRepair: whether registers may lack what the vector claims
  package mutating func merge(_ batch: SignedBatch, ceiling: Stamp, isRepair: Bool = false) -> MergeOutcome {
    var outcome = MergeOutcome()
    var work = Workspace(hasher: CommitHasher(log.cryptography), batch: batch)
    work.authors = batch.authors.map { ($0, id(of: $0)) }
    do throws(Forgery) {
      try batch.forEach { (commit: borrowing CommitView) throws(Forgery) in
        try merge(commit, ceiling: ceiling, isRepair: isRepair, &work, &outcome)
      }
    } catch {
      outcome.forgery = error
    }
    return outcome
  }

  private mutating func merge(
    _ commit: borrowing CommitView, ceiling: Stamp, isRepair: Bool, _ work: inout Workspace,
    _ outcome: inout MergeOutcome
  ) throws(Forgery) {
    let (incarnation, replica) = work.authors[commit.author]
    guard takes(incarnation.key) else { return outcome.noteStranger(replica) }
    if !isRepair, isKnown(commit, of: replica) { return }
    let head = try verified(commit, incarnation, replica, &work)
    // Known from now on, and not before something was signed under it.
    guard let author = number(of: incarnation) else { return outcome.void += 1 }
    if cuts[replica] == nil { cuts[replica] = authors?.cut(of: replica, by: incarnation.key) }
    // What a damaged disk has lost it may lack, and yet knows that it made it.
    if replica == id, commit.last > max(vector[id], lastUsed) { outcome.isOwnNews = true }
    let cut = min(cuts[replica] ?? .max, work.cuts[replica] ?? .max)
    if commit.first > cut {
      noteForgotten(commit, incarnation, replica, &outcome)
      return pass(head, of: author, commit.root == nil, beyond: cut, &outcome)
    }
    if let fork = fork(of: author, with: head) {
      noteForgotten(commit, incarnation, replica, &outcome)
      work.cuts[replica] = min(work.cuts[replica] ?? .max, fork.cut)
      return outcome.forks.append(fork)
    }
    if commit.root != nil { return log.add(head, of: author) }
    guard log.hasRoom else { return outcome.isFull = true }
    notePartedLives(commit, of: replica, in: work.batch, hasSpends: work.hasSpends, &outcome)
    take(commit, of: author, ceiling: ceiling, &work, &outcome)
  }

  /// Passes over a commit that is void as a whole. Its head still backs claims up to the cut.
  private mutating func pass(
    _ head: CommitHead, of author: Int, _ hasWrites: Bool, beyond cut: UInt64, _ outcome: inout MergeOutcome
  ) {
    if hasWrites {
      outcome.void += 1
    } else if log.reach(of: log.replica(author)) < cut,
      log.commits(of: author, overlapping: head.first...head.last).isEmpty
    {
      log.add(head, of: author)
    }
  }

  /// Whether this very commit is here and claimed: then so is everything in it.
  private func isKnown(_ commit: borrowing CommitView, of replica: ReplicaID) -> Bool {
    guard commit.last <= vector[replica], let author = log.number(of: replica),
      let known = log.commit(of: author, containing: commit.first)
    else { return false }
    return known.first == commit.first && known.last == commit.last && known.signature == commit.signature
  }

  /// Hashes the writes, verifies the signature, and compares what is named by its content with its name.
  private func verified(
    _ commit: borrowing CommitView, _ incarnation: Incarnation, _ replica: ReplicaID, _ work: inout Workspace
  ) throws(Forgery) -> CommitHead {
    work.hasher.clear()
    work.hashes.removeAll(keepingCapacity: true)
    (work.fitsKeys, work.hasNumbers, work.hasSpends) = (true, false, false)
    commit.forEachWrite(
      by: replica,
      full: { write, entry in
        work.hasher.add(entry: entry, of: replica, sequence: write.sequence)
        work.hashes.append(registers.hash(of: write, &work.touched))
        if !write.fitsKey(log.cryptography) || !write.isShown(log.cryptography) { work.fitsKeys = false }
        if RegisterKey.isNumber(write.key) { work.hasNumbers = true }
        if RegisterKey.isSpend(write.key) { work.hasSpends = true }
      }, replaced: { _, hash in work.hasher.add(hash) })
    let head = CommitHead(
      first: commit.first, last: commit.last, root: commit.root ?? work.hasher.root,
      signature: commit.signature)
    guard head.isSigned(by: incarnation.key, as: replica, log.cryptography) else {
      throw .signature
    }
    guard work.fitsKeys, !work.hasNumbers || commit.count <= Limits.numberedWrites else { throw .content }
    return head
  }

  private mutating func take(
    _ commit: borrowing CommitView, of author: Int, ceiling: Stamp, _ work: inout Workspace,
    _ outcome: inout MergeOutcome
  ) {
    let (first, last) = (commit.first, commit.last)
    let cut = cuts[log.replica(author)] ?? .max
    log.begin(author, first...last)
    var (full, won) = (0, 0)
    commit.forEachWrite(
      by: log.replica(author),
      full: { write, _ in
        defer { full += 1 }
        if write.sequence > cut {
          outcome.void += 1
        } else if take(write, hash: work.hashes[full], ceiling: ceiling, into: &outcome) {
          won += 1
        }
      }, replaced: { _, _ in })
    let isAllAlive = won == commit.count && !log.hasReplacedItself
    let isLive = isAllAlive ? nil : liveness(of: commit, author, &work.hasher)
    log.end(commit.signature, hashes: work.hasher, isLive: isLive)
  }

  /// Which writes of a commit that has been merged are in their registers.
  private mutating func liveness(
    of commit: borrowing CommitView, _ author: Int, _ hasher: inout CommitHasher
  ) -> [Bool] {
    let isProven = log.commit(of: author, containing: commit.first).map { $0.live > 0 } ?? false
    // One that was alive may just have been replaced by another one of the commit.
    let isSettled = isProven && !log.hasReplacedItself
    var isLive: [Bool] = []
    isLive.reserveCapacity(commit.count)
    var unproven: [UInt64: ContentHash] = [:]
    commit.forEachWrite(
      by: log.replica(author), full: { write, _ in isLive.append(registers.holds(write)) },
      replaced: { sequence, hash in
        // The sender has it no more; it may be here all the same.
        let isReplaced = isProven && log.replacedHash(author, sequence) != nil
        if !isSettled, !isReplaced { unproven[sequence] = hash }
        isLive.append(isSettled && !isReplaced)
      })
    guard !unproven.isEmpty else { return isLive }
    // A disk that has lost the commit may still hold what it proves.
    registers.forEach(of: log.replica(author), in: commit.first...commit.last) { write in
      guard let hash = unproven[write.sequence], hasher.hash(of: write) == hash else { return }
      isLive[Int(write.sequence - commit.first)] = true
    }
    return isLive
  }
}

// MARK: - Own writes

extension Replica {
  /// Signs consecutive own writes as one commit.
  ///
  /// - Returns: the commit; nil when there is no write, or its own incarnation is not known
  package mutating func seal(_ writes: WriteBatch, by signer: SigningKey) -> Commit? {
    guard let span = writes.span, let author = log.number(of: id) else { return nil }
    var hasher = CommitHasher(log.cryptography)
    var isLive: [Bool] = []
    writes.forEach { write in
      hasher.add(hasher.hash(of: write))
      isLive.append(registers.holds(write))
    }
    let root = hasher.root
    let message = CommitHead.message(replica: id, first: span.lowerBound, last: span.upperBound, root: root)
    let signature = FlatSignature(signer.sign(message))
    log.begin(author, span)
    log.end(signature, hashes: hasher, isLive: isLive.allSatisfy { $0 } ? nil : isLive)
    var batch = SignedBatch()
    batch.begin(log.incarnation(author), first: span.lowerBound, count: writes.count, signature: signature)
    writes.forEach { batch.append(entry: $0) }
    return try? Commit(batch)
  }

  /// What has to be written to the disk of proofs since the last time.
  package mutating func takeProofChanges() -> [ProofChange] { log.takeChanges() }

  /// Whether ``takeProofChanges()`` would give something.
  package var hasProofChanges: Bool { log.hasChanges }
}

extension WriteBatch {
  /// The sequences of the first and the last write.
  fileprivate var span: ClosedRange<UInt64>? {
    var span: ClosedRange<UInt64>?
    forEach { span = (span?.lowerBound ?? $0.sequence)...$0.sequence }
    return span
  }
}
