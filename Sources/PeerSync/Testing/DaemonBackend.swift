import Foundation
import PeerSync

/// A group of real daemons in this process, in a directory of their own.
///
/// A partition takes daemons offline. What a daemon does is waited for by its revisions; it sleeps for no time of its own.
actor DaemonBackend: Backend {
  private let testbed: Testbed
  let directory: String
  private var seats: [Seat]
  private var isPaired = false
  /// How far all clocks were set on, in milliseconds.
  private var lead: Int64 = 0
  private(set) var changes: UInt64 = 0
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private let began = ContinuousClock.now

  /// Where one device lives, whether it runs or not.
  private struct Seat {
    let directory: String
    /// Nil while it is down.
    var daemon: Daemon?
    /// Where it listens, the same over its lives.
    var address: Address?
    /// How far its clock is off, in milliseconds.
    var offset: Int64 = 0
    var isOnline = true
    /// Passes on that something has changed.
    var listener: Task<Void, Never>?
  }

  /// How long something may take that has nothing to wait for but the machine, in milliseconds.
  private static let limit: UInt64 = 30_000

  init(_ testbed: Testbed) throws {
    try testbed.requireSense()
    self.testbed = testbed
    var template = Array((NSTemporaryDirectory() + "/peersync-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw TestFailure.misuse("no directory can be made in \(NSTemporaryDirectory())")
    }
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.directory = directory
    seats = testbed.devices.indices.map { Seat(directory: "\(directory)/\($0)") }
  }

  // MARK: The whole group

  /// Makes the devices, starts them and pairs them.
  func open() async throws {
    for index in seats.indices {
      let (path, name, testbed) = (seats[index].directory, testbed.devices[index], testbed)
      _ = try await onThread {
        try Daemon.create(
          directory: path, name: name, environment: .sandbox, bundleId: testbed.bundleId,
          catalogue: index == 0 ? testbed.catalogue : Catalogue())
      }
      try await start(index)
      if index > 0 { try await join(index) }
    }
    isPaired = true
  }

  /// Stops all daemons, and removes what they have left.
  func close() async {
    for index in seats.indices { await stop(index) }
    try? FileManager.default.removeItem(atPath: directory)
  }

  private func join(_ index: Int) async throws {
    let key = InvitationKey(words: (draw(), draw(), draw(), draw()))
    let expires = try await look(at: 0) { _, now in now.wall.advanced(byMilliseconds: 600_000) }
    guard
      case .invited(let address?) = try await perform(.invite(Invitation(key: key, expires: expires)), on: 0)
    else { throw TestFailure(.notConverged, "\(testbed.devices[0]) does not invite") }
    let answer = try await perform(.join(address, key), on: index)
    guard answer.refusal == nil else {
      throw TestFailure(.notConverged, "\(testbed.devices[index]) could not join: \(answer)")
    }
    // One after another: each is told of the next.
    try await wait(for: "\(testbed.devices[index]) to be paired") { await self.isSettled(upTo: index) }
  }

  /// Whether the first devices, up to this one, are connected and hold the same.
  private func isSettled(upTo last: Int) async -> Bool {
    var digests: Set<Digest> = []
    for index in 0...last {
      let seen = try? await look(at: index) { view, _ in
        (view.replica.digest, view.readySessions, view.group.members.count)
      }
      guard let seen, seen.1 == last, seen.2 == last + 1 else { return false }
      digests.insert(seen.0)
    }
    return digests.count == 1
  }

  // MARK: Asking

  func perform(_ request: Request, on index: Int) async throws -> Answer {
    let answer = try await daemon(index).perform(request)
    if case .setOnline(let isOnline) = request { seats[index].isOnline = isOnline }
    return answer
  }

  func look<Result: Sendable>(at index: Int, _ body: @Sendable (inout EngineView, Now) -> Result) async throws
    -> Result
  {
    try await daemon(index).read(body)
  }

  func isStopped(_ index: Int) -> Bool { seats[index].daemon == nil }

  private func daemon(_ index: Int) throws(TestFailure) -> Daemon {
    guard let daemon = seats[index].daemon else {
      throw .misuse("\(testbed.devices[index]) is down: start() comes first")
    }
    return daemon
  }

  // MARK: What happens

  func part(_ sides: [[Int]]) async throws {
    guard sides.count(where: { $0.count > 1 }) <= 1 else {
      throw TestFailure.misuse(
        "of real daemons no more than one side of a partition may have several devices")
    }
    for side in sides {
      let isOnline = side.count > 1 || sides.count == 1
      for index in side {
        seats[index].isOnline = isOnline
        if !isStopped(index) { _ = try await perform(.setOnline(isOnline), on: index) }
      }
    }
  }

  func crash(_ indices: [Int]) async throws {
    for index in indices {
      await seats[index].daemon?.abandon()
      await forget(index)
    }
  }

  func start(_ index: Int) async throws {
    guard isStopped(index) else { return }
    do { try await launch(index) } catch let error as SocketError {
      // Somebody else has taken the port meanwhile.
      guard seats[index].address != nil else { throw error }
      seats[index].address = nil
      try await launch(index)
    }
    _ = try await perform(.setOnline(seats[index].isOnline), on: index)
  }

  private func launch(_ index: Int) async throws {
    // Whom it is not paired with yet it must not call.
    let others = !isPaired ? [] : seats.indices.filter { $0 != index }.compactMap { seats[$0].address }
    let configuration = Daemon.Configuration(
      directory: seats[index].directory, listen: seats[index].address ?? Address(host: "127.0.0.1", port: 0),
      peers: others, clockOffset: lead + seats[index].offset, log: Log(level: .error) { _ in })
    let daemon = try await onThread { try Daemon(configuration: configuration) }
    do { seats[index].address = try await daemon.start() } catch {
      await daemon.stop()
      throw error
    }
    seats[index].daemon = daemon
    let revisions = await daemon.revisions()
    seats[index].listener = Task { [weak self] in
      for await _ in revisions { await self?.changed() }
    }
  }

  private func stop(_ index: Int) async {
    await seats[index].daemon?.stop()
    await forget(index)
  }

  private func forget(_ index: Int) async {
    seats[index].daemon = nil
    await seats[index].listener?.value
    seats[index].listener = nil
  }

  private func restart(_ index: Int) async throws {
    guard !isStopped(index) else { return }
    await stop(index)
    try await start(index)
  }

  func setClock(_ index: Int, offset: Int64) async throws {
    seats[index].offset = offset
    try await restart(index)
  }

  func pass(milliseconds: Int64) async throws {
    lead += milliseconds
    for index in seats.indices { try await restart(index) }
  }

  func heal() async throws {
    for index in seats.indices {
      seats[index].isOnline = true
      if seats[index].offset != 0 { try await setClock(index, offset: 0) }
      try await start(index)
      _ = try await perform(.setOnline(true), on: index)
    }
  }

  func draw() -> UInt64 { .random(in: .min ... .max) }

  // MARK: Waiting

  var clock: UInt64 {
    let passed = (ContinuousClock.now - began).components
    return UInt64(passed.seconds) * 1000 + UInt64(passed.attoseconds / 1_000_000_000_000_000)
  }

  var patience: UInt64 { Self.limit }

  private func changed() {
    changes += 1
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  func change(since seen: UInt64, until limit: UInt64) async {
    guard changes == seen, clock < limit else { return }
    let alarm = Task { [weak self, left = limit - clock] in
      do { try await Task.sleep(for: .milliseconds(left)) } catch { return }
      await self?.changed()
    }
    defer { alarm.cancel() }
    await withCheckedContinuation { waiters.append($0) }
  }

  private func wait(for what: String, until condition: () async -> Bool) async throws {
    let limit = clock + Self.limit
    while true {
      let seen = changes
      if await condition() { return }
      guard clock < limit else { throw TestFailure(.notConverged, "waited \(Self.limit) ms for \(what)") }
      await change(since: seen, until: limit)
    }
  }

  func checkConverged() {}
}
