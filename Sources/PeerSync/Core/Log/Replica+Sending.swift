/// How far a delta has been filled.
package struct DeltaProgress: Hashable, Sendable {
  /// The heads that go first, by the first sequences of their commits, and how many of them have been taken.
  fileprivate var heads: [Dot] = []
  fileprivate var headsTaken = 0
  /// How many of its names have been taken.
  package var taken = 0
  /// Whether a commit had to be left out, because the disk lost a part of it: then nothing may be claimed.
  package var isDamaged = false
  /// The commit sent last, and how far each replica's commits reach that were sent.
  fileprivate var last: Dot?
  fileprivate var reached: [ReplicaID: UInt64] = [:]
  /// Commits sent out of their order, because they replaced what was named.
  fileprivate var outOfOrder: Set<Dot> = []

  package init() {}

  /// - Parameter heads: of commits of which nothing is alive, for the receiver to see first where it may hold another branch
  package init(heads: [Dot]) { self.heads = heads }
}

extension Replica {
  /// The registers that a peer which stands at `vector` may lack. See ``RegisterMap/names(beyond:)``.
  package mutating func names(beyond vector: VersionVector) -> [UInt32] { registers.names(beyond: vector) }

  /// Fills a batch with the heads that go first, and with the commits of what the named registers hold now, until it holds so
  /// many bytes.
  package mutating func fill(
    _ batch: inout SignedBatch, from names: [UInt32], _ progress: inout DeltaProgress, upTo bytes: Int
  ) {
    while progress.headsTaken < progress.heads.count, batch.bytes.count < bytes {
      append(progress.heads[progress.headsTaken], to: &batch, &progress)
      progress.headsTaken += 1
    }
    while progress.taken < names.count, batch.bytes.count < bytes {
      let name = names[progress.taken]
      progress.taken += 1
      guard let dot = registers.dot(name) else { continue }
      append(name, dot, to: &batch, &progress)
    }
  }

  private mutating func append(
    _ start: Dot, to batch: inout SignedBatch, _ progress: inout DeltaProgress
  ) {
    guard let author = log.number(of: start.replica),
      let commit = log.commit(of: author, containing: start.sequence), let head = head(of: commit, author)
    else { return }
    batch.append(head, of: log.incarnation(author))
    progress.reached[start.replica] = max(progress.reached[start.replica] ?? 0, head.last)
  }

  private mutating func append(
    _ name: UInt32, _ dot: Dot, to batch: inout SignedBatch, _ progress: inout DeltaProgress
  ) {
    guard let author = log.number(of: dot.replica),
      let commit = log.commit(of: author, containing: dot.sequence), commit.live > 0
    else { return progress.isDamaged = true }
    let start = Dot(replica: dot.replica, sequence: commit.first)
    guard progress.last != start, !progress.outOfOrder.contains(start) else { return }
    guard let entries = entries(of: commit, author, around: name) else { return progress.isDamaged = true }
    batch.append(entries, commit, by: log.incarnation(author))
    // Commits come by replica and sequence, but for those that have replaced what was named.
    if let last = progress.last, start < last {
      progress.outOfOrder.insert(start)
    } else {
      progress.last = start
    }
    progress.reached[dot.replica] = max(progress.reached[dot.replica] ?? 0, commit.last)
  }

  /// The writes of a commit as they stand in a batch, replaced ones as their hash; nil when one is lost.
  private mutating func entries(
    of commit: StoredCommit, _ author: Int, around name: UInt32
  ) -> [UInt8]? {
    var entries = CommitEntries(commit)
    log.forEachReplaced(author, in: commit.span) { entries.replaced.append($0) }
    registers.forEach(around: name, in: commit.span) { entries.add($0) }
    return entries.finish()
  }

  /// Fills a batch with heads that back claims no commit of the delta has backed.
  package mutating func fill(
    _ batch: inout SignedBatch, withHeadsFor claims: [Dot], _ progress: inout DeltaProgress, upTo bytes: Int
  ) {
    for claim in claims where (progress.reached[claim.replica] ?? 0) < claim.sequence {
      if batch.bytes.count >= bytes { return }
      guard let author = log.number(of: claim.replica), let head = head(of: author) else {
        progress.isDamaged = true
        continue
      }
      batch.append(head, of: log.incarnation(author))
      progress.reached[claim.replica] = max(head.last, claim.sequence)
    }
  }

  /// The newest commit of a replica as a head: with the root alone.
  private mutating func head(of author: Int) -> CommitHead? {
    guard let commit = log.head(of: author) else { return nil }
    return head(of: commit, author)
  }

  /// What an author signed of a commit that is here, as far as this copy tells; nil when a part is lost.
  ///
  /// - Parameter name: a register that holds one of its writes. Where there are many commits they are found by it, and not by walking to each.
  mutating func head(of commit: StoredCommit, _ author: Int, around name: UInt32? = nil) -> CommitHead? {
    guard let root = root(of: commit, author, around: name) else { return nil }
    return CommitHead(first: commit.first, last: commit.last, root: root, signature: commit.signature)
  }

  private mutating func root(of commit: StoredCommit, _ author: Int, around name: UInt32?) -> ContentHash? {
    if commit.live == 0 { return log.root(of: author, commit) }
    var hashes: [(UInt64, ContentHash)] = []
    var hasher = CommitHasher(log.cryptography)
    log.forEachReplaced(author, in: commit.span) { hashes.append(($0.sequence, $0.hash)) }
    let note = { (write: borrowing WriteView) in
      hashes.append((write.sequence, hasher.hash(of: write)))
    }
    if let name {
      registers.forEach(around: name, in: commit.span, note)
    } else {
      registers.forEach(of: log.replica(author), in: commit.span, note)
    }
    hashes.sort { $0.0 < $1.0 }
    guard hashes.map(\.0).elementsEqual(commit.span) else { return nil }
    for (_, hash) in hashes { hasher.add(hash) }
    return hasher.root
  }

  // MARK: Repair

  /// The commits of the writes in a range of key hashes, each with those writes in full and the others as their hash, as
  /// many as fit. This copy is verified first: a disk that lies cannot spread.
  ///
  /// - Returns: the commits, and how many were left out because they do not verify
  package mutating func items(in range: KeyRange, upTo bytes: Int) -> (SignedBatch, damaged: Int) {
    var batch = SignedBatch()
    var (wanted, damaged) = commits(of: registers.names(in: range))
    for (start, names) in wanted where batch.bytes.count < bytes {
      if !append(names, of: start, to: &batch) { damaged += 1 }
    }
    return (batch, damaged)
  }

  /// The commits of a replica's writes beyond a sequence, each with those writes in full, as batches that fit into a frame.
  ///
  /// - Parameter most: of so many bytes in all; what is beyond them costs nothing
  /// - Returns: the batches, and how many commits are beyond that
  package mutating func items(
    of replica: ReplicaID, beyond sequence: UInt64, upTo bytes: Int, most: Int = .max
  ) -> (batches: [SignedBatch], left: Int) {
    items(of: registers.names(of: replica, beyond: sequence), upTo: bytes, most: most)
  }

  /// The commits of named registers, each with their writes in full, as batches of about so many bytes.
  mutating func items(
    of names: [UInt32], upTo bytes: Int, most: Int = .max
  ) -> (batches: [SignedBatch], left: Int) {
    var batches: [SignedBatch] = []
    var batch = SignedBatch()
    var size = 0
    let wanted = commits(of: names).wanted
    var left = wanted.count
    for (start, names) in wanted where size + batch.bytes.count <= most {
      if batch.bytes.count >= bytes {
        size += batch.bytes.count
        batches.append(batch)
        batch = SignedBatch()
      }
      _ = append(names, of: start, to: &batch)
      left -= 1
    }
    return (batch.isEmpty ? batches : batches + [batch], left)
  }

  /// The commits that named registers belong to, by their first writes and in their order; and how many have none here.
  private func commits(of names: [UInt32]) -> (wanted: [(start: Dot, names: [UInt32])], damaged: Int) {
    // Those of a commit come one after another then, and it is looked up once.
    let ordered = names.compactMap { name in registers.dot(name).map { (dot: $0, name: name) } }
      .sorted { $0.dot < $1.dot }
    var damaged = names.count - ordered.count
    var wanted: [(start: Dot, names: [UInt32])] = []
    var end: UInt64 = 0
    for (dot, name) in ordered {
      if let last = wanted.last, last.start.replica == dot.replica, dot.sequence <= end {
        wanted[wanted.count - 1].names.append(name)
        continue
      }
      guard let author = log.number(of: dot.replica),
        let commit = log.commit(of: author, containing: dot.sequence), commit.live > 0
      else {
        damaged += 1
        continue
      }
      wanted.append((Dot(replica: dot.replica, sequence: commit.first), [name]))
      end = commit.last
    }
    return (wanted, damaged)
  }

  private mutating func append(_ names: [UInt32], of start: Dot, to batch: inout SignedBatch) -> Bool {
    guard let author = log.number(of: start.replica), let name = names.first,
      let commit = log.commit(of: author, containing: start.sequence)
    else { return false }
    let wanted = Set(names.compactMap { registers.dot($0)?.sequence })
    var (entries, hasher) = (CommitEntries(commit), CommitHasher(log.cryptography))
    log.forEachReplaced(author, in: commit.span) { entries.replaced.append($0) }
    registers.forEach(around: name, in: commit.span) { write in
      if wanted.contains(write.sequence) {
        entries.add(write)
      } else {
        entries.add(ReplacedWrite(sequence: write.sequence, hash: hasher.hash(of: write)))
      }
    }
    guard let head = head(of: commit, author, around: name), let entries = entries.finish(),
      head.isSigned(by: log.incarnation(author).key, as: start.replica, log.cryptography)
    else { return false }
    batch.append(entries, commit, by: log.incarnation(author))
    return true
  }

  /// Gives unused memory back. No name from ``names(beyond:)`` may be in use.
  package mutating func compact() { registers.compact() }
}

/// The writes of one commit on their way into a batch.
private struct CommitEntries {
  private let last: UInt64
  private var next: UInt64
  private var bytes: [UInt8] = []
  /// The replaced ones, in their order.
  var replaced: [ReplacedWrite] = []
  private var placed = 0

  init(_ commit: StoredCommit) {
    next = commit.first
    last = commit.last
  }

  mutating func add(_ write: borrowing WriteView) {
    fill(before: write.sequence)
    guard next == write.sequence else { return }
    bytes.append(entryOf: write)
    next += 1
  }

  mutating func add(_ write: ReplacedWrite) {
    fill(before: write.sequence)
    guard next == write.sequence else { return }
    bytes.append(0)
    bytes.append(write.hash)
    next += 1
  }

  private mutating func fill(before sequence: UInt64) {
    while placed < replaced.count, replaced[placed].sequence == next, next < sequence {
      bytes.append(0)
      bytes.append(replaced[placed].hash)
      placed += 1
      next += 1
    }
  }

  /// All of them; nil when one is missing.
  mutating func finish() -> [UInt8]? {
    fill(before: last + 1)
    return next == last + 1 ? bytes : nil
  }
}

extension SignedBatch {
  /// Adds a commit whose writes have been put together.
  fileprivate mutating func append(_ entries: [UInt8], _ commit: StoredCommit, by author: Incarnation) {
    begin(author, first: commit.first, count: Int(commit.count), signature: commit.signature)
    append(entries: entries)
  }
}
