import Dispatch
import Foundation
import PeerSync
import Testing

/// Sockets on a loop, with nothing of a connection behind them.
@Suite(.noHang) struct PollerTests {
  @Test func whatIsThereIsToldForAsLongAsItIsThere() async throws {
    let (loop, pair) = (EventLoop(), try SocketPair())
    pair.client.send([1])
    let told = Told()
    let watch = try loop.queue.sync {
      try SocketWatch(pair.ours, on: loop, for: .read) { ready in
        told.note(ready)
        if told.count == 3 { pair.readAll() }
      }
    }
    await told.wait(for: 3)
    try await fence(loop)
    #expect(told.all == [.read, .read, .read])
    withExtendedLifetime(watch) {}
  }

  @Test func onlyWhatIsAwaitedIsTold() async throws {
    let (loop, pair) = (EventLoop(), try SocketPair())
    pair.client.send([1])
    let told = Told()
    let watch = Box(
      try loop.queue.sync { try SocketWatch(pair.ours, on: loop, for: []) { told.note($0) } })
    try await fence(loop)
    #expect(told.all.isEmpty)
    try loop.queue.sync { try watch.value?.wait(for: [.read, .write]) }
    await told.wait(for: 1)
    #expect(told.all.first == [.read, .write])
    try loop.queue.sync { try watch.value?.wait(for: .write) }
    let before = told.count
    await told.wait(for: before + 1)
    #expect(told.all.last == .write)
    try loop.queue.sync { try watch.value?.wait(for: []) }
    let after = told.count
    try await fence(loop)
    #expect(told.count == after)
  }

  @Test func aBrokenConnectionIsAllThatIsAwaited() async throws {
    let (loop, pair) = (EventLoop(), try SocketPair())
    pair.client.reset()
    pair.dropClient()
    for interest in [Poller.Interest.read, .write, [.read, .write]] {
      let told = Told()
      let watch = Box(
        try loop.queue.sync { try SocketWatch(pair.ours, on: loop, for: interest) { told.note($0) } })
      await told.wait(for: 1)
      loop.queue.sync { watch.value = nil }
      #expect(told.all.first == interest)
    }
  }

  /// The system tells of it in any case: who waits for nothing is not to be woken up.
  @Test func aBrokenConnectionKeepsNobodyBusyWhoWaitsForNothing() async {
    await #expect(processExitsWith: .success) {
      let (loop, pair) = (EventLoop(), try SocketPair())
      let watch = Box(try loop.queue.sync { try SocketWatch(pair.ours, on: loop, for: .read) { _ in } })
      try loop.queue.sync { try watch.value?.wait(for: []) }
      pair.client.reset()
      pair.dropClient()
      try await fence(loop)
      let before = clock()
      await withCheckedContinuation { continuation in
        let delay = Box<Delay>(nil)
        loop.queue.sync {
          delay.value = Delay(milliseconds: 300, on: loop.timers) {
            continuation.resume()
            delay.value = nil
          }
        }
      }
      let busy = Double(clock() - before) / Double(CLOCKS_PER_SEC)
      guard busy < 0.1 else { exit(3) }
      withExtendedLifetime(watch) {}
    }
  }

  /// Both sockets are ready at once. Whoever hears first ends the other, whose descriptor somebody else then has.
  @Test func nobodyIsToldWhatWasAnothers() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<20 {
        let loop = EventLoop()
        let ready = Told()
        let race = try Race(on: loop, ready)
        loop.queue.sync { race.begin() }
        await ready.wait(for: 1)
        try await fence(loop)
        // Nothing has come for the new one, and nobody else was told.
        guard race.told == 1, ready.count == 1 else { exit(3) }
        loop.queue.sync { race.end() }
      }
    }
  }

  /// Most of them have more to say than is ever read.
  @Test func aCrowdLeavesTimeForOthers() async throws {
    let loop = EventLoop()
    let pairs = try (0..<3 * Poller.eventsPerWakeUp).map { _ in try SocketPair() }
    for pair in pairs { pair.client.send([1]) }
    let told = pairs.map { _ in Told() }
    let watches = Box(
      try loop.queue.sync {
        try zip(pairs, told).map { pair, told in
          try SocketWatch(pair.ours, on: loop, for: .read) { told.note($0) }
        }
      })
    for told in told { await told.wait(for: 3) }
    // The queue and the timers get their turns all along.
    for _ in 0..<10 {
      await withCheckedContinuation { continuation in loop.queue.async { continuation.resume() } }
    }
    try await fence(loop)
    loop.queue.sync { watches.value = nil }
  }

  @Test func whatCannotBeWatchedIsAnError() async throws {
    let (loop, pair) = (EventLoop(), try SocketPair())
    let told = Told()
    let watch = try loop.queue.sync {
      try SocketWatch(pair.ours, on: loop, for: .read) { ready in
        pair.readAll()
        told.note(ready)
      }
    }
    #expect(throws: SocketError.system(EEXIST)) {
      try loop.queue.sync { _ = try SocketWatch(pair.ours, on: loop, for: .read) { _ in } }
    }
    #expect(throws: SocketError.system(EEXIST)) {
      try loop.queue.sync {
        let channel = try TLSChannel(dialling: TLSContext(.generate()) { _ in true })
        _ = try Connection(pair.ours, channel, on: loop) { _ in told.note(.write) }
      }
    }
    pair.client.send([1])
    await told.wait(for: 1)
    try await fence(loop)
    #expect(told.all == [.read])
    withExtendedLifetime(watch) {}
  }

  @Test func withoutDescriptorsThereIsAnError() async {
    await #expect(processExitsWith: .success) {
      let (loop, pair) = (EventLoop(), try SocketPair())
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var low = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
      do throws(SocketError) {
        _ = try SocketWatch(pair.ours, on: loop, for: .read) { _ in }
        exit(3)
      } catch {
        guard error == .noDescriptors else { exit(4) }
      }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try await fence(loop)
    }
  }

  /// Loops that come and go take the pollers of those before: nothing that Dispatch watches ever goes away.
  @Test func loopsLeaveNoDescriptors() async {
    await #expect(processExitsWith: .success) {
      let pair = try SocketPair()
      var before = 0
      for round in 0..<100 {
        let loops = [EventLoop(), EventLoop()]
        for loop in loops { try await fence(loop) }
        let told = Told()
        // The last owner is told nothing more: its socket is another's now.
        let watch = try SocketWatch(pair.ours, on: loops[0], for: .write) { told.note($0) }
        await told.wait(for: 1)
        withExtendedLifetime(watch) {}
        if round == 1 { before = openDescriptors() }
      }
      // A loop may still be held by what it is telling when the next one comes, which then takes a poller more. A
      // descriptor left in each round would be 98.
      guard openDescriptors() < before + 20 else { exit(3) }
    }
  }

  /// What is dropped elsewhere than on the loop may be in the middle of being told.
  @Test func anyThreadMayDropThem() async throws {
    let (loop, pair) = (EventLoop(), try SocketPair())
    for _ in 0..<300 {
      let told = Told()
      let watch = try SocketWatch(pair.ours, on: loop, for: .write) { told.note($0) }
      await told.wait(for: 1)
      withExtendedLifetime(watch) {}
    }
    try await fence(loop)
  }
}

/// Returns once the loop has told another socket something that came after everything so far, twice: all that was ready
/// before has been told by then.
private func fence(_ loop: EventLoop) async throws {
  for _ in 0..<2 {
    let (pair, told) = (try SocketPair(), Told())
    pair.client.send([1])
    let watch = Box(
      try loop.queue.sync {
        try SocketWatch(pair.ours, on: loop, for: .read) { ready in
          pair.readAll()
          told.note(ready)
        }
      })
    await told.wait(for: 1)
    loop.queue.sync { watch.value = nil }
  }
}

/// Two sockets, of which the one that hears first closes the other and has its descriptor used again.
private final class Race: @unchecked Sendable {
  private let loop: EventLoop
  private let ready: Told
  private var pairs: [SocketPair?]
  private var watches: [SocketWatch?] = []
  /// Connections that wait to be accepted, and those that were.
  private let listening: Socket
  private let clients: [RawConnection]
  private var others: [Socket] = []
  private(set) var told = 0

  init(on loop: EventLoop, _ ready: Told) throws {
    self.loop = loop
    self.ready = ready
    pairs = [try SocketPair(), try SocketPair()]
    let listening = try Socket.listening(on: Address(host: "127.0.0.1", port: 0))
    self.listening = listening
    clients = try (0..<10).map { _ in
      try RawConnection(to: "\(listening.localAddress ?? Address(host: "", port: 0))")
    }
    for pair in pairs { pair?.client.send([1]) }
  }

  func begin() {
    watches = [0, 1].map { number in
      try? SocketWatch(unwrapped(number), on: loop, for: .read) { [self] _ in
        told += 1
        replace(1 - number)
        pairs[number]?.readAll()
        ready.note(.read)
      }
    }
  }

  func end() {
    watches = []
    pairs = []
  }

  private func unwrapped(_ number: Int) throws -> Socket {
    guard let pair = pairs[number] else { throw POSIXError(.EBADF) }
    return pair.ours
  }

  private func replace(_ number: Int) {
    guard let descriptor = pairs[number]?.ours.descriptor else { return }
    watches[number] = nil
    pairs[number] = nil
    // The lowest free number is taken first.
    repeat {
      guard let other = try? listening.accept()?.0 else { exit(5) }
      others.append(other)
    } while others.last?.descriptor != descriptor
    guard let last = others.last else { return }
    watches[number] = try? SocketWatch(last, on: loop, for: .read) { [ready] _ in ready.note(.write) }
  }
}

/// Both ends of a connection: ours, and that of a rude peer.
private final class SocketPair: @unchecked Sendable {
  let ours: Socket
  private var peer: RawConnection?

  init() throws {
    let listening = try Socket.listening(on: Address(host: "127.0.0.1", port: 0))
    let client = try RawConnection(to: "\(listening.localAddress ?? Address(host: "", port: 0))")
    var accepted: Socket?
    while accepted == nil { accepted = try listening.accept()?.0 }
    guard let accepted else { throw POSIXError(.EIO) }
    ours = accepted
    peer = client
  }

  var client: RawConnection {
    guard let peer else { preconditionFailure("it was dropped") }
    return peer
  }

  func dropClient() { peer = nil }

  func readAll() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while case .bytes = ours.read(into: buffer) {}
    }
  }
}

/// What was told, in order.
private final class Told: Sendable {
  private let told = Guarded<[Poller.Interest]>([])
  private let (events, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  var all: [Poller.Interest] { told.withLock(\.self) }
  var count: Int { all.count }

  func note(_ ready: Poller.Interest) {
    told.withLock { $0.append(ready) }
    sink.yield()
  }

  /// Waits until at least so many were.
  func wait(for number: Int) async {
    var events = events.makeAsyncIterator()
    while count < number { await events.next() }
  }
}

/// Something that is given away on the queue.
private final class Box<Value>: @unchecked Sendable {
  var value: Value?

  init(_ value: Value?) { self.value = value }
}
