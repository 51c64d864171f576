extension Store {
  /// Everything that was kept, in one scan.
  ///
  /// - Parameter cryptography: what the replica verifies and hashes with
  package func load(_ cryptography: Cryptography = .openSSL) throws(StoreError) -> (
    Identity, Replica, [AddressEntry], isOnline: Bool
  ) {
    let identity = try loadIdentity()
    var replica = Replica(id: identity.replica, cryptography: cryptography)
    let ids = try loadClaims(into: &replica)
    try loadProofs(into: &replica, ids)
    try loadRegisters(into: &replica, ids)
    return (identity, replica, try loadAddresses(), try loadIsOnline())
  }

  private func loadIsOnline() throws(StoreError) -> Bool {
    try database.integer("SELECT online FROM identity") != 0
  }

  private func loadIdentity() throws(StoreError) -> Identity {
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
      device: device, replica: replica, group: group, name: row.text(3), environment: environment,
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
