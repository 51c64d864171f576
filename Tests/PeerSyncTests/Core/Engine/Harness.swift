import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Engines side by side, exchanging messages without bytes, delays or a world: every message waits in ``wire`` until a
/// test lets it through.
final class Harness {
  /// A message on its way.
  struct Envelope {
    let from: Int
    let fromSession: SessionID
    let to: Int
    let session: SessionID
    let message: Message
  }

  private(set) var engines: [Engine] = []
  private(set) var identities: [Identity] = []
  private var authors: [Author] = []
  private var foundings: [Membership] = []
  var disks: [HarnessDisk] = []
  /// What each engine's wall clock is off, in milliseconds.
  var skew: [Int64] = []
  var monotonic: UInt64 = 1_000
  /// Messages under way, oldest first.
  var wire: [Envelope] = []
  /// Everything ever sent.
  private(set) var sent: [Envelope] = []
  private(set) var closings: [(engine: Int, session: SessionID, reason: CloseReason)] = []
  private(set) var dials: [(engine: Int, address: Address, isIntroduction: Bool, time: UInt64)] = []
  /// Who may connect to an engine, as it last said.
  private(set) var admitted: [Int: [PublicKey]] = [:]
  /// The first answer to each request counts, as for a daemon.
  private(set) var answers: [RequestID: Answer] = [:]
  private(set) var notices: [(engine: Int, notice: Notice)] = []
  /// Every write that its author made durable.
  private(set) var history: [Write] = []
  /// Whether dialling an engine's address connects to it.
  var connectsDials = false
  /// Whether nobody can be reached.
  var isCut = false
  /// Whether queues empty by themselves.
  var drains = true
  /// Everything that engines have drafted.
  private(set) var drafts: [Transaction] = []
  /// What the store of each device makes of a draft; nil: it cannot sign.
  var sign: (Transaction) -> JWS? = { SimulatedStore.sign($0) }
  /// What happens to each message before it gets onto the wire.
  var filter: (Envelope) -> [Envelope] = { [$0] }

  private var ends: [SessionID: (engine: Int, other: SessionID)] = [:]
  private var lastName: UInt64 = 0
  private var runs: UInt64 = 0

  /// The devices of the authors 1 to 40, one group. An engine belongs to it unless a test says otherwise.
  static let household: Membership = {
    let founders = (UInt64(1)...40).map { (Author($0).key, Harness.device(Author($0)).founding) }
    do { return try Membership.united(founders, .simulated) } catch { fatalError("\(error)") }
  }()
  static let group: GroupID = {
    guard let group = household.group(of: Author(1).key.publicKey) else { fatalError("no group") }
    return group.id
  }()
  /// The welcome of a device that knows the household and nobody else.
  static let welcome = Message.welcome(household.fingerprint)
  static let bundleId = "com.example.harness"
  static let wall: Int64 = 1_800_000_000_000

  /// What became durable, by engine.
  private(set) var journals: [Int: [Durable]] = [:]

  init(_ count: Int = 0, start: Bool = true) {
    for _ in 0..<count { add() }
    if start { for index in engines.indices { self.start(index) } }
  }

  // MARK: Engines

  /// - Parameter author: whose device it is; nil: one of its own
  @discardableResult func add(
    isAlone: Bool = false, environment: Environment = .sandbox, bundleId: String = bundleId,
    disk: HarnessDisk = HarnessDisk(), author: Author? = nil
  ) -> Int {
    let author = author ?? Author(UInt64(engines.count + 1))
    let device = Self.device(author, environment, bundleId)
    var identity = device.identity
    let isFamily = !isAlone && environment == .sandbox && bundleId == Self.bundleId
    if isFamily { identity.group = Self.group }
    identities.append(identity)
    authors.append(author)
    foundings.append(isFamily ? Self.household : Membership([device.founding], .simulated))
    disks.append(disk)
    skew.append(0)
    engines.append(makeEngine(engines.count))
    return engines.count - 1
  }

  /// What an author's device is made of.
  static func device(
    _ author: Author, _ environment: Environment = .sandbox, _ bundleId: String = bundleId
  ) -> NewDevice {
    NewDevice(
      signer: author.key, nonce: author.incarnation.nonce,
      recoveryKey: SigningKey.simulated(seed: .max - author.number).publicKey,
      name: "Device \(author.number)",
      environment: environment, bundleId: bundleId, .simulated)
  }

  private func makeEngine(_ index: Int) -> Engine {
    let disk = disks[index]
    var identity = identities[index]
    identity.group = disk.group ?? identity.group
    identity.replica = disk.replica ?? identity.replica
    // In the order in which they were heard, as from a real disk.
    let membership = Membership(foundings[index].held + disk.records, .simulated)
    runs += 1
    return Engine(
      identity: identity, signer: author(index).key, cryptography: .simulated, membership: membership,
      replica: disk.replica(of: author(index)), addresses: disk.addresses, invitation: disk.invitation,
      time: disk.time, contacts: disk.contacts, damage: disk.damage, setAside: disk.setAside,
      history: disk.history, seed: runs,
      store: .simulated,
      trustedRoots: SimulatedStore.trustedRoots)
  }

  func address(_ index: Int) -> Address { Address(host: "device-\(index)", port: 1) }

  func start(_ index: Int, peers: [Address] = []) {
    handle(index, [.started(listening: [address(index)], peers: peers)])
  }

  /// Kills an engine and starts it from a disk, by default its own.
  func restart(_ index: Int, from disk: HarnessDisk? = nil) {
    for (session, end) in ends where end.engine == index {
      ends[session] = nil
      wire.removeAll { $0.session == session || $0.fromSession == session }
      close(end.other)
    }
    disks[index] = disk ?? disks[index]
    engines[index] = makeEngine(index)
    start(index)
  }

  /// Who signs the commits of an engine.
  func author(_ index: Int) -> Author { authors[index] }

  func adjust(_ index: Int, _ body: (inout Engine) -> Void) { body(&engines[index]) }

  /// Whether nothing is due before long but that the time is kept.
  func isIdle(_ index: Int) -> Bool {
    engines[index].nextDeadline.map { $0 > monotonic + 2 * Limits.silenceMilliseconds } ?? true
  }

  func replica(_ index: Int) -> Replica { engines[index].replica }

  func now(_ index: Int) -> Now {
    Now(
      wall: Instant(clamping: Self.wall + Int64(monotonic) + skew[index]), monotonic: monotonic)
  }

  // MARK: Events

  @discardableResult func handle(_ index: Int, _ events: [Event]) -> Effects {
    run(index, engines[index].handle(events, now: now(index)))
  }

  /// Lets an engine do something that no event stands for.
  func perform(_ index: Int, _ body: (inout Engine, Now, inout Effects) -> Void) {
    let now = now(index)
    run(index, engines[index].perform(now: now) { engine, effects in body(&engine, now, &effects) })
  }

  @discardableResult private func run(_ index: Int, _ effects: Effects) -> Effects {
    if !effects.durable.isEmpty { persist(effects.durable, index) }
    for (session, message) in effects.messages { send(message, index, session) }
    for (session, reason) in effects.closings {
      closings.append((index, session, reason))
      send(.close(reason), index, session)
      close(session)
    }
    for (request, answer) in effects.answers where answers[request] == nil { answers[request] = answer }
    notices += effects.notices.map { (index, $0) }
    admitted[index] = effects.belonging?.members ?? admitted[index]
    for target in effects.dials { dial(target, index) }
    for (request, draft) in effects.drafts {
      drafts.append(draft)
      let item = sign(draft).map { SimulatedStore.item($0, for: identities[index]) }
      handle(index, [.signed(request, item)])
    }
    return effects
  }

  private func persist(_ durable: Durable, _ index: Int) {
    disks[index].persist(durable)
    journals[index, default: []].append(durable)
    let own = disks[index].replica ?? identities[index].replica
    let written = durable.writes.flatMap(\.writes).filter { $0.dot.replica == own }
    history += written
    if let last = written.last?.dot {
      #expect(disks[index].proofs.hasCommit(of: last), "engine \(index) keeps a write that it has not signed")
    }
  }

  private func send(_ message: Message, _ index: Int, _ session: SessionID) {
    guard let end = ends[session], let other = ends[end.other] else { return }
    let envelope = Envelope(
      from: index, fromSession: session, to: other.engine, session: end.other, message: message)
    sent.append(envelope)
    wire += filter(envelope)
  }

  private func dial(_ target: DialTarget, _ index: Int) {
    dials.append((index, target.address, target.isIntroduction, monotonic))
    guard connectsDials else { return }
    guard !isCut, let other = engines.indices.first(where: { address($0) == target.address }) else {
      return _ = handle(index, [target.failed(nil)])
    }
    if target.isIntroduction {
      return _ = connect(index, other) { .introduction(self.author($0).key.publicKey) }
    }
    guard let key = target.invitation else { return _ = connect(index, other) }
    guard let invitation = engines[other].invitation else {
      return _ = handle(index, [target.failed(.noInvitation)])
    }
    guard invitation.key == key else {
      lastName += 1
      handle(other, [.wrongCode(SessionID(rawValue: lastName))])
      return _ = handle(index, [target.failed(.wrongCode)])
    }
    connectOverInvitation(index, other)
  }

  /// Makes a connection between two that know the same code.
  @discardableResult func connectOverInvitation(
    _ dialler: Int, _ listener: Int
  ) -> (dialler: SessionID, listener: SessionID) {
    let exporter = ContentHash(words: (lastName, 1, 2, 3))
    return connect(dialler, listener, at: nil) { _ in .invitation(exporter: exporter) }
  }

  @discardableResult func request(_ request: Request, of index: Int) -> RequestID {
    lastName += 1
    let id = RequestID(rawValue: lastName)
    handle(index, [.requested(id, request)])
    return id
  }

  @discardableResult func write(_ index: Int, _ key: String, _ value: [UInt8], stamp: Stamp? = nil) -> Answer?
  {
    let write = LocalWrite(key: RegisterKey.value(key: key).encoded, stamp: stamp, value: value)
    return answers[request(.write([write]), of: index)]
  }

  func value(_ index: Int, _ key: String) -> [UInt8]? {
    engines[index].standing(.value(key: key))?.value
  }

  // MARK: Connections

  /// Makes a connection on which nothing has been said.
  @discardableResult func connect(
    _ dialler: Int, _ listener: Int, at address: Address? = nil, over channel: ((Int) -> Channel)? = nil
  ) -> (dialler: SessionID, listener: SessionID) {
    let channel = channel ?? self.channel(to:)
    let sessions = (SessionID(rawValue: lastName + 1), SessionID(rawValue: lastName + 2))
    lastName += 2
    ends[sessions.0] = (dialler, sessions.1)
    ends[sessions.1] = (listener, sessions.0)
    handle(listener, [.opened(sessions.1, .accepted(from: self.address(dialler)), channel(dialler))])
    handle(dialler, [.opened(sessions.0, .dialled(address ?? self.address(listener)), channel(listener))])
    return sessions
  }

  /// Connects one engine with nobody: a test says what comes.
  ///
  /// - Parameter author: whose key the other side proves; by default that of a member without an engine
  func open(
    _ index: Int, dialled address: Address? = nil, as author: Author = Author(40),
    over channel: Channel? = nil
  ) -> SessionID {
    lastName += 1
    let session = SessionID(rawValue: lastName)
    let opening = address.map { Opening.dialled($0) } ?? .accepted(from: Address(host: "nobody", port: 1))
    handle(index, [.opened(session, opening, channel ?? .certificate(author.key.publicKey))])
    return session
  }

  /// What an author's device says first.
  static func hello(
    of author: Author = Author(40), versions: ClosedRange<UInt16> = ProtocolVersion.supported,
    bootID: UInt64 = 1,
    environment: Environment = .sandbox, bundleId: String = bundleId, listening: KnownPeer.Listening? = nil
  ) -> Message {
    .hello(
      Hello(
        versions: versions, replica: author.replica, bootID: bootID, environment: environment,
        bundleId: bundleId,
        name: "Device \(author.number)", listening: listening))
  }

  /// Connects one engine with a member for which the test speaks, up to where data flows.
  func welcomed(_ index: Int, dialled address: Address? = nil, as author: Author = Author(40)) -> SessionID {
    let session = open(index, dialled: address, as: author)
    handle(index, [.received(session, Self.hello(of: author)), .received(session, Self.welcome)])
    return session
  }

  /// Each engine proves its own key.
  private func channel(to index: Int) -> Channel { .certificate(author(index).key.publicKey) }

  /// Cuts every connection; what was under way is lost.
  func cut() {
    wire = []
    for session in ends.keys.sorted() { close(session) }
    wire = []
  }

  /// Ends a connection on both sides; what was sent before still arrives.
  private func close(_ session: SessionID) {
    guard let end = ends[session] else { return }
    ends[session] = nil
    handle(end.engine, [.closed(session)])
    if !wire.contains(where: { $0.session == end.other }) { close(end.other) }
  }

  // MARK: Delivery

  /// Lets the oldest message through.
  @discardableResult func deliver() -> Envelope? {
    guard !wire.isEmpty else { return nil }
    let envelope = wire.removeFirst()
    arrive([envelope])
    return envelope
  }

  /// Lets everything through that is under way now, each receiver taking all of it as one batch.
  func halfRound() {
    let batch = wire
    wire = []
    for index in engines.indices { arrive(batch.filter { $0.to == index }) }
  }

  private func arrive(_ envelopes: [Envelope]) {
    guard let index = envelopes.first?.to else { return }
    let live = envelopes.filter { ends[$0.session] != nil }
    if !live.isEmpty { handle(index, live.map { .received($0.session, $0.message) }) }
    for envelope in live {
      if case .close = envelope.message { close(envelope.session) }
      let isQueued = wire.contains { $0.fromSession == envelope.fromSession }
      if drains, !isQueued, ends[envelope.fromSession] != nil {
        handle(envelope.from, [.drained(envelope.fromSession)])
      }
    }
  }

  /// Lets messages through until none is under way.
  ///
  /// - Returns: how many half rounds it took.
  @discardableResult func settle(sourceLocation: SourceLocation = #_sourceLocation) -> Int {
    var rounds = 0
    while !wire.isEmpty, rounds < 1_000 {
      halfRound()
      rounds += 1
    }
    if !wire.isEmpty { Issue.record("messages go round and round", sourceLocation: sourceLocation) }
    return rounds
  }

  /// Moves time on, deadline by deadline, letting everything through in between.
  func advance(_ milliseconds: UInt64) {
    let end = monotonic + milliseconds
    settle()
    var steps = 0
    while let next = engines.compactMap(\.nextDeadline).min(), next <= end, steps < 100_000 {
      monotonic = max(monotonic, next)
      for index in engines.indices where engines[index].nextDeadline.map({ $0 <= monotonic }) ?? false {
        handle(index, [.deadline])
      }
      settle()
      steps += 1
    }
    if steps == 100_000 { Issue.record("deadlines that are due again and again") }
    monotonic = end
  }
}
