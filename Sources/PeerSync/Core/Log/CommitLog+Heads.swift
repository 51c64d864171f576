// Bare heads: commits of which nothing is alive any more, as first sequence, count, root and signature. They are the evidence that
// two branches of one life need to find where they parted: without them a device that wrote over what it had decided leaves
// nothing to compare [F66]. They are kept until every other member is known to have come past them.

/// The root of a commit of which nothing is alive.
struct CommitRoot: Sequenced {
  /// Of the first write.
  let sequence: UInt64
  let root: ContentHash
}

extension CommitLog {
  /// The root of a commit of which nothing is alive.
  func root(of author: Int, _ commit: StoredCommit) -> ContentHash? {
    let roots = authors[author].roots
    guard commit.live == 0, let place = roots.place(notBeyond: commit.first),
      roots[place].sequence == commit.first
    else { return nil }
    return roots[place].root
  }

  mutating func keep(root: ContentHash, of author: Int, _ first: UInt64) {
    let before = authors[author].roots.count
    authors[author].roots.insert(CommitRoot(sequence: first, root: root))
    heads[authors[author].incarnation.key, default: 0] += authors[author].roots.count - before
  }

  mutating func removeRoot(of author: Int, _ first: UInt64) {
    guard !authors[author].roots.isEmpty else { return }
    heads[authors[author].incarnation.key, default: 0] -= authors[author].roots.remove(in: first...first)
  }

  /// Drops the oldest heads of a device that has too many, those of this life first.
  mutating func limitHeads(of author: Int) {
    let key = authors[author].incarnation.key
    while heads[key, default: 0] > headLimit, let (author, head) = oldestHead(of: key, author) {
      drop(author, head)
    }
  }

  private func oldestHead(of key: PublicKey, _ author: Int) -> (Int, StoredCommit)? {
    if let head = oldestHead(of: author) { return (author, head) }
    for other in known where authors[other].incarnation.key == key {
      if let head = oldestHead(of: other) { return (other, head) }
    }
    return nil
  }

  /// The oldest commit of a replica of which nothing is alive; its newest is always kept, and does not count.
  private func oldestHead(of author: Int) -> StoredCommit? {
    guard let first = authors[author].roots.first?.sequence, first != authors[author].commits.last?.first
    else { return nil }
    return commit(of: author, containing: first)
  }

  /// The replicas of which there are heads that may be dropped.
  var withHeads: [Int] { known.filter { oldestHead(of: $0) != nil } }

  /// Drops the heads up to a sequence: every member has come past them.
  mutating func dropHeads(of author: Int, upTo sequence: UInt64) {
    while let head = oldestHead(of: author), head.last <= sequence { drop(author, head) }
  }

  /// Drops the commits that lie beyond a cut as a whole: they prove nothing more. The newest one backs a claim, and stays.
  mutating func dropCommits(of author: Int, beyond cut: UInt64) {
    let commits = authors[author].commits
    guard let newest = commits.last?.first, cut < newest, let place = commits.place(from: cut + 1),
      commits[place].first < newest
    else { return }
    // All at once, here and on the disk: there may be hundreds of thousands. One that is cut in two needs its hashes.
    let span = commits[place].first...newest - 1
    touched.append(.voided(author, span))
    authors[author].commits.remove(in: span)
    replacedCount -= authors[author].replaced.remove(in: span)
    heads[authors[author].incarnation.key, default: 0] -= authors[author].roots.remove(in: span)
  }

  /// Calls `body` with the commits from a sequence on of which nothing is alive, in their order.
  func forEachHead(of author: Int, from sequence: UInt64, _ body: (StoredCommit) -> Void) {
    let roots = authors[author].roots
    var place = roots.place(notBeyond: sequence) ?? roots.place(from: sequence)
    while let current = place {
      if let commit = commit(of: author, containing: roots[current].sequence) { body(commit) }
      place = roots.place(after: current)
    }
  }
}

extension Replica {
  /// How many commits of which nothing is alive are kept of each device. Tests make it smaller.
  package var headLimit: Int {
    get { log.headLimit }
    set { log.headLimit = newValue }
  }

  /// The commits that a peer which stands at `base` is shown as heads, before any write, of the replicas of which it lacks something:
  /// beyond what it is known to have had in common with this device those of which nothing is alive, and the one at which it
  /// stands, unless it has told that it holds that one. If it holds another branch of that life, its own newest commit contradicts
  /// that one.
  package func heads(beyond base: VersionVector, common: VersionVector?, told: ToldVector? = nil) -> [Dot] {
    var heads: [Dot] = []
    for author in log.known {
      let replica = log.replica(author)
      let known = min(base[replica], common?[replica] ?? 0)
      guard takes(log.incarnation(author).key), log.reach(of: replica) > base[replica] else { continue }
      var firsts: [UInt64] = []
      log.forEachHead(of: author, from: known) { if $0.last > known { firsts.append($0.first) } }
      let stand = Dot(replica: replica, sequence: base[replica])
      if stand.sequence > known, let commit = log.commit(of: author, containing: stand.sequence),
        commit.live > 0, told?.fingerprint(of: stand) != fingerprint(of: commit)
      {
        firsts.append(commit.first)
      }
      heads += firsts.sorted().map { Dot(replica: replica, sequence: $0) }
    }
    return heads
  }

  /// Drops the heads that every other member has come past, by the vectors at which each was last in sync with this device.
  package mutating func dropHeads(knownTo members: [VersionVector]) {
    for author in log.withHeads {
      let replica = log.replica(author)
      log.dropHeads(of: author, upTo: members.reduce(UInt64.max) { min($0, $1[replica]) })
    }
  }

  /// Whether there may be heads to drop.
  var hasHeads: Bool { log.keepsHeads && log.heads.values.contains { $0 > 0 } }
}
