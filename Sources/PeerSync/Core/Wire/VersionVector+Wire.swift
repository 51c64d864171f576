extension ByteWriter {
  /// A version vector: the count of entries, then each replica (16 bytes) and its sequence (varint), in order.
  package mutating func write(_ vector: VersionVector) {
    write(varint: UInt64(vector.entries.count))
    for entry in vector.entries {
      write(entry.replica)
      write(varint: entry.sequence)
    }
  }
}

extension ByteReader {
  package mutating func versionVector() throws(WireError) -> VersionVector {
    let count = try count(atMost: Limits.replicas)
    var vector = VersionVector()
    var previous: ReplicaID?
    for _ in 0..<count {
      let replica = try identifier(ReplicaID.self)
      let sequence = try varint()
      guard sequence > 0, previous.map({ $0 < replica }) ?? true else { throw .malformed }
      vector.advance(replica, to: sequence)
      previous = replica
    }
    return vector
  }
}
