// What is remembered of other devices beyond their sessions, and how much each may ask for.
extension Engine {
  /// Notes a device that has introduced itself.
  mutating func meet(_ peer: Hello, now: Now) {
    if acquaintances[peer.device] == nil {
      makeRoomForAcquaintance()
      acquaintances[peer.device] = Acquaintance(name: peer.name, now: now)
    }
    acquaintances[peer.device]?.name = peer.name
  }

  /// Forgets whoever matters least: without a session before with one, then strangers before members, then the one not
  /// heard of for longest.
  private mutating func makeRoomForAcquaintance() {
    guard acquaintances.count >= Limits.acquaintances else { return }
    let connected = Set(sessions.all.compactMap(\.device))
    let least = acquaintances.map { device, known in
      Standing(
        isConnected: connected.contains(device), isMember: isMember(device), lastSeen: known.lastSeen,
        device: device)
    }.min()
    if let least { acquaintances[least.device] = nil }
  }

  /// How many other devices are remembered.
  package var acquaintanceCount: Int { acquaintances.count }

  /// Whether data flows on a session.
  package func isWelcomed(_ id: SessionID) -> Bool { sessions[id]?.isReady == true }

  /// Whether the registers name the device as a member.
  func isMember(_ device: DeviceID) -> Bool {
    replica.register(RegisterKey.member(device).encoded) != nil
  }

  /// Whether a peer may have this of the engine now. What is cheap to say and dear to answer is counted, over all
  /// sessions of the peer: questions about vectors, and walks over the registers.
  ///
  /// Too many questions end the session: no honest peer comes near the limit. A walk too many is left out: a repair of a
  /// large ledger goes on at a later beat.
  mutating func mayHave(_ message: Message, on id: SessionID, now: Now, _ effects: inout Effects) -> Bool {
    guard let device = sessions[id]?.device else { return true }
    guard acquaintances[device]?.questions.take(message.questions, now: now.monotonic) ?? true else {
      end(id, .busy, &effects)
      return false
    }
    return acquaintances[device]?.walks.take(message.walks, now: now.monotonic) ?? true
  }
}

/// What an engine remembers of another device while it runs.
struct Acquaintance: Hashable, Sendable {
  var name: String
  var lastSeen: Instant
  /// A vector that both devices are known to have reached: a reunion opens with what came after it.
  var common: VersionVector?
  /// The forks of which it has shown evidence, with their cuts.
  var forks: [ReplicaID: UInt64] = [:]
  /// What it may still ask: see ``Limits/questions``.
  var questions: TokenBucket
  /// How much of the key space may still be walked for it, in parts of 2^32: see ``Limits/walks``.
  var walks: TokenBucket

  init(name: String, now: Now) {
    self.name = name
    lastSeen = now.wall
    questions = TokenBucket(
      capacity: Limits.questions * 1000, perMillisecond: Limits.questionsPerSecond, now: now.monotonic)
    walks = TokenBucket(
      capacity: Limits.walks << 32, perMillisecond: (1 << 32) / Limits.walkMilliseconds, now: now.monotonic)
  }
}

/// How much an acquaintance matters: the least is forgotten first.
private struct Standing: Comparable {
  let isConnected: Bool
  let isMember: Bool
  let lastSeen: Instant
  let device: DeviceID

  static func < (left: Standing, right: Standing) -> Bool {
    if left.isConnected != right.isConnected { return right.isConnected }
    if left.isMember != right.isMember { return right.isMember }
    return (left.lastSeen, left.device) < (right.lastSeen, right.device)
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
    // Each new one goes on to every other peer, and costs two verifications.
    case .forks(let forks): 1000 + UInt64(forks.count) * 125
    case .hello, .welcome, .commit, .delta, .deltaEnd, .ranges, .items, .join, .admitted, .close: 0
    }
  }

  /// What the message takes of ``Acquaintance/walks``.
  fileprivate var walks: UInt64 {
    switch self {
    // More than everything once is asked for by ranges that overlap, which end the session.
    case .ranges(let ranges): min(ranges.reduce(0) { $0 + $1.range.size }, KeyRange.all.size)
    case .items(let items): items.wantsReply ? items.range.size : 0
    case .hello, .welcome, .summary, .vector, .commit, .delta, .deltaEnd, .addresses: 0
    case .forks, .join, .admitted, .close: 0
    }
  }
}

extension KeyRange {
  /// How much of the key space the range is, in parts of 2^32; 1 at least.
  fileprivate var size: UInt64 { depth < 32 ? 1 << UInt64(32 - depth) : 1 }
}
