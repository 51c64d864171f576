// What is asked of a daemon, and what it does itself for those who ask.
extension Daemon {
  /// Asks something of the engine; what waits at the same time becomes one commit.
  ///
  /// - Returns: the answer, once everything it tells of is durable.
  /// - Throws: ``StorageError`` when the disk failed; ``DaemonError/stopped``.
  package func perform(_ request: Request) async throws -> Answer {
    // Looked at within, for on the way in others may have had their turn: see ``SerialQueueExecutor``.
    try await withCheckedThrowingContinuation { continuation in
      guard case .running(let runner) = phase else { return continuation.resume(throwing: endError) }
      post(.requested(runner.pendingRequests.admit(continuation), request))
    }
  }

  /// Asks something of the engine and turns a refusal into a ``Problem``.
  @discardableResult func require(_ request: Request) async throws -> Answer {
    try await perform(request).accepted
  }

  /// Looks at the engine. What is seen is durable, but for pieces of a delta that is still on its way.
  ///
  /// - Throws: what `body` throws; ``StorageError`` when the disk failed.
  package func read<Result: Sendable>(
    _ body: @Sendable (inout EngineView, Now) throws -> Result
  ) throws -> Result {
    if case .ended(let error?) = phase { throw error }
    let now = clock.now()
    return try engine.look { try body(&$0, now) }
  }

  /// Counts the changes of the ledger, the members, the peers and the network state: the present number at once, and
  /// a new one after each change. Only the newest is kept for a reader that falls behind. Ends with the daemon.
  public func revisions() -> AsyncStream<UInt64> {
    let (stream, continuation) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
    if case .ended = phase {
      continuation.finish()
      return stream
    }
    let id = watchers.add(continuation)
    let queue = executor.queue
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      queue.async { self.assumeIsolated { $0.watchers.remove(id) } }
    }
    return stream
  }

  /// What the storage has done so far; nil when it is closed.
  package var storageStatistics: Storage.Statistics? {
    if case .running(let runner) = phase { runner.storage?.statistics } else { nil }
  }

  /// Bytes that crossed the network since the daemon started.
  package var traffic: Traffic {
    if case .running(let runner) = phase { runner.network.traffic } else { Traffic() }
  }

  private var endError: any Error {
    if case .ended(let error?) = phase { error } else { DaemonError.stopped }
  }

  // MARK: What the engine leaves to others

  /// Has the device's own store sign what the engine has drafted, and looks at it as at anything that a store has signed.
  func sign(_ draft: Transaction, for request: RequestID) {
    post(.signed(request, signed(draft)))
  }

  private func signed(_ draft: Transaction) -> IngestedItem? {
    do {
      guard let text = try storeTrust.sandbox?.sign(draft).text else { return nil }
      return IngestedItem(
        String(decoding: text, as: UTF8.self), engine.identity, storeTrust.verifier,
        trusting: storeTrust.trustedRoots)
    } catch {
      configuration.log(.error, "the store of this device cannot sign: \(error)")
      return nil
    }
  }

  // MARK: The network around

  /// Looks at the machine's networks again, and has the engine look at everything anew if they are others.
  func lookAround() {
    guard case .running(let runner) = phase, let surroundings else { return }
    runner.discovery?.clockChanged()
    guard surroundings.look() else { return }
    configuration.log(
      .info, "the network has changed",
      ["addresses": (surroundings.announced ?? []).map(\.description).joined(separator: " ")])
    runner.network.networkChanged(to: surroundings.interfaces)
    runner.discovery?.networkChanged()
    post(.networkChanged(listening: surroundings.announced))
  }

  /// Looks a name up, off the queue.
  nonisolated func resolve(_ address: Address) {
    let queue = executor.queue
    Resolver.resolve(address) { [weak self] found in
      queue.async { [weak self] in self?.assumeIsolated { $0.resolved(address, found) } }
    }
  }

  /// Begins to find members on the local network, and to be found there.
  func discovery(at port: UInt16, _ key: DeviceKey) -> Discovery? {
    guard case .running(let runner) = phase, let found = configuration.discovery else { return nil }
    let queue = executor.queue
    let discovery = Discovery(
      key, by: found, port: port, on: configuration.interface, loop: loop, log: configuration.log,
      now: { [clock] in clock.now() },
      report: { [weak self] report in
        queue.async { [weak self] in self?.assumeIsolated { $0.take(report) } }
      },
      sighted: { [weak self] key, addresses in
        self?.assumeIsolated { $0.sighted(key, at: addresses) }
      })
    if discovery == nil {
      configuration.log(.warning, "discovery is off: out of memory")
    }
    discovery?.invite(runner.network.invitation)
    return discovery
  }

  private func sighted(_ key: PublicKey, at addresses: [Address]) {
    if case .running(let runner) = phase { runner.network.vouch(for: addresses) }
    post(.sighted(key, addresses))
  }

  private func take(_ report: ServiceReport) {
    if case .running(let runner) = phase { runner.discovery?.take(report) }
  }

  /// Looks on the local network for the device that has made an invitation.
  ///
  /// - Returns: the addresses at which it may be
  func find(_ key: InvitationKey, withinMilliseconds limit: Int) async -> [Address] {
    await withCheckedContinuation { continuation in
      // Looked at within, for on the way in others may have had their turn: see ``SerialQueueExecutor``.
      guard case .running(let runner) = phase, let discovery = runner.discovery else {
        return continuation.resume(returning: [])
      }
      discovery.find(key, withinMilliseconds: limit) { continuation.resume(returning: $0) }
    }
  }

  /// What to say of a device that was looked for in vain, at some addresses or at none.
  func notFound(_ tried: Set<Address>) throws -> Problem {
    guard case .running(let runner) = phase else { throw endError }
    guard let discovery = runner.discovery else {
      return Problem(notFound: Phrase("discovery is off here", "여기서는 찾기가 꺼져 있습니다"))
    }
    guard discovery.isWorking else {
      return Problem(notFound: Phrase("discovery does not work here", "여기서는 찾기가 동작하지 않습니다"))
    }
    return tried.isEmpty
      ? Problem(
        notFound: Phrase(
          "no device on this network has such an invitation open",
          "이 네트워크에 그 초대를 열어 둔 기기가 없습니다"))
      : Problem(unproven: tried.count)
  }

  /// Whether whoever is on the local network finds this device.
  var isAnnounced: Bool {
    guard case .running(let runner) = phase, runner.discovery?.isWorking == true else { return false }
    return surroundings?.isOpen == true
  }

  private func resolved(_ address: Address, _ found: [Address]) {
    if case .running(let runner) = phase { runner.network.resolved(address, found) }
  }

  // MARK: What a daemon draws at random for the requests of its user: the engine draws nothing

  /// What the store of this device will call a purchase.
  nonisolated func drawTransactionId() -> UInt64 {
    .random(in: 2_000_000_000_000_000...UInt64(Int64.max))
  }

  /// The name of a spend to which its user gives none.
  nonisolated func drawSpendId() -> String { "\(ReplicaID.random())" }

  /// The code of an invitation.
  nonisolated func drawInvitationCode() -> InvitationCode {
    var generator = SystemRandomNumberGenerator()
    return InvitationCode(using: &generator)
  }
}

extension Problem {
  /// A device that was looked for by a code alone was not found.
  fileprivate init(notFound reason: Phrase) {
    self.init(
      .unreachable,
      reason
        + Phrase(
          ": turn discovery on at both devices, or use the whole URL of the invitation",
          ". 두 기기에서 찾기를 켜거나 초대 URL 전체를 쓰세요"))
  }

  /// The invitation is announced at so many addresses, and nobody there has shown to know the code.
  fileprivate init(unproven count: Int) {
    let places = count == 1 ? "one address" : "\(count) addresses"
    self.init(
      .unreachable,
      Phrase(
        "the invitation is announced at \(places), and nobody there has shown to know the code: the device that made it cannot be "
          + "reached, or others repeat what it announces; look at its firewall, invite again, and use the whole URL of the invitation",
        "초대가 알려진 주소 \(count)곳에 코드를 아는 기기가 없었습니다. 초대한 기기에 연결할 수 없거나, 그 알림을 다른 누군가 되풀이하고 있습니다. "
          + "그 기기의 방화벽을 확인하고, 다시 초대한 뒤 초대 URL 전체를 쓰세요"))
  }
}

extension Answer {
  /// The answer unless it is a refusal.
  fileprivate var accepted: Answer {
    get throws(Problem) {
      if let refusal { throw Problem(refusal) }
      return self
    }
  }

  /// How many registers changed.
  var changed: Int { if case .done(let changed) = self { changed } else { 0 } }
}
