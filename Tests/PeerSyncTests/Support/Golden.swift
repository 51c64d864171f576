import Foundation
import PeerSync

/// Encoded messages kept as files: hexadecimal digits, sixteen bytes to a line.
enum Golden {
  /// The bytes of docs/protocol.md, one message of every type, with values that can be checked by hand.
  static let messages: [(name: String, message: Message)] = [
    ("hello", .hello(hello)),
    ("welcome", .welcome),
    ("summary", .summary(Summary(isProbe: true, vectorHash: 0x0102_0304_0506_0708, digest: digest))),
    (
      "vector",
      .vector(VersionVector([Dot(replica: phone, sequence: 5), Dot(replica: tablet, sequence: 300)]))
    ),
    ("commit", .commit(commit)),
    ("delta", .delta(DeltaChunk(delta: 1, index: 2, writes: writes))),
    ("deltaEnd", .deltaEnd(deltaEnd)),
    ("ranges", .ranges([RangeDigest(range: range, count: 300, digest: digest)])),
    ("items", .items(RangeItems(range: range, wantsReply: true, writes: writes))),
    ("addresses", .addresses([listening])),
    ("join", .join(join)),
    ("admitted", .admitted(GroupID(high: 0x6666_6666_6666_6666, low: 0x6666_6666_6666_6666))),
    ("close", .close(.version)),
  ]

  static let phone = ReplicaID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)
  static let tablet = ReplicaID(high: 0x2222_2222_2222_2222, low: 0x2222_2222_2222_2222)
  private static let device = DeviceID(high: 0x3333_3333_3333_3333, low: 0x3333_3333_3333_3333)
  private static let digest = Digest(high: 0x4444_4444_4444_4444, low: 0x5555_5555_5555_5555)
  private static let range = KeyRange(depth: 4, prefix: 0xa000_0000_0000_0000)
  private static let listening = AddressEntry(
    device: device, address: Address(host: "127.0.0.1", port: 7400), stamp: Stamp(rawValue: 0x0001_0000))
  private static let hello = Hello(
    versions: 1...1, group: GroupID(high: 0x6666_6666_6666_6666, low: 0x6666_6666_6666_6666), device: device,
    replica: phone, environment: .sandbox, bundleId: "com.example", name: "Phone", listening: listening)
  private static let join = JoinRequest(
    versions: 1...1, code: "ABCD-EFGH-JKLM", device: device, environment: .sandbox, bundleId: "com.example",
    name: "Phone")
  private static let deltaEnd = DeltaEnd(
    delta: 1, chunks: 3, baseHash: 0x0102_0304_0506_0708, claims: [Dot(replica: tablet, sequence: 300)])

  /// Two writes of two replicas.
  private static let writes: WriteBatch = {
    var batch = WriteBatch()
    batch.append(write("k1", stamp: 0x0001_0000, "v1", Dot(replica: phone, sequence: 5)))
    batch.append(write("k2", stamp: 0x0002_0001, "", Dot(replica: tablet, sequence: 300)))
    return batch
  }()

  private static let commit: Commit = {
    var batch = WriteBatch()
    batch.append(write("k1", stamp: 0x0001_0000, "v1", Dot(replica: phone, sequence: 5)))
    batch.append(write("k2", stamp: 0x0001_0001, "v2", Dot(replica: phone, sequence: 6)))
    do { return try Commit(batch) } catch { fatalError("no commit: \(error)") }
  }()

  private static func write(_ key: String, stamp: UInt64, _ value: String, _ dot: Dot) -> Write {
    Write(key: Array(key.utf8), stamp: Stamp(rawValue: stamp), value: Array(value.utf8), dot: dot)
  }

  // MARK: Files

  /// Set it to write the files anew. The difference is then for a person to judge: peers in the field speak the old bytes.
  static let isRewriting = ProcessInfo.processInfo.environment["PEERSYNC_REWRITE_GOLDEN"] == "1"

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let protocolDocument = root.appendingPathComponent("docs/protocol.md")

  private static func file(_ name: String) -> URL {
    root.appendingPathComponent("Tests/PeerSyncTests/Golden/\(name).hex")
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
