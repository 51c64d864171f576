import PeerSyncCore
import Testing

@Suite struct WriteBatchTests {
  private static let replica = ReplicaID(high: 0, low: 1)

  private func write(_ sequence: UInt64, key: Int = 1, value: Int = 0, by replica: ReplicaID = replica)
    -> Write
  {
    Write(
      key: Array(repeating: 7, count: key), stamp: Stamp(rawValue: sequence),
      value: Array(repeating: 8, count: value), dot: Dot(replica: replica, sequence: sequence))
  }

  private func batch(_ writes: [Write]) -> WriteBatch {
    var batch = WriteBatch()
    for write in writes { batch.append(write) }
    return batch
  }

  private func decode(_ bytes: [UInt8]) throws(WireError) -> WriteBatch {
    try WriteBatch(decoding: bytes[...])
  }

  @Test func whatGoesInComesOut() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let writes = random.array(upTo: 8, of: Write.self)
      let batch = batch(writes)
      #expect(batch.writes == writes && batch.count == writes.count && batch.isEmpty == writes.isEmpty)
      let decoded = try decode(batch.bytes)
      #expect(decoded == batch && decoded.writes == writes)
    }
  }

  @Test func aDecodedBatchGrowsLikeAnyOther() throws {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      let writes = random.array(upTo: 8, of: Write.self)
      let more = random.array(upTo: 3, of: Write.self)
      var decoded = try decode(batch(writes).bytes)
      for write in more { decoded.append(write) }
      #expect(decoded == batch(writes + more))
    }
  }

  @Test func joinedIsAsIfWrittenAtOnce() {
    var random = SeededGenerator(seed: 5)
    let others = [ReplicaID(high: 0, low: 2), ReplicaID(high: 0, low: 3)]
    for _ in 0..<2_000 {
      // Often of one replica alone.
      let authors = random.chance(1, of: 2) ? [Self.replica] : [Self.replica] + others
      let parts = (0..<random.below(5)).map { _ in
        (0..<random.below(4)).map { _ in
          write(
            UInt64(1 + random.below(300)), value: random.below(5), by: authors[random.below(authors.count)])
        }
      }
      var joined = WriteBatch()
      for part in parts { joined.append(contentsOf: batch(part)) }
      #expect(joined == batch(parts.flatMap { $0 }))
    }
  }

  /// A slice that does not begin at 0, as frames hand it over.
  @Test func decodesASlice() throws {
    let batch = batch([write(1), write(2, value: 3)])
    let bytes = [9, 9] + batch.bytes + [9]
    #expect(try WriteBatch(decoding: bytes[2..<(bytes.count - 1)]) == batch)
  }

  @Test func anErrorEndsTheWalk() {
    var seen = 0
    #expect(throws: WireError.malformed) {
      try batch([write(1), write(2), write(3)]).forEach { (write: borrowing WriteView) throws(WireError) in
        seen += 1
        if write.sequence == 2 { throw .malformed }
      }
    }
    #expect(seen == 2)
  }

  // MARK: Hostile bytes

  @Test func everyTruncation() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<100 {
      let batch = batch(
        random.array(upTo: 4, of: Write.self).filter { $0.value.count < 1_000 && $0.key.count < 100 })
      let ends = Set(batch.writes.indices.map { self.batch(Array(batch.writes[..<$0])).bytes.count })
      for length in 0..<batch.bytes.count {
        let bytes = Array(batch.bytes[..<length])
        if ends.contains(length) {
          #expect(try decode(bytes).bytes == bytes)
        } else {
          #expect(throws: WireError.truncated) { try decode(bytes) }
        }
      }
    }
  }

  @Test func everyByteChanged() {
    let other = ReplicaID(high: 0, low: 2)
    let original = batch([write(5, key: 2, value: 2), write(300, by: other), write(6)])
    for index in original.bytes.indices {
      for flip in UInt8(1)...255 {
        var bytes = original.bytes
        bytes[index] ^= flip
        checkIsCanonical(bytes)
      }
    }
  }

  @Test func bytesOfChance() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<20_000 {
      let bytes = random.bytes(random.below(80))
      checkIsCanonical(random.chance(1, of: 2) ? bytes : bytes.map { $0 & 1 })
    }
  }

  /// What decodes is what `append` would have written.
  private func checkIsCanonical(_ bytes: [UInt8]) {
    guard let decoded = try? decode(bytes) else { return }
    #expect(batch(decoded.writes) == decoded)
  }

  private func bytes(
    index: UInt64 = 0, replica: [UInt8]? = Array(repeating: 0, count: 16), sequence: UInt64 = 1,
    key: UInt64 = 1,
    value: UInt64 = 0
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(varint: index)
    writer.write(raw: replica ?? [])
    writer.write(varint: sequence)
    writer.write(word: 0)
    writer.write(varint: key)
    writer.write(byte: 7)
    writer.write(varint: value)
    return writer.bytes
  }

  @Test func absurdNumbers() {
    #expect(throws: Never.self) { try decode(bytes()) }
    #expect(throws: Never.self) { try decode(bytes(sequence: Limits.sequence)) }
    #expect(throws: WireError.beyondLimit) { try decode(bytes(sequence: Limits.sequence + 1)) }
    #expect(throws: WireError.malformed) { try decode(bytes(index: 1)) }
    #expect(throws: WireError.malformed) { try decode(bytes(index: .max)) }
    #expect(throws: WireError.malformed) { try decode(bytes(sequence: 0)) }
    #expect(throws: WireError.malformed) { try decode(bytes(key: 0)) }
    for huge in [UInt64(Limits.valueBytes) + 1, UInt64(Int.max), .max] {
      #expect(throws: WireError.beyondLimit) { try decode(bytes(key: huge)) }
      #expect(throws: WireError.beyondLimit) { try decode(bytes(value: huge)) }
    }
    #expect(throws: WireError.truncated) { try decode(bytes(value: UInt64(Limits.valueBytes))) }
  }

  @Test func aReplicaIsNamedOnce() {
    #expect(throws: WireError.malformed) { try decode(bytes() + bytes(index: 1)) }
    #expect(throws: Never.self) { try decode(bytes() + bytes(replica: nil, sequence: 2)) }
    #expect(throws: Never.self) {
      try decode(bytes() + bytes(index: 1, replica: Array(repeating: 1, count: 16)))
    }
  }

  @Test func numbersAreNoLongerThanNeeded() {
    let plain = bytes()
    #expect(throws: WireError.malformed) { try decode([0x80, 0x00] + plain.dropFirst()) }
    let tooMany = Array(repeating: UInt8(0xff), count: 10)
    #expect(throws: WireError.malformed) { try decode(tooMany) }
    #expect(throws: WireError.malformed) { try decode(Array(repeating: 0x80, count: 9) + [0x02]) }
    #expect(throws: WireError.truncated) { try decode(Array(repeating: 0x80, count: 9)) }
    // A sequence of eleven bytes, the last two of which no 64 bits hold.
    let eleven = plain.prefix(17) + Array(repeating: 0xff, count: 9) + [0x81, 0x01] + plain.dropFirst(18)
    #expect(throws: WireError.malformed) { try decode(Array(eleven)) }
  }

  @Test func limits() throws {
    let most = batch([write(1, key: Limits.keyBytes, value: Limits.valueBytes)])
    #expect(try decode(most.bytes) == most)
    let longKey = batch([write(1, key: Limits.keyBytes + 1)])
    #expect(throws: WireError.beyondLimit) { try decode(longKey.bytes) }
    let longValue = batch([write(1, value: Limits.valueBytes + 1)])
    #expect(throws: WireError.beyondLimit) { try decode(longValue.bytes) }
    func replicas(_ count: Int) -> WriteBatch {
      batch((0..<count).map { write(1, by: ReplicaID(high: 0, low: UInt64($0))) })
    }
    #expect(try decode(replicas(Limits.replicas).bytes).count == Limits.replicas)
    #expect(throws: WireError.beyondLimit) { try decode(replicas(Limits.replicas + 1).bytes) }
  }
}
