import Dispatch
import PeerSync
import PeerSyncSandbox

/// One sandbox store at work: the ``SandboxStore``, its disk, its signatures, its clock, and those who wait for news.
///
/// Everything happens on one serial queue. What a command or the time has changed is signed and durable before anybody
/// hears of it. A failed disk is the end, as with a device.
package actor SandboxStoreServer {
  /// What a store is told when it starts.
  package struct Configuration: Sendable {
    package var directory: String
    /// What it sells and how; nil: what it sold before.
    package var catalogue: SandboxCatalogue?
    package var pace: SandboxPace?
    /// What the clock of a new store shows first; nil: the present time.
    package var begin: Instant?
    /// Where notifications are posted.
    package var notified: [LocalServer]
    package var log: Log

    package init(
      directory: String, catalogue: SandboxCatalogue? = nil, pace: SandboxPace? = nil, begin: Instant? = nil,
      notified: [LocalServer] = [], log: Log = Log()
    ) {
      self.directory = directory
      self.catalogue = catalogue
      self.pace = pace
      self.begin = begin
      self.notified = notified
      self.log = log
    }
  }

  /// Those who wait for news.
  private struct Waiting {
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var last: UInt64 = 0
    /// Counts the times when they were woken.
    var wakings: UInt64 = 0
  }

  package nonisolated let directory: DataDirectory
  /// The same, held, so that another store that has taken its place keeps its files.
  private let place: HeldDirectory
  package nonisolated let serverKey: ServerKey
  nonisolated let configuration: Configuration
  nonisolated let executor = SerialQueueExecutor(DispatchQueue(label: "peersync.sandbox-store"))
  nonisolated let signer: SandboxSigner
  private let clock = SystemClock()
  private(set) var sandboxStore: SandboxStore
  private(set) var signatures: SandboxSignatures
  private nonisolated let told: ToldCatalogue
  /// Nil once it is closed.
  private var database: SandboxDatabase?
  /// The newest notification that was dropped here as well.
  private var forgotten: UInt64 = 0
  private var lock: LockFile?
  private var timer: DeadlineTimer?
  private var postTimer: DeadlineTimer?
  private var waiting = Waiting()
  private var failure: StorageError?
  private var endWaiters: [CheckedContinuation<StorageError?, Never>] = []
  private var isStopped = false
  private var courier: SandboxCourier

  /// What devices may adopt, as a catalogue file.
  package nonisolated var deviceCatalogue: JSONValue { told.document }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the store of a directory; makes it where there is none.
  ///
  /// - Throws: ``StorageError``, ``SandboxRefusal``.
  package init(_ configuration: Configuration) throws {
    self.configuration = configuration
    directory = DataDirectory(configuration.directory)
    try directory.create()
    lock = try directory.takeLock()
    place = try directory.hold()
    signer = try SandboxSigner.open(directory.store)
    serverKey = try ServerKey.open(directory.path)
    let database = try SandboxDatabase(directory.sandboxDatabase)
    self.database = database
    var sandboxStore =
      if let kept = try database.load() { kept } else {
        SandboxStoreServer.newSandboxStore(at: clock.now().wall, begin: configuration.begin)
      }
    sandboxStore.begin(run: .random(in: 0 ... .max))
    signatures = try SandboxSignatures(signer, database, sandboxStore)
    let kept = try database.told()
    told = configuration.catalogue.map { kept.adding($0.told) } ?? kept
    if let catalogue = configuration.catalogue { try catalogue.apply(to: &sandboxStore) }
    if let pace = configuration.pace { sandboxStore.set(pace) }
    self.sandboxStore = sandboxStore
    courier = SandboxCourier(configuration.notified, undelivered: sandboxStore.notifications)
  }

  private static func newSandboxStore(at wall: Instant, begin: Instant?) -> SandboxStore {
    var sandboxStore = SandboxStore(terms: SandboxTerms(seed: .random(in: 0 ... .max)), at: begin ?? wall)
    if let begin { sandboxStore.setTerms { $0.lead = begin.milliseconds - wall.milliseconds } }
    return sandboxStore
  }

  /// Begins to let the time pass.
  package func start() throws {
    let timers = Timers(on: executor.queue)
    timer = DeadlineTimer(on: timers) { [weak self] in
      self?.assumeIsolated { $0.deadlineCame() }
    }
    postTimer = DeadlineTimer(on: timers) { [weak self] in
      self?.assumeIsolated { $0.postingCame() }
    }
    try database?.write(told)
    try keep()
    post()
  }

  /// Tells clients on this machine how to reach the store, until it stops.
  package func publish(url: String, token: String) throws {
    try running()
    try place.write(ControlFile(url: url, token: token))
  }

  /// Stops. Whoever waits for news is told that there is none.
  package func stop() { finish(nil) }

  /// Waits for the end.
  ///
  /// - Returns: the error of the disk that ended it; nil after ``stop()``
  package func end() async -> StorageError? {
    // Looked at within, for on the way in others may have had their turn: see ``SerialQueueExecutor``.
    await withCheckedContinuation { waiter in
      if isStopped { waiter.resume(returning: failure) } else { endWaiters.append(waiter) }
    }
  }

  private func finish(_ error: StorageError?) {
    guard !isStopped else { return }
    isStopped = true
    failure = error
    timer = nil
    postTimer = nil
    place.removeControlFile()
    wake()
    for waiter in endWaiters { waiter.resume(returning: error) }
    endWaiters = []
    database = nil
    lock = nil
  }

  // MARK: Commands

  /// Does something; what it changed is durable when this returns.
  ///
  /// - Throws: ``SandboxRefusal``, ``StorageError``, ``Problem``
  package func perform(_ command: SandboxCommand) throws -> SandboxResult {
    try running()
    let result = Result { () throws(SandboxRefusal) in try sandboxStore.handle(command, now: now) }
    try keep()
    post()
    return try result.get()
  }

  /// Sets the clock on, and lets everything happen that is due by then.
  package func advance(by step: SandboxStep) throws {
    try running()
    try refresh()
    try sandboxStore.advance(by: step)
    try keep()
    // Whoever waits follows the clock, whether anything was due or not.
    wake()
    post()
  }

  /// Looks at the store as it is now.
  package func read<Answer: Sendable>(_ body: (SandboxStore, SandboxLookup) throws -> Answer) throws -> Answer
  {
    try running()
    try refresh()
    return try body(sandboxStore, SandboxLookup(signatures))
  }

  /// Waits until there is something new after a revision, the clock was set on beyond what is known, or the time is over.
  ///
  /// - Parameters:
  ///   - run: the run of the store that the revision is of; another one has others, and tells all; nil: this one
  ///   - lead: how far the clock was set on when the customer last heard of it; nil: now
  ///   - told: the notification that the customer heard last
  package func changes(
    since revision: UInt64, of run: String? = nil, lead: Int64? = nil, told: String? = nil,
    for customer: SandboxCustomer, seconds: Int
  ) async throws -> StoreItems {
    let revision = run.map { $0 == sandboxStore.runName } ?? true ? revision : 0
    let end = clock.now().monotonic + SandboxStoreServer.milliseconds(ofWait: seconds)
    let known = lead ?? sandboxStore.terms.lead
    while true {
      try running()
      try refresh()
      let news = sandboxStore.changes(since: revision, for: customer)
      // They are told of when all that they tell of is.
      let notifications =
        news.revision < sandboxStore.revision ? [] : sandboxStore.notifications(after: told, for: customer)
      let time = clock.now().monotonic
      if !news.transactions.isEmpty || !news.subscriptions.isEmpty || !notifications.isEmpty || time >= end
        || known != sandboxStore.terms.lead
      {
        var items = items(news.transactions, news.subscriptions, revision: news.revision)
        items.notifications = notifications.compactMap { signatures.notification($0.number) }
        items.told = notifications.last?.uuid ?? told
        return items
      }
      await wait(milliseconds: Int(end - time), unlessWokenSince: waiting.wakings)
    }
  }

  /// How long somebody who asks for so many seconds is kept waiting.
  package nonisolated static func milliseconds(ofWait seconds: Int) -> UInt64 {
    UInt64(min(max(seconds, 0), Limits.sandboxWaitSeconds)) * 1000
  }

  /// Items as devices get them.
  func items(
    _ transactions: [SandboxTransaction], _ subscriptions: [SandboxSubscription], revision: UInt64
  ) -> StoreItems {
    StoreItems(
      now: sandboxStore.time, isSetOn: sandboxStore.terms.isSetOn, lead: sandboxStore.terms.lead,
      revision: revision,
      transactions: transactions.compactMap { signatures.transaction($0.id) },
      renewalInfos: subscriptions.compactMap { signatures.renewalInfo($0.original) },
      unfinished: transactions.filter { !$0.isFinished }.map(\.id), catalogue: told.name,
      run: sandboxStore.runName)
  }

  /// The store's time now, with all that was due.
  @discardableResult private func refresh() throws -> Instant {
    let now = now
    if let due = sandboxStore.nextDeadline, due <= now {
      let result = Result { () throws(SandboxRefusal) in try sandboxStore.advance(to: now) }
      try keep()
      post()
      try result.get()
    } else {
      try sandboxStore.advance(to: now)
    }
    return now
  }

  private var now: Instant { sandboxStore.now(wall: clock.now().wall) }

  private func running() throws {
    if let failure { throw failure }
    guard !isStopped else {
      throw Problem(.stopping, Phrase("the store is stopping", "스토어가 끝나는 중입니다"))
    }
  }

  // MARK: Keeping

  /// Signs and writes what has changed, and sets the timer.
  private func keep() throws(StorageError) {
    let events = sandboxStore.takeEvents()
    let gone = sandboxStore.terms.notificationsGone
    guard let database else { return }
    do throws(StorageError) {
      try database.transaction { () throws(StorageError) in
        for event in events { try signatures.take(event, sandboxStore, database) }
        if gone > forgotten { try database.forget(.notification, upTo: gone) }
        try database.write(sandboxStore)
      }
    } catch {
      configuration.log(.error, "\(error)")
      finish(error)
      throw error
    }
    if gone > forgotten {
      signatures.forgetNotifications(upTo: gone)
      forgotten = gone
    }
    for case .notification(let told) in events { courier.add(told.number) }
    if !events.isEmpty { wake() }
    setTimer()
  }

  private func setTimer() {
    let now = clock.now()
    guard !sandboxStore.terms.isManual, let due = sandboxStore.nextDeadline else {
      return timer?.set(nil, now: 0) ?? ()
    }
    // Far deadlines are looked at again: the wall clock may be set.
    let wait = min(max(due.milliseconds - sandboxStore.now(wall: now.wall).milliseconds, 0), 3_600_000)
    timer?.set(now.monotonic + UInt64(wait), now: now.monotonic)
  }

  private func deadlineCame() {
    timer?.clear()
    guard !isStopped else { return }
    do { try refresh() } catch { configuration.log(.error, "\(error)") }
    if !isStopped { setTimer() }
  }

  // MARK: Waiting

  /// - Parameter seen: ``Waiting/wakings`` when the caller looked and found no news
  private func wait(milliseconds: Int, unlessWokenSince seen: UInt64) async {
    // Looked at within, for on the way in others may have had their turn: see ``SerialQueueExecutor``.
    await withCheckedContinuation { continuation in
      guard waiting.wakings == seen else { return continuation.resume() }
      waiting.last += 1
      let id = waiting.last
      waiting.waiters[id] = continuation
      executor.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
        self?.assumeIsolated { $0.waiting.waiters.removeValue(forKey: id)?.resume() }
      }
    }
  }

  private func wake() {
    waiting.wakings += 1
    let woken = waiting.waiters
    waiting.waiters = [:]
    for waiter in woken.values { waiter.resume() }
  }

  // MARK: Posting

  /// Posts notifications, to each server one at a time.
  private func post() {
    guard !isStopped else { return }
    while let parcel = courier.next(at: clock.now().monotonic) {
      guard let payload = signatures.notification(parcel.number) else {
        // It has made room for newer ones.
        _ = courier.posted(parcel, SandboxNotification.Attempt.success, at: clock.now().monotonic)
        continue
      }
      let server = parcel.server
      Task {
        let result = await server.post(payload)
        self.posted(parcel, result)
      }
    }
    postTimer?.set(courier.nextDue, now: clock.now().monotonic)
  }

  private func postingCame() {
    postTimer?.clear()
    post()
  }

  private func posted(_ parcel: SandboxCourier.Parcel, _ result: String) {
    let isDelivered = courier.posted(parcel, result, at: clock.now().monotonic)
    guard !isStopped else { return }
    let attempt = SandboxNotification.Attempt(date: now, result: result)
    do {
      _ = try perform(.posted(notification: parcel.number, attempt, isDelivered: isDelivered))
    } catch {
      configuration.log(.warning, "\(error)")
    }
  }
}

/// What reads of the store may ask of its signatures.
package struct SandboxLookup {
  private let signatures: SandboxSignatures

  init(_ signatures: SandboxSignatures) { self.signatures = signatures }

  package func transaction(_ transaction: SandboxTransaction) -> String? {
    signatures.transaction(transaction.id)
  }
  package func renewalInfo(_ subscription: SandboxSubscription) -> String? {
    signatures.renewalInfo(subscription.original)
  }
  package func notification(_ notification: SandboxNotification) -> String? {
    signatures.notification(notification.number)
  }
}
