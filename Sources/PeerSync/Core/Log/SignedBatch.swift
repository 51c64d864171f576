/// Signed commits one behind another in one flat run of bytes: how writes travel between devices.
///
/// Encoding of a commit: the index of its author (varint; the next unused index is followed by the 32 bytes of the key and
/// the 16 of the nonce of a new one), the sequence of the first write (varint), the number of writes (varint), the
/// signature (64 bytes), and a form. Form 0 is followed by the writes: each in full (key and value behind their
/// varint lengths, the stamp's 8 bytes in between), or, when it was replaced, a zero and its hash (32 bytes). At least one
/// is in full. Form 1 is followed by the root (32 bytes) alone: the head of a replica none of whose writes is alive.
///
/// A batch holds only bytes whose form has been checked. Whether the signatures are good is for the receiver to find out.
package struct SignedBatch: Equatable, Sendable {
  /// The encoded commits.
  package private(set) var bytes: [UInt8]
  /// How many commits there are.
  package private(set) var count: Int
  /// The authors named so far, by index.
  package private(set) var authors: [Incarnation]

  /// A batch of no commits.
  package init() {
    bytes = []
    count = 0
    authors = []
  }

  package var isEmpty: Bool { count == 0 }

  /// Checks encoded commits, as they come from a peer.
  ///
  /// - Throws: ``WireError`` for anything that the methods that append do not write.
  package init(decoding encoded: ArraySlice<UInt8>) throws(WireError) {
    let scan = encoded.withUnsafeBytes { Self.scan($0) }
    self.init()
    (count, authors) = try scan.get()
    bytes = Array(encoded)
  }

  enum Form {
    static let writes: UInt8 = 0
    static let root: UInt8 = 1
  }
}

// MARK: - Appending

extension SignedBatch {
  /// Begins a commit; as many writes or hashes must follow.
  mutating func begin(_ author: Incarnation, first: UInt64, count writes: Int, signature: FlatSignature) {
    beginCommit(author, first: first, writes: UInt64(writes), signature)
    bytes.append(Form.writes)
  }

  /// Adds a write in full.
  @inline(__always)
  mutating func append(entry write: borrowing WriteView) { bytes.append(entryOf: write) }

  /// Adds writes and hashes that have been put together.
  mutating func append(entries: [UInt8]) { bytes.append(contentsOf: entries) }

  /// Adds a head without writes.
  package mutating func append(_ head: CommitHead, of author: Incarnation) {
    beginCommit(author, first: head.first, writes: head.last - head.first + 1, head.signature)
    bytes.append(Form.root)
    bytes.append(head.root)
  }

  /// Adds the commits of another batch.
  package mutating func append(contentsOf other: SignedBatch) {
    other.forEach { append($0, of: other) }
  }

  /// One commit of another batch, alone.
  init(_ commit: borrowing CommitView, of other: SignedBatch) {
    self.init()
    append(commit, of: other)
  }

  private mutating func append(_ commit: borrowing CommitView, of other: SignedBatch) {
    beginCommit(
      other.authors[commit.author], first: commit.first, writes: UInt64(commit.count), commit.signature)
    bytes.append(commit.root == nil ? Form.writes : Form.root)
    if let root = commit.root { bytes.append(root) } else { bytes.append(contentsOf: commit.entries) }
  }

  /// Each commit as a batch of its own.
  package var separated: [SignedBatch] {
    var result: [SignedBatch] = []
    forEach { result.append(SignedBatch($0, of: self)) }
    return result
  }

  private mutating func beginCommit(
    _ author: Incarnation, first: UInt64, writes: UInt64, _ signature: FlatSignature
  ) {
    if let index = authors.lastIndex(of: author) {
      bytes.append(varint: UInt64(index))
    } else {
      bytes.append(varint: UInt64(authors.count))
      bytes.append(author.key)
      withUnsafeBytes(of: (author.nonce.high.bigEndian, author.nonce.low.bigEndian)) {
        bytes.append(contentsOf: $0)
      }
      authors.append(author)
    }
    bytes.append(varint: first)
    bytes.append(varint: writes)
    bytes.append(signature.first)
    bytes.append(signature.second)
    count += 1
  }
}

// MARK: - Reading

/// One commit inside a batch, without copies. Valid only as long as the bytes it points into.
package struct CommitView: ~Copyable {
  /// Place of the author among ``SignedBatch/authors``.
  package let author: Int
  /// Sequence of the first write.
  package let first: UInt64
  /// Number of writes, at least one.
  package let count: Int
  package let signature: FlatSignature
  /// The root, when that is all there is.
  package let root: ContentHash?
  fileprivate let entries: UnsafeRawBufferPointer

  fileprivate init(
    author: Int, first: UInt64, count: Int, signature: FlatSignature, root: ContentHash?,
    entries: UnsafeRawBufferPointer
  ) {
    self.author = author
    self.first = first
    self.count = count
    self.signature = signature
    self.root = root
    self.entries = entries
  }

  /// Sequence of the last write.
  package var last: UInt64 { first + UInt64(count) - 1 }

  /// Calls one of the two with each write in order: in full, with its bytes as they stand here, or its hash.
  @inline(__always)
  func forEachWrite(
    by replica: ReplicaID, full: (borrowing WriteView, _ entry: UnsafeRawBufferPointer) -> Void,
    replaced: (_ sequence: UInt64, ContentHash) -> Void
  ) {
    var cursor = BatchCursor(entries)
    var sequence = first
    while !cursor.isAtEnd {
      let start = cursor.position
      let length = Int(cursor.checkedVarint())
      if length == 0 {
        replaced(sequence, cursor.checked32())
      } else {
        let key = cursor.checkedBytes(length: length)
        let stamp = Stamp(rawValue: cursor.checkedWord())
        let value = cursor.checkedBytes()
        full(
          WriteView(replica: replica, sequence: sequence, stamp: stamp, key: key, value: value),
          UnsafeRawBufferPointer(rebasing: entries[start..<cursor.position]))
      }
      sequence += 1
    }
  }
}

extension SignedBatch {
  /// Calls `body` with each commit in order. The views are valid during the call only.
  package func forEach<Failure: Error>(_ body: (borrowing CommitView) throws(Failure) -> Void) throws(Failure)
  {
    var failure: Failure?
    bytes.withUnsafeBytes { buffer in
      var cursor = BatchCursor(buffer)
      var named = 0
      while failure == nil, !cursor.isAtEnd {
        let view = cursor.checkedCommit(&named)
        do throws(Failure) { try body(view) } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }

  /// The writes in full, for the paths where speed does not matter; `replica` names the replica of an author.
  package func writes(_ replica: (Incarnation) -> ReplicaID) -> [Write] {
    var result: [Write] = []
    forEach { commit in
      commit.forEachWrite(
        by: replica(authors[commit.author]), full: { write, _ in result.append(Write(write)) },
        replaced: { _, _ in })
    }
    return result
  }

  private static func scan(_ buffer: UnsafeRawBufferPointer) -> Result<(Int, [Incarnation]), WireError> {
    var cursor = BatchCursor(buffer)
    var named: [Incarnation] = []
    var count = 0
    do throws(WireError) {
      while !cursor.isAtEnd {
        try cursor.skipCommit(&named)
        count += 1
      }
      // An author has one index: equal batches are equal byte for byte.
      guard Set(named).count == named.count else { throw .malformed }
      return .success((count, named))
    } catch {
      return .failure(error)
    }
  }
}

extension BatchCursor {
  /// Reads a commit of bytes that ``skipCommit(_:)`` has accepted before.
  fileprivate mutating func checkedCommit(_ named: inout Int) -> CommitView {
    let author = Int(checkedVarint())
    if author == named {
      named += 1
      _ = checkedBytes(length: 48)
    }
    let first = checkedVarint()
    let count = Int(checkedVarint())
    let signature = FlatSignature(first: checked32(), second: checked32())
    if checkedByte() == SignedBatch.Form.root {
      return CommitView(
        author: author, first: first, count: count, signature: signature, root: checked32(),
        entries: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let start = position
    for _ in 0..<count { passWrite() }
    return CommitView(
      author: author, first: first, count: count, signature: signature, root: nil,
      entries: UnsafeRawBufferPointer(rebasing: buffer[start..<position]))
  }

  private mutating func passWrite() {
    let length = Int(checkedVarint())
    _ = checkedBytes(length: length == 0 ? 32 : length + 8)
    if length > 0 { _ = checkedBytes() }
  }

  /// Checks one commit that may be anything.
  fileprivate mutating func skipCommit(_ named: inout [Incarnation]) throws(WireError) {
    let index = try varint()
    guard index <= UInt64(named.count) else { throw .malformed }
    if index == UInt64(named.count) { named.append(try incarnation()) }
    let first = try sequence()
    let count = try varint()
    guard count > 0 else { throw .malformed }
    guard count <= UInt64(Limits.commitWrites), first + count - 1 <= Limits.sequence else {
      throw .beyondLimit
    }
    try skip(64)
    switch try byte() {
    case SignedBatch.Form.root: try skip(32)
    case SignedBatch.Form.writes: try skipWrites(Int(count))
    default: throw .malformed
    }
  }

  private mutating func incarnation() throws(WireError) -> Incarnation {
    let start = position
    try skip(48)
    var reader = BatchCursor(UnsafeRawBufferPointer(rebasing: buffer[start..<position]))
    return Incarnation(
      key: reader.checked32(), nonce: Nonce(high: reader.checkedWord(), low: reader.checkedWord()))
  }

  private mutating func skipWrites(_ count: Int) throws(WireError) {
    let hashed = 33
    var (longest, full) = (0, 0)
    for _ in 0..<count {
      let start = position
      let length = try varint()
      if length == 0 {
        try skip(32)
      } else {
        try skipKey(length: length)
        try skip(8)
        try skipValue()
        full += 1
      }
      longest += max(position - start, hashed)
      guard longest <= Limits.commitBytes else { throw .beyondLimit }
    }
    guard full > 0 else { throw .malformed }
  }
}
