import Dispatch

/// One device at work: the engine, its disk and its connections.
///
/// Everything happens on one serial queue. Whatever happens joins a group, and one flush at the end of the queue hands
/// the whole group to the engine, makes the result durable in one transaction, and only then sends and answers: the group
/// commit. So a commit takes all that waits, and nothing waits when it is alone: the next group forms while the disk is busy
/// with the one before.
///
/// A failed disk is the end: nothing more is acknowledged, every request fails with the ``StorageError``, and
/// ``failure()`` returns it so that the program can exit.
public actor Daemon {
  /// What the daemon was told.
  public nonisolated let configuration: Configuration
  /// The directory the daemon uses, held: what the daemon writes while it runs never goes to another device that has taken its place.
  package nonisolated let place: HeldDirectory

  let loop = EventLoop()
  nonisolated let executor: SerialQueueExecutor
  nonisolated let clock: SystemClock
  /// Whom a handshake takes for a member.
  nonisolated let memberKeys: MemberKeys
  private let context: TLSContext
  private let key: DeviceKey
  /// What verifies purchases and, outside production, signs them.
  nonisolated let storeTrust: StoreTrust
  /// What the store has told this device.
  nonisolated let notifications: NotificationLog
  var engine: Engine
  var phase: Phase
  var group = GroupCommit()
  var timer: DeadlineTimer?
  let watchers = Watchers()
  let feed = EventFeed()
  /// The network around, while it runs.
  private(set) var surroundings: Surroundings?
  private var storeListener: Task<Void, Never>?
  private var lock: LockFile?
  private var endWaiters: [CheckedContinuation<StorageError?, Never>] = []

  /// How far the daemon has come.
  enum Phase {
    case ready(Storage)
    case running(DaemonRunner)
    case stopping
    /// Stopped; by a failed disk, if an error is given.
    case ended(StorageError?)
  }

  /// Opens the device of a directory: takes its lock, checks its database, loads its ledger.
  ///
  /// - Throws: ``StorageError``.
  public init(configuration: Configuration) throws {
    let directory = DataDirectory(configuration.directory)
    try directory.requireDevice()
    lock = try directory.takeLock()
    var configuration = configuration
    configuration.log = configuration.log.beginning()
    clock = SystemClock(offset: max(configuration.clockOffset, configuration.store?.lead ?? .min))
    let (storage, key, provenance) = try directory.open(at: clock.now().wall)
    let kept = try storage.load(key: key.publicKey)
    provenance.tell(configuration.log, kept.identity)
    let memberKeys = MemberKeys([])
    self.key = key
    context = try TLSContext(key, hasBelonged: memberKeys.hasBelonged, isMember: memberKeys.contains)
    self.memberKeys = memberKeys
    let storeTrust = try StoreTrust(directory, kept.identity.environment, root: kept.storeRoot)
    self.storeTrust = storeTrust
    var generator = SystemRandomNumberGenerator()
    self.configuration = configuration
    place = try directory.hold()
    notifications = NotificationLog(place)
    executor = SerialQueueExecutor(loop.queue)
    engine = Engine(
      identity: kept.identity, signer: key.signingKey, cryptography: .openSSL, membership: kept.membership,
      replica: kept.replica, addresses: kept.addresses, invitation: kept.invitation, time: kept.time,
      contacts: kept.contacts, damage: kept.damage, setBack: kept.setBack, setAside: kept.setAside,
      history: kept.history, isOnline: kept.isOnline,
      announcesAddresses: configuration.announcesAddresses, seed: generator.next(),
      store: storeTrust.verifier,
      trustedRoots: storeTrust.trustedRoots)
    phase = .ready(storage)
    if let damage = kept.damage { configuration.log.note(damage) }
  }

  /// The directory the daemon uses.
  package nonisolated var directory: DataDirectory { DataDirectory(configuration.directory) }

  /// The serial queue on which the daemon runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Listens, dials the peers, and begins to work.
  ///
  /// - Returns: where the daemon listens, with the port that was picked; nil when it does not.
  /// - Throws: ``SocketError`` when the address to listen on is a name or cannot be had; ``DaemonError``.
  public func start() throws -> Address? {
    guard case .ready(let storage) = phase else { throw DaemonError.notReady }
    let network = Network(
      loop: loop, log: configuration.log, context: context, names: Set(configuration.peers),
      resolve: { [weak self] address in self?.resolve(address) },
      post: { [weak self] event in self?.assumeIsolated { $0.post(event) } })
    let address = try configuration.listen.map { try network.listen(on: $0) }
    let runner = DaemonRunner(
      storage: storage, network: network, memberKeys: memberKeys, watchers: watchers, log: configuration.log
    ) { [weak self] request, draft in self?.assumeIsolated { $0.sign(draft, for: request) } }
    phase = .running(runner)
    timer = DeadlineTimer(on: loop.timers) { [weak self] in
      self?.assumeIsolated { $0.deadlineCame() }
    }
    surroundings = Surroundings(
      listening: address, at: configuration.interface, on: loop, log: configuration.log
    ) { [weak self] in self?.assumeIsolated { $0.lookAround() } }
    if let surroundings { network.know(surroundings.interfaces) }
    // Nobody has come from anywhere yet.
    network.vouch(for: engine.addressesOfMembers)
    if let address { runner.discovery = discovery(at: address.port, key) }
    post(.started(listening: surroundings?.announced, peers: configuration.peers))
    storeListener = configuration.store.map { listening(to: $0) }
    return address
  }

  /// Tells clients on this machine how to reach the daemon's control API, until it stops.
  ///
  /// - Throws: ``DaemonError/stopped``; ``StorageError``.
  public func publish(url: String, token: String) throws {
    guard case .running = phase else { throw DaemonError.stopped }
    try place.write(ControlFile(url: url, token: token))
  }

  /// Stops: answers what waits, says good-bye to the peers, closes the database and lets go of the directory. Takes
  /// less than two seconds; requests that still wait for a peer fail with ``DaemonError/stopped``.
  public func stop() async {
    if case .ready = phase { return finish(nil) }
    guard case .running(let runner) = phase else { return _ = await failure() }
    flush()
    // What was bought just now is signed, and comes back.
    flush()
    guard case .running = phase else { return }
    phase = .stopping
    // Nobody finds what is about to go, and whoever waits for another device hears of it.
    runner.discovery = nil
    runner.pendingRequests.failAll(DaemonError.stopped)
    await runner.network.leave()
    runner.closeStorage()
    finish(nil)
  }

  /// Ends as by a crash: nothing more is made durable, nobody hears a good-bye, and what waits fails with
  /// ``DaemonError/stopped``. For tests of what comes after.
  package func abandon() {
    guard case .running(let runner) = phase else { return }
    finish(nil)
    runner.pendingRequests.failAll(DaemonError.stopped)
    runner.network.abandon()
    runner.closeStorage()
  }

  /// Waits for the end of the daemon.
  ///
  /// - Returns: the error of the disk that ended it; nil after ``stop()``.
  public func failure() async -> StorageError? {
    // Looked at within, for on the way in others may have had their turn: see ``SerialQueueExecutor``.
    await withCheckedContinuation { waiter in
      if case .ended(let error) = phase { waiter.resume(returning: error) } else { endWaiters.append(waiter) }
    }
  }

  /// The disk has failed: nothing that the engine knows beyond it may leave the device. Whatever ends because of it, why it
  /// did is the last thing to be read.
  func fail(_ error: StorageError, _ runner: DaemonRunner) {
    configuration.log.end("\(error)")
    finish(error)
    runner.pendingRequests.failAll(error)
    runner.network.abandon()
  }

  private func finish(_ error: StorageError?) {
    if case .running(let runner) = phase { runner.discovery = nil }
    phase = .ended(error)
    group = GroupCommit()
    timer = nil
    surroundings = nil
    storeListener?.cancel()
    place.removeControlFile()
    watchers.finish()
    feed.finish()
    // Last, for another daemon may start now.
    lock = nil
    for waiter in endWaiters { waiter.resume(returning: error) }
    endWaiters = []
  }
}

// The group commit: one flush after another.
extension Daemon {
  /// Adds something to the group and sees to it that the group is taken at the end of the queue, after everything else that
  /// waits there has had its chance to add to it.
  func post(_ event: Event) {
    guard case .running = phase, group.add(event) else { return }
    collect()
  }

  private func collect() {
    executor.queue.async { [weak self] in
      self?.assumeIsolated { if $0.group.isGrowing() { $0.collect() } else { $0.flush() } }
    }
  }

  /// Lets the engine handle what waits, and does what it wants.
  func flush() {
    guard case .running(let runner) = phase else { return }
    let events = group.take()
    let now = clock.now()
    let heard = heard(events)
    runner.network.handling()
    let effects = events.isEmpty ? Effects() : engine.handle(events, now: now)
    runner.network.handled { engine.isWelcomed($0) }
    do {
      // What others wrote is durable with them: whoever follows hears of it while the disk is at work.
      let isHearsay = effects.durable.isHearsay(to: engine.identity.replica)
      if isHearsay { tell(effects.durable.writes) }
      try effects.run(on: runner)
      if !isHearsay { tell(effects.durable.writes) }
      // First, for what goes to peers has to be encrypted, and wakes those of them that are on this machine.
      tell(effects, heard: heard)
      runner.network.flush()
      if effects.changed { runner.discovery?.show(engine.isPresent) }
      timer?.set(engine.nextDeadline, now: now.monotonic)
      // Nobody waits for this any more.
      try runner.storage?.tidy()
    } catch {
      fail(
        error as? StorageError ?? .failed(path: directory.database, message: StorageReason(Phrase(error))),
        runner)
    }
  }

  func deadlineCame() {
    timer?.clear()
    post(.deadline)
  }
}

extension Daemon {
  /// What a daemon is told when it is made.
  public struct Configuration: Sendable {
    /// The data directory of the device.
    public var directory: String
    /// Where to listen for peers, an IP address; port 0 picks one; nil: do not listen.
    public var listen: Address?
    /// Peers to dial at the start; a host name is looked up at each dial. Those met before are remembered.
    public var peers: [Address]
    /// How the device finds members on the local network, and is found there; nil: not at all.
    public var discovery: LocalDiscovery?
    /// The only network interface to announce addresses of and to find others on, by its name; nil: all.
    public var interface: String?
    /// Whether members are told where this device listens. Those who are not are given its address by hand.
    public var announcesAddresses: Bool
    /// Milliseconds added to the wall clock, for simulations.
    public var clockOffset: Int64
    /// Where the daemon tells what it does.
    public var log: Log
    /// The sandbox store that it buys from, see ``StoreClient``; nil: it signs for itself.
    public var store: StoreClient?

    /// Makes a configuration.
    public init(
      directory: String, listen: Address? = nil, peers: [Address] = [], discovery: LocalDiscovery? = nil,
      interface: String? = nil, announcesAddresses: Bool = true, clockOffset: Int64 = 0,
      store: StoreClient? = nil,
      log: Log = Log()
    ) {
      self.directory = directory
      self.listen = listen
      self.peers = peers
      self.discovery = discovery
      self.interface = interface
      self.announcesAddresses = announcesAddresses
      self.clockOffset = clockOffset
      self.store = store
      self.log = log
    }
  }
}

/// Why a daemon does not do what it is asked.
public enum DaemonError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It was started before.
  case notReady
  /// It is stopping, has stopped, or was not started.
  case stopped

  /// What happened, in one sentence.
  public var description: String { told.text(in: .english) }
}

extension DaemonError: ToldError {
  package var told: Phrase {
    switch self {
    case .notReady: Phrase("the daemon was started before", "데몬을 이미 시작했습니다")
    case .stopped: Phrase("the daemon is not running", "데몬이 실행 중이 아닙니다")
    }
  }
}
