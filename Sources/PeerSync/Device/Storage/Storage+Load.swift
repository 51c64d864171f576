extension Storage {
  /// The environment of the device in a directory, read for itself: before a device is opened, and whatever it is to be
  /// started with is done.
  ///
  /// - Throws: ``StorageError/inUse(directory:pid:)`` while a daemon runs there
  package static func environment(of directory: DataDirectory) throws(StorageError) -> Environment {
    try directory.requireDevice()
    let lock = try directory.takeLock()
    defer { withExtendedLifetime(lock) {} }
    do throws(StorageError) {
      let database = try Database(path: directory.database)
      try database.configure()
      // A log that a crash left is read through by whoever opens the device.
      database.keepLog()
      let text = try database.text("SELECT environment FROM identity")
      if let environment = text.flatMap({ Environment(rawValue: $0) }) { return environment }
      // A creation was cut short.
      if text == nil, !FileSystem.exists(directory.secondCopy) {
        throw StorageError.missing(directory: directory.path)
      }
    } catch {
      switch error {
      // Empty, or gone.
      case .failed, .denied: if !FileSystem.exists(directory.secondCopy) { throw error }
      case .corrupt: break
      default: throw error
      }
    }
    // What is damaged is said by whoever opens the device.
    guard let copy = try SecondCopy.read(in: try directory.hold()) else {
      throw .unknown(
        path: directory.database,
        message: StorageReason(
          Phrase("it does not say which environment the device is of", "기기의 환경이 적혀 있지 않음")))
    }
    return copy.identity.environment
  }

  /// Everything that was kept, in one scan. What does not fit its checksum is left out and said (``PersistedDevice/damage``), and
  /// what is left is written anew.
  ///
  /// - Parameters:
  ///   - key: the device's, which its own file keeps
  ///   - cryptography: what the replica verifies and hashes with
  package func load(
    key: PublicKey, _ cryptography: Cryptography = .openSSL
  ) throws(StorageError) -> PersistedDevice {
    var (kept, inventory, isAlone) = try read(key, cryptography)
    if !findings.isEmpty { try mend(&kept, inventory, isAlone: isAlone) }
    try keepSecondCopy()
    return kept
  }

  /// What fits of everything that was kept; the rest is in ``findings``. Nothing is written.
  func read(
    _ key: PublicKey, _ cryptography: Cryptography
  ) throws(StorageError) -> (PersistedDevice, Inventory?, isAlone: Bool) {
    let directory = FileSystem.parent(of: database.path)
    guard let identity = self.identity?.identity(key) else { throw .missing(directory: directory) }
    let membership = Membership(
      records.compactMap { try? MembershipRecord(decoding: $0) }, cryptography)
    guard !membership.records.isEmpty else { throw .outdated(directory: directory) }
    guard identity.device == DeviceID(of: key, cryptography) else {
      throw .wrongKey(directory: directory)
    }
    // Without it the device would be in no group, and take itself for one that was removed.
    guard let group = membership.group(of: key, preferring: identity.group) else {
      throw .corrupt(
        path: database.path,
        message: StorageReason(Phrase("the record that introduces the device is missing", "기기를 소개하는 기록이 없음")))
    }
    var replica = Replica(id: identity.replica, cryptography: cryptography)
    let inventory = try loadLedger(into: &replica)
    let time = self.time
    let kept = PersistedDevice(
      identity: identity, replica: replica, membership: membership,
      addresses: addresses.values.sorted { $0.device < $1.device }, invitation: try loadInvitation(),
      isOnline: self.identity?.isOnline ?? true, time: time, contacts: try loadContacts(),
      damage: try loadDamage(), setBack: water.setBack, setAside: try loadSetAside(),
      history: try loadHistory())
    return (kept, inventory, group.isAlone(identity.key))
  }

  /// Reads every row of a table. One that does not fit its checksum is left out, one that makes no sense to `body`, and one that is
  /// missing.
  func scan(_ table: StorageTable, _ body: (Statement) -> Bool) throws(StorageError) {
    let row = try database.prepare(table.selection)
    var count = 0
    while try row.step() {
      count += 1
      if row.fits(table), body(row) { continue }
      if table == .registers {
        findings.leaveOut(register: Array(row.bytes(0)))
      } else {
        findings.leaveOut(table)
      }
    }
    guard let counted = rowCounts[table], count != counted else { return }
    if count < counted {
      findings.leaveOut(table, count: counted - count)
    } else {
      findings.leaveOut(.counts)
    }
  }

  /// What is changed row by row, and what the second copy stands in for.
  func loadSmallTables() throws(StorageError) {
    secondCopy = try SecondCopy.read(in: place)
    try loadCounts()
    try scan(.identity) { row in
      identity = IdentityRow(row)
      return identity != nil
    }
    try scan(.replicas) { row in
      guard let replica = ReplicaRow(row) else { return false }
      replicas[replica.id] = replica
      return true
    }
    var places: [(Int64, [UInt8])] = []
    try scan(.membership) { row in
      places.append((row.integer(0), Array(row.bytes(1))))
      return true
    }
    records = places.sorted { $0.0 < $1.0 }.map(\.1)
    try scan(.addresses) { row in
      guard let device = row.identifier(0, DeviceID.self),
        let entry = KnownPeer.Listening(device, row.text(1), stamp: Stamp(rawValue: row.bits(2)))
      else { return false }
      addresses[device] = entry
      return true
    }
    try scan(.highWater) { row in
      guard let read = HighWaterRow(row) else { return false }
      water = read
      return true
    }
    if !findings.isEmpty, let secondCopy { fill(from: secondCopy) }
    time = try loadTime()
  }

  /// Puts what was left out back, as far as the second copy has it; replicas wait until it is known whether the database was set
  /// back.
  private func fill(from copy: SecondCopy) {
    if findings.concerns(.identity) { identity = identity ?? copy.identity }
    if findings.concerns(.membership) {
      records = copy.records + records.filter { !copy.records.contains($0) }
    }
    if findings.concerns(.addresses) {
      for entry in copy.addresses where addresses[entry.device] == nil { addresses[entry.device] = entry }
    }
  }

  /// Puts replicas that were left out back, with their numbers only where those are of this database.
  func fillReplicas() {
    lastNumber = replicas.values.map(\.number).max() ?? 0
    guard findings.concerns(.replicas) else { return }
    // Rows may name a number whose replica is gone. Until all is written anew it must stand for no other one: from here on
    // numbers are given that no row names.
    lastNumber += 1 << 32
    guard let secondCopy else { return }
    let hasItsNumbers = isNumbered(like: secondCopy)
    for row in secondCopy.replicas where replicas[row.id] == nil {
      lastNumber += 1
      replicas[row.id] =
        hasItsNumbers ? row : ReplicaRow(number: lastNumber, id: row.id, incarnation: row.incarnation)
    }
  }

  /// Whether the numbers of the copy are those of this database: a number that stood for another replica would give its writes
  /// another author. One that was put back may be older than the copy, and replicas are numbered anew when a database is.
  private func isNumbered(like copy: SecondCopy) -> Bool {
    guard !isSetBack, identity?.replica == copy.identity.replica else { return false }
    let ids = Dictionary(replicas.values.map { ($0.number, $0.id) }) { first, _ in first }
    return copy.replicas.allSatisfy { row in
      ids[row.number].map { $0 == row.id } ?? true && replicas[row.id].map { $0.number == row.number } ?? true
    }
  }

  private func loadLedger(into replica: inout Replica) throws(StorageError) -> Inventory? {
    var ids: [Int64: ReplicaID] = [:]
    for row in replicas.values.sorted(by: { $0.number < $1.number }) {
      ids[row.number] = row.id
      if let incarnation = row.incarnation { replica.restore(.incarnation(incarnation, replica: row.id)) }
      if row.claimed > 0 { replica.restore(claim: Dot(replica: row.id, sequence: row.claimed)) }
    }
    try loadProofs(into: &replica, ids)
    try scan(.registers) { row in
      guard let id = ids[row.integer(2)] else { return false }
      let count = replica.count
      replica.restore(
        WriteView(
          replica: id, sequence: row.bits(3), stamp: Stamp(rawValue: row.bits(4)), key: row.bytes(0),
          value: row.bytes(5)))
      return replica.count > count
    }
    let inventory = try loadInventory()
    if let inventory {
      if inventory.replica == replica.id { replica.restore(used: inventory.used) }
      if !findings.concernsLedger, !inventory.countsLike(replica.inventory) {
        findings.missRows()
      }
    }
    return inventory
  }

  private func loadInvitation() throws(StorageError) -> Invitation? {
    var invitation: Invitation?
    try scan(.invitation) { row in
      guard let key = InvitationKey(Array(row.bytes(1))), let triesLeft = Int(exactly: row.integer(3)),
        (1...Limits.invitationTries).contains(triesLeft)
      else { return false }
      invitation = Invitation(key: key, expires: Instant(clamping: row.integer(2)), triesLeft: triesLeft)
      return true
    }
    return invitation
  }

  private func loadSetAside() throws(StorageError) -> SetAside {
    var parts: [(Int64, SetAside.Part)] = []
    try scan(.setAside) { row in
      guard let replica = row.identifier(1, ReplicaID.self) else { return false }
      parts.append((row.integer(0), SetAside.Part(replica: replica, commits: Array(row.bytes(2)))))
      return true
    }
    return SetAside(parts.sorted { $0.0 < $1.0 }.map(\.1))
  }

  private func loadContacts() throws(StorageError) -> [KnownPeer.Contact] {
    var contacts: [KnownPeer.Contact] = []
    try scan(.contacts) { row in
      guard let device = row.identifier(0, DeviceID.self), let seen = Instant(milliseconds: row.integer(1))
      else { return false }
      contacts.append(KnownPeer.Contact(device: device, seen: seen))
      return true
    }
    return contacts.sorted { $0.device < $1.device }
  }
}
