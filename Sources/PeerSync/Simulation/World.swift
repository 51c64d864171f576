import PeerSyncCore

/// A group of devices in virtual time: the engines of the real daemon on a network, disks and clocks that fail as told.
///
/// Everything follows from the seed. What happens is a queue of things to come; each step takes the next one, moves the
/// clock there and lets the device it concerns run; after each step the checkers look (`World+Checks.swift`). The same seed
/// gives the same ``traceHash`` in every process.
package final class World {
  package var faults: Faults
  var clock = VirtualClock()
  package internal(set) var violations: [Violation] = []
  package internal(set) var counts = Counts()

  var random: RandomState
  var devices: [SimulatedDevice] = []
  var network = VirtualNetwork()
  var queue = EventQueue<Happening>()
  var trace = SipHash(wide: false)
  var requests = VirtualRequests()
  var history = History()
  var sizes = PieceSizes()
  var checked: CheckedState
  var sales = Sales(of: World.products)
  var books = CreditBooks()
  var rare = RareState()
  private let readings = ReadingMemo()
  /// When people stop working, in virtual time.
  var workEnd: UInt64 = 0
  /// When ``Faults/sabotage`` was done.
  var sabotaged: UInt64?
  package internal(set) var notices: [(device: Int, notice: Notice)] = []

  /// The wall time at which simulations begin: 2026-01-01T00:00:00Z.
  package static let wallStart: Int64 = 1_767_225_600_000

  /// How much happened.
  package struct Counts: Hashable, Sendable {
    package var steps = 0
    package var messages = 0
    package var bytes = 0
    package var crashes = 0
    package var removals = 0
    package var restores = 0
    package var copies = 0
    package var partitions = 0
    package var wildClocks = 0
    package var stampedAnew = 0
    package var writes = 0
    package var acknowledged = 0
    package var checks = 0
    package var spends = 0
    package var spendsAsked = 0
    /// How often each of the rare faults happened.
    package var rare: [RareFault: Int] = [:]
  }

  /// What the queue holds.
  enum Happening {
    case flush(device: Int, life: Int)
    case deadline(device: Int, life: Int)
    case arrive(SessionID, bytes: [UInt8])
    case queueEmptied(SessionID)
    case connectionClosed(SessionID)
    case dialled(device: Int, life: Int, dial: DialTarget)
    case restart(device: Int)
    case mend
    case work
    case partition
    case crash
    case clockJump
    case rare(RareFault)
    case life
    case endCopy(device: Int)
    case wildClock
    case correctClock(device: Int)
  }

  package init(seed: UInt64, faults: Faults) {
    random = RandomState(seed: seed)
    checked = CheckedState(seed: seed)
    self.faults = faults
  }

  /// A world that is as this one, and goes its own way from here.
  init(copying other: World) {
    (faults, clock, violations, counts) = (other.faults, other.clock, other.violations, other.counts)
    (random, devices, network, queue) = (other.random, other.devices, other.network, other.queue)
    (trace, requests, history, sizes) = (other.trace, other.requests, other.history, other.sizes)
    (checked, sales, books, rare) = (other.checked, other.sales, other.books, other.rare)
    (workEnd, sabotaged, notices) = (other.workEnd, other.sabotaged, other.notices)
  }

  /// Fingerprint of everything that happened so far.
  package var traceHash: UInt64 {
    var copy = trace
    copy.combine(last: UnsafeRawBufferPointer(start: nil, count: 0))
    return copy.finish64()
  }

  // MARK: Devices

  /// Adds a device that is not running yet, in a group of its own.
  package func addDevice(name: String, environment: Environment = .sandbox, bundleId: String) -> Int {
    let index = devices.count
    let signer = SigningKey.simulated(seed: random.next())
    let nonce = Nonce(high: random.next(), low: random.next())
    let recoveryKey = SigningKey.simulated(seed: random.next())
    let device = NewDevice(
      signer: signer, nonce: nonce, recoveryKey: recoveryKey.publicKey, name: name, environment: environment,
      bundleId: bundleId, .simulated)
    let span = UInt64(2 * faults.skew + 1)
    let offset = Int64(random.next() % span) - faults.skew
    devices.append(
      SimulatedDevice(
        identity: device.identity, signer: signer, recoveryKey: recoveryKey,
        address: Address(host: "device-\(index)", port: 1), disk: VirtualDisk(device, made: trueTime),
        wallOffset: offset))
    return index
  }

  /// Starts a device from its disk.
  package func start(_ index: Int) {
    guard !isRunning(index), !devices[index].isGone else { return }
    var identity = devices[index].identity
    let disk = devices[index].disk
    identity.group = disk.group
    identity.replica = disk.replica
    let addresses = disk.addresses.values.sorted { $0.device < $1.device }
    var engine = Engine(
      identity: identity, signer: devices[index].signer, cryptography: .simulated,
      membership: Membership(disk.records, .simulated), replica: disk.replica(.simulated),
      addresses: addresses, invitation: disk.invitation, time: disk.time,
      contacts: disk.contacts.values.sorted { $0.device < $1.device }, damage: disk.damage,
      setBack: disk.setBack, setAside: disk.setAside,
      history: disk.history,
      isOnline: disk.isOnline,
      seed: random.next(), store: .simulated.remembering(in: readings),
      trustedRoots: SimulatedStore.trustedRoots)
    sizes.apply(to: &engine)
    devices[index].engine = engine
    devices[index].life += 1
    devices[index].bootTime = time
    devices[index].isDying = false
    checkRestart(index)
    post(.started(listening: [devices[index].address], peers: devices[index].peers), to: index)
  }

  /// Kills a device: what its disk does not have is gone.
  func kill(_ index: Int) {
    guard isRunning(index) else { return }
    counts.crashes += 1
    devices[index].engine = nil
    devices[index].mailbox = []
    devices[index].scheduledDeadline = nil
    books.stopped(index)
    for peer in network.closeAll(of: index) where hearsOfBreaks() {
      queue.schedule(.connectionClosed(peer), at: time + delay())
    }
  }

  /// Whether the device runs. To compare its engine with nil would copy it.
  package func isRunning(_ index: Int) -> Bool { look(index) { _ in true } ?? false }

  /// Reads from a device's engine.
  package func read<Result>(_ index: Int, _ body: (inout Engine) -> Result) -> Result? {
    guard var copy = devices[index].engine else { return nil }
    return body(&copy)
  }

  /// Looks at a device's engine where it is: through `devices` the whole device would be copied for a part of it.
  func look<Result>(_ index: Int, _ body: (inout Engine) -> Result) -> Result? {
    devices[index].engine?.lend(to: body)
  }

  /// The time that a right clock shows.
  package var trueTime: Instant { clock.trueTime }

  /// Milliseconds since the simulation began.
  package var time: UInt64 { clock.time }

  /// The device's reading of its clocks.
  package func now(_ index: Int) -> Now {
    clock.reading(offset: devices[index].wallOffset, since: devices[index].bootTime)
  }

  // MARK: Running

  /// Asks something of a device, as its user.
  @discardableResult package func request(_ request: Request, of index: Int) -> RequestID {
    let id = requests.make(request, of: devices[index].identity)
    post(.requested(id, request), to: index)
    return id
  }

  func post(_ event: Event, to index: Int) {
    guard isRunning(index) else { return }
    devices[index].mailbox.append(event)
    guard devices[index].mailbox.count == 1 else { return }
    queue.schedule(.flush(device: index, life: devices[index].life), at: time + chance(faults.pause))
  }

  /// Takes the next thing that happens.
  ///
  /// - Returns: false when nothing is left
  @discardableResult package func step() -> Bool {
    guard let (when, happening) = queue.next() else { return false }
    clock.advance(to: when)
    counts.steps += 1
    happen(happening)
    return true
  }

  /// Runs until nothing is due before a moment in virtual time.
  package func run(until end: UInt64) {
    while let next = queue.nextTime, next <= end, violations.isEmpty { step() }
    clock.advance(to: end)
  }

  func happen(_ happening: Happening) {
    switch happening {
    case .flush(let device, let life): if devices[device].life == life { flush(device) }
    case .deadline(let device, let life): if devices[device].life == life { deadline(device) }
    case .arrive(let session, let bytes): arrive(session, bytes)
    case .queueEmptied(let session): queueEmptied(session)
    case .connectionClosed(let session): connectionClosed(session)
    case .dialled(let device, let life, let dial):
      if devices[device].life == life { dialled(device, dial) }
    case .restart(let device): start(device)
    case .mend: network.links.mendFaults()
    case .work: work()
    case .partition: partition()
    case .crash: crash()
    case .clockJump: jumpClock()
    case .rare(let fault): happen(fault)
    case .life: beginLife()
    case .endCopy(let device): endCopy(device)
    case .wildClock: setClockWild()
    case .correctClock(let device): correctClock(device)
    }
  }

  private func flush(_ index: Int) {
    guard isRunning(index) else { return }
    let events = devices[index].mailbox
    devices[index].mailbox = []
    let now = now(index)
    let (heard, ledger) = (asHeard(events), ledgerToRemember(index))
    guard !events.isEmpty, let effects = devices[index].engine?.handle(heard, now: now) else { return }
    traceStep(index, effects)
    do {
      let isReclaiming = events.contains { $0.isReclaim }
      try effects.run(on: SimulatedRunner(world: self, device: index, isReclaiming: isReclaiming))
    } catch {
      devices[index].isDying = true
    }
    if devices[index].isDying { return die(index) }
    if events.contains(where: { $0.isDeadline }) { checkDeadline(index, now) }
    sabotage(index, ledger)
    checkStep(
      index,
      DeviceStep(events: events, durable: effects.durable, now: now))
    scheduleDeadline(index)
  }

  private func die(_ index: Int) {
    kill(index)
    queue.schedule(.restart(device: index), at: time + 1_000 + random.next() % 60_000)
  }

  private func deadline(_ index: Int) {
    devices[index].scheduledDeadline = nil
    post(.deadline, to: index)
  }

  private func scheduleDeadline(_ index: Int) {
    guard let deadline = look(index, { $0.nextDeadline }) ?? nil else { return }
    let when = max(devices[index].bootTime + deadline, time)
    if let scheduled = devices[index].scheduledDeadline, scheduled <= when, scheduled > time { return }
    devices[index].scheduledDeadline = when
    queue.schedule(.deadline(device: index, life: devices[index].life), at: when + 1)
  }

  private func traceStep(_ index: Int, _ effects: Effects) {
    trace.combine(time)
    trace.combine(UInt64(index) << 32 | UInt64(effects.messages.count))
    let hashes = look(index) { ($0.holdings.replica.digest.low, $0.holdings.replica.vectorHash) }
    trace.combine(hashes?.0 ?? 0)
    trace.combine(hashes?.1 ?? 0)
  }

  /// Tells of a broken promise.
  func report(_ promise: Violation.Promise, _ detail: String) {
    violations.append(Violation(promise: promise, time: time, detail: detail))
  }

  /// A number below a bound.
  func chance(_ bound: UInt64) -> UInt64 { random.chance(bound) }

  /// How long something takes on the network.
  func delay() -> UInt64 { 1 + chance(faults.delay) }
}
