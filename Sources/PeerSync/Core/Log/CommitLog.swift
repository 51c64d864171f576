/// What proves whose writes a replica holds: the incarnations it has met, and of each the signed commits of which a write
/// is alive, with the hashes of their replaced writes. Of the newest commit of a replica, its *head*, signature and root
/// are kept even when nothing of it is alive: they back what a version vector claims. So are those of other commits, as long as
/// a member may hold another branch of that life (`CommitLog+Heads.swift`).
///
/// Flat like the registers: a commit of one write takes 80 bytes here, however many there are.
struct CommitLog: Sendable {
  let cryptography: Cryptography
  var numbers: [ReplicaID: Int] = [:]
  var authors: [Author] = []
  /// How many incarnations of each device are known.
  var lives: [PublicKey: Int] = [:]
  /// Raised whenever an incarnation is met or forgotten, and by new evidence of a fork.
  var version: UInt64 = 0
  /// How many hashes of replaced writes there are.
  var replacedCount = 0
  /// Most hashes of replaced writes. Tests make it smaller.
  var replacedLimit = Limits.replacedWrites
  /// Whether commits of which nothing is alive are kept: there are others that may hold another branch of a life.
  var keepsHeads = false
  /// How many of them are kept of each device, the newest of each life among them.
  var heads: [PublicKey: Int] = [:]
  /// Most of them. Tests make it smaller.
  var headLimit = Limits.commitHeads
  /// What has changed since it was last taken, to be looked up by then.
  var touched: [Touch] = []
  /// The commit that is being merged: what becomes of its own writes is decided once all are merged.
  private var pending: (author: Int, span: ClosedRange<UInt64>)?
  /// Whether a write of the commit that is being merged was replaced by a later one of it.
  private var isPendingReplaced = false
  /// Places of authors that were forgotten: free once the disk has heard of it.
  var freed: [Int] = []
  var free: [Int] = []
  /// How often a write that had been replaced came back.
  private(set) var revivals: UInt64 = 0
  private var hasher: CommitHasher

  struct Author {
    let incarnation: Incarnation
    let replica: ReplicaID
    var commits = SortedRuns<StoredCommit>()
    var replaced = SortedRuns<ReplacedWrite>()
    /// The roots of the commits of which nothing is alive.
    var roots = SortedRuns<CommitRoot>()
    var fork: Fork?
  }

  enum Touch {
    case incarnation(Int)
    case commit(Int, ClosedRange<UInt64>)
    case dropped(Int, ClosedRange<UInt64>)
    case voided(Int, ClosedRange<UInt64>)
    case write(Int, UInt64)
    case fork(Int)
    case forgotten(ReplicaID)
  }

  init(_ cryptography: Cryptography) {
    self.cryptography = cryptography
    hasher = CommitHasher(cryptography)
  }
}

/// A commit of which something is alive, or a head.
struct StoredCommit: Sequenced {
  let first: UInt64
  let count: UInt32
  /// How many of its writes are alive.
  var live: UInt32
  let signature: FlatSignature

  var sequence: UInt64 { first }
  var last: UInt64 { first + UInt64(count) - 1 }
  var span: ClosedRange<UInt64> { first...last }
}

/// A write that was replaced while others of its commit are alive.
struct ReplacedWrite: Sequenced {
  let sequence: UInt64
  let hash: ContentHash
}

// MARK: - Commits

extension CommitLog {
  /// The commit that a write belongs to.
  func commit(of author: Int, containing sequence: UInt64) -> StoredCommit? {
    let commits = authors[author].commits
    guard let place = commits.place(notBeyond: sequence), commits[place].last >= sequence else { return nil }
    return commits[place]
  }

  /// The newest commit of a replica.
  func head(of author: Int) -> StoredCommit? { authors[author].commits.last }

  /// The commits that share a sequence with a span.
  func commits(of author: Int, overlapping span: ClosedRange<UInt64>) -> [StoredCommit] {
    let commits = authors[author].commits
    var result: [StoredCommit] = []
    var place = commits.place(notBeyond: span.lowerBound) ?? commits.place(from: span.lowerBound)
    while let current = place, commits[current].first <= span.upperBound {
      if commits[current].last >= span.lowerBound { result.append(commits[current]) }
      place = commits.place(after: current)
    }
    return result
  }

  /// The hash of a replaced write.
  func replacedHash(_ author: Int, _ sequence: UInt64) -> ContentHash? {
    let replaced = authors[author].replaced
    guard let place = replaced.place(notBeyond: sequence), replaced[place].sequence == sequence else {
      return nil
    }
    return replaced[place].hash
  }

  /// Calls `body` with the replaced writes of a span.
  func forEachReplaced(_ author: Int, in span: ClosedRange<UInt64>, _ body: (ReplacedWrite) -> Void) {
    let replaced = authors[author].replaced
    var place = replaced.place(from: span.lowerBound)
    while let current = place, replaced[current].sequence <= span.upperBound {
      body(replaced[current])
      place = replaced.place(after: current)
    }
  }

  /// Whether there is room for the hashes of a commit.
  var hasRoom: Bool { replacedCount + Limits.commitWrites <= replacedLimit }

  /// Begins to merge a commit: until ``end(_:hashes:isLive:)``, what becomes of its writes is left open.
  mutating func begin(_ author: Int, _ span: ClosedRange<UInt64>) {
    pending = (author, span)
    isPendingReplaced = false
  }

  /// Whether writes of the commit being merged replaced each other.
  var hasReplacedItself: Bool { isPendingReplaced }

  /// Keeps the commit that has been merged.
  ///
  /// - Parameters:
  ///   - hashes: of every write
  ///   - isLive: whether a write, by its place, is in its register; nil: all are
  mutating func end(_ signature: FlatSignature, hashes: CommitHasher, isLive: [Bool]?) {
    guard let (author, span) = pending else { return }
    pending = nil
    let count = UInt32(truncatingIfNeeded: span.count)
    let live = isLive.map { UInt32(truncatingIfNeeded: $0.count { $0 }) } ?? count
    let before = commit(of: author, containing: span.lowerBound)
    if let before, before.span == span, live == before.live, isLive == nil { return }
    let commit = StoredCommit(first: span.lowerBound, count: count, live: live, signature: signature)
    if live == 0 { return retire(author, commit, hashes.root) }
    if before != nil || isLive != nil {
      mark(author, span, hashes, isLive, wasRetired: before.map { $0.live == 0 } ?? false)
    }
    set(author, commit, root: nil)
  }

  /// Keeps the hashes of those writes that are not alive, and forgets those of the others.
  ///
  /// - Parameter wasRetired: whether nothing of the commit was alive. The disk may not have heard of it, and hold the hashes that
  ///   its root took the place of
  private mutating func mark(
    _ author: Int, _ span: ClosedRange<UInt64>, _ hashes: CommitHasher, _ isLive: [Bool]?, wasRetired: Bool
  ) {
    for place in 0..<span.count {
      let sequence = span.lowerBound + UInt64(place)
      let isKnown = replacedHash(author, sequence) != nil
      if isLive?[place] ?? true {
        guard isKnown || wasRetired else { continue }
        touched.append(.write(author, sequence))
        guard isKnown else { continue }
        authors[author].replaced.remove(in: sequence...sequence)
        replacedCount -= 1
        revivals += 1
      } else if !isKnown {
        keep(ReplacedWrite(sequence: sequence, hash: hashes[place]), author)
      }
    }
  }

  private mutating func keep(_ write: ReplacedWrite, _ author: Int) {
    authors[author].replaced.insert(write)
    replacedCount += 1
    touched.append(.write(author, write.sequence))
  }

  /// Takes in a commit as the newest of its replica, or in place of what was known of it.
  private mutating func set(_ author: Int, _ commit: StoredCommit, root: ContentHash?) {
    let head = authors[author].commits.last
    authors[author].commits.insert(commit)
    touched.append(.commit(author, commit.span))
    if let root { keep(root: root, of: author, commit.first) } else { removeRoot(of: author, commit.first) }
    // The last head was kept for what it backs alone; now there is a newer one.
    if !keepsHeads, let head, head.first < commit.first, head.live == 0 { drop(author, head) }
    if keepsHeads { limitHeads(of: author) }
  }

  mutating func drop(_ author: Int, _ commit: StoredCommit) {
    guard let place = authors[author].commits.place(notBeyond: commit.first),
      authors[author].commits[place].first == commit.first
    else { return }
    authors[author].commits.remove(place)
    removeRoot(of: author, commit.first)
    replacedCount -= authors[author].replaced.remove(in: commit.span)
    touched.append(.dropped(author, commit.span))
  }

  /// Nothing of a commit is alive: its head stays if it is the newest or heads are kept, and nothing otherwise.
  private mutating func retire(_ author: Int, _ commit: StoredCommit, _ root: ContentHash) {
    if !keepsHeads, let head = authors[author].commits.last, head.first > commit.first {
      return drop(author, commit)
    }
    replacedCount -= authors[author].replaced.remove(in: commit.span)
    set(author, commit, root: root)
  }

  /// Takes in a head that came without writes.
  mutating func add(_ head: CommitHead, of author: Int) {
    let isNewest = reach(of: replica(author)) < head.last
    guard isNewest || keepsHeads && commits(of: author, overlapping: head.first...head.last).isEmpty else {
      return
    }
    let count = UInt32(truncatingIfNeeded: head.last - head.first + 1)
    set(
      author, StoredCommit(first: head.first, count: count, live: 0, signature: head.signature),
      root: head.root)
  }
}

// MARK: - Replacing

extension CommitLog: ReplacementWitness {
  /// A write leaves its register. Its commit keeps the hash as long as another of its writes is alive.
  @inline(__always)
  mutating func willReplace(_ old: borrowing WriteView) {
    guard let author = numbers[old.replica] else { return }
    if let pending, pending.author == author, pending.span.contains(old.sequence) {
      isPendingReplaced = true
      return
    }
    guard let place = authors[author].commits.place(notBeyond: old.sequence),
      authors[author].commits[place].last >= old.sequence
    else { return }
    replace(old, author, place)
  }

  private mutating func replace(
    _ old: borrowing WriteView, _ author: Int, _ place: SortedRuns<StoredCommit>.Place
  ) {
    var commit = authors[author].commits[place]
    guard commit.live > 0 else { return }
    commit.live -= 1
    authors[author].commits[place].live = commit.live
    let isHead = authors[author].commits.last?.first == commit.first
    if commit.live == 0, !isHead, !keepsHeads { return drop(author, commit) }
    keep(ReplacedWrite(sequence: old.sequence, hash: hasher.hash(of: old)), author)
    if commit.live == 0 { collapse(author, commit) }
  }

  /// A commit has lost its last write: its root takes the place of the hashes.
  private mutating func collapse(_ author: Int, _ commit: StoredCommit) {
    var hashes = CommitHasher(cryptography)
    forEachReplaced(author, in: commit.span) { hashes.add($0.hash) }
    // A disk that forgot something: without every hash there is no root, and the head is of no use.
    guard hashes.count == commit.span.count else { return drop(author, commit) }
    retire(author, commit, hashes.root)
  }
}

// MARK: - The disk

extension CommitLog {
  /// What has to be written to the disk since the last time.
  mutating func takeChanges() -> [ProofChange] {
    defer {
      touched.removeAll(keepingCapacity: touched.capacity < 1 << 12)
      free += freed
      freed = []
    }
    return touched.compactMap { change(of: $0) }
  }

  /// Whether there is something to be written.
  var hasChanges: Bool { !touched.isEmpty }

  private func change(of touch: Touch) -> ProofChange? {
    switch touch {
    case .incarnation(let author):
      return .incarnation(authors[author].incarnation, replica: authors[author].replica)
    case .commit(let author, let span): return kept(author, span).map { .commit($0) }
    case .dropped(let author, let span): return .dropped(authors[author].replica, span)
    case .voided(let author, let span): return .voided(authors[author].replica, span)
    case .write(let author, let sequence):
      let dot = Dot(replica: authors[author].replica, sequence: sequence)
      if let hash = replacedHash(author, sequence) { return .replaced(dot, hash) }
      // Of a commit that is gone, or has become a root, the hashes went all at once.
      guard let commit = commit(of: author, containing: sequence), commit.live > 0 else { return nil }
      return .alive(dot)
    case .fork(let author):
      return authors[author].fork.map { .forked($0, replica: authors[author].replica) }
    case .forgotten(let replica): return .forgotten(replica)
    }
  }

  private func kept(_ author: Int, _ span: ClosedRange<UInt64>) -> PersistedCommit? {
    guard let commit = commit(of: author, containing: span.lowerBound), commit.span == span else {
      return nil
    }
    return PersistedCommit(
      replica: authors[author].replica, first: commit.first, count: span.count, signature: commit.signature,
      root: root(of: author, commit))
  }

  /// Puts back what the disk kept. Incarnations come first, commits before their replaced writes.
  mutating func restore(_ change: ProofChange) {
    switch change {
    case .incarnation(let incarnation, let replica): if numbers[replica] == nil { add(incarnation, replica) }
    case .commit(let kept): restore(kept)
    case .replaced(let dot, let hash): restore(dot, hash)
    case .forked(let fork, let replica):
      if let author = numbers[replica] { authors[author].fork = fork }
    case .dropped, .voided, .alive, .forgotten: break
    }
    touched.removeAll(keepingCapacity: true)
  }

  private mutating func restore(_ kept: PersistedCommit) {
    guard let author = numbers[kept.replica] else { return }
    let live = kept.root == nil ? UInt32(truncatingIfNeeded: kept.count) : 0
    let commit = StoredCommit(
      first: kept.first, count: UInt32(truncatingIfNeeded: kept.count), live: live, signature: kept.signature)
    authors[author].commits.insert(commit)
    if let root = kept.root { keep(root: root, of: author, kept.first) }
  }

  private mutating func restore(_ dot: Dot, _ hash: ContentHash) {
    guard let author = numbers[dot.replica] else { return }
    authors[author].replaced.insert(ReplacedWrite(sequence: dot.sequence, hash: hash))
    replacedCount += 1
    // The row of its commit may be lost: then it says nothing of the one before.
    guard let place = authors[author].commits.place(notBeyond: dot.sequence),
      authors[author].commits[place].last >= dot.sequence, authors[author].commits[place].live > 0
    else { return }
    authors[author].commits[place].live -= 1
  }
}
