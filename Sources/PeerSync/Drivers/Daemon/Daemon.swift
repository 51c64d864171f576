import Dispatch

/// One device at work: the engine, its disk and its connections.
///
/// Everything happens on one serial queue. Whatever happens is put into a mailbox, and one flush at the end of the
/// queue hands the whole mailbox to the engine, makes the result durable in one transaction, and only then sends and
/// answers. So a commit takes all that waits, and nothing waits when it is alone: the group forms while the disk is
/// busy with the one before.
///
/// A failed disk is the end: nothing more is acknowledged, every request fails with the ``StoreError``, and
/// ``failure()`` returns it so that the program can exit.
public actor Daemon {
  /// What the daemon was told.
  public nonisolated let configuration: Configuration
  /// The directory the daemon uses.
  package nonisolated let directory: DataDirectory

  private let loop = EventLoop()
  nonisolated let executor: SerialQueueExecutor
  nonisolated let clock: SystemClock
  /// Whom a handshake takes for a member.
  nonisolated let memberKeys: MemberKeys
  private let context: TLSContext
  /// What verifies purchases and, outside production, signs them.
  nonisolated let store: DeviceStore
  /// What the store has told this device.
  nonisolated let notifications: NotificationLog
  var engine: Engine
  var phase: Phase
  var mailbox = Mailbox()
  var timer: DeadlineTimer?
  let watchers = Watchers()
  private var storeListener: Task<Void, Never>?
  private var lock: LockFile?
  private var endWaiters: [CheckedContinuation<StoreError?, Never>] = []

  /// How far the daemon has come.
  enum Phase {
    case ready(Store)
    case running(DaemonRunner)
    case stopping
    /// Stopped; by a failed disk, if an error is given.
    case ended(StoreError?)
  }

  /// Opens the device of a directory: takes its lock, checks its database, loads its ledger.
  ///
  /// - Throws: ``StoreError``.
  public init(configuration: Configuration) throws {
    let directory = DataDirectory(configuration.directory)
    try directory.requireDevice()
    lock = try directory.takeLock()
    let key = try DeviceKey.load(directory.deviceKey)
    let memberKeys = MemberKeys([])
    context = try TLSContext(key) { memberKeys.contains($0) }
    self.memberKeys = memberKeys
    let store = try Store.open(directory, key: key.publicKey)
    try directory.renewIncarnationIfCopied(store, key: key.publicKey)
    let kept = try store.load(key: key.publicKey)
    let deviceStore = try DeviceStore(directory, kept.identity.environment)
    self.store = deviceStore
    var generator = SystemRandomNumberGenerator()
    var configuration = configuration
    configuration.log = configuration.log.beginning()
    self.configuration = configuration
    self.directory = directory
    notifications = NotificationLog(directory)
    executor = SerialQueueExecutor(loop.queue)
    clock = SystemClock(offset: configuration.clockOffset)
    engine = Engine(
      identity: kept.identity, signer: key.signingKey, cryptography: .openSSL, membership: kept.membership,
      replica: kept.replica, addresses: kept.addresses, invitation: kept.invitation, time: kept.time,
      contacts: kept.contacts, damage: kept.damage, isOnline: kept.isOnline, seed: generator.next(),
      store: deviceStore.verifier,
      trustedRoots: deviceStore.trustedRoots)
    phase = .ready(store)
    if let damage = kept.damage { configuration.log(.error, damage.warning) }
  }

  /// The serial queue on which the daemon runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What ``create(directory:name:environment:bundleId:trustRoots:clockOffset:)`` has made.
  public struct Created: Hashable, Sendable {
    /// Who the device is.
    public let identity: Identity
    /// The recovery key, which may remove this device and those that come in below it. To be written down: it is kept
    /// nowhere.
    public let recoveryKey: String
  }

  /// Makes a device in a directory that has none: a key, an empty ledger, a group of one.
  ///
  /// - Parameters:
  ///   - directory: where the device is to live; made when there is none
  ///   - name: what people call the device, 1 to ``Limits/textBytes`` bytes of UTF-8
  ///   - environment: which store's purchases count
  ///   - bundleId: the app whose purchases these are, 1 to ``Limits/textBytes`` bytes of UTF-8
  ///   - trustRoots: files in PEM form with root certificates whose store is trusted as well; none in production
  ///   - clockOffset: how far the device's wall clock is set off in a simulation, in milliseconds
  /// - Throws: ``StoreError``; ``StoreError/unfit(field:reason:)``, before anything is touched, for a name or a bundle id
  ///   of another length
  @discardableResult public static func create(
    directory: String, name: String, environment: Environment, bundleId: String, trustRoots: [String] = [],
    clockOffset: Int64 = 0
  ) throws(StoreError) -> Created {
    try requireFit(name, "the name of the device")
    try requireFit(bundleId, "the bundle id of the app")
    var roots: [[UInt8]] = []
    for path in trustRoots { roots.append(try TrustRoot.load(path)) }
    let directory = DataDirectory(directory)
    let key = try makeKey(in: directory)
    let storeRoot = try environment == .production ? nil : DeviceStore.create(directory, trusting: roots)
    let recovery = try makeRecoveryKey(in: directory)
    let device = NewDevice(
      signer: key.signingKey, nonce: .random(), recoveryKey: recovery.publicKey, storeRoot: storeRoot,
      name: name, environment: environment, bundleId: bundleId, .openSSL)
    try Store.create(directory, device, made: SystemClock(offset: clockOffset).now().wall)
    return Created(identity: device.identity, recoveryKey: recovery.text)
  }

  /// Refuses a text that the device would be made with and could never be opened with again.
  private static func requireFit(_ text: String, _ field: String) throws(StoreError) {
    let (count, range) = (text.utf8.count, 1...Limits.textBytes)
    guard !range.contains(count) else { return }
    throw .unfit(
      field: field, reason: "is \(count) bytes long: give it \(range.lowerBound) to \(range.upperBound)")
  }

  private static func makeRecoveryKey(in directory: DataDirectory) throws(StoreError) -> RecoveryKey {
    do throws(OpenSSLError) { return try RecoveryKey.generate() } catch {
      throw .failed(path: directory.path, message: error.description)
    }
  }

  /// The key of a device that is being made: a new one, or that of a creation that a crash cut short.
  private static func makeKey(in directory: DataDirectory) throws(StoreError) -> DeviceKey {
    try directory.create()
    if FileSystem.exists(directory.deviceKey) { return try DeviceKey.load(directory.deviceKey) }
    let key: DeviceKey
    do throws(OpenSSLError) { key = try DeviceKey.generate() } catch {
      throw .failed(path: directory.deviceKey, message: error.description)
    }
    try key.save(to: directory.deviceKey)
    return key
  }

  /// Listens, dials the peers, and begins to work.
  ///
  /// - Returns: where the daemon listens, with the port that was picked; nil when it does not.
  /// - Throws: ``SocketError`` when an address is a name or cannot be had; ``DaemonError``.
  public func start() throws -> Address? {
    guard case .ready(let store) = phase else { throw DaemonError.notReady }
    for peer in configuration.peers { try Socket.requireNumeric(peer) }
    let network = Network(loop: loop, log: configuration.log, context: context) {
      [weak self] event in
      self?.assumeIsolated { $0.post(.event(event)) }
    }
    let address = try configuration.listen.map { try network.listen(on: $0) }
    let runner = DaemonRunner(
      store: store, network: network, memberKeys: memberKeys, watchers: watchers, log: configuration.log)
    phase = .running(runner)
    timer = DeadlineTimer(on: loop.timers) { [weak self] in
      self?.assumeIsolated { $0.deadlineCame() }
    }
    let announced = address.map { Interfaces.announced($0) }
    post(.event(.started(listening: announced, peers: configuration.peers)))
    storeListener = configuration.store.map { listening(to: $0) }
    return address
  }

  /// Tells clients on this machine how to reach the daemon's control API, until it stops.
  ///
  /// - Throws: ``DaemonError/stopped``; ``StoreError``.
  public func publish(url: String, token: String) throws {
    guard case .running = phase else { throw DaemonError.stopped }
    try directory.write(ControlFile(url: url, token: token))
  }

  /// Stops: answers what waits, says good-bye to the peers, closes the database and lets go of the directory. Takes
  /// less than two seconds; requests that still wait for a peer fail with ``DaemonError/stopped``.
  public func stop() async {
    if case .ready = phase { return finish(nil) }
    guard case .running(let runner) = phase else { return _ = await failure() }
    flush()
    guard case .running = phase else { return }
    phase = .stopping
    runner.desk.failAll(DaemonError.stopped)
    await runner.network.leave()
    runner.closeStore()
    finish(nil)
  }

  /// Waits for the end of the daemon.
  ///
  /// - Returns: the error of the disk that ended it; nil after ``stop()``.
  public func failure() async -> StoreError? {
    // Looked at within, for on the way in others may have had their turn: see ``SerialQueueExecutor``.
    await withCheckedContinuation { waiter in
      if case .ended(let error) = phase { waiter.resume(returning: error) } else { endWaiters.append(waiter) }
    }
  }

  /// The disk has failed: nothing that the engine knows beyond it may leave the device. Whatever ends because of it, why it
  /// did is the last thing to be read.
  func fail(_ error: StoreError, _ runner: DaemonRunner) {
    configuration.log.end("\(error)")
    finish(error)
    runner.desk.failAll(error)
    runner.network.abandon()
  }

  private func finish(_ error: StoreError?) {
    phase = .ended(error)
    mailbox = Mailbox()
    timer = nil
    storeListener?.cancel()
    directory.removeControlFile()
    watchers.finish()
    // Last, for another daemon may start now.
    lock = nil
    for waiter in endWaiters { waiter.resume(returning: error) }
    endWaiters = []
  }
}

/// Why a daemon does not do what it is asked.
public enum DaemonError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It was started before.
  case notReady
  /// It is stopping, has stopped, or was not started.
  case stopped

  /// What happened, in one sentence.
  public var description: String {
    switch self {
    case .notReady: "the daemon was started before"
    case .stopped: "the daemon is not running"
    }
  }
}
