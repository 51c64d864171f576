/// The other devices, as this one meets them: the sessions with them, where they are and when they are dialled, and what is remembered
/// of each beyond its sessions.
///
/// Every message leaves and every session ends through it. It knows who belongs to the group and what the device holds only as arguments
/// of what it is asked to do.
package struct PeerNetwork: Sendable {
  /// This device.
  let device: DeviceID
  package var sessions = SessionTable()
  var dialler = Dialler()
  /// What is known of other devices beyond their sessions.
  var known: [DeviceID: KnownPeer] = [:]
  /// Where this device listens, once started.
  package var listening: KnownPeer.Listening?
  /// Whether members are told where this device listens.
  let announcesAddresses: Bool
  /// Whom the runner was told to announce this device to.
  var toldSought: [PublicKey] = []
  /// Who was the last to show that by this device's own signature it takes this one for a member, while this one does not know it.
  package var claimant: String?
  /// How often strangers may still show who they are: see ``Limits/introductions``.
  private var introductions = TokenBucket(
    capacity: Limits.introductions * Limits.introductionMilliseconds, perMillisecond: 1)
  /// Membership records that wait to be looked at.
  package var offered = OfferedRecords()
  /// ``Limits/queuedBytes``, less in a simulation, so that queues are full now and then.
  package var queueLimit = Limits.queuedBytes
  /// Whether peers reach this device, and it them.
  var dialBacks = DialBacks()
  var random: RandomState
  /// Drawn when the engine was made: tells this program from earlier ones, and from a copy.
  let bootID: UInt64

  package init(of device: DeviceID, announcesAddresses: Bool, seed: UInt64) {
    self.device = device
    self.announcesAddresses = announcesAddresses
    random = RandomState(seed: seed)
    bootID = random.next()
  }

  // MARK: Sending

  /// Queues a message and counts its bytes.
  package mutating func send(_ message: Message, on id: SessionID, _ effects: inout Effects) {
    _ = sessions.update(id) { $0.queue.add(message) }
    effects.messages.append((id, message))
  }

  /// Whether a peer's queue has room for more than what has to be said.
  package func hasRoom(on id: SessionID) -> Bool { (sessions[id]?.queue.bytes ?? .max) < queueLimit }

  /// Sends records in as many messages as they need.
  package mutating func tell(_ records: [MembershipRecord], on id: SessionID, _ effects: inout Effects) {
    for part in RecordsPart.parts(of: records) { send(.records(part), on: id, &effects) }
  }

  /// Puts the parts of a list of records together.
  ///
  /// - Returns: the whole list once its last part is here
  package mutating func collect(
    _ part: RecordsPart, on id: SessionID, _ effects: inout Effects
  ) -> [MembershipRecord]? {
    do throws(CloseReason) {
      let records = try sessions.collect(part, on: id)
      boundRecords(&effects)
      return sessions[id]?.isEnding == false ? records : nil
    } catch {
      end(id, error, &effects)
      return nil
    }
  }

  /// Bounds what there is of membership records that were not looked at. Whoever has told the most tells it again, later: a member
  /// can make up hundreds of others.
  package mutating func boundRecords(_ effects: inout Effects) {
    while offered.bytes + sessions.all.reduce(0, { $0 + $1.incomingBytes }) > Limits.waitingRecordBytes {
      let session = sessions.all.max { $0.incomingBytes < $1.incomingBytes }
      if let part = offered.largest, part.bytes >= session?.incomingBytes ?? 0 {
        offered.drop(part.device)
        end(part.session, .busy, &effects)
      } else if let session {
        end(session.id, .busy, &effects)
      }
    }
  }

  /// Notes which of the messages that are about to be sent the peer owes an answer to.
  package mutating func noteWanting(_ messages: [(SessionID, Message)], now: Now) {
    for (id, message) in messages where message.wantsAnswer {
      _ = sessions.update(id) { $0.times.noteWanting(at: now.monotonic) }
    }
  }

  // MARK: Sessions

  /// Whether data flows on a session.
  package func isWelcomed(_ id: SessionID) -> Bool { sessions[id]?.isReady == true }

  /// Whether a delta is on its way here: what has come of it is here already, and not claimed.
  package var isReceiving: Bool { sessions.all.contains { $0.incoming != nil } }

  /// Whether a stranger may show who it is now.
  package mutating func takeIntroduction(at now: UInt64) -> Bool {
    introductions.take(Limits.introductionMilliseconds, now: now)
  }

  /// Ends a session from this side.
  package mutating func end(_ id: SessionID, _ reason: CloseReason, _ effects: inout Effects) {
    guard let session = sessions[id], !session.isEnding else { return }
    _ = sessions.update(id) { $0.end() }
    effects.closings.append((id, reason))
    if let device = session.device, session.isReady { effects.notices.append(.disconnected(device)) }
    if !reason.isOrdinary { effects.notices.append(.refused(id, reason)) }
    effects.changed = true
  }

  /// Ends every session.
  package mutating func endAll(_ reason: CloseReason, _ effects: inout Effects) {
    for session in sessions.all { end(session.id, reason, &effects) }
  }

  /// Ends every session between members, to begin anew. Over an invitation no data flows: what it has come to stands, and
  /// its answer is still to be told.
  package mutating func endMeetings(_ effects: inout Effects) {
    for session in sessions.all where !session.isOverInvitation { end(session.id, .leaving, &effects) }
  }

  /// The vector has fallen: everything is compared anew, with everybody. The sessions stay, for a member can make any number of writes
  /// void, of its own.
  package mutating func compareAnew(_ holdings: inout Holdings, _ effects: inout Effects) {
    for device in known.keys {
      known[device]?.common = nil
      known[device]?.alike = nil
    }
    for id in sessions.ready {
      sessions.flow(id) {
        $0.comparison = SessionComparison(after: $0.comparison)
        $0.incoming?.spoil()
      }
      restartDelta(id, &holdings, &effects)
      oweProbe(id)
    }
  }
}

extension Message {
  /// Whether every peer answers it, whatever it makes of it.
  fileprivate var wantsAnswer: Bool {
    switch self {
    case .summary(let summary): summary.isProbe
    case .commit: true
    default: false
    }
  }
}

extension Message {
  /// About how many bytes the frame takes; exact where it matters, for the messages that carry writes.
  var approximateBytes: Int {
    switch self {
    case .commit(let commit): commit.batch.bytes.count + 64
    case .delta(let chunk): chunk.commits.bytes.count + 64
    case .items(let items): items.commits.bytes.count + 64
    case .vector(let vector): vector.fingerprints.count * 34 + 64
    case .deltaEnd(let end): end.claims.count * 26 + 64
    case .ranges(let ranges): ranges.count * 40 + 64
    case .addresses(let entries): entries.count * 560 + 64
    case .recordHashes(let hashes): hashes.count * 32 + 64
    case .records(let part): part.records.reduce(64) { $0 + $1.encoded.count }
    case .admitted(let record): record.encoded.count + 64
    case .forks(let forks): forks.count * 300 + 64
    case .dialledBack(let dialled): dialled.count * 260 + 64
    case .hello, .join: 1024
    case .introduction, .consent: 192
    case .heldBack(let held): held.latest.count * 26 + 64
    case .rightsWanted, .rightsGiven: 320
    case .welcome, .summary, .close, .time, .dialBack: 64
    }
  }
}
