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
    bytes.append(varint: sequence)
    withUnsafeBytes(of: stamp.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(varint: UInt64(key.count))
    bytes.append(contentsOf: key)
    bytes.append(varint: UInt64(value.count))
    bytes.append(contentsOf: value)
    count += 1
  }

  /// Adds one write from arrays.
  package mutating func append(_ write: Write) {
    write.withView { append($0) }
  }

  /// Adds all writes of another batch.
  package mutating func append(contentsOf other: WriteBatch) {
    guard !isEmpty else { return self = other }
    guard let first = replicas.first, other.replicas == [first] else { return other.forEach { append($0) } }
    // One replica wrote all of it, as in most deltas, and has the index 0 in both: only its 16 bytes are not named again.
    bytes.append(0)
    bytes.append(contentsOf: other.bytes[(1 + 16)...])
    count += other.count
  }

  /// Calls `body` with each write in order. The views are valid during the call only.
  package func forEach<Failure: Error>(_ body: (borrowing WriteView) throws(Failure) -> Void) throws(Failure)
  {
    var failure: Failure?
    bytes.withUnsafeBytes { buffer in
      var cursor = BatchCursor(buffer)
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
      bytes.append(varint: UInt64(index))
      return
    }
    bytes.append(varint: UInt64(replicas.count))
    withUnsafeBytes(of: replica.high.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: replica.low.bigEndian) { bytes.append(contentsOf: $0) }
    replicas.append(replica)
  }

  private static func scan(_ buffer: UnsafeRawBufferPointer) -> Result<(Int, [ReplicaID]), WireError> {
    var cursor = BatchCursor(buffer)
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
