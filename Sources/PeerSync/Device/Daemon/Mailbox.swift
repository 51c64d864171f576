/// What waits for the engine, in the order in which it came.
struct Mailbox {
  private var events: [Event] = []
  /// Whether somebody has already seen to it that the mailbox will be emptied.
  private var isCollected = false
  /// How much there was when the collection was last put off.
  private var countBefore = 1

  /// Whether to put the collection off to the end of the queue: several things came, and more than the last time. One
  /// alone never waits, and many that arrive one by one become one commit and not a small one and a large one.
  mutating func isGrowing() -> Bool {
    guard events.count > countBefore else { return false }
    countBefore = events.count
    return true
  }

  /// - Returns: whether the mailbox must be seen to.
  mutating func add(_ event: Event) -> Bool {
    events.append(event)
    defer { isCollected = true }
    return !isCollected
  }

  /// Takes everything out.
  mutating func empty() -> [Event] {
    isCollected = false
    countBefore = 1
    defer { events = [] }
    return events
  }
}

extension Daemon {
  /// Puts something into the mailbox and sees to it that the mailbox is emptied at the end of the queue, after
  /// everything else that waits there has had its chance to add to it.
  func post(_ event: Event) {
    guard case .running = phase, mailbox.add(event) else { return }
    collect()
  }

  private func collect() {
    executor.queue.async { [weak self] in
      self?.assumeIsolated { if $0.mailbox.isGrowing() { $0.collect() } else { $0.flush() } }
    }
  }

  /// Lets the engine handle what waits, and does what it wants.
  func flush() {
    guard case .running(let runner) = phase else { return }
    let events = mailbox.empty()
    let now = clock.now()
    runner.network.handling()
    let effects = events.isEmpty ? Effects() : engine.handle(events, now: now)
    runner.network.handled { engine.isWelcomed($0) }
    do {
      try effects.run(on: runner)
      runner.network.flush()
      timer?.set(engine.nextDeadline, now: now.monotonic)
      // Nobody waits for this any more.
      try runner.store?.tidy()
    } catch {
      fail(error as? StorageError ?? .failed(path: directory.database, message: "\(error)"), runner)
    }
  }

  func deadlineCame() {
    timer?.clear()
    post(.deadline)
  }
}
