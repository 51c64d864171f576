/// Writes one behind another in one flat run of bytes: the unit in which writes travel, merge and reach the disk.
///
/// Encoding of one write: the index of its replica (varint; the next unused index is followed by the 16 bytes of a
/// new one), its sequence (varint), its stamp (8 bytes), its key and its value (each a varint length and the bytes).
/// A batch holds only checked bytes, so reading one allocates nothing and cannot fail.
package struct WriteBatch: Equatable, Sendable {
  /// The encoded writes.
  package private(set) var bytes: [UInt8]
  /// How many writes there are.
  package private(set) var count: Int
  /// The replicas named so far, by index.
  package private(set) var replicas: [ReplicaID]

  /// A batch of no writes.
  package init() {
    bytes = []
    count = 0
    replicas = []
  }

  package var isEmpty: Bool { count == 0 }

  /// Checks encoded writes, as they come from a peer or a file.
  ///
  /// - Throws: ``WireError`` for anything that ``append(_:)`` does not write.
  package init(decoding encoded: ArraySlice<UInt8>) throws(WireError) {
    let scan = encoded.withUnsafeBytes { Self.scan($0) }
    self.init()
    (count, replicas) = try scan.get()
    bytes = Array(encoded)
  }

  /// Adds one write. The caller keeps key and value within ``Limits``.
  package mutating func append(_ write: borrowing WriteView) {
    append(
      replica: write.replica, sequence: write.sequence, stamp: write.stamp, key: write.key, value: write.value
    )
  }

  /// Adds one write from its parts.
  package mutating func append(
    replica: ReplicaID, sequence: UInt64, stamp: Stamp, key: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) {
    appendIndex(of: replica)
    appendVarint(sequence)
    withUnsafeBytes(of: stamp.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
    appendVarint(UInt64(key.count))
    bytes.append(contentsOf: key)
    appendVarint(UInt64(value.count))
    bytes.append(contentsOf: value)
    count += 1
  }

  /// Adds one write from arrays.
  package mutating func append(_ write: Write) {
    write.withView { append($0) }
  }

  /// Adds all writes of another batch.
  package mutating func append(contentsOf other: WriteBatch) {
    if isEmpty { self = other } else { other.forEach { append($0) } }
  }

  /// Calls `body` with each write in order. The views are valid during the call only.
  package func forEach<Failure: Error>(_ body: (borrowing WriteView) throws(Failure) -> Void) throws(Failure)
  {
    var failure: Failure?
    bytes.withUnsafeBytes { buffer in
      var cursor = Cursor(buffer)
      var named: [ReplicaID] = []
      named.reserveCapacity(replicas.count)
      while failure == nil, !cursor.isAtEnd {
        let view = cursor.checkedWrite(&named)
        do throws(Failure) { try body(view) } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }

  /// The writes as values, for the paths where speed does not matter.
  package var writes: [Write] {
    var result: [Write] = []
    result.reserveCapacity(count)
    forEach { result.append(Write($0)) }
    return result
  }

  private mutating func appendIndex(of replica: ReplicaID) {
    // A batch rarely changes its author, and names few: the last one first.
    if let index = replicas.lastIndex(of: replica) {
      appendVarint(UInt64(index))
      return
    }
    appendVarint(UInt64(replicas.count))
    withUnsafeBytes(of: replica.high.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: replica.low.bigEndian) { bytes.append(contentsOf: $0) }
    replicas.append(replica)
  }

  private mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private static func scan(_ buffer: UnsafeRawBufferPointer) -> Result<(Int, [ReplicaID]), WireError> {
    var cursor = Cursor(buffer)
    var named: [ReplicaID] = []
    var count = 0
    do throws(WireError) {
      while !cursor.isAtEnd {
        try cursor.skipWrite(&named)
        count += 1
      }
      // `append` gives a replica one index: equal batches are equal byte for byte.
      guard Set(named).count == named.count else { throw .malformed }
      return .success((count, named))
    } catch {
      return .failure(error)
    }
  }
}

/// One write inside a batch, without copies. Valid only as long as the bytes it points into.
package struct WriteView: ~Copyable {
  package let replica: ReplicaID
  package let sequence: UInt64
  package let stamp: Stamp
  package let key: UnsafeRawBufferPointer
  package let value: UnsafeRawBufferPointer

  package init(
    replica: ReplicaID, sequence: UInt64, stamp: Stamp, key: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) {
    self.replica = replica
    self.sequence = sequence
    self.stamp = stamp
    self.key = key
    self.value = value
  }
}

/// Walks encoded writes.
private struct Cursor {
  private let buffer: UnsafeRawBufferPointer
  private var position = 0

  init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  var isAtEnd: Bool { position == buffer.count }

  /// Reads a write of bytes that ``skipWrite(_:)`` has accepted before.
  mutating func checkedWrite(_ named: inout [ReplicaID]) -> WriteView {
    let index = Int(checkedVarint())
    if index == named.count {
      named.append(ReplicaID(high: checkedWord(), low: checkedWord()))
    }
    let sequence = checkedVarint()
    let stamp = Stamp(rawValue: checkedWord())
    let key = checkedBytes()
    let value = checkedBytes()
    return WriteView(replica: named[index], sequence: sequence, stamp: stamp, key: key, value: value)
  }

  /// Checks one write that may be anything.
  mutating func skipWrite(_ named: inout [ReplicaID]) throws(WireError) {
    let index = try varint()
    guard index <= UInt64(named.count) else { throw .malformed }
    if index == UInt64(named.count) {
      guard named.count < Limits.replicas else { throw .beyondLimit }
      guard buffer.count - position >= 16 else { throw .truncated }
      named.append(ReplicaID(high: checkedWord(), low: checkedWord()))
    }
    let sequence = try varint()
    guard sequence > 0 else { throw .malformed }
    guard sequence <= Limits.sequence else { throw .beyondLimit }
    try skip(8)
    let keyLength = try varint()
    guard keyLength > 0 else { throw .malformed }
    guard keyLength <= UInt64(Limits.keyBytes) else { throw .beyondLimit }
    try skip(Int(keyLength))
    let valueLength = try varint()
    guard valueLength <= UInt64(Limits.valueBytes) else { throw .beyondLimit }
    try skip(Int(valueLength))
  }

  private mutating func skip(_ count: Int) throws(WireError) {
    guard buffer.count - position >= count else { throw .truncated }
    position += count
  }

  private mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard position < buffer.count else { throw .truncated }
      let next = buffer[position]
      position += 1
      let group = UInt64(next & 0x7f)
      guard shift < 63 || group <= 1, next != 0 || shift == 0 else { throw .malformed }
      value |= group << shift
      if next & 0x80 == 0 { return value }
      shift += 7
      guard shift <= 63 else { throw .malformed }
    }
  }

  @inline(__always) private mutating func checkedVarint() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = buffer[position]
      position += 1
      value |= UInt64(next & 0x7f) &<< shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
  }

  @inline(__always) private mutating func checkedWord() -> UInt64 {
    defer { position += 8 }
    return UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  @inline(__always) private mutating func checkedBytes() -> UnsafeRawBufferPointer {
    let length = Int(checkedVarint())
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: buffer[position..<(position + length)])
  }
}
