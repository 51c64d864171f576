/// What must be on disk before anything of the same ``Effects`` leaves the device: one transaction, one fsync.
package struct Durable: Sendable {
  /// Writes that won their registers, in the order in which they did: the last of a register is what it holds.
  package private(set) var writes: [WriteBatch] = []
  /// Registers that hold nothing any more, each list with how many of the batches of ``writes`` come before it.
  package private(set) var removals: [(after: Int, keys: [[UInt8]])] = []
  /// The whole version vector, where entries were lowered; it comes before ``claims``.
  package private(set) var vector: VersionVector?
  /// New entries of the version vector.
  package private(set) var claims: [Dot] = []
  /// Changes of what proves whose writes these are, in their order.
  package var proofs: [ProofChange] = []
  /// The replica that this device now writes under.
  package var replica: ReplicaID?
  /// The group this device now belongs to.
  package var group: GroupID?
  /// New entries of the address book.
  package var addresses: [AddressEntry] = []
  /// Whether the device wants to be on the network, when that changed.
  package var isOnline: Bool?

  package init() {}

  package var isEmpty: Bool {
    writes.isEmpty && removals.isEmpty && vector == nil && claims.isEmpty && proofs.isEmpty && replica == nil
      && group == nil && addresses.isEmpty && isOnline == nil
  }

  /// Adds writes that come after everything so far.
  package mutating func append(_ batch: WriteBatch) { writes.append(batch) }

  /// Adds writes that come before everything so far.
  package mutating func prepend(_ batches: [WriteBatch]) {
    writes = batches + writes
    removals = removals.map { (after: $0.after + batches.count, keys: $0.keys) }
  }

  /// Empties registers, after all writes so far.
  package mutating func remove(_ keys: [[UInt8]]) { removals.append((after: writes.count, keys: keys)) }

  /// Sets the whole version vector.
  package mutating func set(_ vector: VersionVector) {
    self.vector = vector
    claims = []
  }

  /// Raises entries of the version vector.
  package mutating func claim(_ dots: [Dot]) { claims += dots }

  /// The writes and removals in their order: one batch, and the keys that are removed after it.
  package var steps: [(writes: ArraySlice<WriteBatch>, removed: [[UInt8]])] {
    var steps: [(writes: ArraySlice<WriteBatch>, removed: [[UInt8]])] = []
    var start = 0
    for (after, keys) in removals {
      steps.append((writes[start..<after], keys))
      start = after
    }
    steps.append((writes[start...], []))
    return steps
  }

  /// Adds what becomes durable in the same transaction, after this.
  package mutating func append(_ later: Durable) {
    removals += later.removals.map { (after: $0.after + writes.count, keys: $0.keys) }
    writes += later.writes
    if let vector = later.vector { set(vector) }
    claims += later.claims
    proofs += later.proofs
    replica = later.replica ?? replica
    group = later.group ?? group
    addresses += later.addresses
    isOnline = later.isOnline ?? isOnline
  }
}

/// What an engine wants done, in the only order that is safe: ``run(on:)``.
package struct Effects: Sendable {
  /// To be made durable first.
  package var durable = Durable()
  /// To be sent, in order.
  package var messages: [(SessionID, Message)] = []
  /// Sessions to end, after what is queued has been sent.
  package var closings: [(SessionID, CloseReason)] = []
  /// Addresses to dial.
  package var dials: [Address] = []
  /// Answers to requests.
  package var answers: [(RequestID, Answer)] = []
  /// Whether the ledger, the members, the peers or the network state may look different now.
  package var changed = false
  /// What a person who runs the device should read.
  package var notices: [Notice] = []

  package init() {}

  /// Does everything, durable things first: nothing is sent or acknowledged that a crash could take back.
  ///
  /// - Throws: whatever the runner's disk throws; nothing has been sent or answered then.
  package func run(on runner: some EffectRunner) throws {
    if !durable.isEmpty { try runner.persist(durable) }
    for (session, message) in messages { runner.send(message, on: session) }
    for (session, reason) in closings { runner.close(session, reason) }
    for address in dials { runner.dial(address) }
    for (request, answer) in answers { runner.answer(request, answer) }
    for notice in notices { runner.notice(notice) }
    if changed { runner.changed() }
  }
}

/// Does what an engine wants done. The daemon and the simulator are the two.
package protocol EffectRunner {
  /// Makes everything durable in one transaction, or throws and leaves nothing of it.
  func persist(_ durable: Durable) throws
  /// Queues a message. The runner reports ``Event/drained(_:)`` when its queue for the session has emptied.
  func send(_ message: Message, on session: SessionID)
  /// Ends a session once its queue has been sent. The runner reports ``Event/closed(_:)``.
  func close(_ session: SessionID, _ reason: CloseReason)
  /// Connects, and reports ``Event/opened(_:_:)`` or ``Event/unreachable(_:)``.
  func dial(_ address: Address)
  /// Passes an answer on.
  func answer(_ request: RequestID, _ answer: Answer)
  /// Tells the person who runs the device.
  func notice(_ notice: Notice)
  /// Lets whoever watches look again.
  func changed()
}

/// Something a person who runs the device should read in its log.
package enum Notice: Hashable, Sendable {
  /// A session was welcomed.
  case connected(DeviceID, name: String)
  /// A welcomed session ended.
  case disconnected(DeviceID)
  /// This side ended a session for a reason that is not ordinary.
  case refused(SessionID, CloseReason)
  /// The peer ended a session for a reason that is not ordinary.
  case refusedBy(SessionID, CloseReason)
  /// A device joined this group by an invitation.
  case admitted(DeviceID, name: String)
  /// This device joined a group.
  case joined(GroupID)
  /// Equal version vectors, different digests: something is wrong, and a repair has begun.
  case divergence(DeviceID)
  /// A peer's writes are stamped too far ahead and are held back.
  case heldBack(DeviceID, writes: Int)
  /// A replica has signed two different commits for the same writes: a copied or dishonest device.
  case forked(ReplicaID, DeviceID)
  /// Writes were taken out of force, and so many of them were written again under this device's own name.
  case voided(registers: Int, kept: Int)
  /// This device goes on under a new incarnation.
  case reincarnated(ReplicaID)
  /// What this device's own disk holds does not fit the signatures of its authors.
  case damaged(commits: Int)
}

/// Where a device was last known to listen.
package struct AddressEntry: Hashable, Sendable {
  package let device: DeviceID
  package let address: Address
  /// When the device began to listen there: the newer entry of a device wins.
  package let stamp: Stamp

  package init(device: DeviceID, address: Address, stamp: Stamp) {
    self.device = device
    self.address = address
    self.stamp = stamp
  }
}
