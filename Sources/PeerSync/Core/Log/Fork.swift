/// Evidence that a replica was forked: two different commits that overlap, both signed by its author.
///
/// A device signs one commit for a sequence, ever. A copied data directory or a dishonest member makes two. Whoever holds
/// both can show them to anyone.
public struct Fork: Hashable, Sendable {
  /// The author of both.
  package let author: Incarnation
  /// The lesser of the two by first sequence, last sequence and root.
  package let one: CommitHead
  /// The greater of the two.
  package let other: CommitHead

  /// Two commits as evidence; nil unless they overlap and differ.
  package init?(author: Incarnation, _ left: CommitHead, _ right: CommitHead) {
    guard left.first <= right.last, right.first <= left.last, left.order != right.order else { return nil }
    self.author = author
    (one, other) = left.order < right.order ? (left, right) : (right, left)
  }

  /// The last sequence that counts: what comes before both.
  package var cut: UInt64 { min(one.first, other.first) - 1 }

  /// Whether the author signed both.
  package func isProven(_ cryptography: Cryptography) -> Bool {
    let replica = author.replica(cryptography)
    return one.isSigned(by: author.key, as: replica, cryptography)
      && other.isSigned(by: author.key, as: replica, cryptography)
  }
}

extension CommitHead {
  fileprivate var order: (UInt64, UInt64, ContentHash) { (first, last, root) }
}

extension Fork: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    let author = try reader.incarnation()
    let (one, other) = (try reader.commitHead(), try reader.commitHead())
    // One encoding: in order.
    guard let fork = Fork(author: author, one, other), fork.one == one else { throw .malformed }
    self = fork
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(author)
    writer.write(one)
    writer.write(other)
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ head: CommitHead) {
    write(varint: head.first)
    write(varint: head.last - head.first + 1)
    write(head.root)
    write(head.signature.first)
    write(head.signature.second)
  }
}

extension ByteReader {
  fileprivate mutating func commitHead() throws(WireError) -> CommitHead {
    let (first, count) = (try varint(), try varint())
    guard first > 0, count > 0 else { throw .malformed }
    guard first <= Limits.sequence, count <= UInt64(Limits.commitWrites),
      first + count - 1 <= Limits.sequence
    else { throw .beyondLimit }
    return CommitHead(
      first: first, last: first + count - 1, root: try bytes32(),
      signature: FlatSignature(first: try bytes32(), second: try bytes32()))
  }
}
