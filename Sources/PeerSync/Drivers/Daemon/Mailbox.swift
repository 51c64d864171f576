/// What waits for the engine, in the order in which it came.
struct Mailbox {
  enum Mail {
    case event(Event)
    /// A request that is made from what the engine knows once everything before it has been handled.
    case prepared(RequestID, @Sendable (inout Engine, Now) throws -> Request)
  }

  private var mail: [Mail] = []
  /// Whether somebody has already seen to it that the mailbox will be emptied.
  private var isCollected = false
  /// How much there was when the collection was last put off.
  private var countBefore = 1

  /// Whether to put the collection off to the end of the queue: several things came, and more than the last time. One
  /// alone never waits, and many that arrive one by one become one commit and not a small one and a large one.
  mutating func isGrowing() -> Bool {
    guard mail.count > countBefore else { return false }
    countBefore = mail.count
    return true
  }

  /// - Returns: whether the mailbox must be seen to.
  mutating func add(_ item: Mail) -> Bool {
    mail.append(item)
    defer { isCollected = true }
    return !isCollected
  }

  /// Takes everything out.
  mutating func empty() -> [Mail] {
    isCollected = false
    countBefore = 1
    defer { mail = [] }
    return mail
  }
}

extension Daemon {
  /// Puts something into the mailbox and sees to it that the mailbox is emptied at the end of the queue, after
  /// everything else that waits there has had its chance to add to it.
  func post(_ mail: Mailbox.Mail) {
    guard case .running = phase, mailbox.add(mail) else { return }
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
    let mail = mailbox.empty()
    let now = clock.now()
    runner.network.handling()
    let effects = mail.isEmpty ? Effects() : handle(mail, now, runner.desk)
    runner.network.handled { engine.isWelcomed($0) }
    do {
      try effects.run(on: runner)
      runner.network.flush()
      timer?.set(engine.nextDeadline, now: now.monotonic)
      // Nobody waits for this any more.
      try runner.store?.tidy()
    } catch {
      fail(error as? StoreError ?? .failed(path: directory.database, message: "\(error)"), runner)
    }
  }

  func deadlineCame() {
    timer?.clear()
    post(.event(.deadline))
  }

  /// Events go to the engine in runs, as long as possible. A prepared request ends a run, so that it sees the effects
  /// of everything before it (two spends of one credit must not both see the balance); all runs of a mailbox still
  /// become one transaction.
  private func handle(_ mail: [Mailbox.Mail], _ now: Now, _ desk: Desk) -> Effects {
    var effects = Effects()
    var run: [Event] = []
    for item in mail {
      switch item {
      case .event(let event): run.append(event)
      case .prepared(let id, let prepare):
        handle(&run, now, into: &effects)
        do { run.append(.requested(id, try prepare(&engine, now))) } catch { desk.fail(id, error) }
      }
    }
    handle(&run, now, into: &effects)
    return effects
  }

  private func handle(_ run: inout [Event], _ now: Now, into effects: inout Effects) {
    guard !run.isEmpty else { return }
    effects.append(engine.handle(run, now: now))
    run = []
  }
}
