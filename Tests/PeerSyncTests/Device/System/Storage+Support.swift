import PeerSync
import Testing

extension NewDevice {
  /// The device of the author 3.
  static let third = NewDevice.simulated(seed: 3, name: "Phone 🦉", bundleId: "com.example.owls")
}

extension Storage {
  /// Everything that the store of the author 3 keeps.
  func loaded() throws -> PersistedDevice { try load(key: Author(3).key.publicKey, .simulated) }
}

extension Write {
  /// A write of one replica, its key made from its number unless given.
  static func numbered(_ number: UInt64, key: [UInt8]? = nil) -> Write {
    Write(
      key: key ?? Array("register \(number)".utf8), stamp: Stamp(rawValue: number << 16),
      value: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 96),
      dot: Dot(replica: Author(3).replica, sequence: number))
  }
}

extension WriteBatch {
  init(_ write: Write) {
    self.init()
    append(write)
  }
}

extension Durable {
  /// The new entries of the address book.
  var addresses: [KnownPeer.Listening] {
    changes.flatMap { change -> [KnownPeer.Listening] in
      if case .addresses(let entries) = change { entries } else { [] }
    }
  }

  static func of(_ writes: WriteBatch, claims: [Dot] = []) -> Durable {
    var durable = Durable([.written(writes)])
    durable.append(.claimed(claims))
    return durable
  }
}

extension KnownPeer.Listening {
  static func at(_ device: DeviceID, _ number: UInt16) -> KnownPeer.Listening {
    KnownPeer.Listening(
      device: device, address: Address(host: "127.0.0.1", port: number),
      stamp: Stamp(rawValue: UInt64(number)))
  }
}

/// Expects a store error of a kind whose message the system words.
func expectError(
  _ matches: (StorageError) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch {
    let isExpected = (error as? StorageError).map(matches) ?? false
    #expect(isExpected, "\(error)", sourceLocation: sourceLocation)
  }
}

/// Makes one group of two devices that do not run: the first takes in the second. Both know it from then on.
func unite(_ host: String, _ joiner: String) throws {
  let directories = [host, joiner].map { DataDirectory($0) }
  let keys = try directories.map { try DeviceKey.load($0.deviceKey).signingKey }
  let stores = try directories.map { try Storage($0) }
  let known = try zip(stores, keys).map { try $0.load(key: $1.publicKey).membership }
  let proposal = try known[0].proposeMerge(host: keys[0].publicKey, joiner: keys[1].publicKey, of: known[1])
  let merge = MembershipRecord(
    proposal, host: proposal.signature(by: keys[0]), joiner: proposal.signature(by: keys[1]))
  for (store, membership) in zip(stores, known) {
    var durable = Durable()
    let all = known.flatMap(\.records) + [merge]
    durable.append(.records(all.filter { !membership.contains($0.hash(.openSSL)) }))
    if let group = known[0].group(of: keys[0].publicKey) { durable.append(.group(group.id)) }
    try store.persist(durable)
  }
}
