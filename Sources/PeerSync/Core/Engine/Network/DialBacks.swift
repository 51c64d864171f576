/// Whether peers reach this device: a peer that is asked dials each address at which this device says that it listens, and says
/// which connections proved its key. Only another device can tell; so does AutoNAT ask it (libp2p, *AutoNAT: determining whether a
/// node is reachable*).
struct DialBacks: Sendable {
  /// What is dialled for peers, or was a moment ago, by their keys: a session that ends leaves its dials behind, and another one must
  /// not add to them.
  private var rounds: [PublicKey: Round] = [:]
  /// What this device's user asked, by the sessions of the peers that were asked.
  private var asked: [SessionID: [Question]] = [:]

  private struct Round {
    /// On which the peer waits for the answer; nil: it does not any more.
    var session: SessionID?
    /// On the monotonic clock.
    let begun: UInt64
    var waiting: Set<Address>
    var dialled: [DialledAddress] = []
  }

  /// What comes of a peer's question.
  enum Beginning: Equatable {
    case dial
    /// It is answered once the dials that were begun have ended.
    case wait
    /// What was found a moment ago.
    case known([DialledAddress])
  }

  private struct Question {
    let request: RequestID
    let peer: DeviceID
    /// When it is answered all the same.
    let deadline: UInt64
  }

  /// When the first question is answered all the same, on the monotonic clock.
  var deadline: UInt64? { asked.values.joined().map(\.deadline).min() }

  /// - Returns: whether the peer has to be asked: one answer is for all who wait for it
  mutating func ask(
    _ peer: DeviceID, on id: SessionID, as request: RequestID, at now: UInt64
  ) -> Bool {
    let isFirst = asked[id] == nil
    let deadline = now + Limits.dialBackMilliseconds
    asked[id, default: []].append(Question(request: request, peer: peer, deadline: deadline))
    return isFirst
  }

  /// The questions that a peer answers with this.
  mutating func take(_ dialled: [DialledAddress], on id: SessionID) -> [(RequestID, Answer)] {
    (asked.removeValue(forKey: id) ?? []).map { ($0.request, .dialledBack(by: $0.peer, dialled)) }
  }

  /// The questions that nobody has answered in time.
  mutating func takeLate(at now: UInt64) -> [(RequestID, Answer)] {
    asked.keys.sorted().filter { id in asked[id]?.contains { $0.deadline <= now } == true }
      .flatMap { take([], on: $0) }
  }

  /// Takes a peer's question: once in the time that a dial may take, and once those dials have ended, or should have. So a peer that asks on one session after
  /// another has no more connections made than its addresses.
  mutating func begin(for key: PublicKey, on id: SessionID, at addresses: [Address], now: UInt64) -> Beginning
  {
    // Should the end of a dial never be heard of, the round is over all the same.
    rounds = rounds.filter { _, round in
      now
        < round.begun
        + (round.waiting.isEmpty ? Limits.handshakeMilliseconds : Limits.dialBackMilliseconds)
    }
    guard let round = rounds[key] else {
      rounds[key] = Round(session: id, begun: now, waiting: Set(addresses))
      return .dial
    }
    if round.waiting.isEmpty { return .known(round.dialled) }
    rounds[key]?.session = id
    return .wait
  }

  /// Notes what became of a dial.
  ///
  /// - Parameter key: which key was proved there; nil: none
  /// - Returns: whether a peer asked for what was reached, and what is to be told on which sessions
  mutating func note(
    _ address: Address, proving key: PublicKey?
  ) -> (wasAsked: Bool, told: [(SessionID, [DialledAddress])]) {
    var (wasAsked, told) = (false, [(SessionID, [DialledAddress])]())
    for peer in rounds.keys.sorted() {
      guard var round = rounds[peer], round.waiting.remove(address) != nil else { continue }
      round.dialled.append(DialledAddress(address: address, isReached: peer == key))
      wasAsked = wasAsked || peer == key
      rounds[peer] = round
      if let id = round.session, round.waiting.isEmpty { told.append((id, round.dialled)) }
    }
    return (wasAsked, told)
  }

  /// Notes that a session has ended: nobody waits there for an answer.
  mutating func end(_ id: SessionID) -> [(RequestID, Answer)] {
    for (peer, round) in rounds where round.session == id { rounds[peer]?.session = nil }
    return take([], on: id)
  }
}

/// An address that a peer has dialled for this device.
public struct DialledAddress: Hashable, Sendable {
  /// Where this device says that it listens.
  public let address: Address
  /// Whether this device answered there, and proved its key.
  public let isReached: Bool

  package init(address: Address, isReached: Bool) {
    self.address = address
    self.isReached = isReached
  }
}

extension PeerNetwork {
  /// Asks a peer to dial this device back; the one whose session is the oldest.
  ///
  /// - Returns: the answer, where nobody can be asked
  mutating func askDialBack(as request: RequestID, at now: UInt64, _ effects: inout Effects) -> Answer? {
    guard let id = sessions.ready.min(), let peer = sessions[id]?.device else {
      return .dialledBack(by: nil, [])
    }
    if dialBacks.ask(peer, on: id, as: request, at: now) { send(.dialBack, on: id, &effects) }
    return nil
  }

  /// Dials a peer where it says that it listens, to tell it which of its addresses are reached.
  mutating func dialBack(_ id: SessionID, now: UInt64, _ effects: inout Effects) {
    guard let peer = sessions[id]?.peer else { return }
    let addresses = (known[peer.device]?.own ?? known[peer.device]?.listening)?.addresses ?? []
    guard !addresses.isEmpty else { return send(.dialledBack([]), on: id, &effects) }
    switch dialBacks.begin(for: peer.key, on: id, at: addresses, now: now) {
    case .dial: effects.dials += addresses.map { DialTarget(address: $0) }
    case .wait: break
    case .known(let dialled): send(.dialledBack(dialled), on: id, &effects)
    }
  }

  /// Notes what a peer has found; an address that this device does not announce is none of its own.
  mutating func take(_ dialled: [DialledAddress], on id: SessionID, _ effects: inout Effects) {
    let own = listening?.addresses ?? []
    effects.answers += dialBacks.take(dialled.filter { own.contains($0.address) }, on: id)
  }

  /// Notes what became of a dial.
  ///
  /// - Parameter key: which key was proved there; nil: none
  /// - Returns: whether it was dialled only to tell a peer that it is reached
  mutating func noteDialled(_ address: Address, proving key: PublicKey?, _ effects: inout Effects) -> Bool {
    let (wasAsked, told) = dialBacks.note(address, proving: key)
    for (id, dialled) in told where isWelcomed(id) { send(.dialledBack(dialled), on: id, &effects) }
    return wasAsked
  }
}
