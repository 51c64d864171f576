// Durable changes as bytes, for a runner that keeps them in a journal. Each change is a tag and what goes with it. These bytes
// stay on the device: peers never see them.
extension Durable {
  /// The changes as bytes. ``init(decoding:)`` reads them.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    for change in changes { change.write(to: &writer) }
    return writer.bytes
  }

  /// Reads what ``encoded`` has written.
  ///
  /// - Throws: ``WireError`` for anything else: bytes that are cut short, a tag of a later version
  public init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    var changes: [Change] = []
    while reader.remaining > 0 { changes.append(try Change(from: &reader)) }
    self.init(changes)
  }
}

extension Durable.Change {
  private enum Tag: UInt8 {
    case written = 1
    case removed, vector, claimed, proven, counted, replica, records, opened, closed, group, addresses,
      online,
      time, contacts, repaired, caughtUp, setAside,
      bounds, listening, known, membership, fallenBounds, voided
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(byte: tag.rawValue)
    switch self {
    case .written(let batch): writer.write(bytes: batch.bytes)
    case .removed(let registers): writer.write(registers) { $0.write($1) }
    case .vector(let vector): writer.write(vector)
    case .voided(let cuts):
      writer.write(cuts) { writer, cut in
        writer.write(cut.replica)
        writer.write(varint: cut.sequence)
      }
    case .claimed(let dots): writer.write(dots) { $0.write($1) }
    case .proven(let changes): writer.write(changes) { $0.write($1) }
    case .counted(let inventory): writer.write(inventory)
    case .replica(let replica): writer.write(replica)
    case .records(let records), .membership(let records):
      writer.write(records) { $0.write(bytes: $1.encoded) }
    case .invitation(.open(let invitation)): writer.write(invitation)
    case .invitation(.closed), .repaired, .caughtUp: break
    case .group(let group): writer.write(group)
    case .addresses(let entries): writer.write(entries) { $0.write($1) }
    case .online(let isOnline): writer.write(flag: isOnline)
    case .time(let time):
      writer.write(time)
      if let fallen = time.fallen {
        writer.write(signedVarint: fallen.lead)
        writer.write(fallen.last)
        writer.write(fallen.fell)
      }
    case .contacts(let contacts):
      writer.write(contacts) { writer, contact in
        writer.write(contact.device)
        writer.write(contact.seen)
      }
    case .setAside(let setAside):
      writer.write(setAside.parts) { writer, part in
        writer.write(part.replica)
        writer.write(bytes: part.commits)
      }
    case .known(let entries): writer.write(entries) { $0.write($1) }
    }
  }

  private var tag: Tag {
    switch self {
    case .written: .written
    case .removed: .removed
    case .voided: .voided
    case .vector: .vector
    case .claimed: .claimed
    case .proven: .proven
    case .counted: .counted
    case .replica: .replica
    case .records: .records
    case .membership: .membership
    case .invitation(.open): .opened
    case .invitation(.closed): .closed
    case .group: .group
    case .addresses: .listening
    case .online: .online
    case .time(let time): time.fallen == nil ? .bounds : .fallenBounds
    case .contacts: .contacts
    case .repaired: .repaired
    case .caughtUp: .caughtUp
    case .setAside: .setAside
    case .known: .known
    }
  }

  fileprivate init(from reader: inout ByteReader) throws(WireError) {
    guard let tag = Tag(rawValue: try reader.byte()) else { throw .unsupported }
    switch tag {
    case .written: self = .written(try WriteBatch(decoding: try reader.block()))
    case .removed:
      self = .removed(try reader.list { reader throws(WireError) in try reader.register() })
    case .voided: self = .voided(try reader.list { reader throws(WireError) in try reader.cut() })
    case .vector: self = .vector(try reader.versionVector())
    case .claimed: self = .claimed(try reader.list { reader throws(WireError) in try reader.dot() })
    case .proven: self = .proven(try reader.list { reader throws(WireError) in try reader.proofChange() })
    case .counted: self = .counted(try reader.inventory())
    case .replica: self = .replica(try reader.identifier())
    case .records: self = .records(try reader.membershipRecords())
    case .membership: self = .membership(try reader.membershipRecords())
    case .opened: self = .invitation(.open(try reader.invitation()))
    case .closed: self = .invitation(.closed)
    case .group: self = .group(try reader.identifier())
    // Of earlier journals, with one address of each device.
    case .addresses:
      self = .addresses(try reader.list { reader throws(WireError) in try reader.listeningAtOne() })
    case .listening: self = .addresses(try reader.list { reader throws(WireError) in try reader.listening() })
    case .online: self = .online(try reader.flag())
    // Of earlier journals, with one floor for all.
    case .time: self = .time(TrustedTime.Persisted(evidence: try reader.evidence()))
    case .bounds: self = .time(try reader.time())
    case .fallenBounds:
      var time = try reader.time()
      time.fallen = FallenBounds(
        lead: try reader.signedVarint(), last: try reader.dot(), fell: try reader.instant())
      self = .time(time)
    case .contacts:
      self = .contacts(
        try reader.list { reader throws(WireError) in
          KnownPeer.Contact(device: try reader.identifier(), seen: try reader.instant())
        })
    case .repaired: self = .repaired
    case .caughtUp: self = .caughtUp
    case .setAside:
      self = .setAside(
        SetAside(
          try reader.list { reader throws(WireError) in
            SetAside.Part(replica: try reader.identifier(), commits: Array(try reader.block()))
          }))
    case .known:
      self = .known(try reader.list { reader throws(WireError) in try reader.historyEntry() })
    }
  }
}

extension ByteWriter {
  fileprivate mutating func write<Element>(
    _ list: [Element], _ write: (inout ByteWriter, Element) -> Void
  ) {
    self.write(varint: UInt64(list.count))
    for element in list { write(&self, element) }
  }

  fileprivate mutating func write(flag: Bool) { write(byte: flag ? 1 : 0) }

  fileprivate mutating func write(_ dot: Dot) {
    write(dot.replica)
    write(varint: dot.sequence)
  }

  fileprivate mutating func write(_ entry: VectorHistory.Entry) {
    write(signedVarint: entry.hour)
    write(entry.replica)
    write(optional: entry.sequence) { $0.write(varint: $1) }
  }

  fileprivate mutating func write(_ change: ProofChange) {
    switch change {
    case .incarnation(let incarnation, let replica):
      write(byte: 1)
      write(incarnation)
      write(replica)
    case .commit(let kept):
      write(byte: 2)
      write(kept.replica)
      write(varint: kept.first)
      write(varint: UInt64(kept.count))
      write(kept.signature.first)
      write(kept.signature.second)
      write(flag: kept.root != nil)
      if let root = kept.root { write(root) }
    case .dropped(let replica, let span):
      write(byte: 3)
      write(replica)
      write(varint: span.lowerBound)
      write(varint: span.upperBound)
    case .replaced(let dot, let hash):
      write(byte: 4)
      write(dot)
      write(hash)
    case .alive(let dot):
      write(byte: 5)
      write(dot)
    case .forked(let fork, let replica):
      write(byte: 6)
      fork.write(to: &self)
      write(replica)
    case .forgotten(let replica):
      write(byte: 7)
      write(replica)
    case .voided(let replica, let span):
      write(byte: 8)
      write(replica)
      write(varint: span.lowerBound)
      write(varint: span.upperBound)
    }
  }

  fileprivate mutating func write(_ register: RegisterID) {
    write(bytes: register.key)
    if let author = register.author { write(author) }
  }

  fileprivate mutating func write(_ inventory: Inventory) {
    write(varint: UInt64(inventory.registers))
    write(word: inventory.digest.high)
    write(word: inventory.digest.low)
    write(varint: UInt64(inventory.commits))
    write(varint: UInt64(inventory.hashes))
    write(inventory.replica)
    write(varint: inventory.used)
  }

  fileprivate mutating func write(_ invitation: Invitation) {
    write(invitation.key)
    write(invitation.expires)
    write(varint: UInt64(invitation.triesLeft))
  }

  fileprivate mutating func write(_ time: TrustedTime.Persisted) {
    write(optional: time.made) { $0.write($1) }
    write(signedVarint: time.ran)
    write(optional: time.store) { $0.write($1) }
    write(time.peers) { writer, peer in
      writer.write(peer.device)
      writer.write(optional: peer.since) { $0.write(signedVarint: $1) }
      writer.write(optional: peer.bound) { $0.write($1) }
    }
    write(optional: time.accepted) { $0.write($1) }
    write(flag: time.mayAccept)
  }

  private mutating func write(_ bound: TrustedTime.Bound) {
    write(signedVarint: bound.origin)
    write(bound.vouched)
  }

  private mutating func write<Value>(optional value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
    self.write(flag: value != nil)
    if let value { write(&self, value) }
  }
}

extension ByteReader {
  /// A length and so many bytes.
  fileprivate mutating func block() throws(WireError) -> ArraySlice<UInt8> { try bytes(atMost: remaining) }

  /// A count and so many elements, each of at least a byte.
  fileprivate mutating func list<Element>(
    _ element: (inout ByteReader) throws(WireError) -> Element
  ) throws(WireError) -> [Element] {
    var list: [Element] = []
    for _ in 0..<(try count(atMost: remaining)) { list.append(try element(&self)) }
    return list
  }

  fileprivate mutating func register() throws(WireError) -> RegisterID {
    let key = Array(try block())
    let author: ReplicaID = RegisterKind.isDecision(key) ? try identifier() : ReplicaID(high: 0, low: 0)
    return RegisterID(key: key, author: author)
  }

  fileprivate mutating func dot() throws(WireError) -> Dot {
    Dot(replica: try identifier(), sequence: try sequence())
  }

  /// A dot of which the sequence may be 0: nothing counts.
  fileprivate mutating func cut() throws(WireError) -> Dot {
    let (replica, sequence) = (try identifier(ReplicaID.self), try varint())
    guard sequence <= Limits.sequence else { throw .beyondLimit }
    return Dot(replica: replica, sequence: sequence)
  }

  private mutating func sequence() throws(WireError) -> UInt64 {
    let sequence = try varint()
    guard (1...Limits.sequence).contains(sequence) else { throw .beyondLimit }
    return sequence
  }

  fileprivate mutating func historyEntry() throws(WireError) -> VectorHistory.Entry {
    let (hour, replica) = (try signedVarint(), try identifier(ReplicaID.self))
    return VectorHistory.Entry(hour: hour, replica: replica, sequence: try flag() ? try varint() : nil)
  }

  fileprivate mutating func proofChange() throws(WireError) -> ProofChange {
    switch try byte() {
    case 1: return .incarnation(try incarnation(), replica: try identifier())
    case 2: return .commit(try persistedCommit())
    case 3:
      let (replica, first, last) = (try identifier(ReplicaID.self), try sequence(), try sequence())
      guard first <= last, last - first < UInt64(Limits.commitWrites) else { throw .beyondLimit }
      return .dropped(replica, first...last)
    case 4: return .replaced(try dot(), try bytes32())
    case 5: return .alive(try dot())
    case 6: return .forked(try Fork(from: &self), replica: try identifier())
    case 7: return .forgotten(try identifier())
    case 8:
      let (replica, first, last) = (try identifier(ReplicaID.self), try sequence(), try sequence())
      guard first <= last else { throw .beyondLimit }
      return .voided(replica, first...last)
    default: throw .unsupported
    }
  }

  private mutating func persistedCommit() throws(WireError) -> PersistedCommit {
    let (replica, first) = (try identifier(ReplicaID.self), try sequence())
    let count = try count(atMost: Limits.commitWrites)
    guard count > 0, first <= Limits.sequence - UInt64(count - 1) else { throw .beyondLimit }
    let signature = FlatSignature(first: try bytes32(), second: try bytes32())
    return PersistedCommit(
      replica: replica, first: first, count: count, signature: signature,
      root: try flag() ? try bytes32() : nil)
  }

  fileprivate mutating func inventory() throws(WireError) -> Inventory {
    Inventory(
      registers: try count(atMost: Limits.registers), digest: Digest(high: try word(), low: try word()),
      commits: try count(atMost: .max), hashes: try count(atMost: .max), replica: try identifier(),
      used: try varint())
  }

  fileprivate mutating func invitation() throws(WireError) -> Invitation {
    Invitation(
      key: try bytes32(), expires: try instant(), triesLeft: try count(atMost: Limits.invitationTries))
  }

  fileprivate mutating func membershipRecords() throws(WireError) -> [MembershipRecord] {
    try list { reader throws(WireError) in try MembershipRecord(decoding: Array(try reader.block())) }
  }

  fileprivate mutating func time() throws(WireError) -> TrustedTime.Persisted {
    var time = TrustedTime.Persisted()
    if try flag() { time.made = try instant() }
    time.ran = try signedVarint()
    if try flag() { time.store = try bound() }
    time.peers = try list { reader throws(WireError) in
      var peer = TrustedTime.Peer(device: try reader.identifier())
      if try reader.flag() { peer.since = try reader.signedVarint() }
      if try reader.flag() { peer.bound = try reader.bound() }
      return peer
    }
    if try flag() { time.accepted = try instant() }
    time.mayAccept = try flag()
    return time
  }

  private mutating func bound() throws(WireError) -> TrustedTime.Bound {
    TrustedTime.Bound(origin: try signedVarint(), vouched: try instant())
  }

  fileprivate mutating func evidence() throws(WireError) -> TrustedTime.Evidence {
    let instant = try instant()
    switch try byte() {
    case 1: return TrustedTime.Evidence(instant: instant, voucher: .store(signed: try self.instant()))
    case 2: return TrustedTime.Evidence(instant: instant, voucher: .peer(try identifier()))
    default: throw .unsupported
    }
  }
}
