/// Does what the engine wants with real things: the disk, sockets, waiting callers, the log.
final class DaemonRunner: EffectRunner {
  /// Nil once closed.
  private(set) var store: Store?
  let network: Network
  let desk = Desk()
  private let watchers: Watchers
  private let log: Log
  private let complain: Complaints

  init(store: Store, network: Network, watchers: Watchers, log: Log) {
    self.store = store
    self.network = network
    self.watchers = watchers
    self.log = log
    complain = Complaints(log)
  }

  /// Closes the database. Not after a failure: closing would write to the disk again.
  func closeStore() { store = nil }

  func persist(_ durable: Durable) throws {
    guard let store else { throw DaemonError.stopped }
    try store.persist(durable)
  }

  func send(_ message: Message, on session: SessionID) { network.send(message, on: session) }

  func close(_ session: SessionID, _ reason: CloseReason) { network.close(session, reason) }

  func dial(_ address: Address) { network.dial(address) }

  func answer(_ request: RequestID, _ answer: Answer) { desk.answer(request, answer) }

  func notice(_ notice: Notice) { notice.write(to: log, complain) }

  func changed() { watchers.changed() }
}

extension Notice {
  fileprivate func write(to log: Log, _ complain: Complaints) {
    switch self {
    case .connected(let device, let name): log(.info, "connected", ["device": "\(device)", "name": name])
    case .disconnected(let device): log(.info, "disconnected", ["device": "\(device)"])
    case .refused(let session, let reason):
      complain("ended a session: \(reason.explanation)", ["session": "\(session.rawValue)"])
    case .refusedBy(let session, let reason):
      complain("a peer ended a session: \(reason.explanation)", ["session": "\(session.rawValue)"])
    case .admitted(let device, let name):
      log(.info, "a device joined the group", ["device": "\(device)", "name": name])
    case .joined(let group): log(.info, "joined a group", ["group": "\(group)"])
    case .divergence(let device):
      log(.error, "two devices know the same writes but differ: a repair has begun", ["device": "\(device)"])
    case .heldBack(let device, let writes):
      log(
        .warning, "writes are stamped too far ahead and are held back: check the clocks of both devices",
        ["device": "\(device)", "writes": "\(writes)"])
    case .forked(let replica, let device):
      log(
        .error, "a device has written twice under one name: it was copied, restored, or is dishonest",
        ["replica": "\(replica)", "device": "\(device)"])
    case .reincarnated(let replica):
      log(
        .warning, "others know later writes of this device: it was set back, and goes on under a new name",
        ["replica": "\(replica)"])
    case .voided(let registers, let kept):
      log(.warning, "writes have lost their force", ["registers": "\(registers)", "kept": "\(kept)"])
    case .damaged(let commits):
      log(.error, "what is on this disk does not fit its signatures", ["commits": "\(commits)"])
    }
  }
}
