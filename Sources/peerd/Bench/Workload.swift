import PeerSync
import PeerSyncSimulation

/// Writes and purchases to measure with.
enum Workload {
  static let bundleId = "com.example.bench"

  /// A replica that knows nothing.
  static var emptyReplica: Replica { Replica(id: ReplicaID(high: 0, low: 1), cryptography: .openSSL) }

  /// Encoded batches of writes of one replica to as many registers: keys of 16 bytes, values of 96, in random order.
  ///
  /// - Parameter bytes: a batch that has as many is full
  static func batches(
    _ count: Int, by replica: ReplicaID, of bytes: Int = Limits.chunkBytes, stamp: UInt64 = 1,
    first: UInt64 = 1, seed: UInt64 = 1
  ) -> [[UInt8]] {
    var random = RandomState(seed: seed)
    var result: [[UInt8]] = []
    var batch = WriteBatch()
    for index in 0..<count {
      let write = Write(
        key: key(random.next()), stamp: Stamp(rawValue: stamp), value: value(index),
        dot: Dot(replica: replica, sequence: first + UInt64(index)))
      batch.append(write)
      if batch.bytes.count >= bytes {
        result.append(batch.bytes)
        batch = WriteBatch()
      }
    }
    if !batch.isEmpty { result.append(batch.bytes) }
    return result
  }

  /// Batches as signed commits of an author of their own, one each.
  static func commits(of batches: (_ author: ReplicaID) -> [[UInt8]]) throws -> [[UInt8]] {
    let key = try DeviceKey.generate().signingKey
    var author = emptyReplica
    _ = author.begin(Incarnation(key: key.publicKey, nonce: Nonce(high: 1, low: 2)))
    return try batches(author.id).compactMap { bytes in
      author.seal(try WriteBatch(decoding: bytes[...]), by: key)?.batch.bytes
    }
  }

  /// Requests that write as many app values, each of the size of ``batches(_:by:of:stamp:first:seed:)``.
  static func values(_ count: Int, seed: UInt64 = 1) -> [LocalWrite] {
    var random = RandomState(seed: seed)
    return (0..<count).map { LocalWrite(key: key(random.next()), value: value($0)) }
  }

  private static func key(_ number: UInt64) -> [UInt8] {
    RegisterKey.value(key: String(hexadecimal(number).prefix(14))).encoded
  }

  private static func value(_ index: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 96)
  }

  /// A product of a line.
  static func product(_ id: String, line: String) -> Product {
    Product(id: id, type: .nonRenewingSubscription, line: line, period: Period("P1M"), entitlements: [line])
  }

  /// A purchase of that product.
  static func purchase(_ number: Int, of product: String) -> Transaction {
    let date = Instant(clamping: 1_700_000_000_000 + Int64(number) * 60_000)
    return Transaction(
      transactionId: String(2_000_000_000_000_000 + number), productId: product, bundleId: bundleId,
      environment: .sandbox, purchaseDate: date, verification: .simulated)
  }

  /// The writes that record a purchase, signed by the store of the simulation.
  ///
  /// - Parameter cryptography: of the device that writes
  static func writes(_ transaction: Transaction, _ cryptography: Cryptography) -> [LocalWrite] {
    SimulatedStore.writes(of: transaction, cryptography)
  }
}
