import PeerSyncCore

/// Devices that tell each other records, by hand: each has its keys and what it knows.
struct Household {
  /// One device with its keys.
  struct Device {
    let key: SigningKey
    let recovery: SigningKey
    let founding: MembershipRecord
    var membership = Membership(cryptography: .simulated)

    var publicKey: PublicKey { key.publicKey }
    var group: MembershipGroup? { membership.group(of: publicKey) }

    init(_ name: String, seed: UInt64, bundleId: String = "app", environment: Environment = .sandbox) {
      key = .simulated(seed: seed)
      recovery = .simulated(seed: seed | 1 << 63)
      founding = .found(
        name: name, recoveryKey: recovery.publicKey, environment: environment, bundleId: bundleId, by: key)
      _ = membership.insert([founding])
    }
  }

  private(set) var devices: [String: Device] = [:]

  /// Founds devices, each alone.
  init(_ names: String...) { self.init(names) }

  init(_ names: [String]) {
    for (index, name) in names.enumerated() { devices[name] = Device(name, seed: UInt64(index + 1)) }
  }

  /// One more, alone.
  mutating func found(_ name: String) { devices[name] = Device(name, seed: UInt64(devices.count + 1)) }

  subscript(name: String) -> Device {
    get {
      guard let device = devices[name] else { fatalError("no device is called \(name)") }
      return device
    }
    set { devices[name] = newValue }
  }

  /// Devices that the first one took in, each looking at the records as in an engine.
  static func looking(_ names: String...) throws -> Household {
    var home = Household(names)
    for name in names.dropFirst() { try home.merge(names[0], name) }
    home.meet()
    for name in names { home.look(name) }
    return home
  }

  /// Has a device look at the records as in an engine.
  mutating func look(_ name: String) {
    guard let group = self[name].group else { return }
    self[name].membership.look(from: self[name].publicKey, preferring: group.id)
  }

  /// A merge, known to both sides from then on.
  @discardableResult
  mutating func merge(_ host: String, _ joiner: String) throws -> MembershipRecord {
    let proposal = try self[host].membership.proposeMerge(
      host: self[host].publicKey, joiner: self[joiner].publicKey, of: self[joiner].membership)
    let signatures = [host, joiner].map { proposal.signature(by: self[$0].key) }
    let record = MembershipRecord(proposal, host: signatures[0], joiner: signatures[1])
    let all = self[host].membership.records + self[joiner].membership.records + [record]
    _ = self[host].membership.insert(all)
    _ = self[joiner].membership.insert(all)
    return record
  }

  /// A removal, known to its author alone.
  @discardableResult
  mutating func remove(
    _ target: String, by author: String, cuts: [Dot] = [], counted: [Dot]? = nil,
    disowning: [MembershipRecord] = []
  ) throws -> MembershipRecord {
    let record = try self[author].membership.removal(
      of: self[target].publicKey, cuts: cuts, counted: counted, by: self[author].key,
      disowning: Set(disowning.map { $0.hash(.simulated) }))
    _ = self[author].membership.insert([record])
    return record
  }

  /// A removal by a recovery key, made on a device.
  @discardableResult
  mutating func recover(
    _ target: String, withKeyOf owner: String, cuts: [Dot] = [], taking counted: [Dot]? = nil,
    on device: String,
    disowning: [MembershipRecord] = []
  ) throws -> MembershipRecord {
    let record = try self[device].membership.removal(
      of: self[target].publicKey, cuts: cuts, counted: counted, byRecoveryKey: self[owner].recovery,
      inGroupOf: self[device].publicKey, disowning: Set(disowning.map { $0.hash(.simulated) }))
    _ = self[device].membership.insert([record])
    return record
  }

  /// Lets devices tell each other everything; all of them, if none are named.
  mutating func meet(_ names: String...) {
    let names = names.isEmpty ? devices.keys.sorted() : names
    let all = names.flatMap { self[$0].membership.records }
    for name in names { _ = self[name].membership.insert(all) }
  }

  /// The members as a device sees them, by seniority.
  func members(seenBy name: String) -> String {
    self[name].group?.members.map(\.name).joined(separator: " ") ?? ""
  }

  /// The removed ones as a device sees them, by seniority.
  func removed(seenBy name: String) -> String {
    self[name].group?.removed.map(\.device.name).joined(separator: " ") ?? ""
  }
}

extension MembershipRecord {
  /// Records of a kind that this version does not know, by a device with some founding; of each mark other ones.
  static func unknown(
    _ count: Int, by key: SigningKey, _ founding: MembershipRecord, _ mark: UInt8, bytes: Int = 3
  ) -> [MembershipRecord] {
    let author = founding.hash(.simulated)
    return (0..<count).map { number in
      var payload = [UInt8](repeating: mark, count: bytes)
      (payload[0], payload[1]) = (UInt8(number >> 8), UInt8(number & 255))
      let body = Body.other(kind: 200, author: author, payload: payload)
      let bytes = MembershipRecord(parents: [author], body: body, signatures: []).signedBytes
      return MembershipRecord(parents: [author], body: body, signatures: [key.sign(bytes)])
    }
  }
}
