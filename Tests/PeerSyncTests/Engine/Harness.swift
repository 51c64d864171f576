import PeerSync
import Testing

/// What one engine of a ``Harness`` has made durable. Takes what it is given, as the real store does.
struct HarnessDisk {
  var registers: [[UInt8]: Write] = [:]
  var claims = VersionVector()
  var proofs = VirtualProofs()
  var replica: ReplicaID?
  var addresses: [AddressEntry] = []
  var group: GroupID?
  var commits = 0

  init() {}

  /// A disk that holds these writes, each a commit of its own, and knows them all.
  init(_ writes: [Write]) {
    for write in writes { registers[write.key] = write }
    for write in writes { claims.advance(write.dot.replica, to: write.dot.sequence) }
    proofs = VirtualProofs(writes.map { Commit.signed([$0]) })
  }

  mutating func persist(_ durable: Durable) {
    for (batches, removed) in durable.steps {
      for write in batches.flatMap(\.writes) { registers[write.key] = write }
      for key in removed { registers[key] = nil }
    }
    for change in durable.proofs { proofs.apply(change) }
    claims = durable.vector ?? claims
    replica = durable.replica ?? replica
    for claim in durable.claims { claims.advance(claim.replica, to: claim.sequence) }
    addresses += durable.addresses
    group = durable.group ?? group
    commits += 1
  }

  func replica(of author: Author) -> Replica {
    var replica = Replica(id: self.replica ?? author.replica, cryptography: .simulated)
    replica.restore(.incarnation(author.incarnation, replica: author.replica))
    for change in proofs.all { replica.restore(change) }
    for write in registers.values.sorted(by: { $0.dot < $1.dot }) { write.withView { replica.restore($0) } }
    for claim in claims.entries { replica.restore(claim: claim) }
    return replica
  }
}

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
  var disks: [HarnessDisk] = []
  /// What each engine's wall clock is off, in milliseconds.
  var skew: [Int64] = []
  var monotonic: UInt64 = 1_000
  /// Messages under way, oldest first.
  var wire: [Envelope] = []
  /// Everything ever sent.
  private(set) var sent: [Envelope] = []
  private(set) var closings: [(engine: Int, session: SessionID, reason: CloseReason)] = []
  private(set) var dials: [(engine: Int, address: Address, time: UInt64)] = []
  private(set) var answers: [RequestID: Answer] = [:]
  private(set) var notices: [(engine: Int, notice: Notice)] = []
  /// Every write that its author made durable.
  private(set) var history: [Write] = []
  /// Whether dialling an engine's address connects to it.
  var connectsDials = false
  /// Whether queues empty by themselves.
  var drains = true
  /// What happens to each message before it gets onto the wire.
  var filter: (Envelope) -> [Envelope] = { [$0] }

  private var ends: [SessionID: (engine: Int, other: SessionID)] = [:]
  private var lastName: UInt64 = 0

  static let group = GroupID(high: 7, low: 7)
  static let bundleId = "com.example.harness"
  static let wall: Int64 = 1_800_000_000_000

  init(_ count: Int = 0, start: Bool = true) {
    for _ in 0..<count { add() }
    if start { for index in engines.indices { self.start(index) } }
  }

  // MARK: Engines

  /// - Parameter author: whose device it is; nil: one of its own
  @discardableResult func add(
    group: GroupID = group, environment: Environment = .sandbox, bundleId: String = bundleId,
    disk: HarnessDisk = HarnessDisk(), author: Author? = nil
  ) -> Int {
    let number = UInt64(engines.count + 1)
    let author = author ?? Author(number)
    let identity = Identity(
      device: DeviceID(high: 1, low: number), replica: disk.replica ?? author.replica, group: group,
      name: "Device \(number)", environment: environment, bundleId: bundleId)
    identities.append(identity)
    authors.append(author)
    disks.append(disk)
    skew.append(0)
    engines.append(
      Engine(identity: identity, replica: disk.replica(of: author), signer: author.key, seed: number))
    return engines.count - 1
  }

  func address(_ index: Int) -> Address { Address(host: "device-\(index)", port: 1) }

  func start(_ index: Int, peers: [Address] = []) {
    handle(index, [.started(listening: address(index), peers: peers)])
  }

  /// Kills an engine and starts it from a disk, by default its own.
  func restart(_ index: Int, from disk: HarnessDisk? = nil) {
    for (session, end) in ends where end.engine == index {
      ends[session] = nil
      wire.removeAll { $0.session == session || $0.fromSession == session }
      close(end.other)
    }
    disks[index] = disk ?? disks[index]
    var identity = identities[index]
    identity.group = disks[index].group ?? identity.group
    identity.replica = disks[index].replica ?? identity.replica
    engines[index] = Engine(
      identity: identity, replica: disks[index].replica(of: author(index)), signer: author(index).key,
      addresses: disks[index].addresses, seed: 99)
    start(index)
  }

  /// Who signs the commits of an engine.
  func author(_ index: Int) -> Author { authors[index] }

  func adjust(_ index: Int, _ body: (inout Engine) -> Void) { body(&engines[index]) }

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
    for (request, answer) in effects.answers { answers[request] = answer }
    notices += effects.notices.map { (index, $0) }
    for address in effects.dials { dial(address, index) }
    return effects
  }

  private func persist(_ durable: Durable, _ index: Int) {
    disks[index].persist(durable)
    let own = disks[index].replica ?? identities[index].replica
    history += durable.writes.flatMap(\.writes).filter { $0.dot.replica == own }
  }

  private func send(_ message: Message, _ index: Int, _ session: SessionID) {
    guard let end = ends[session], let other = ends[end.other] else { return }
    let envelope = Envelope(
      from: index, fromSession: session, to: other.engine, session: end.other, message: message)
    sent.append(envelope)
    wire += filter(envelope)
  }

  private func dial(_ address: Address, _ index: Int) {
    dials.append((index, address, monotonic))
    guard connectsDials else { return }
    guard let target = engines.indices.first(where: { self.address($0) == address }) else {
      return _ = handle(index, [.unreachable(address)])
    }
    connect(index, target)
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
    engines[index].replica.register(RegisterKey.value(key: key).encoded)?.value
  }

  // MARK: Connections

  /// Makes a connection on which nothing has been said.
  @discardableResult func connect(
    _ dialler: Int, _ listener: Int, at address: Address? = nil
  ) -> (dialler: SessionID, listener: SessionID) {
    let sessions = (SessionID(rawValue: lastName + 1), SessionID(rawValue: lastName + 2))
    lastName += 2
    ends[sessions.0] = (dialler, sessions.1)
    ends[sessions.1] = (listener, sessions.0)
    handle(listener, [.opened(sessions.1, .accepted(from: self.address(dialler)), channel(to: dialler))])
    handle(dialler, [.opened(sessions.0, .dialled(address ?? self.address(listener)), channel(to: listener))])
    return sessions
  }

  /// Connects one engine with nobody: a test says what comes.
  func open(_ index: Int, dialled address: Address? = nil) -> SessionID {
    lastName += 1
    let session = SessionID(rawValue: lastName)
    let opening = address.map { Opening.dialled($0) } ?? .accepted(from: Address(host: "nobody", port: 1))
    handle(index, [.opened(session, opening, channel(to: engines.count))])
    return session
  }

  /// The other engine always proves its own key.
  private func channel(to index: Int) -> Channel {
    .certificate(SigningKey.simulated(seed: UInt64(index)).publicKey)
  }

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

  // MARK: Expectations

  /// What an engine sent, by type, from a place in ``sent`` on.
  func types(from index: Int, to other: Int? = nil, since start: Int = 0) -> [MessageType] {
    sent[start...].filter { $0.from == index && (other == nil || $0.to == other) }.map(\.message.type)
  }

  var closeReasons: [CloseReason] { closings.map(\.reason) }

  /// No engine claims what it lacks, in memory or on its disk.
  func expectClaimsHold(sourceLocation: SourceLocation = #_sourceLocation) {
    for index in engines.indices {
      expectHolds(engines[index].replica.vector, index, sourceLocation) {
        engines[index].replica.register($0)
      }
      expectHolds(disks[index].claims, index, sourceLocation) { key in
        disks[index].registers[key].map { ($0.stamp, $0.value) }
      }
    }
  }

  private func expectHolds(
    _ vector: VersionVector, _ index: Int, _ sourceLocation: SourceLocation,
    _ register: ([UInt8]) -> (stamp: Stamp, value: [UInt8])?
  ) {
    for write in history where vector.contains(write.dot) {
      let held = register(write.key).map {
        Write(key: write.key, stamp: $0.stamp, value: $0.value, dot: write.dot)
      }
      #expect(
        held.map { !write.wins(over: $0) } ?? false, "engine \(index) claims \(write.dot) and lacks it",
        sourceLocation: sourceLocation)
    }
  }

  /// All engines hold and claim the same, and so do their disks.
  func expectConverged(sourceLocation: SourceLocation = #_sourceLocation) {
    for index in engines.indices {
      let (replica, first) = (engines[index].replica, engines[0].replica)
      #expect(replica.digest == first.digest, "engine \(index)", sourceLocation: sourceLocation)
      #expect(replica.vector == first.vector, "engine \(index)", sourceLocation: sourceLocation)
      #expect(engines[index].isSaved, "engine \(index)", sourceLocation: sourceLocation)
      expectSaved(index, sourceLocation: sourceLocation)
    }
  }

  /// The disk holds just what memory does.
  func expectSaved(_ index: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    let held = Dictionary(uniqueKeysWithValues: engines[index].replica.sortedWrites().map { ($0.key, $0) })
    #expect(disks[index].registers == held, "disk of engine \(index)", sourceLocation: sourceLocation)
    #expect(
      disks[index].claims == engines[index].replica.vector, "disk of engine \(index)",
      sourceLocation: sourceLocation)
    #expect(
      disks[index].proofs.fit(disks[index].registers.values), "proofs of engine \(index)",
      sourceLocation: sourceLocation)
  }
}
