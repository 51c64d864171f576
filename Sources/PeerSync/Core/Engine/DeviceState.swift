/// All that a device has made durable, as a value: what a runner starts an engine from when it keeps a journal.
///
/// The runner appends ``Durable/encoded`` of each transaction to a file, and synchronizes it. At the start it makes the state of
/// the new device, applies what the file holds in its order, and asks for the ``engine(signer:_:seed:store:trustedRoots:)``. A
/// journal that has grown long is replaced by the one entry of its ``snapshot``.
public struct DeviceState: Sendable {
  private let device: NewDevice
  private var registers: [RegisterID: Write] = [:]
  private var vector = VersionVector()
  private var proofs = PersistedProofs()
  private var replica: ReplicaID
  private var group: GroupID
  /// Parents first.
  private var records: [MembershipRecord]
  private var invitation: Invitation?
  private var addresses: [DeviceID: KnownPeer.Listening] = [:]
  private var isOnline = true
  private var time: TrustedTime.Persisted
  private var contacts: [DeviceID: KnownPeer.Contact] = [:]
  private var setAside = SetAside()
  private var history = VectorHistory()

  /// The state of a device that was just made.
  ///
  /// - Parameters:
  ///   - made: the wall clock then
  ///   - mayAccept: whether a person may have the device's clock count against what peers vouch for
  public init(_ device: NewDevice, made: Instant, mayAccept: Bool = true) {
    self.device = device
    replica = device.identity.replica
    group = device.identity.group
    records = [device.founding]
    time = TrustedTime.Persisted(made: made, mayAccept: mayAccept)
    proofs.apply(.incarnation(device.incarnation, replica: replica))
  }

  /// Takes in what became durable, in the order in which it did.
  public mutating func apply(_ durable: Durable) {
    for change in durable.changes { apply(change) }
  }

  private mutating func apply(_ change: Durable.Change) {
    switch change {
    case .written(let batch): for write in batch.writes { registers[write.register] = write }
    case .removed(let removed): for register in removed { registers[register] = nil }
    case .voided(let cuts):
      for cut in cuts { registers = registers.filter { !$0.value.dot.isBeyond(cut) } }
    case .vector(let vector): self.vector = vector
    case .claimed(let dots): for dot in dots { vector.advance(dot.replica, to: dot.sequence) }
    case .proven(let changes): for change in changes { proofs.apply(change) }
    // Of storage that finds damage by itself. A journal is read whole, or not.
    case .counted, .repaired, .caughtUp: break
    case .replica(let replica): self.replica = replica
    case .records(let news): records += news
    case .membership(let all): records = all
    case .invitation(.open(let open)): invitation = open
    case .invitation(.closed): invitation = nil
    case .group(let group): self.group = group
    case .addresses(let entries): for entry in entries { addresses[entry.device] = entry }
    case .online(let isOnline): self.isOnline = isOnline
    case .time(let later): time.take(later)
    case .contacts(let news): for contact in news { contacts[contact.device] = contact }
    case .setAside(let setAside): self.setAside = setAside
    case .known(let entries): history.apply(entries)
    }
  }

  private var writes: [Write] { registers.values.sorted { $0.register < $1.register } }

  /// Everything as one transaction: applied to the state of the new device it gives this state.
  public var snapshot: Durable {
    var durable = Durable()
    durable.append(.proven(proofs.all))
    var batch = WriteBatch()
    for write in writes { batch.append(write) }
    durable.append(.written(batch))
    durable.append(.vector(vector))
    durable.append(.replica(replica))
    durable.append(.records(Array(records.dropFirst())))
    if let invitation { durable.append(.invitation(.open(invitation))) }
    durable.append(.group(group))
    durable.append(.addresses(addresses.values.sorted { $0.device < $1.device }))
    durable.append(.online(isOnline))
    durable.append(.time(time))
    durable.append(.contacts(contacts.values.sorted { $0.device < $1.device }))
    durable.append(.setAside(setAside))
    durable.append(.known(history.entries))
    return durable
  }

  /// An engine that goes on from here.
  ///
  /// - Parameters:
  ///   - signer: the device's key
  ///   - seed: drawn at random: where the engine's own random numbers (jitter) start
  ///   - store: decides which items of the store are real
  ///   - trustedRoots: SHA-256 of the roots of stores that the device trusts besides Apple's; none counts in production
  public func engine(
    signer: SigningKey, _ cryptography: Cryptography, seed: UInt64, store: StoreVerifier = .none,
    trustedRoots: Set<ContentHash> = []
  ) -> Engine {
    var identity = device.identity
    identity.group = group
    identity.replica = replica
    var restored = Replica(id: replica, cryptography: cryptography)
    for change in proofs.all { restored.restore(change) }
    for write in writes { write.withView { restored.restore($0) } }
    for claim in vector.entries { restored.restore(claim: claim) }
    return Engine(
      identity: identity, signer: signer, cryptography: cryptography,
      membership: Membership(records, cryptography), replica: restored,
      addresses: addresses.values.sorted { $0.device < $1.device }, invitation: invitation, time: time,
      contacts: contacts.values.sorted { $0.device < $1.device }, setAside: setAside, history: history,
      isOnline: isOnline, seed: seed, store: store, trustedRoots: trustedRoots)
  }
}
