/// What a simulated device has made durable. It survives crashes; nothing else does.
///
/// The replica's flat map is compared with its plain registers.
struct VirtualDisk {
  private(set) var registers = PlainRegisters()
  private(set) var claims = VersionVector()
  private(set) var group: GroupID
  private(set) var addresses: [DeviceID: AddressEntry] = [:]
  private(set) var isOnline = true
  /// How many transactions were made durable.
  private(set) var commits = 0

  init(group: GroupID) { self.group = group }

  mutating func persist(_ durable: Durable) {
    registers.take(durable.writes)
    for claim in durable.claims { claims.advance(claim.replica, to: claim.sequence) }
    group = durable.group ?? group
    for entry in durable.addresses { addresses[entry.device] = entry }
    isOnline = durable.isOnline ?? isOnline
    commits += 1
  }

  /// See ``PlainRegisters/rot()``.
  mutating func rot() -> Bool { registers.rot() }

  /// Every write, in the order of keys: how the real store reads them back.
  var sortedWrites: [Write] {
    registers.writes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// A device that starts with what is on this disk.
  func replica(_ id: ReplicaID) -> Replica {
    var replica = Replica(id: id)
    for write in sortedWrites { write.withView { replica.restore($0) } }
    for claim in claims.entries { replica.restore(claim: claim) }
    return replica
  }
}

extension Write {
  /// Whether this write takes the register from another with the same key. The rule that ``Record`` implements, spelled
  /// out: stamp, first byte of the value, hash of the value, bytes of the value, dot.
  package func wins(over other: Write) -> Bool {
    if stamp != other.stamp { return stamp > other.stamp }
    let (mine, theirs) = (value.first ?? 0, other.value.first ?? 0)
    if mine != theirs { return mine > theirs }
    if value != other.value {
      let (left, right) = (hash(of: value), hash(of: other.value))
      return left == right ? other.value.lexicographicallyPrecedes(value) : left > right
    }
    return dot > other.dot
  }

  private func hash(of bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { SipHash.hash64($0) } }

  /// What the register adds to the digest, by its definition: the hash of stamp, lengths, key and value.
  package var digest: Digest {
    var hasher = SipHash(wide: true)
    hasher.combine(stamp.rawValue)
    hasher.combine(UInt64(key.count) << 32 | UInt64(value.count) << 16)
    (key + value).withUnsafeBytes { hasher.combine(last: $0) }
    return hasher.finish128()
  }
}
