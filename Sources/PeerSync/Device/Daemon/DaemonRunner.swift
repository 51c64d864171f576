/// Does what the engine wants with real things: the disk, sockets, waiting callers, the log.
final class DaemonRunner: EffectRunner {
  /// Nil once closed.
  private(set) var storage: Storage?
  let network: Network
  let pendingRequests = PendingRequests()
  /// Nil: the device neither finds others on the local network nor is found there.
  var discovery: Discovery?
  private let memberKeys: MemberKeys
  private let watchers: Watchers
  private let log: NoticeLog
  private let signDraft: (RequestID, Transaction) -> Void

  /// - Parameter sign: has the device's own store sign a draft
  init(
    storage: Storage, network: Network, memberKeys: MemberKeys, watchers: Watchers, log: Log,
    sign: @escaping (RequestID, Transaction) -> Void
  ) {
    signDraft = sign
    self.storage = storage
    self.network = network
    self.memberKeys = memberKeys
    self.watchers = watchers
    self.log = NoticeLog(log)
  }

  /// Closes the database. Not after a failure: closing would write to the disk again.
  func closeStorage() { storage = nil }

  func persist(_ durable: Durable) throws {
    guard let storage else { throw DaemonError.stopped }
    try storage.persist(durable)
  }

  func send(_ message: Message, on session: SessionID) { network.send(message, on: session) }

  func close(_ session: SessionID, _ reason: CloseReason) { network.close(session, reason) }

  func admit(_ belonging: Belonging) {
    memberKeys.replace(with: Set(belonging.members), removed: Set(belonging.removed))
    discovery?.know(Set(belonging.members))
  }

  func seek(_ members: [PublicKey]) { discovery?.seek(members) }

  func invite(_ change: InvitationChange) {
    if case .open(let invitation) = change {
      network.invitation = invitation.key
    } else {
      network.invitation = nil
    }
    discovery?.invite(network.invitation)
  }

  func dial(_ target: DialTarget) { network.dial(target) }

  func answer(_ request: RequestID, _ answer: Answer) { pendingRequests.answer(request, answer) }

  func sign(_ draft: Transaction, for request: RequestID) { signDraft(request, draft) }

  func notice(_ notice: Notice) { notice.write(to: log) }

  func changed() { watchers.changed() }
}

/// Where notices are written. What others can cause over and over is limited, each apart, so that none of it hides the rest.
private struct NoticeLog {
  let plain: Log
  /// Sessions that strangers, or anybody, made end.
  let ended: RateLimitedLog
  /// Members who come and go.
  let comings: RateLimitedLog
  /// What is wrong with what members write.
  let faults: RateLimitedLog

  init(_ log: Log) {
    plain = log
    (ended, comings, faults) = (RateLimitedLog(log), RateLimitedLog(log), RateLimitedLog(log))
  }

  func callAsFunction(_ level: Log.Level, _ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
    plain(level, message, fields)
  }
}

extension Notice {
  fileprivate func write(to log: NoticeLog) {
    switch self {
    case .connected(let device, let name):
      log.comings(.info, "connected", ["device": "\(device)", "name": name])
    case .disconnected(let device): log.comings(.info, "disconnected", ["device": "\(device)"])
    case .refused(let session, let reason):
      log.ended(.warning, "ended a session: \(reason.explanation)", ["session": "\(session.rawValue)"])
    case .refusedBy(let session, let reason):
      log.ended(.warning, "a peer ended a session: \(reason.explanation)", ["session": "\(session.rawValue)"])
    case .admitted(let device, let name):
      log(.info, "a device joined the group", ["device": "\(device)", "name": name])
    case .removed(let device, let name):
      log(.warning, "a device was removed from the group", ["device": "\(device)", "name": name])
    case .wrongCode(let triesLeft):
      log(.warning, "somebody tried to join with a wrong code", ["triesLeft": "\(triesLeft)"])
    case .cloned:
      log(.error, "another copy of this device is at work: stop one of them for good, then restart the other")
    case .reincarnated(let replica):
      log(
        .warning, "copied or restored; continuing as a new incarnation", ["replica": "\(replica)"]
      )
    case .outlived:
      log(
        .error,
        "too many incarnations: peers refuse a new one; make a new device, let it join, and remove this one")
    case .caughtUp:
      log(.info, "in sync with a peer again: what the database had lost is here as far as that peer knows it")
    case .wroteForgottenAgain(let writes):
      log(
        .info, "rewrote what this device had lost and a peer brought back", ["writes": "\(writes)"])
    case .notSetAside(let commits):
      log(
        .warning,
        "too many void writes to keep, for their author or should the removal be overruled; the rest is dropped",
        ["commits": "\(commits)"])
    case .joined(let group): log(.info, "joined a group", ["group": "\(group)"])
    case .divergence, .heldBack, .forked, .voided, .heldBackThere: writeFault(to: log)
    case .damaged(let commits):
      log(.error, "commits on this disk do not verify", ["commits": "\(commits)"])
    case .repaired(let what):
      log(
        .warning,
        "in sync again after the disk was damaged: what a peer had is here again, and what none had is lost",
        ["what": Damage(what).told.text(in: .english)])
    case .clockSet(let milliseconds): log.plain.noteClockSet(by: milliseconds)
    case .clocksDiffer(let device, let milliseconds): log.plain.noteClocksDiffer(device, by: milliseconds)
    case .timeWithdrawn(let device, let milliseconds):
      log.plain.noteTimeWithdrawn(of: device, by: milliseconds)
    case .timeAccepted(let milliseconds): log.plain.noteTimeAccepted(by: milliseconds)
    case .stampedAnew(let writes):
      log(
        .warning, "writes that a wrong clock had stamped too far ahead are stamped anew",
        ["writes": "\(writes)"])
    case .decidedInPlace(let writes):
      log(
        .warning, "decided what removed devices had decided while a wrong clock stamped it too far ahead",
        ["writes": "\(writes)"])
    }
  }

  /// What is wrong with what members write, which one of them can cause over and over.
  private func writeFault(to log: NoticeLog) {
    switch self {
    case .divergence(let device):
      log.faults(
        .error, "two devices know the same writes but differ: a repair has begun", ["device": "\(device)"])
    case .heldBack(let device, let writes):
      log.faults(
        .warning, "writes are stamped too far ahead and are held back: check the clocks of both devices",
        ["device": "\(device)", "writes": "\(writes)"])
    case .forked(let replica, let device):
      log.faults(
        .error, "equivocated: signed two conflicting commits; it was copied, set back, or is dishonest",
        ["replica": "\(replica)", "device": "\(device)"])
    case .voided(let registers, let kept):
      log.faults(.warning, "writes voided", ["registers": "\(registers)", "kept": "\(kept)"])
    case .heldBackThere(let device, let writes, let ahead):
      log.faults(
        .warning, "a peer holds back writes of this device: they are stamped too far ahead of its clock",
        ["device": "\(device)", "writes": "\(writes)", "ahead": "\(ClockSpan(milliseconds: ahead))"])
    default: break
    }
  }
}

extension Log {
  /// What the disk has lost, with the words of whoever found it so.
  package func note(_ damage: Damage) {
    let warning = damage.warning.text(in: .english)
    if let words = damage.words { self(.error, warning, ["words": words]) } else { self(.error, warning) }
  }
}

// What has happened to the time.
extension Log {
  fileprivate func noteClockSet(by milliseconds: Int64) {
    self(.warning, "the clock was set", ["by": milliseconds.asSkew])
  }

  fileprivate func noteClocksDiffer(_ device: DeviceID, by milliseconds: Int64) {
    self(
      .warning, "the clocks of this device and a peer differ: set the wrong one right",
      ["device": "\(device)", "ahead": milliseconds.asSkew])
  }

  fileprivate func noteTimeWithdrawn(of device: DeviceID, by milliseconds: Int64) {
    self(
      .warning, "a time that a peer had vouched for was withdrawn: the clocks of members and this one agree",
      ["device": "\(device)", "ahead": milliseconds.asSkew])
  }

  fileprivate func noteTimeAccepted(by milliseconds: Int64) {
    self(
      .warning, "a person accepted this device's clock: what peers had vouched for was dropped",
      ["ahead": milliseconds.asSkew])
  }
}

extension Int64 {
  /// A difference between clocks, in milliseconds: `+400 days`.
  fileprivate var asSkew: String { "\(self < 0 ? "-" : "+")\(ClockSpan(milliseconds: self))" }
}
