extension ByteWriter {
  /// A version vector: the count of entries, then each replica (16 bytes) and its sequence (varint), in order.
  package mutating func write(_ vector: VersionVector) { write(entries: vector.entries) }

  /// Entries of a version vector, sorted by replica: the claims of a delta.
  package mutating func write(entries: [Dot]) {
    write(varint: UInt64(entries.count))
    for entry in entries { write(entry) }
  }

  /// A version vector as peers are told it: behind each entry its fingerprint (word).
  mutating func write(_ told: ToldVector) {
    write(varint: UInt64(told.fingerprints.count))
    for (entry, fingerprint) in zip(told.vector.entries, told.fingerprints) {
      write(entry)
      write(word: fingerprint)
    }
  }

  private mutating func write(_ entry: Dot) {
    write(entry.replica)
    write(varint: entry.sequence)
  }
}

extension ByteReader {
  /// A version vector. Its entries are sorted, name no replica twice and stand above 0: a vector has one encoding.
  package mutating func versionVector() throws(WireError) -> VersionVector {
    VersionVector(try entries())
  }

  package mutating func entries() throws(WireError) -> [Dot] {
    var entries: [Dot] = []
    for _ in 0..<(try count(atMost: Limits.replicas)) { entries.append(try entry(behind: entries.last)) }
    return entries
  }

  mutating func toldVector() throws(WireError) -> ToldVector {
    var (entries, fingerprints): ([Dot], [UInt64]) = ([], [])
    for _ in 0..<(try count(atMost: Limits.replicas)) {
      entries.append(try entry(behind: entries.last))
      fingerprints.append(try word())
    }
    return ToldVector(VersionVector(entries), fingerprints: fingerprints)
  }

  private mutating func entry(behind last: Dot?) throws(WireError) -> Dot {
    let entry = Dot(replica: try identifier(), sequence: try varint())
    guard entry.sequence <= Limits.sequence else { throw .beyondLimit }
    guard entry.sequence > 0, last.map({ $0.replica < entry.replica }) ?? true else { throw .malformed }
    return entry
  }
}
