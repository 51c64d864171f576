import PeerSync
import PeerSyncSandbox

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension MigrationPlan {
  /// A sandbox store's: "PSst".
  package static let sandboxStore = MigrationPlan(
    applicationID: 0x5053_7374,
    migrations: [
      Migration(
        name: "1 records, signatures",
        // One row of `state`: the terms, the time and the revision. A record is JSON; `number` is its id or 0.
        sql: """
          CREATE TABLE state(terms BLOB NOT NULL, time INTEGER NOT NULL, revision INTEGER NOT NULL);
          CREATE TABLE records(
            kind INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
            PRIMARY KEY(kind, number, name)) WITHOUT ROWID;
          CREATE TABLE signatures(
            kind INTEGER NOT NULL, number INTEGER NOT NULL, payload BLOB NOT NULL, signature BLOB NOT NULL,
            PRIMARY KEY(kind, number)) WITHOUT ROWID;
          """),
      Migration(
        name: "2 what becomes of one purchase",
        // It stood in the place of what becomes of all others.
        sql: """
          UPDATE state SET terms = CAST(json_set(
              CAST(terms AS TEXT), '$.moodOnce', json_extract(CAST(terms AS TEXT), '$.mood'), '$.mood', 'succeed') AS BLOB)
            WHERE json_extract(CAST(terms AS TEXT), '$.isMoodOnce');
          UPDATE records SET value = CAST(json_remove(json_set(
              CAST(value AS TEXT), '$.moodOnce', json_extract(CAST(value AS TEXT), '$.mood')), '$.mood') AS BLOB)
            WHERE kind = 2 AND json_extract(CAST(value AS TEXT), '$.isMoodOnce');
          """),
    ])
}

/// What a sandbox store keeps on disk: its records, and what it has signed of them. One transaction and one sync for
/// everything that one command changed.
final class SandboxDatabase {
  /// What a row is of.
  enum Kind: Int64 {
    case product = 1
    case account = 2
    case transaction = 3
    case subscription = 4
    case request = 5
    case notification = 6
    case catalogue = 7
  }

  private let database: Database
  private let upsert: Statement
  private let sign: Statement

  /// Opens the database of a directory, whose lock the caller holds; makes it where there is none.
  init(_ path: String) throws(StorageError) {
    _ = try FileSystem.open(path, O_RDWR | O_CREAT)
    try FileSystem.syncDirectory(FileSystem.parent(of: path))
    database = try Database(path: path)
    try database.configure()
    try database.requireIntegrity()
    try database.migrate(.sandboxStore)
    upsert = try database.prepare("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)")
    sign = try database.prepare("INSERT OR REPLACE INTO signatures VALUES (?, ?, ?, ?)")
  }

  // MARK: Reading

  /// The store as it was kept; nil when there is none yet.
  func load() throws(StorageError) -> SandboxStore? {
    let state = try database.prepare("SELECT terms, time, revision FROM state")
    guard try state.step() else { return nil }
    let terms = try decode(SandboxTerms.self, state.bytes(0))
    let (time, revision) = (Instant(clamping: state.integer(1)), UInt64(clamping: state.integer(2)))
    state.reset()
    let transactions: [SandboxTransaction] = try records(.transaction)
    var last = terms.firstId &- 1
    for transaction in transactions {
      defer { last = transaction.id }
      guard transaction.id <= last else { continue }
      let reason = Phrase(
        "transaction \(transaction.id) is out of place", "거래 \(transaction.id)번이 제자리에 없음")
      throw .corrupt(path: database.path, message: StorageReason(reason))
    }
    return SandboxStore(
      terms: terms, at: time, revision: revision, products: try records(.product),
      accounts: try records(.account),
      transactions: transactions, subscriptions: try records(.subscription), requests: try records(.request),
      notifications: try records(.notification))
  }

  /// What devices are told of what is sold.
  func told() throws(StorageError) -> ToldCatalogue {
    guard let document = try (records(.catalogue) as [JSONValue]).first else { return ToldCatalogue() }
    do throws(CatalogueError) {
      return ToldCatalogue(try CatalogueFile(document, name: database.path).catalogue)
    } catch {
      throw .corrupt(path: database.path, message: StorageReason(Phrase(error)))
    }
  }

  private func records<Record: Decodable>(_ kind: Kind) throws(StorageError) -> [Record] {
    let statement = try database.prepare("SELECT value FROM records WHERE kind = ? ORDER BY number, name")
    statement.bind(1, kind.rawValue)
    var records: [Record] = []
    while try statement.step() { records.append(try decode(Record.self, statement.bytes(0))) }
    return records
  }

  /// What was signed: number, payload and signature of each.
  func signatures(_ kind: Kind) throws(StorageError) -> [(
    number: UInt64, payload: [UInt8], signature: [UInt8]
  )] {
    let statement = try database.prepare("SELECT number, payload, signature FROM signatures WHERE kind = ?")
    statement.bind(1, kind.rawValue)
    var result: [(number: UInt64, payload: [UInt8], signature: [UInt8])] = []
    while try statement.step() {
      result.append(
        (UInt64(clamping: statement.integer(0)), Array(statement.bytes(1)), Array(statement.bytes(2))))
    }
    return result
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, _ bytes: UnsafeRawBufferPointer
  ) throws(StorageError) -> Value {
    do { return try JSON.decode(type, from: Array(bytes)) } catch {
      throw .corrupt(path: database.path, message: StorageReason(JSON.told(error)))
    }
  }

  // MARK: Writing

  /// Runs a transaction; what it has written is durable when this returns.
  func transaction(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    try database.requireInPlace()
    try database.execute("BEGIN IMMEDIATE")
    do {
      try body()
      try database.execute("COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      throw error
    }
    try database.requireInPlace()
    if database.logPages >= Database.checkpointPages { try database.checkpoint() }
  }

  func write(_ sandboxStore: SandboxStore) throws(StorageError) {
    try database.execute("DELETE FROM state")
    let statement = try database.prepare("INSERT INTO state VALUES (?, ?, ?)")
    statement.bind(1, copying: JSON.encode(sandboxStore.terms))
    statement.bind(2, sandboxStore.time.milliseconds)
    statement.bind(3, Int64(clamping: sandboxStore.revision))
    try statement.run()
  }

  func write(_ told: ToldCatalogue) throws(StorageError) {
    try transaction { () throws(StorageError) in try write(.catalogue, told.document) }
  }

  func write(_ kind: Kind, number: UInt64 = 0, name: String = "", _ record: some Encodable)
    throws(StorageError)
  {
    upsert.bind(1, kind.rawValue)
    upsert.bind(2, Int64(clamping: number))
    upsert.bind(3, name)
    upsert.bind(4, copying: JSON.encode(record))
    try upsert.run()
  }

  func write(_ kind: Kind, number: UInt64, signed item: JWS) throws(StorageError) {
    sign.bind(1, kind.rawValue)
    sign.bind(2, Int64(clamping: number))
    sign.bind(3, copying: item.payload)
    sign.bind(4, copying: item.signature)
    try sign.run()
  }

  /// Forgets records and signatures up to a number.
  func forget(_ kind: Kind, upTo number: UInt64) throws(StorageError) {
    for table in ["records", "signatures"] {
      let statement = try database.prepare("DELETE FROM \(table) WHERE kind = ? AND number <= ?")
      statement.bind(1, kind.rawValue)
      statement.bind(2, Int64(clamping: number))
      try statement.run()
    }
  }
}
