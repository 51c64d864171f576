/// What must be on disk before anything of the same ``Effects`` leaves the device: one transaction, one fsync.
package struct Durable: Sendable {
  /// Writes that won their registers, in the order in which they did: the last of a register is what it holds.
  package var writes: [WriteBatch] = []
  /// New entries of the version vector.
  package var claims: [Dot] = []
  /// The group this device now belongs to.
  package var group: GroupID?
  /// New entries of the address book.
  package var addresses: [AddressEntry] = []
  /// Whether the device wants to be on the network, when that changed.
  package var isOnline: Bool?

  package init() {}

  package var isEmpty: Bool {
    writes.isEmpty && claims.isEmpty && group == nil && addresses.isEmpty && isOnline == nil
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
