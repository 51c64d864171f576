/// What a device keeps on disk: its identity, its registers and the proofs of whose they are, how far it knows each
/// replica, and where members listen.
///
/// One SQLite database in write-ahead mode with `synchronous=FULL`: each ``persist(_:)`` is one transaction and one
/// sync of the log, and returns only when the disk has it, in the files that the next start will open. After a failed write or sync the storage is dead: what the
/// system's cache holds is unknown then, so every later call fails with the same error and the daemon exits.
package final class Storage {
  /// How much the storage has done since it was opened.
  package struct Statistics: Hashable, Sendable {
    /// Transactions made durable.
    package var commits = 0
    /// Rows written by them.
    package var rows = 0
    /// Times the log was copied into the database.
    package var checkpoints = 0
  }

  package internal(set) var statistics = Statistics()

  /// The database itself, for checks and repairs.
  package let database: Database
  let statements: StorageStatements
  /// The directory of the device.
  let place: HeldDirectory
  /// The small tables as they are in the database: a change writes whole rows, each with its checksum.
  var identity: IdentityRow?
  var replicas: [ReplicaID: ReplicaRow] = [:]
  var records: [[UInt8]] = []
  var addresses: [DeviceID: KnownPeer.Listening] = [:]
  var time = TrustedTime.Persisted()
  /// Whether the row of the time was written by a version that knew one floor for all.
  var isTimeOld = false
  /// The greatest number given to a replica.
  var lastNumber: Int64 = 0
  /// The copy as it was last written.
  var secondCopy: SecondCopy?
  /// Whether something that the copy holds has changed since.
  var isSecondCopyOld = true
  /// How far the database has come.
  var water = HighWaterRow()
  /// The same beside the database; nil until the mark that it holds is the database's.
  var highWater: HighWaterFile?
  /// Whether the database is behind what this device has made durable before: a copy was put back, or the log is lost.
  package private(set) var isSetBack = false
  /// Whether the file beside the database is another than the one that was written last: it was put back, or copied, as well.
  package private(set) var isMarkReplaced = false
  /// How many rows each counted table had after the last transaction, as the database was opened.
  var rowCounts: [StorageTable: Int] = [:]
  /// What did not fit when it was read, until it is mended.
  var findings = Findings()
  var failure: StorageError?

  /// Opens the device of a directory. The caller holds its lock.
  package convenience init(_ directory: DataDirectory) throws(StorageError) {
    try directory.requireDevice()
    try self.init(directory.database, of: directory)
  }

  /// Opens a database that may have another name than the one of its directory.
  init(_ path: String, of directory: DataDirectory) throws(StorageError) {
    place = try directory.hold()
    database = try Database(path: path)
    if try !database.open() { findings.note(.changes) }
    statements = try StorageStatements(database)
    try loadSmallTables()
    try openHighWater(directory)
    fillReplicas()
  }

  /// Opens a database that is only to be read: see ``Storage/inspect(_:key:_:)``.
  init(_ database: Database, inspecting directory: DataDirectory) throws(StorageError) {
    place = try directory.hold()
    self.database = database
    if try !database.look() { findings.note(.changes) }
    statements = try StorageStatements(database)
    // Before the database is read, which a daemon may be writing to: it writes the file after it.
    let witnessed = try HighWaterFile.read(directory.highWater)
    try loadSmallTables()
    try compare(with: witnessed, directory)
    fillReplicas()
  }

  private func openHighWater(_ directory: DataDirectory) throws(StorageError) {
    try compare(with: try HighWaterFile.read(directory.highWater), directory)
    if mark != nil, !isSetBack, !isMarkReplaced { highWater = try HighWaterFile(directory.highWater) }
  }

  /// Compares the database with the file beside it. Where neither has a mark yet there is nothing to compare.
  private func compare(with witnessed: HighWaterMark?, _ directory: DataDirectory) throws(StorageError) {
    if let mark {
      let file = try HighWaterFile.number(directory.highWater)
      isMarkReplaced = water.file != file
      isSetBack = mark.isBehind(witnessed)
    } else {
      // One that counts nothing yet was left by a first start that was cut short.
      isSetBack = FileSystem.exists(directory.highWater) && witnessed?.count != 0
    }
  }

  deinit {
    // What fails now is found at the next start, as after a loss of power.
    if failure == nil { try? highWater?.synchronize() }
  }

  /// Makes a device in a directory: the directory itself where needed, and storage that holds its identity.
  ///
  /// - Parameters:
  ///   - first: what the device has written when it is made
  ///   - made: the device's wall time
  ///   - mayAccept: whether a person may have its clock count against what peers vouch for
  /// - Throws: ``StorageError/exists(directory:)`` when there is a device already. A creation that a crash cut short
  ///   is finished by the next.
  package static func create(
    _ directory: DataDirectory, _ device: NewDevice, first: Durable = Durable(),
    made: Instant = SystemClock().now().wall, mayAccept: Bool = true
  ) throws(StorageError) {
    try directory.create()
    let lock = try directory.takeLock()
    guard !FileSystem.exists(directory.secondCopy) else { throw .exists(directory: directory.path) }
    try directory.createDatabase()
    let storage = try Storage(directory)
    guard storage.identity == nil else { throw .exists(directory: directory.path) }
    // A creation that was cut short has left nothing.
    let time = TrustedTime.Persisted(made: made, mayAccept: mayAccept)
    try storage.begin(device, first: first, time: time, directory)
    withExtendedLifetime(lock) {}
  }

  /// Copies the log into the database when it has grown enough, and gives it room for what comes next. Called when nothing that was
  /// persisted waits to be answered any more, so that nobody waits for it.
  package func tidy() throws(StorageError) {
    if database.logPages >= Database.checkpointPages { try checkpoint() }
    if failure == nil { database.makeRoomInLog() }
  }

  func checkpoint() throws(StorageError) {
    try guarded { () throws(StorageError) in
      try database.requireInPlace()
      try database.checkpoint()
      try highWater?.synchronize()
    }
    statistics.checkpoints += 1
  }

  /// Runs something that writes; the first failure is final, and nothing is written after it, not even by closing.
  func guarded(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    if let failure { throw failure }
    do {
      try body()
    } catch {
      failure = error
      database.keepLog()
      throw error
    }
  }
}

extension Database {
  /// Pages in the log before it is copied into the database: 16 MiB. Fewer, and bulk writes pay the copy and its syncs
  /// more often (at 4 MiB, a third of the speed in small batches of scattered keys); more, and a start after a crash
  /// reads a longer log. The log's file keeps its size: a sync that need not record a new size is the faster one.
  package static let checkpointPages = 4096

  /// Settings that hold for the connection, and those that a new file takes for good.
  ///
  /// Exclusive locking needs no shared memory and no lock per transaction: the directory has one daemon anyway. Pages
  /// of 4 KiB keep a single commit small; 8 and 16 KiB gain a tenth in bulk and lose it alone. A cache of 2 MiB is as
  /// fast as 8 MiB for batches in key order, and the daemon should be small when idle.
  package func configure() throws(StorageError) {
    try execute(
      """
      PRAGMA busy_timeout = 0;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA page_size = 4096;
      PRAGMA cache_size = -2048;
      PRAGMA trusted_schema = OFF;
      PRAGMA temp_store = MEMORY;
      """)
    guard try text("PRAGMA journal_mode = WAL") == "wal" else {
      throw .failed(path: path, message: StorageReason(Phrase("no write-ahead log", "로그 선행 기록을 쓸 수 없음")))
    }
    try execute("PRAGMA synchronous = FULL")
    // The first to read opens the log.
    _ = try integer("PRAGMA schema_version")
    try noteFiles()
  }

  /// Takes the settings, and looks at every page and every description of a table, so that damage is found at the start
  /// and not in the middle of a transaction.
  ///
  /// - Returns: whether the database says of itself what it should
  /// - Throws: ``StorageError/corrupt(path:message:)`` when SQLite finds it malformed
  func open() throws(StorageError) -> Bool {
    try spelled { () throws(StorageError) in
      try configure()
      return try look()
    }
  }

  /// Looks at every page and every description of a table.
  ///
  /// - Returns: whether the database says of itself what it should
  func look() throws(StorageError) -> Bool {
    try spelled { () throws(StorageError) in
      try requireIntegrity()
      let isNamed = try migrate()
      try requireSchema()
      return isNamed
    }
  }

  /// What SQLite refuses of a statement that is right is damage: a table or a column whose name was altered.
  func spelled(_ body: () throws(StorageError) -> Bool) throws(StorageError) -> Bool {
    do throws(StorageError) { return try body() } catch {
      guard case .failed(let path, let message) = error else { throw error }
      throw .corrupt(path: path, message: message)
    }
  }

  /// What is wrong with a single row, its checksum tells: that the row is out of order, or of another type.
  package func requireIntegrity() throws(StorageError) {
    let row = try prepare("PRAGMA quick_check")
    defer { row.reset() }
    while try row.step() {
      let text = row.text(0)
      let isRow =
        text == "ok" || text.hasPrefix("row not in PRIMARY KEY order for ")
        || ["NULL", "NUMERIC", "TEXT"].contains { text.hasPrefix("\($0) value in ") }
      guard !isRow else { continue }
      let words = text.split(separator: "\n").joined(separator: " ")
      throw .corrupt(path: path, message: StorageReason(malformed: words))
    }
  }

  func damaged(_ table: String) -> StorageError {
    .corrupt(path: path, message: StorageReason(malformed: "invalid row in \(table)"))
  }
}
