// What is remembered of other devices beyond their sessions, and how much each may ask for.
extension Engine {
  /// Notes a device that has introduced itself.
  mutating func meet(_ peer: Peer, now: Now) {
    if acquaintances[peer.device] == nil {
      acquaintances[peer.device] = Acquaintance(name: peer.hello.name, now: now)
    }
    acquaintances[peer.device]?.name = peer.hello.name
  }

  /// Notes that a member was heard from.
  mutating func hear(from device: DeviceID, now: Now) {
    contacts[device, default: LastContact()].seen = now.wall
  }

  /// Keeps when members were last heard from: with a transaction that happens anyway, or with one of its own now and
  /// then. The first contact is kept at once; after a crash a later one may be forgotten that was made within
  /// ``Limits/timeKeptMilliseconds``.
  mutating func keepContacts(_ effects: inout Effects) {
    let least = effects.durable.isEmpty ? Limits.timeKeptMilliseconds : Limits.timeKeptAlongMilliseconds
    // After every event: usually there is nothing to sort.
    guard contacts.values.contains(where: { $0.isDue(after: least) }) else { return }
    for (device, contact) in contacts.sorted(by: { $0.key < $1.key }) where contact.isDue(after: least) {
      contacts[device]?.kept = contact.seen
      effects.durable.contacts.append(Contact(device: device, seen: contact.seen))
    }
  }

  /// Whether data flows on a session.
  package func isWelcomed(_ id: SessionID) -> Bool { sessions[id]?.isReady == true }

  /// Whether a peer may have this of the engine now. What is cheap to say and dear to answer is counted, over all
  /// sessions of the peer: questions about vectors, and walks over the registers.
  ///
  /// Too many questions end the session: no honest peer comes near the limit. A walk too many is left out: a repair of a
  /// large ledger goes on at a later beat.
  mutating func isWithinBudget(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects)
    -> Bool
  {
    guard let device = sessions[id]?.device else { return true }
    guard acquaintances[device]?.questions.take(message.questions, now: now.monotonic) ?? true else {
      end(id, .busy, &effects)
      return false
    }
    return hasScanBudget(message.walks, for: device, now: now)
  }

  /// Whether registers may be walked for a peer now.
  ///
  /// - Parameter parts: how much of the key space, in parts of 2^32
  mutating func hasScanBudget(_ parts: UInt64 = KeyRange.all.size, for device: DeviceID, now: Now) -> Bool {
    acquaintances[device]?.walks.take(parts, now: now.monotonic) ?? true
  }
}

/// When a device was last heard from, by this device's wall clock.
package struct Contact: Hashable, Sendable {
  package let device: DeviceID
  package let seen: Instant

  package init(device: DeviceID, seen: Instant) {
    self.device = device
    self.seen = seen
  }
}

/// The last contact with a device, and what the disk knows of it.
struct LastContact: Hashable, Sendable {
  var seen = Instant.epoch
  var kept: Instant?

  /// Whether the disk is this far behind. A clock that was turned back makes it so as well.
  func isDue(after milliseconds: UInt64) -> Bool {
    guard let kept else { return true }
    return (seen.milliseconds - kept.milliseconds).magnitude >= milliseconds
  }
}

/// What an engine remembers of another device while it runs.
struct Acquaintance: Hashable, Sendable {
  var name: String
  /// A vector that both devices are known to have reached: a reunion opens with what came after it.
  var common: VersionVector?
  /// How often this device had voided writes when both last held the same: see ``Engine/voidings``.
  var voidings: UInt64 = 0
  /// The forks of which it has shown evidence, with their cuts.
  var forks: [ReplicaID: UInt64] = [:]
  /// Runs of its program, in the order in which they were first met.
  var boots: [Boot] = []
  /// Runs that were at work at the same time: they are not spoken to until there is another.
  var copies: [UInt64] = []
  /// What it may still ask: see ``Limits/questions``.
  var questions: TokenBucket
  /// How much of the key space may still be walked for it, in parts of 2^32: see ``Limits/walks``.
  var walks: TokenBucket

  /// A run of a device's program.
  struct Boot: Hashable, Sendable {
    let number: UInt64
    /// The session on which it was first met. Sessions are numbered as they open.
    let session: SessionID
  }

  /// Most ``boots``: a copy shows itself within a few sessions.
  static let bootsLimit = 8

  init(name: String, now: Now) {
    self.name = name
    questions = TokenBucket(
      capacity: Limits.questions * 1000, perMillisecond: Limits.questionsPerSecond, now: now.monotonic)
    walks = TokenBucket(
      capacity: Limits.walks << 32, perMillisecond: (1 << 32) / Limits.walkMilliseconds, now: now.monotonic)
  }
}

extension Message {
  /// What the message takes of ``Acquaintance/questions``, in thousandths of a question.
  fileprivate var questions: UInt64 {
    switch self {
    case .summary(let summary): summary.isProbe ? 1000 : 0
    case .vector: 1000
    // Each entry may go on to every other peer.
    case .addresses(let entries): 1000 + UInt64(entries.count) * 125
    // Each is answered with records, or has everybody's place in the group worked out again.
    case .recordHashes, .records: 1000
    // Each new one goes on to every other peer, and costs two verifications.
    case .forks(let forks): 1000 + UInt64(forks.count) * 125
    // A question is answered, and what was held back is told to whoever runs the device.
    case .time(let reading): reading.isAnswer ? 0 : 1000
    case .heldBack: 1000
    // Each may be answered with a write.
    case .rightsWanted: 1000
    case .rightsGiven: 0
    case .hello, .welcome, .commit, .delta, .deltaEnd, .ranges, .items, .close: 0
    case .join, .introduction, .consent, .admitted: 0
    }
  }

  /// What the message takes of ``Acquaintance/walks``.
  fileprivate var walks: UInt64 {
    switch self {
    // More than everything once is asked for by ranges that overlap, which end the session.
    case .ranges(let ranges): min(ranges.reduce(0) { $0 + $1.range.size }, KeyRange.all.size)
    case .items(let items): items.wantsReply ? items.range.size : 0
    case .hello, .welcome, .summary, .vector, .commit, .delta, .deltaEnd, .addresses: 0
    case .recordHashes, .records, .forks, .join, .introduction, .consent, .admitted, .close: 0
    case .time, .heldBack, .rightsWanted, .rightsGiven: 0
    }
  }
}

extension KeyRange {
  /// How much of the key space the range is, in parts of 2^32; 1 at least.
  var size: UInt64 { depth < 32 ? 1 << UInt64(32 - depth) : 1 }
}
