// How much each device may ask for.
extension PeerNetwork {
  /// Whether a peer may have this of the engine now. What is cheap to say and dear to answer is counted, over all
  /// sessions of the peer: questions about vectors, and walks over the registers.
  ///
  /// Too many questions end the session: no honest peer comes near the limit. A walk too many is left out: a repair of a
  /// large ledger goes on at a later beat.
  package mutating func isWithinBudget(
    _ message: Message, on id: SessionID, now: Now, _ effects: inout Effects
  )
    -> Bool
  {
    guard let device = sessions[id]?.device else { return true }
    guard known[device, default: KnownPeer()].questions.take(message.questions, now: now.monotonic)
    else {
      end(id, .busy, &effects)
      return false
    }
    return hasScanBudget(message.walks, for: device, now: now)
  }

  /// Whether registers may be walked for a peer now.
  ///
  /// - Parameter parts: how much of the key space, in parts of 2^32
  package mutating func hasScanBudget(_ parts: UInt64 = KeyRange.all.size, for device: DeviceID, now: Now)
    -> Bool
  {
    known[device, default: KnownPeer()].walks.take(parts, now: now.monotonic)
  }
}

extension Message {
  /// What the message takes of ``KnownPeer/questions``, in thousandths of a question.
  fileprivate var questions: UInt64 {
    switch self {
    case .summary(let summary): summary.isProbe ? 1000 : 0
    case .vector: 1000
    // Each entry may go on to every other peer.
    case .addresses(let entries): 1000 + UInt64(entries.count) * 125
    // Each is answered with records, or has everybody's place in the group worked out again.
    case .recordHashes: 1000
    // Each record may have to be verified, only to be refused.
    case .records(let part): 1000 + UInt64(part.records.count) * 125
    // Each new one goes on to every other peer, and costs two verifications.
    case .forks(let forks): 1000 + UInt64(forks.count) * 125
    // A question is answered, and what was held back is told to whoever runs the device.
    case .time(let reading): reading.isAnswer ? 0 : 1000
    case .heldBack: 1000
    // Each may be answered with a write.
    case .rightsWanted: 1000
    case .rightsGiven: 0
    // Answered with as many connections as the peer has addresses.
    case .dialBack: 16_000
    case .dialledBack: 1000
    case .hello, .welcome, .commit, .delta, .deltaEnd, .ranges, .items, .close: 0
    case .join, .introduction, .consent, .admitted: 0
    }
  }

  /// What the message takes of ``KnownPeer/walks``.
  fileprivate var walks: UInt64 {
    switch self {
    // More than everything once is asked for by ranges that overlap, which end the session.
    case .ranges(let ranges): min(ranges.reduce(0) { $0 + $1.range.size }, KeyRange.all.size)
    case .items(let items): items.wantsReply ? items.range.size : 0
    case .hello, .welcome, .summary, .vector, .commit, .delta, .deltaEnd, .addresses: 0
    case .recordHashes, .records, .forks, .join, .introduction, .consent, .admitted, .close: 0
    case .time, .heldBack, .rightsWanted, .rightsGiven, .dialBack, .dialledBack: 0
    }
  }
}

extension KeyRange {
  /// How much of the key space the range is, in parts of 2^32; 1 at least.
  var size: UInt64 { depth < 32 ? 1 << UInt64(32 - depth) : 1 }
}
