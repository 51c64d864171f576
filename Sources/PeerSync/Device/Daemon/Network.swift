/// The daemon's connections, by session.
///
/// A connection becomes a session of the engine once its handshake is complete. One that fails before is logged, and
/// was an address that could not be reached, if it was dialled.
package final class Network {
  /// The key of the invitation that is open; nil: nobody can join.
  var invitation: InvitationKey?
  private var budget = RoundBudget()
  /// Bytes of frames since the daemon started.
  package private(set) var traffic = Traffic()

  private let loop: EventLoop
  private let log: Log
  private let context: TLSContext
  private let rateLimitedLog: RateLimitedLog
  private let admission: StartupAdmission
  private let post: @Sendable (Event) -> Void
  private var lookups: Lookups
  private var listener: Listener?
  private var connections: [SessionID: Connection] = [:]
  /// Those whose handshake is not complete.
  private var handshakes: [SessionID: Handshake] = [:]
  /// Dials under way; of a name that is being looked up there is no race yet.
  private var dials: [UInt64: (target: DialTarget, race: Race?)] = [:]
  private var lastName: UInt64 = 0
  private var unflushed: [SessionID] = []
  private var isLeaving = false
  private var left: CheckedContinuation<Void, Never>?

  /// - Parameters:
  ///   - context: with the device's key and the list of members
  ///   - names: addresses whose host may be looked up; a name that others tell is none of them, for whoever could have it looked up
  ///     would have this device ask the servers of its choice
  ///   - resolve: looks a name up and tells ``resolved(_:_:)``
  ///   - post: takes what happens, on the loop
  package init(
    loop: EventLoop, log: Log, context: TLSContext, names: Set<Address> = [],
    resolve: @escaping (Address) -> Void = { _ in },
    post: @escaping @Sendable (Event) -> Void
  ) {
    lookups = Lookups(of: names, by: resolve)
    self.loop = loop
    self.log = log
    self.context = context
    self.post = post
    rateLimitedLog = RateLimitedLog(log)
    admission = StartupAdmission(timers: loop.timers, budget: .current)
  }

  /// Begins to accept connections, and returns the address with the port that was picked.
  package func listen(on address: Address) throws(SocketError) -> Address {
    let listener = try Listener(
      on: address, loop: loop,
      accepted: { [weak self] socket, from in self?.accept(socket, from) },
      exhausted: { [log] in log(.warning, "\(SocketError.noDescriptors)") })
    self.listener = listener
    return listener.address
  }

  package func dial(_ target: DialTarget) {
    let address = target.address
    guard admission.hasRoom(beside: connections.count + dials.count) else {
      return unreachable(target, "\(SocketError.noDescriptors)")
    }
    let isNumeric = (try? Socket.requireNumeric(address)) != nil
    guard isNumeric || lookups.names.contains(address) else {
      return unreachable(target, "it is a name, and only those that were given by hand are looked up")
    }
    let name = nextName()
    dials[name] = (target, nil)
    if isNumeric { race(name, to: [address]) } else { lookups.begin(address, for: name) }
  }

  /// A name was looked up; in vain, if nothing was found.
  package func resolved(_ address: Address, _ found: [Address]) {
    for name in lookups.end(address) {
      guard let target = dials[name]?.target else { continue }
      guard found.isEmpty else {
        race(name, to: found)
        continue
      }
      dials[name] = nil
      unreachable(target, "the name cannot be looked up")
    }
  }

  private func race(_ name: UInt64, to addresses: [Address]) {
    guard let target = dials[name]?.target else { return }
    let segmentBytes = target.usesSmallSegments ? Limits.smallSegmentBytes : nil
    let race = Race(addresses, segmentBytes: segmentBytes, on: loop)
    dials[name] = (target, race)
    race.start { [weak self] in self?.dialled(name, target, $0) }
  }

  /// The machine is on these networks.
  package func know(_ interfaces: Interfaces) { admission.interfaces = interfaces }

  /// The machine's addresses are others: ends what came over one that is gone, and what was being dialled, for it may never end
  /// by itself.
  package func networkChanged(to interfaces: Interfaces) {
    know(interfaces)
    for (name, dial) in dials.sorted(by: { $0.key < $1.key }) {
      dials[name] = nil
      unreachable(dial.target, "the network has changed")
    }
    for session in connections.keys.sorted() {
      guard let connection = connections[session] else { continue }
      guard let local = connection.localAddress, interfaces.has(local.host) else {
        connection.end()
        continue
      }
    }
  }

  /// Queues a message; it leaves with the next ``flush()``.
  package func send(_ message: Message, on session: SessionID) {
    guard let connection = connections[session] else { return }
    if connection.queuedBytes == 0 { unflushed.append(session) }
    let frame = Frame.encode(message)
    traffic.sent += UInt64(frame.count)
    connection.send(frame)
    // The engine stops long before; a fault there must not take all memory.
    if connection.queuedBytes > Limits.heldBytes { cut(session, "its queue is full") }
  }

  /// A member was sighted at these addresses, or has listened there.
  package func vouch(for addresses: [Address]) { admission.vouch(for: addresses) }

  func close(_ session: SessionID, _ reason: CloseReason) {
    guard let connection = connections[session] else { return }
    connection.send(Frame.encode(.close(reason)))
    connection.close()
  }

  /// Hands everything queued to the system. Called at the end of a round of the engine.
  func flush() {
    let sessions = unflushed
    unflushed.removeAll(keepingCapacity: true)
    for session in sessions { connections[session]?.flush() }
  }

  /// The engine is about to handle everything received so far.
  package func handling() { budget.handling() }

  /// The engine has handled it.
  package func handled(isWelcomed: (SessionID) -> Bool) { admission.handled(isWelcomed: isWelcomed) }

  /// Says good-bye to every peer, and returns when all connections are gone: within the linger time.
  func leave(isolation: isolated (any Actor)? = #isolation) async {
    shutDoors()
    for session in connections.keys.sorted() { close(session, .leaving) }
    // Looked at within, for on the way in others may have had their turn: see ``SerialQueueExecutor``.
    await withCheckedContinuation { continuation in
      if connections.isEmpty { continuation.resume() } else { left = continuation }
    }
  }

  /// Drops everything without a word.
  package func abandon() {
    shutDoors()
    for connection in connections.values { connection.end() }
  }

  private func shutDoors() {
    isLeaving = true
    listener?.close()
    listener = nil
    dials = [:]
  }

  private func nextName() -> UInt64 {
    lastName += 1
    return lastName
  }

  private func dialled(_ name: UInt64, _ target: DialTarget, _ result: Result<Socket, SocketError>) {
    dials[name] = nil
    do {
      let socket = try result.get()
      let channel = try TLSChannel(
        dialling: context, invitation: target.invitation, isIntroduction: target.isIntroduction)
      try shakeHands(socket, channel, .dialled(target))
    } catch {
      unreachable(target, "\(error)")
    }
  }

  /// - Parameter refusal: the reason that the other side gave, as far as it is one of ours
  private func unreachable(_ target: DialTarget, _ reason: String, _ refusal: CloseReason? = nil) {
    log(.debug, "no connection", ["address": "\(target.address)", "reason": reason])
    post(target.failed(refusal))
  }

  /// A connection that may not stay ends without a word, with the last reference to its socket.
  private func accept(_ socket: Socket, _ from: Address) {
    guard !isLeaving else { return }
    guard admission.hasRoom(beside: connections.count + dials.count) else {
      return turnAway(from, "\(SocketError.noDescriptors)")
    }
    do {
      let channel = try TLSChannel(accepting: context) { [weak self] in self?.invitation }
      try shakeHands(socket, channel, .accepted(from: from))
    } catch {
      turnAway(from, "\(error)")
    }
  }

  private func turnAway(_ from: Address, _ reason: String) {
    traffic.refused += 1
    rateLimitedLog(.warning, "refused a connection: \(reason)", ["from": "\(from)"])
  }

  private func shakeHands(
    _ socket: Socket, _ channel: TLSChannel, _ handshake: Handshake
  ) throws(SocketError) {
    guard !isLeaving else { return }
    let session = SessionID(rawValue: nextName())
    let connection = try Connection(
      socket, channel, on: loop, mayRead: { [weak self] in self?.mayRead(session) ?? false },
      report: { [weak self] in self?.take($0, from: session) })
    connections[session] = connection
    handshakes[session] = handshake
    let late = admission.begin(session, handshake.opening) { [weak self] in
      self?.cut(session, "no welcome came in time")
    }
    connection.flush()
    guard let late else { return }
    traffic.refused += 1
    cut(late, "others came in while it was not welcome yet")
  }

  private func mayRead(_ session: SessionID) -> Bool {
    budget.hasRoom(for: session) && admission.mayRead(session)
  }

  /// Ends a connection without a word: the peer would not listen.
  private func cut(_ session: SessionID, _ reason: String) {
    rateLimitedLog(.warning, "cut a connection: \(reason)", ["session": "\(session.rawValue)"])
    connections[session]?.end()
  }

  private func take(_ report: Connection.Report, from session: SessionID) {
    switch report {
    case .established(let channel): established(session, channel)
    case .received(let count):
      budget.received(count)
      traffic.received += UInt64(count)
    case .message(let message):
      budget.received(message, on: session)
      admission.received(on: session)
      post(.received(session, message))
    case .drained: post(.drained(session))
    case .malformed(let error): refuse(session, error)
    case .failed(let error): failed(session, error)
    case .stirred: post(.stirred(session))
    case .stalled:
      post(.received(session, .close(.silence)))
      cut(session, "it is too slow")
    case .closed: closed(session)
    }
  }

  private func established(_ session: SessionID, _ channel: Channel) {
    guard let opening = handshakes.removeValue(forKey: session)?.opening else { return }
    post(.opened(session, opening, channel))
  }

  private func failed(_ session: SessionID, _ error: TLSError) {
    switch handshakes.removeValue(forKey: session) {
    case .dialled(let target): unreachable(target, "\(error)", CloseReason(error))
    case .accepted(let from):
      turnAway(from, "\(error)")
      // The engine closes it, when the try is counted on the disk.
      if error == .wrongCode { return post(.wrongCode(session)) }
    case nil:
      log(.warning, "ended a session: \(error)", ["session": "\(session.rawValue)"])
      // A dialled connection stands before the other side has judged the certificate: this is its answer.
      if let reason = CloseReason(error) { post(.received(session, .close(reason))) }
    }
    connections[session]?.close()
  }

  private func refuse(_ session: SessionID, _ error: WireError) {
    let reason = error.closeReason
    rateLimitedLog(
      .warning, "ended a session: \(reason.explanation)",
      ["session": "\(session.rawValue)", "error": "\(error)"])
    connections[session]?.send(Frame.encode(.close(reason)))
  }

  private func closed(_ session: SessionID) {
    connections[session] = nil
    admission.ended(session)
    if let handshake = handshakes.removeValue(forKey: session) {
      if case .dialled(let target) = handshake { unreachable(target, "the other side hung up") }
    } else {
      post(.closed(session))
    }
    guard connections.isEmpty, let left else { return }
    self.left = nil
    left.resume()
  }
}

/// A connection whose sides do not know each other yet.
private enum Handshake {
  case accepted(from: Address)
  case dialled(DialTarget)

  var opening: Opening {
    switch self {
    case .accepted(let from): .accepted(from: from)
    case .dialled(let target): .dialled(target.address)
    }
  }
}

/// The names that may be looked up, and the lookups under way.
private struct Lookups {
  let names: Set<Address>
  private let resolve: (Address) -> Void
  /// The dials that wait for each.
  private var waiting: [Address: [UInt64]] = [:]

  init(of names: Set<Address>, by resolve: @escaping (Address) -> Void) {
    self.names = names
    self.resolve = resolve
  }

  /// Looks a name up for a dial, which waits with those that wait for it already: each lookup has a thread of its own, and where
  /// nobody answers the system may hold it for longer than the network stays as it is.
  mutating func begin(_ address: Address, for dial: UInt64) {
    let isUnderWay = waiting[address] != nil
    waiting[address, default: []].append(dial)
    if !isUnderWay { resolve(address) }
  }

  /// - Returns: the dials that have waited
  mutating func end(_ address: Address) -> [UInt64] { waiting.removeValue(forKey: address) ?? [] }
}

/// What crossed the network, in bytes, and who did not get so far.
package struct Traffic: Hashable, Sendable {
  package var sent: UInt64 = 0
  package var received: UInt64 = 0
  /// Connections of others that were refused.
  package var refused: UInt64 = 0
}

extension CloseReason {
  /// What a failed handshake says about the other side; nil: nothing that has a name here.
  fileprivate init?(_ error: TLSError) {
    switch error {
    case .wrongCode: self = .wrongCode
    case .noInvitation: self = .noInvitation
    case .notRecognized, .notMember: self = .stranger
    case .noCommonVersion, .noCommonProtocol: self = .version
    case .handshakeTooSlow: self = .handshakeTimeout
    default: return nil
    }
  }
}
