#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// What becomes of a database that was damaged. What fits is written anew, whole: a row that was altered may be out of its
// place, and the tree around it with it. A file that SQLite finds malformed is set aside.
extension Storage {
  // MARK: Rows

  /// Makes a device of what was left after rows were left out, durably.
  func mend(_ kept: inout PersistedDevice, _ inventory: Inventory?, isAlone: Bool) throws(StorageError) {
    var found = Damage(findings.losses)
    found.concernsLedger = findings.concernsLedger
    // What is left would say that a device was known further than it was, and a removal would take back too little.
    if findings.concerns(.known) { kept.history = VectorHistory(afterLoss: true) }
    if findings.concernsLedger {
      found.isFinal = isAlone
      if !isAlone { found.lost = kept.replica.known }
      kept.replica.settle(keepsClaims: isAlone)
      // The next sequence must not fall, nor a number of its credits.
      let isUsedKnown =
        inventory?.replica == kept.replica.id || !findings.concerns(.commits) && !findings.concerns(.replicas)
      if !isUsedKnown || kept.replica.hasLostHead || findings.concernsCredits { beginIncarnation(&kept) }
    }
    let isLasting = findings.concernsLedger || kept.damage != nil
    if kept.damage == nil { kept.damage = found } else { kept.damage?.add(found) }
    var durable = kept.replica.everything
    durable.append(.records(kept.membership.held))
    durable.append(.addresses(kept.addresses))
    durable.append(.contacts(kept.contacts))
    if let invitation = kept.invitation { durable.append(.invitation(.open(invitation))) }
    durable.append(.setAside(kept.setAside))
    durable.append(.known(kept.history.entries))
    let row = IdentityRow(
      kept.identity, isOnline: kept.isOnline, host: identity?.host, mayAcceptTime: kept.time.mayAccept)
    try rewrite(row, durable, kept.time, isLasting ? kept.damage : nil)
    findings = Findings()
  }

  private func beginIncarnation(_ kept: inout PersistedDevice) {
    let incarnation = Incarnation(key: kept.identity.key, nonce: .random())
    let id = incarnation.replica(kept.replica.cryptography)
    kept.replica.restore(.incarnation(incarnation, replica: id))
    guard kept.replica.begin(incarnation) else { return }
    kept.identity.replica = id
  }

  /// Writes everything to the database in place of what it holds, in one transaction.
  func rewrite(
    _ identity: IdentityRow, _ durable: Durable, _ time: TrustedTime.Persisted, _ damage: Damage? = nil
  ) throws(StorageError) {
    (replicas, lastNumber, records, addresses) = ([:], 0, [], [:])
    (self.identity, self.time, isSecondCopyOld) = (identity, TrustedTime.Persisted(), true)
    try guarded { () throws(StorageError) in
      try inTransaction { () throws(StorageError) in
        for table in StorageTable.allCases {
          try database.prepare("DELETE FROM \(table.name)", changing: table).run()
        }
        try database.restoreNames()
        try write(durable)
        self.time = time
        try writeTime()
        try self.identity?.write(statements.identity)
        if let damage { try write(damage) }
      }
    }
    try keepSecondCopy()
  }

  private func write(_ damage: Damage) throws(StorageError) {
    let row = statements.damage
    row.add(1)
    row.add(String(decoding: JSON.encode(damage.what), as: UTF8.self))
    var lost = ByteWriter()
    lost.write(damage.lost)
    row.add(copying: lost.bytes)
    row.add(damage.isFinal ? 1 : 0)
    try row.run()
  }

  func loadDamage() throws(StorageError) -> Damage? {
    var damage: Damage?
    try scan(.damage) { row in
      var reader = ByteReader(Array(row.bytes(2)))
      guard let lost = try? reader.versionVector() else { return false }
      damage = Damage(Damage.losses(row.text(1)), lost: lost, isFinal: row.integer(3) != 0)
      return true
    }
    return damage
  }

  // MARK: The second copy

  /// Writes the second copy if anything in it has changed.
  func keepSecondCopy() throws(StorageError) {
    guard isSecondCopyOld, let identity else { return }
    isSecondCopyOld = false
    let copy = SecondCopy(
      identity: identity, replicas: replicas.values.sorted { $0.number < $1.number }, records: records,
      addresses: addresses.values.sorted { $0.device < $1.device })
    guard copy != secondCopy else { return }
    try copy.write(in: place)
    secondCopy = copy
  }

  // MARK: The file

  /// Opens the device of a directory. A database that SQLite finds malformed is set aside, and the device goes on with an
  /// empty ledger under a new incarnation, for its peers to fill.
  ///
  /// - Throws: ``StorageError/malformed(path:message:)`` when there is no peer, ``StorageError/unknown(path:message:)`` when nothing says
  ///   whether there is
  package static func open(_ directory: DataDirectory, key: PublicKey) throws(StorageError) -> Storage {
    do throws(StorageError) {
      // Nothing but an accident leaves the second copy without a database.
      let isKnown = FileSystem.exists(directory.secondCopy)
      if isKnown, !FileSystem.exists(directory.database) { try directory.createDatabase() }
      let storage = try Storage(directory)
      if isKnown, storage.identity == nil {
        throw StorageError.corrupt(
          path: directory.database, message: StorageReason(Phrase("it is missing or empty", "없거나 비어 있음")))
      }
      return storage
    } catch {
      guard case .corrupt(let path, let message) = error else { throw error }
      guard let copy = try SecondCopy.read(in: try directory.hold()) else {
        throw .unknown(path: path, message: message)
      }
      guard MembershipGroup.hasPeers(of: key, preferring: copy.identity.group, copy.records) else {
        throw .malformed(path: path, message: message)
      }
      try replace(directory, copy, key, message.words)
      return try Storage(directory)
    }
  }

  /// Seconds since 1970, for a name.
  private static var now: Int { Int(clamping: SystemClock().now().wall.milliseconds / 1000) }

  private static func replace(
    _ directory: DataDirectory, _ copy: SecondCopy, _ key: PublicKey, _ words: String
  ) throws(StorageError) {
    let aside = directory.freeName(for: directory.database + ".damaged-\(Self.now)")
    let fresh = directory.database + ".new"
    for suffix in ["", "-wal", "-shm"] { unlink(fresh + suffix) }
    _ = try FileSystem.open(fresh, O_RDWR | O_CREAT)
    try fill(fresh, directory, copy, key, Damage([.database(words: words, keptAs: aside)]))
    // The old one keeps a name at every moment, and its log never lies beside the new one.
    guard link(directory.database, aside) == 0 else { throw FileSystem.error(aside) }
    for suffix in ["-wal", "-shm"] where FileSystem.exists(directory.database + suffix) {
      guard rename(directory.database + suffix, aside + suffix) == 0 else { throw FileSystem.error(aside) }
    }
    // The new database has an incarnation of its own already: for it there is no mark yet.
    unlink(directory.highWater)
    guard rename(fresh, directory.database) == 0 else { throw FileSystem.error(fresh) }
    try FileSystem.syncDirectory(directory.path)
  }

  private static func fill(
    _ path: String, _ directory: DataDirectory, _ copy: SecondCopy, _ key: PublicKey, _ damage: Damage
  ) throws(StorageError) {
    let storage = try Storage(path, of: directory)
    let incarnation = Incarnation(key: key, nonce: .random())
    var row = copy.identity
    row.replica = incarnation.replica(.openSSL)
    let durable = Durable([
      .proven([.incarnation(incarnation, replica: row.replica)]),
      .records(copy.records.compactMap { try? MembershipRecord(decoding: $0) }), .addresses(copy.addresses),
    ])
    try storage.rewrite(row, durable, TrustedTime.Persisted(mayAccept: row.mayAcceptTime), damage)
    try storage.database.checkpoint()
  }
}

extension Damage {
  /// What a row tells of: versions before had written lines of English.
  package static func losses(_ text: String) -> [DiskLoss] {
    (try? JSON.decode([DiskLoss].self, from: Array(text.utf8)))
      ?? text.split(separator: "\n").map { .said(String($0)) }
  }
}

extension MembershipGroup {
  /// Whether somebody else is in the group of a key, by encoded records.
  static func hasPeers(of key: PublicKey, preferring group: GroupID, _ records: [[UInt8]]) -> Bool {
    let membership = Membership(records.compactMap { try? MembershipRecord(decoding: $0) }, .openSSL)
    return membership.group(of: key, preferring: group).map { !$0.isAlone(key) } ?? false
  }
}

extension DataDirectory {
  /// A name that no file has: this one, or with a number behind it.
  fileprivate func freeName(for path: String) -> String {
    var (name, number) = (path, 1)
    while FileSystem.exists(name) {
      number += 1
      name = "\(path)-\(number)"
    }
    return name
  }
}
