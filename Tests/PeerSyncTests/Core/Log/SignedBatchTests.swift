import PeerSyncCore
import Testing

@Suite struct SignedBatchTests {
  private let author = Author(1)

  private func decode(_ bytes: [UInt8]) throws(WireError) -> SignedBatch {
    try SignedBatch(decoding: bytes[...])
  }

  private func write(_ sequence: UInt64, key: Int = 1, value: Int = 0) -> Write {
    Write(
      key: Array(repeating: 7, count: key), stamp: Stamp(rawValue: sequence),
      value: Array(repeating: 8, count: value), dot: Dot(replica: author.replica, sequence: sequence))
  }

  @Test func whatGoesInComesOut() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<300 {
      let batch = SignedBatch.generate(&random)
      let decoded = try decode(batch.bytes)
      #expect(decoded == batch && SignedBatch.joined(decoded.separated) == batch)
    }
    let writes = (4...6).map { write($0, key: 3, value: Int($0)) }
    #expect(Commit.signed(writes).batch.writes == writes)
  }

  // MARK: Commits

  @Test func aCommitTakesItsNameFromItsWrites() {
    let commit = Commit.signed((4...6).map { write($0) })
    #expect(commit.author == author.incarnation && commit.first == 4 && commit.last == 6)
  }

  /// What is pushed is one commit, whole.
  @Test func aPushIsOneWholeCommit() throws {
    let one = Commit.signed([write(1)]).batch
    #expect(try Commit(one).first == 1)
    #expect(throws: WireError.malformed) { try Commit(SignedBatch()) }
    #expect(throws: WireError.malformed) { try Commit(.joined([one, Commit.signed([write(2)]).batch])) }
    var head = SignedBatch()
    head.append(author.head(1, 1, ContentHash(words: (0, 0, 0, 0))), of: author.incarnation)
    #expect(throws: WireError.malformed) { try Commit(head) }
    let torn = try decode(encoded(entries: [full(), hash()], count: 2))
    #expect(throws: WireError.malformed) { try Commit(torn) }
  }

  // MARK: Hostile bytes

  private func full(key: UInt64 = 1, keyBytes: Int? = nil, value: UInt64 = 0, valueBytes: Int? = nil)
    -> [UInt8]
  {
    var writer = ByteWriter()
    writer.write(varint: key)
    writer.write(raw: [UInt8](repeating: 7, count: keyBytes ?? 1))
    writer.write(word: 0)
    writer.write(varint: value)
    writer.write(raw: [UInt8](repeating: 8, count: valueBytes ?? 0))
    return writer.bytes
  }

  private func hash() -> [UInt8] { [0] + [UInt8](repeating: 9, count: 32) }

  private func encoded(
    index: UInt64 = 0, names: Bool = true, first: UInt64 = 1, entries: [[UInt8]], count: UInt64 = 1,
    form: UInt8 = 0, nonce: UInt64 = 0
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(varint: index)
    if names {
      writer.write(author.incarnation.key)
      writer.write(Nonce(high: 0, low: nonce))
    }
    writer.write(varint: first)
    writer.write(varint: count)
    writer.write(raw: [UInt8](repeating: 5, count: 64))
    writer.write(byte: form)
    for entry in entries { writer.write(raw: entry) }
    return writer.bytes
  }

  @Test func everyTruncation() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<10 {
      let batch = SignedBatch.generate(&random)
      guard batch.bytes.count < 3_000 else { continue }
      let ends = Set(
        batch.separated.indices.map { SignedBatch.joined(Array(batch.separated[..<$0])).bytes.count })
      for length in 0..<batch.bytes.count {
        if ends.contains(length) {
          #expect(throws: Never.self) { try decode(Array(batch.bytes[..<length])) }
        } else {
          #expect(throws: WireError.truncated) { try decode(Array(batch.bytes[..<length])) }
        }
      }
    }
  }

  @Test func everyByteChanged() throws {
    let original =
      encoded(entries: [full(), hash(), full(value: 2, valueBytes: 2)], count: 3)
      + encoded(index: 0, names: false, first: 9, entries: [[UInt8](repeating: 3, count: 32)], form: 1)
    for index in original.indices {
      for flip in UInt8(1)...255 {
        var bytes = original
        bytes[index] ^= flip
        checkIsCanonical(bytes)
      }
    }
  }

  @Test func bytesOfChance() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<5_000 {
      let bytes = random.bytes(random.below(240))
      checkIsCanonical(random.chance(1, of: 2) ? bytes : bytes.map { $0 & 1 })
    }
  }

  /// What decodes is what the encoder would have written.
  private func checkIsCanonical(_ bytes: [UInt8]) {
    guard let decoded = try? decode(bytes) else { return }
    #expect(SignedBatch.joined(decoded.separated) == decoded)
  }

  @Test func absurdNumbers() {
    #expect(throws: Never.self) { try decode(encoded(entries: [full()])) }
    #expect(throws: Never.self) { try decode(encoded(first: Limits.sequence, entries: [full()])) }
    let beyond = [
      encoded(first: Limits.sequence + 1, entries: [full()]),
      encoded(first: Limits.sequence, entries: [full(), full()], count: 2),
      encoded(entries: [full()], count: UInt64(Limits.commitWrites) + 1),
      encoded(entries: [full()], count: .max),
      encoded(entries: [full(key: UInt64(Limits.keyBytes) + 1)]), encoded(entries: [full(key: .max)]),
      encoded(entries: [full(value: UInt64(Limits.valueBytes) + 1)]), encoded(entries: [full(value: .max)]),
    ]
    for bytes in beyond { #expect(throws: WireError.beyondLimit) { try decode(bytes) } }
    let malformed = [
      encoded(first: 0, entries: [full()]), encoded(entries: [], count: 0),
      encoded(index: 1, entries: [full()]),
      encoded(entries: [full()], form: 2), encoded(entries: [hash(), hash()], count: 2),
      encoded(entries: [full()]) + encoded(index: 1, entries: [full()]),
    ]
    for bytes in malformed { #expect(throws: WireError.malformed) { try decode(bytes) } }
    #expect(throws: Never.self) {
      try decode(encoded(entries: [full()]) + encoded(index: 1, entries: [full()], nonce: 1))
    }
  }

  @Test func limits() throws {
    let most = Array(repeating: full(), count: 1) + Array(repeating: hash(), count: Limits.commitWrites - 1)
    #expect(try decode(encoded(entries: most, count: UInt64(Limits.commitWrites))).count == 1)
    // A write counts as its hash when that is longer: whatever is replaced later, the commit still fits.
    let large = full(value: 32_000, valueBytes: 32_000)
    let rest = Limits.commitBytes - 5 * (32_000 + 13)
    func commit(_ extra: Int) -> [UInt8] {
      let small = Array(repeating: full(), count: rest / 33 + extra)
      return encoded(entries: Array(repeating: large, count: 5) + small, count: UInt64(5 + small.count))
    }
    #expect(rest > 33 && rest / 33 < Limits.commitWrites)
    #expect(throws: Never.self) { try decode(commit(0)) }
    #expect(throws: WireError.beyondLimit) { try decode(commit(1)) }
  }
}
