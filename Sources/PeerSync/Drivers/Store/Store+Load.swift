/// Everything that a device's store keeps.
package struct Kept: Sendable {
  package let identity: Identity
  package let replica: Replica
  package let membership: Membership
  package let addresses: [AddressEntry]
  package let invitation: Invitation?
  /// Whether the device was on the network when it last ran.
  package let isOnline: Bool
  package let time: TrustedTime.Kept
  /// When members were last heard from, in the order of their ids.
  package let contacts: [Contact]
}

extension Store {
  /// The environment of the device in a directory, read for itself: before a device is opened, and whatever it is to be
  /// started with is done.
  ///
  /// - Throws: ``StoreError/inUse(directory:pid:)`` while a daemon runs there
  package static func environment(of directory: DataDirectory) throws(StoreError) -> Environment {
    try directory.requireDevice()
    let lock = try directory.takeLock()
    defer { withExtendedLifetime(lock) {} }
    let database = try Database(path: directory.database)
    try database.configure()
    // A log that a crash left is read through by whoever opens the device.
    database.keepLog()
    guard let text = try database.text("SELECT environment FROM identity") else {
      throw .missing(directory: directory.path)
    }
    guard let environment = Environment(rawValue: text) else { throw database.damaged("identity") }
    return environment
  }

  /// Everything that was kept, in one scan.
  ///
  /// - Parameters:
  ///   - key: the device's, which its own file keeps
  ///   - cryptography: what the replica verifies and hashes with
  package func load(
    key: PublicKey, _ cryptography: Cryptography = .openSSL
  ) throws(StoreError) -> Kept {
    let identity = try loadIdentity(key)
    let membership = Membership(try loadRecords(), cryptography)
    guard !membership.records.isEmpty else {
      throw .outdated(directory: FileSystem.parent(of: database.path))
    }
    guard identity.device == DeviceID(of: key, cryptography) else {
      throw .corrupt(path: database.path, message: "the device's key is not the one that it was made with")
    }
    // Without it the device would be in no group, and take itself for one that was removed.
    guard membership.group(of: key, preferring: identity.group) != nil else {
      throw .corrupt(path: database.path, message: "the record that introduces the device is missing")
    }
    var replica = Replica(id: identity.replica, cryptography: cryptography)
    let ids = try loadClaims(into: &replica)
    try loadProofs(into: &replica, ids)
    try loadRegisters(into: &replica, ids)
    return Kept(
      identity: identity, replica: replica, membership: membership, addresses: try loadAddresses(),
      invitation: try loadInvitation(), isOnline: try loadIsOnline(), time: try loadTime(),
      contacts: try loadContacts())
  }

  private func loadRecords() throws(StoreError) -> [MembershipRecord] {
    let row = try database.prepare("SELECT record FROM membership ORDER BY place")
    var records: [MembershipRecord] = []
    while try row.step() {
      guard let record = try? MembershipRecord(decoding: Array(row.bytes(0))) else {
        throw database.damaged("membership")
      }
      records.append(record)
    }
    return records
  }

  private func loadInvitation() throws(StoreError) -> Invitation? {
    let row = try database.prepare("SELECT key, expires, tries_left FROM invitation")
    guard try row.step() else { return nil }
    guard let key = InvitationKey(Array(row.bytes(0))), let triesLeft = Int(exactly: row.integer(2)),
      (1...Limits.invitationTries).contains(triesLeft)
    else { throw database.damaged("invitation") }
    return Invitation(key: key, expires: Instant(clamping: row.integer(1)), triesLeft: triesLeft)
  }

  private func loadContacts() throws(StoreError) -> [Contact] {
    let row = try database.prepare("SELECT device, seen FROM contacts ORDER BY device")
    var contacts: [Contact] = []
    while try row.step() {
      guard let device = row.identifier(0, DeviceID.self), let seen = Instant(milliseconds: row.integer(1))
      else { throw database.damaged("contacts") }
      contacts.append(Contact(device: device, seen: seen))
    }
    return contacts
  }

  private func loadIsOnline() throws(StoreError) -> Bool {
    try database.integer("SELECT online FROM identity") != 0
  }

  private func loadIdentity(_ key: PublicKey) throws(StoreError) -> Identity {
    let row = try database.prepare(
      "SELECT device, replica, group_id, name, environment, bundle_id FROM identity")
    defer { row.reset() }
    guard try row.step() else {
      throw .missing(directory: FileSystem.parent(of: database.path))
    }
    guard let device = row.identifier(0, DeviceID.self), let replica = row.identifier(1, ReplicaID.self),
      let group = row.identifier(2, GroupID.self), let environment = Environment(rawValue: row.text(4))
    else { throw database.damaged("identity") }
    return Identity(
      key: key, device: device, replica: replica, group: group, name: row.text(3), environment: environment,
      bundleId: row.text(5))
  }

  /// Returns the replicas by number.
  private func loadClaims(into replica: inout Replica) throws(StoreError) -> [Int64: ReplicaID] {
    let row = try database.prepare("SELECT number, id, claimed, key, nonce FROM replicas ORDER BY number")
    var ids: [Int64: ReplicaID] = [:]
    while try row.step() {
      guard let id = row.identifier(1, ReplicaID.self) else { throw database.damaged("replicas") }
      ids[row.integer(0)] = id
      if let incarnation = Store.incarnation(row, key: 3, nonce: 4) {
        replica.restore(.incarnation(incarnation, replica: id))
      }
      if row.bits(2) > 0 { replica.restore(claim: Dot(replica: id, sequence: row.bits(2))) }
    }
    return ids
  }

  private func loadRegisters(into replica: inout Replica, _ ids: [Int64: ReplicaID]) throws(StoreError) {
    let row = try database.prepare("SELECT key, replica, sequence, stamp, value FROM registers")
    while try row.step() {
      guard let id = ids[row.integer(1)] else { throw database.damaged("registers") }
      replica.restore(
        WriteView(
          replica: id, sequence: row.bits(2), stamp: Stamp(rawValue: row.bits(3)), key: row.bytes(0),
          value: row.bytes(4)))
    }
  }

  private func loadAddresses() throws(StoreError) -> [AddressEntry] {
    let row = try database.prepare("SELECT device, host, port, stamp FROM addresses ORDER BY device")
    var entries: [AddressEntry] = []
    while try row.step() {
      guard let device = row.identifier(0, DeviceID.self), let port = UInt16(exactly: row.integer(2)) else {
        throw database.damaged("addresses")
      }
      let address = Address(host: row.text(1), port: port)
      entries.append(AddressEntry(device: device, address: address, stamp: Stamp(rawValue: row.bits(3))))
    }
    return entries
  }
}
