import PeerSyncCore

/// What a simulated device has made durable. It survives crashes; nothing else does.
///
/// The replica's flat map is compared with its plain registers.
struct VirtualDisk {
  private(set) var registers = PlainRegisters()
  private(set) var claims = VersionVector()
  private(set) var proofs = KeptProofs()
  /// The replica that the device writes under.
  private(set) var replica: ReplicaID
  private(set) var group: GroupID
  /// The membership records, parents first.
  private(set) var records: [MembershipRecord]
  private(set) var invitation: Invitation?
  private(set) var addresses: [DeviceID: KnownPeer.Listening] = [:]
  private(set) var isOnline = true
  private(set) var time: TrustedTime.Persisted
  private(set) var contacts: [DeviceID: KnownPeer.Contact] = [:]
  private(set) var setAside = SetAside()
  private(set) var history = VectorHistory()
  /// How many transactions were made durable.
  private(set) var commits = 0

  init(_ device: NewDevice, made: Instant) {
    group = device.identity.group
    replica = device.identity.replica
    records = [device.founding]
    time = TrustedTime.Persisted(made: made)
    proofs.apply(.incarnation(device.incarnation, replica: replica))
  }

  mutating func persist(_ durable: Durable) {
    for change in durable.changes {
      switch change {
      case .written(let batch): registers.take([batch])
      case .removed(let removed): registers.remove(removed)
      case .vector(let vector): claims = vector
      case .claimed(let dots): for dot in dots { claims.advance(dot.replica, to: dot.sequence) }
      case .proven(let changes): for change in changes { proofs.apply(change) }
      // It never rots by itself, and is never set back unnoticed.
      case .counted, .repaired, .caughtUp: break
      case .replica(let id): replica = id
      case .records(let news): records += news
      case .invitation(.open(let open)): invitation = open
      case .invitation(.closed): invitation = nil
      case .group(let id): group = id
      case .addresses(let entries): for entry in entries { addresses[entry.device] = entry }
      case .online(let isOnline): self.isOnline = isOnline
      case .time(let later): time.take(later)
      case .contacts(let news): for contact in news { contacts[contact.device] = contact }
      case .setAside(let parts): setAside = parts
      case .known(let entries): history.apply(entries)
      }
    }
    commits += 1
  }

  /// Continues as a new incarnation, as a device does that finds its directory copied or restored.
  mutating func begin(_ incarnation: Incarnation, _ cryptography: Cryptography) {
    replica = incarnation.replica(cryptography)
    proofs.apply(.incarnation(incarnation, replica: replica))
  }

  /// See ``PlainRegisters/rot()``.
  mutating func rot() -> Bool { registers.rot() }

  /// Every write, in the order of keys: how the real store reads them back.
  var sortedWrites: [Write] {
    registers.writes.sorted { $0.register < $1.register }
  }

  /// A device that starts with what is on this disk.
  func replica(_ cryptography: Cryptography) -> Replica {
    var replica = Replica(id: self.replica, cryptography: cryptography)
    for change in proofs.all { replica.restore(change) }
    for write in sortedWrites { write.withView { replica.restore($0) } }
    for claim in claims.entries { replica.restore(claim: claim) }
    return replica
  }
}

extension KeptProofs {
  /// Whether these proofs are just those of these writes: each of a commit that is here, the others of those commits
  /// there as their hash, and no hash of anything else.
  package func fit(_ writes: some Sequence<Write>) -> Bool {
    var counted: [Dot: Int] = [:]
    for write in writes {
      guard let start = commit(containing: write.dot), replaced[write.dot] == nil else { return false }
      counted[start, default: 0] += 1
    }
    for dot in replaced.keys {
      guard let start = commit(containing: dot) else { return false }
      counted[start, default: 0] += 1
    }
    return commits.allSatisfy { start, kept in
      kept.root == nil ? counted[start] == kept.count : counted[start] == nil
    }
  }

  private func commit(containing dot: Dot) -> Dot? {
    commits.first { start, kept in
      start.replica == dot.replica && (kept.first...kept.last).contains(dot.sequence)
    }?.key
  }
}

extension Write {
  /// Whether this write takes the register from another. The rule that ``Record`` implements, spelled out: of a decision the
  /// sequence, as both have one author; elsewhere stamp, first byte of the value, hash of the value, bytes of the value, dot.
  package func wins(over other: Write) -> Bool {
    if register.author != nil { return dot.sequence > other.dot.sequence }
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

  /// What the register adds to the digest, by its definition: the hash of the author, if only one writes it, of stamp, lengths,
  /// key and value.
  package var digest: Digest {
    var hasher = SipHash(wide: true)
    if let author = register.author {
      hasher.combine(author.high)
      hasher.combine(author.low)
    }
    hasher.combine(stamp.rawValue)
    hasher.combine(UInt64(key.count) << 32 | UInt64(value.count) << 16)
    (key + value).withUnsafeBytes { hasher.combine(last: $0) }
    return hasher.finish128()
  }
}
