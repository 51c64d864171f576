/// What a device cannot do without and no peer can tell it, kept a second time in a small file beside the database: who it
/// is, who belongs to its group and where they listen, and the numbers of replicas in the rows.
struct SecondCopy: Hashable {
  var identity: IdentityRow
  /// In the order of their numbers; how far they are claimed does not count.
  var replicas: [ReplicaRow]
  var records: [[UInt8]]
  /// In the order of the devices.
  var addresses: [KnownPeer.Listening]

  /// What the file is called.
  static let name = "peerd.copy"
  private static let label = "PeerSync second copy 3"
  /// Of copies that do not say whether a person may accept the clock.
  private static let labelBefore = "PeerSync second copy 2"
  /// Most bytes of the file: the largest set of records, and room for all replicas and addresses.
  private static let limit = Limits.heldBytes + 2 * 1024 * 1024

  /// The copy of a directory; nil when there is none, or it was altered.
  static func read(in place: HeldDirectory) throws(StorageError) -> SecondCopy? {
    guard let bytes = try place.read(name, limit: limit), bytes.count > 8 else { return nil }
    var sum = ByteReader(bytes[(bytes.count - 8)...])
    let content = bytes[..<(bytes.count - 8)]
    guard (try? sum.word()) == content.withUnsafeBytes({ SipHash.hash64($0) }) else { return nil }
    return try? SecondCopy(decoding: content)
  }

  /// Replaces the copy of a directory, durably.
  func write(in place: HeldDirectory) throws(StorageError) {
    var writer = ByteWriter(reserving: 4096)
    encode(into: &writer)
    let sum = writer.bytes.withUnsafeBytes { SipHash.hash64($0) }
    writer.write(word: sum)
    try place.replace(Self.name, with: writer.bytes, isDurable: true)
  }

  init(identity: IdentityRow, replicas: [ReplicaRow], records: [[UInt8]], addresses: [KnownPeer.Listening]) {
    self.identity = identity
    // Both change with what the copy is not written for.
    self.identity.host = nil
    self.replicas = replicas.map {
      ReplicaRow(number: $0.number, id: $0.id, claimed: 0, incarnation: $0.incarnation)
    }
    self.records = records
    self.addresses = addresses
  }

  private init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    var reader = ByteReader(bytes)
    let label = try reader.raw(Self.label.utf8.count)
    let isOld = label.elementsEqual(Self.labelBefore.utf8)
    guard isOld || label.elementsEqual(Self.label.utf8) else { throw .malformed }
    identity = try IdentityRow(from: &reader)
    // What an app may have forbidden stays forbidden where nobody knows.
    identity.mayAcceptTime = isOld ? false : try reader.byte() != 0
    replicas = []
    for _ in 0..<(try reader.count(atMost: 2 * Limits.replicas)) {
      replicas.append(try ReplicaRow(from: &reader))
    }
    records = []
    for _ in 0..<(try reader.count(atMost: Limits.membershipOffered)) {
      records.append(Array(try reader.bytes(atMost: Limits.membershipBytes)))
    }
    addresses = []
    for _ in 0..<(try reader.count(atMost: Limits.addresses + 1)) {
      let device: DeviceID = try reader.identifier()
      let text = try reader.text(atMost: Limits.deviceAddressBytes + Limits.deviceAddresses)
      guard let entry = KnownPeer.Listening(device, text, stamp: Stamp(rawValue: try reader.word()))
      else { throw .malformed }
      addresses.append(entry)
    }
    try reader.finish()
  }

  private func encode(into writer: inout ByteWriter) {
    writer.write(raw: Self.label.utf8)
    identity.encode(into: &writer)
    writer.write(byte: identity.mayAcceptTime ? 1 : 0)
    writer.write(varint: UInt64(replicas.count))
    for row in replicas { row.encode(into: &writer) }
    writer.write(varint: UInt64(records.count))
    for record in records { writer.write(bytes: record) }
    writer.write(varint: UInt64(addresses.count))
    for entry in addresses {
      writer.write(entry.device)
      writer.write(text: entry.text)
      writer.write(word: entry.stamp.rawValue)
    }
  }
}

extension KnownPeer.Listening {
  /// All addresses, with a space between two: no address has one.
  var text: String { addresses.map(\.description).joined(separator: " ") }

  /// Nil when the text is not one that ``text`` makes.
  init?(_ device: DeviceID, _ text: String, stamp: Stamp) {
    let parts = text.split(separator: " ")
    let addresses = parts.compactMap { Address(String($0)) }
    guard !addresses.isEmpty, addresses.count == parts.count, addresses.count <= Limits.deviceAddresses
    else { return nil }
    self.init(device: device, addresses: addresses, stamp: stamp)
  }
}

/// The row of `identity`.
struct IdentityRow: Hashable {
  var device: DeviceID
  var replica: ReplicaID
  var group: GroupID
  var name: String
  var environment: Environment
  var bundleId: String
  var isOnline: Bool
  var host: String?
  /// See ``TrustedTime/Persisted/mayAccept``.
  var mayAcceptTime: Bool

  func write(_ row: RowWriter) throws(StorageError) {
    row.add(1)
    row.add(device)
    row.add(replica)
    row.add(group)
    row.add(name)
    row.add(environment.rawValue)
    row.add(bundleId)
    row.add(isOnline ? 1 : 0)
    if let host { row.add(host) } else { row.addNull() }
    row.add(mayAcceptTime ? 1 : 0)
    try row.run()
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    writer.write(device)
    writer.write(replica)
    writer.write(group)
    writer.write(text: name)
    writer.write(text: environment.rawValue)
    writer.write(text: bundleId)
    writer.write(byte: isOnline ? 1 : 0)
  }
}

extension IdentityRow {
  init(_ identity: Identity, isOnline: Bool = true, host: String? = nil, mayAcceptTime: Bool) {
    self.init(
      device: identity.device, replica: identity.replica, group: identity.group, name: identity.name,
      environment: identity.environment, bundleId: identity.bundleId, isOnline: isOnline, host: host,
      mayAcceptTime: mayAcceptTime)
  }

  /// Nil when the row makes no sense.
  init?(_ row: Statement) {
    guard let device = row.identifier(1, DeviceID.self), let replica = row.identifier(2, ReplicaID.self),
      let group = row.identifier(3, GroupID.self), let environment = Environment(rawValue: row.text(5))
    else { return nil }
    self.init(
      device: device, replica: replica, group: group, name: row.text(4), environment: environment,
      bundleId: row.text(6), isOnline: row.integer(7) != 0, host: row.isNull(8) ? nil : row.text(8),
      mayAcceptTime: row.integer(9) != 0)
  }

  fileprivate init(from reader: inout ByteReader) throws(WireError) {
    let (device, replica, group): (DeviceID, ReplicaID, GroupID) = (
      try reader.identifier(), try reader.identifier(), try reader.identifier()
    )
    let name = try reader.text()
    guard let environment = Environment(rawValue: try reader.text()) else { throw .malformed }
    self.init(
      device: device, replica: replica, group: group, name: name, environment: environment,
      bundleId: try reader.text(), isOnline: try reader.byte() != 0, mayAcceptTime: false)
  }

  func identity(_ key: PublicKey) -> Identity {
    Identity(
      key: key, device: device, replica: replica, group: group, name: name, environment: environment,
      bundleId: bundleId)
  }
}

/// A row of `replicas`.
struct ReplicaRow: Hashable {
  let number: Int64
  let id: ReplicaID
  var claimed: UInt64 = 0
  var incarnation: Incarnation?

  func write(_ row: RowWriter) throws(StorageError) {
    row.add(number)
    row.add(id)
    row.add(bits: claimed)
    row.add(copying: incarnation?.key.bytes)
    if let nonce = incarnation?.nonce { row.add(nonce) } else { row.addNull() }
    try row.run()
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    writer.write(word: UInt64(bitPattern: number))
    writer.write(id)
    writer.write(byte: incarnation == nil ? 0 : 1)
    guard let incarnation else { return }
    writer.write(incarnation.key)
    writer.write(incarnation.nonce)
  }
}

extension ReplicaRow {
  /// Nil when the row makes no sense.
  init?(_ row: Statement) {
    guard let id = row.identifier(1, ReplicaID.self) else { return nil }
    self.init(number: row.integer(0), id: id, claimed: row.bits(2))
    if let key = PublicKey(row.bytes(3)), let nonce = row.identifier(4, Nonce.self) {
      incarnation = Incarnation(key: key, nonce: nonce)
    }
  }

  fileprivate init(from reader: inout ByteReader) throws(WireError) {
    self.init(number: Int64(bitPattern: try reader.word()), id: try reader.identifier())
    guard try reader.byte() == 1 else { return }
    incarnation = Incarnation(key: try reader.bytes32(), nonce: try reader.identifier())
  }
}
