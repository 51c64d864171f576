import Foundation
import PeerSyncCore

/// Encoded messages kept as files: hexadecimal digits, sixteen bytes to a line.
enum Golden {
  /// The bytes of docs/protocol.md, one message of every type, with values that can be checked by hand.
  static let messages: [(name: String, message: Message)] = [
    ("hello", .hello(hello)),
    ("welcome", .welcome(hash(0xaa))),
    ("summary", .summary(Summary(isProbe: true, vectorHash: 0x0102_0304_0506_0708, digest: digest))),
    (
      "vector",
      .vector(
        ToldVector(
          VersionVector([Dot(replica: phone, sequence: 5), Dot(replica: tablet, sequence: 300)]),
          fingerprints: [0x0102_0304_0506_0708, 0]))
    ),
    ("commit", .commit(commit)),
    ("delta", .delta(DeltaChunk(delta: 1, index: 2, commits: writes))),
    ("deltaEnd", .deltaEnd(deltaEnd)),
    ("ranges", .ranges([RangeDigest(range: range, count: 300, digest: digest)])),
    ("items", .items(RangeItems(range: range, wantsReply: true, commits: writes))),
    ("addresses", .addresses([listening])),
    ("join", .join(join)),
    ("admitted", .admitted(admitted)),
    ("close", .close(.version)),
    ("recordHashes", .recordHashes([hash(0xaa), hash(0xbb)])),
    ("records", .records(RecordsPart(records: [founding], isLast: true))),
    (
      "introduction",
      .introduction(Introduction(key: key(0x11), signature: signature(0x77), proposal: proposal))
    ),
    ("consent", .consent(Consent(signature: signature(0x77), countersignature: signature(0x88)))),
    ("forks", .forks([fork])),
    ("rightsWanted", .rightsWanted(RightsTotal(credit: "owls", total: 300))),
    ("rightsGiven", .rightsGiven(RightsTotal(credit: "owls", total: 300))),
    ("time", .time(ClockReading(isAnswer: true, question: 300, wall: Instant(clamping: 65)))),
    ("heldBack", .heldBack(heldBack)),
    ("dialBack", .dialBack),
    (
      "dialledBack",
      .dialledBack([
        DialledAddress(address: Address(host: "10.0.0.7", port: 7400), isReached: true),
        DialledAddress(address: Address(host: "fd00::7", port: 7400), isReached: false),
      ])
    ),
  ]

  static let phone = ReplicaID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)
  static let tablet = ReplicaID(high: 0x2222_2222_2222_2222, low: 0x2222_2222_2222_2222)
  private static let device = DeviceID(high: 0x3333_3333_3333_3333, low: 0x3333_3333_3333_3333)
  private static let digest = Digest(high: 0x4444_4444_4444_4444, low: 0x5555_5555_5555_5555)
  private static let range = KeyRange(depth: 4, prefix: 0xa000_0000_0000_0000)
  private static let listening = KnownPeer.Listening(
    device: device, addresses: [Address(host: "10.0.0.7", port: 7400), Address(host: "fd00::7", port: 7400)],
    stamp: Stamp(rawValue: 0x0001_0000))
  private static let hello = Hello(
    versions: 1...1, replica: phone, bootID: 0x0a0b_0c0d_0e0f_1011, environment: .sandbox,
    bundleId: "com.example", name: "Phone", listening: listening, program: "1.2.3")
  private static let join = JoinRequest(
    versions: 1...1, key: key(0x22), environment: .sandbox, bundleId: "com.example")
  private static let deltaEnd = DeltaEnd(
    delta: 1, chunks: 3, baseHash: 0x0102_0304_0506_0708, claims: [Dot(replica: tablet, sequence: 300)])

  private static let heldBack = HeldBack(
    wall: Instant(clamping: 65), writes: 2, stamp: Stamp(rawValue: 0x0001_0000_0000),
    latest: [Dot(replica: phone, sequence: 5)])

  private static let phoneAuthor = Incarnation(key: key(0x11), nonce: Nonce(high: 0, low: 0x0101))
  private static let tabletAuthor = Incarnation(key: key(0x22), nonce: Nonce(high: 0, low: 0x0202))

  /// A commit of which one write was replaced, and a head.
  private static let writes: SignedBatch = {
    var writer = ByteWriter()
    writer.begin(author: 0, phoneAuthor, first: 5, writes: 2)
    writer.write(byte: 0)
    writer.write(write: "k1", stamp: 0x0001_0000, "v1")
    writer.write(byte: 0)
    writer.write(raw: [UInt8](repeating: 0x88, count: 32))
    writer.begin(author: 1, tabletAuthor, first: 300, writes: 1)
    writer.write(byte: 1)
    writer.write(raw: [UInt8](repeating: 0x99, count: 32))
    return batch(writer)
  }()

  private static let commit: Commit = {
    var writer = ByteWriter()
    writer.begin(author: 0, phoneAuthor, first: 5, writes: 2)
    writer.write(byte: 0)
    writer.write(write: "k1", stamp: 0x0001_0000, "v1")
    writer.write(write: "k2", stamp: 0x0001_0001, "v2")
    do { return try Commit(batch(writer)) } catch { fatalError("no commit: \(error)") }
  }()

  private static let fork: Fork = {
    func head(_ first: UInt64, _ root: UInt8) -> CommitHead {
      CommitHead(first: first, last: 6, root: hash(root), signature: FlatSignature(signature(0x77)))
    }
    guard let fork = Fork(author: phoneAuthor, head(5, 0xaa), head(6, 0xbb)) else { fatalError("no fork") }
    return fork
  }()

  /// The phone's founding, with the root of a sandbox store.
  private static let founding = MembershipRecord(
    parents: [],
    body: .found(
      MembershipRecord.Founding(
        key: key(0x11), recoveryKey: key(0x33), name: "Phone", environment: .sandbox,
        bundleId: "com.example", storeRoot: hash(0xcc))), signatures: [signature(0x77)])

  /// The phone, founded by the record 0xaa, takes in the tablet, founded by 0xbb.
  private static let proposal = MergeProposal(
    parents: [hash(0xaa), hash(0xbb)],
    merge: MembershipRecord.Merge(group: hash(0xaa), host: hash(0xaa), joiner: hash(0xbb)))
  private static let admitted = MembershipRecord(
    proposal, host: signature(0x77), joiner: signature(0x88))

  private static func key(_ byte: UInt8) -> PublicKey { bytes32(byte) }

  private static func hash(_ byte: UInt8) -> ContentHash { bytes32(byte) }

  private static func bytes32<Kind>(_ byte: UInt8) -> Bytes32<Kind> {
    let word = UInt64(byte) &* 0x0101_0101_0101_0101
    return Bytes32(words: (word, word, word, word))
  }

  private static func signature(_ byte: UInt8) -> Signature {
    guard let signature = Signature([UInt8](repeating: byte, count: 64)) else { fatalError("no signature") }
    return signature
  }

  /// By hand, so that the encoder is compared with something.
  private static func batch(_ writer: ByteWriter) -> SignedBatch {
    do { return try SignedBatch(decoding: writer.bytes[...]) } catch { fatalError("no batch: \(error)") }
  }

  // MARK: Files

  /// Set it to write the files anew. The difference is then for a person to judge: peers in the field speak the old bytes.
  static let isRewriting = ProcessInfo.processInfo.environment["PEERSYNC_REWRITE_GOLDEN"] == "1"

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let protocolDocument = root.appendingPathComponent("docs/protocol.md")

  private static func file(_ name: String) -> URL {
    root.appendingPathComponent("Tests/PeerSyncTests/Core/Golden/\(name).hex")
  }

  static func read(_ name: String) throws -> [UInt8] {
    try bytes(String(contentsOf: file(name), encoding: .utf8))
  }

  static func write(_ bytes: [UInt8], _ name: String) throws {
    let lines = stride(from: 0, to: bytes.count, by: 16).map { start in
      bytes[start..<min(start + 16, bytes.count)].map { String(format: "%02x", $0) }.joined(separator: " ")
    }
    try (lines.joined(separator: "\n") + "\n").write(to: file(name), atomically: true, encoding: .utf8)
  }

  /// Reads pairs of digits; what follows a `;` on a line is a comment.
  static func bytes(_ text: String) throws -> [UInt8] {
    let digits = text.split(separator: "\n").flatMap { line in
      line.prefix { $0 != ";" }.filter { !$0.isWhitespace }
    }
    guard digits.count.isMultiple(of: 2) else { throw GoldenError.notHexadecimal }
    return try stride(from: 0, to: digits.count, by: 2).map { index in
      guard let byte = UInt8(String(digits[index...(index + 1)]), radix: 16) else {
        throw GoldenError.notHexadecimal
      }
      return byte
    }
  }
}

enum GoldenError: Error { case notHexadecimal }

extension ByteWriter {
  fileprivate mutating func begin(author index: UInt64, _ author: Incarnation, first: UInt64, writes: UInt64)
  {
    write(varint: index)
    write(author.key)
    write(author.nonce)
    write(varint: first)
    write(varint: writes)
    write(raw: [UInt8](repeating: 0x77, count: 64))
  }

  fileprivate mutating func write(write key: String, stamp: UInt64, _ value: String) {
    write(text: key)
    write(word: stamp)
    write(text: value)
  }
}
