import PeerSyncCore

/// What a simulated device has made durable. It survives crashes; nothing else does.
///
/// The replica's flat map is compared with its plain registers.
struct VirtualDisk {
  private(set) var registers = PlainRegisters()
  private(set) var claims = VersionVector()
  private(set) var proofs = PersistedProofs()
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
  /// What was spoilt and nobody has brought back yet.
  private(set) var damage: Damage?
  /// Since when it is known to have been set back.
  private(set) var setBack: Instant?
  /// The last sequence that a replica has used up.
  private var used: Dot?

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
      case .voided(let cuts):
        registers.remove(registers.writes.filter { cuts.contains(where: $0.dot.isBeyond) }.map(\.register))
      case .vector(let vector): claims = vector
      case .claimed(let dots): for dot in dots { claims.advance(dot.replica, to: dot.sequence) }
      case .proven(let changes): for change in changes { proofs.apply(change) }
      case .counted(let inventory): used = Dot(replica: inventory.replica, sequence: inventory.used)
      case .repaired: damage = nil
      case .caughtUp: setBack = nil
      case .replica(let id): replica = id
      case .records(let news): records += news
      case .membership(let all): records = all
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
  ///
  /// - Parameter instant: when it was found to be a copy; nil: it is none
  mutating func begin(_ incarnation: Incarnation, _ cryptography: Cryptography, copied instant: Instant?) {
    setBack = instant ?? setBack
    replica = incarnation.replica(cryptography)
    proofs.apply(.incarnation(incarnation, replica: replica))
  }

  /// Takes a copy of the database. The files beside it stay: they hold the membership records and the addresses a second time.
  mutating func putBack(_ copy: VirtualDisk, since instant: Instant) {
    let (records, addresses, group) = (records, addresses, group)
    self = copy
    (self.records, self.addresses, self.group) = (records, addresses, group)
    setBack = instant
  }

  /// Loses some rows, and is mended as real storage is when it is opened next. Those of replicas that have credits stay.
  ///
  /// - Returns: whether the device has to begin a new incarnation
  mutating func spoil(isAlone: Bool, using random: inout RandomState) -> Bool {
    // Numbers of credits of which the rest of a commit is gone can be proven to nobody, and stay on one device alone.
    let spared = Set(
      registers.writes.filter { $0.key.first == RegisterKind.credit.rawValue }.map(\.dot.replica))
    let lost = registers.writes.filter { !spared.contains($0.dot.replica) && random.chance(10) == 0 }
    registers.remove(lost.map(\.register))
    proofs = PersistedProofs(
      proofs.all.filter { change in
        change.replicaOfRow.map { spared.contains($0) || random.chance(10) > 0 } ?? true
      })
    var kept = replica(.simulated)
    var found = Damage([.unnamed], isFinal: isAlone)
    if !isAlone { found.lost = kept.known }
    kept.settle(keepsClaims: isAlone)
    let needsIncarnation = kept.hasLostHead
    if damage == nil { damage = found } else { damage?.add(found) }
    (registers, proofs) = (PlainRegisters(), PersistedProofs())
    persist(kept.everything)
    return needsIncarnation
  }

  /// See ``PlainRegisters/rot()``.
  mutating func rot() -> Bool { registers.rot() }

  /// A device that starts with what is on this disk.
  func replica(_ cryptography: Cryptography) -> Replica {
    var replica = Replica(id: self.replica, cryptography: cryptography)
    for change in proofs.all { replica.restore(change) }
    for write in registers.sorted { write.withView { replica.restore($0) } }
    for claim in claims.entries { replica.restore(claim: claim) }
    if let used, used.replica == self.replica { replica.restore(used: used.sequence) }
    return replica
  }
}

extension ProofChange {
  /// Whose row it is, if a disk may lose it without losing who wrote anything.
  fileprivate var replicaOfRow: ReplicaID? {
    switch self {
    case .commit(let kept): kept.replica
    case .replaced(let dot, _): dot.replica
    case .incarnation, .dropped, .voided, .alive, .forked, .forgotten: nil
    }
  }
}

extension PersistedProofs {
  fileprivate init(_ changes: [ProofChange]) {
    self.init()
    for change in changes { apply(change) }
  }

  /// Whether these proofs are just those of these writes: each of a commit that is here, the others of those commits
  /// there as their hash, and no hash of anything else.
  package func fit(_ writes: some Sequence<Write>) -> Bool {
    // There is no commit without a write.
    var spans = commits.map { start, kept in
      CommitSpan(start: start, last: kept.last, expected: kept.root == nil ? max(Int(kept.count), 1) : 0)
    }
    spans.sort { $0.start < $1.start }
    for write in writes {
      guard let place = Self.place(of: write.dot, in: spans), replaced.index(forKey: write.dot) == nil else {
        return false
      }
      spans[place].counted += 1
    }
    for dot in replaced.keys {
      guard let place = Self.place(of: dot, in: spans) else { return false }
      spans[place].counted += 1
    }
    return spans.allSatisfy { $0.counted == $0.expected }
  }

  /// Which of the commits, sorted, has a write.
  private static func place(of dot: Dot, in spans: [CommitSpan]) -> Int? {
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].start <= dot { low = middle + 1 } else { high = middle }
    }
    guard low > 0, spans[low - 1].start.replica == dot.replica, spans[low - 1].last >= dot.sequence else {
      return nil
    }
    return low - 1
  }
}

/// The numbers of a commit's writes, and how many of them are to be there.
private struct CommitSpan {
  let start: Dot
  let last: UInt64
  let expected: Int
  var counted = 0
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
