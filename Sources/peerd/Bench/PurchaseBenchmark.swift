import Foundation
import PeerSync

/// `purchase`: bytes of a signed purchase, on the wire in bulk and on disk, beside its signed text.
enum PurchaseBenchmark {
  private static let purchases = 5_000

  static func run() async throws -> Figures {
    var figures = Figures(.purchase)
    let store = try SandboxSigner.generate()
    var text = 0
    var writes: [LocalWrite] = []
    for number in 0..<purchases {
      let transaction = purchase(number)
      let jws = try store.sign(transaction)
      text += jws.text.count
      writes += StoreItem.writes(
        of: jws, about: StoreSubject(transaction, device: nil), rank: .standing, stamp: transaction.stamp,
        .openSSL)
    }
    figures.add("purchases", purchases)
    figures.add("textBytes", Double(text) / Double(purchases))
    let wire = wireBytes(writes)
    figures.add("wireBytes", Double(wire) / Double(purchases))
    figures.add("wireToText", Double(wire) / Double(text))
    let disk = try diskBytes(writes)
    figures.add("diskBytes", Double(disk) / Double(purchases))
    return figures
  }

  /// As Apple states one: 20 fields, a bundle id of 19 characters, ids of 16 digits.
  private static func purchase(_ number: Int) -> Transaction {
    var transaction = Transaction(
      transactionId: String(2_000_000_123_456_789 + number), productId: "com.example.RandomOwls",
      bundleId: Workload.bundleId, environment: .sandbox,
      purchaseDate: Instant(clamping: 1_700_000_000_000 + Int64(number) * 987_654), verification: .unverified)
    transaction.signedDate = transaction.purchaseDate.advanced(byMilliseconds: 1_234 + Int64(number % 900))
    transaction.type = .consumable
    transaction.price = 4_990
    transaction.currency = "USD"
    transaction.storefront = "USA"
    return transaction
  }

  /// What a delta carries of them, the shared parts included.
  private static func wireBytes(_ writes: [LocalWrite]) -> Int {
    var batch = WriteBatch()
    var seen: Set<[UInt8]> = []
    let replica = ReplicaID(high: 1, low: 1)
    for write in writes where seen.insert(write.key).inserted {
      let dot = Dot(replica: replica, sequence: UInt64(batch.count + 1))
      batch.append(
        Write(key: write.key, stamp: write.stamp ?? Stamp(rawValue: 0), value: write.value, dot: dot))
    }
    return batch.bytes.count
  }

  /// What the database grows by.
  private static func diskBytes(_ writes: [LocalWrite]) throws -> Int {
    let directory = try TemporaryDirectory()
    func size(_ name: String, _ writes: [LocalWrite]) throws -> Int {
      let path = directory.path + "/" + name
      try DaemonUnderTest.create(in: path, writes: writes)
      let storage = try Storage(DataDirectory(path))
      return Int(
        try storage.database.integer("PRAGMA page_count") * storage.database.integer("PRAGMA page_size"))
    }
    return try size("full", writes) - size("empty", [])
  }
}
