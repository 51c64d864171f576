import Dispatch
import Foundation
import PeerSync
import Testing

/// A daemon's connections without an engine behind them. On threads of their own: those that tasks share may all be busy
/// for longer than a connection may wait for its welcome.
@Suite(.noHang) struct NetworkTests {
  @Test func aMessageMayComeInPieces() async throws {
    try await onThread { try NetworkUnderTest().pieces() }
  }

  @Test func manyMayBeInTheMiddleOfAMessage() async throws {
    try await onThread { try NetworkUnderTest().middles() }
  }

  @Test func bytesOfALongMessageAreASignOfLife() async throws {
    try await onThread { try NetworkUnderTest().stirs() }
  }

  @Test func onlyNamesThatTheUserGaveAreLookedUp() async throws {
    try await onThread { try NetworkUnderTest().names() }
  }

  @Test func oneLookupOfANameIsUnderWay() async throws {
    try await onThread { try NetworkUnderTest().lookup() }
  }

  @Test func onePeerDoesNotFillARound() async throws {
    try await onThread { try NetworkUnderTest().shares() }
  }

  @Test func whoTakesNothingIsCut() async throws {
    try await onThread { try NetworkUnderTest().full() }
  }
}

/// A network that listens, and what it has told.
private final class NetworkUnderTest {
  private let loop = EventLoop()
  private let events = Inbox<Event>()
  /// Bytes of messages that are not complete: they may come at any time.
  private let signs = Inbox<Event>()
  /// Names that were to be looked up.
  private let lookups = Guarded<[Address]>([])
  private let network: Network
  private let address: Address

  init() throws {
    let context = try TLSContext(DeviceKey.generate()) { _ in true }
    // Touched on its queue alone.
    let network = Network(
      loop: loop, log: Log(level: .error) { _ in }, context: context, names: [Self.named],
      resolve: { [lookups] address in lookups.withLock { $0.append(address) } },
      post: { [events, signs] in if case .stirred = $0 { signs.add($0) } else { events.add($0) } })
    self.network = network
    address = try loop.queue.sync { try network.listen(on: Address(host: "127.0.0.1", port: 0)) }
  }

  /// What the user has told the device to dial.
  private static let named = Address(host: "phone.example", port: 7400)

  deinit { loop.queue.sync { network.abandon() } }

  /// Waits until so many bytes have come.
  private func waitForBytes(_ count: Int) {
    while loop.queue.sync(execute: { network.traffic.received }) < UInt64(count) { sched_yield() }
  }

  /// Before the welcome one message is read at a time; a piece of one has to wait for nobody.
  func pieces() throws {
    let client = try MemberClient(address)
    let bytes = Frame.encode(.close(.leaving))
    client.send(Array(bytes.prefix(3)))
    waitForBytes(3)
    client.send(Array(bytes.dropFirst(3)))
    guard case .opened = events.next(), case .received(_, .close(.leaving)) = events.next() else {
      throw Unexpected("no message came")
    }
  }

  /// Bytes that keep coming are told of about once in a ``Limits/stirMilliseconds``, and no more once they have stopped.
  func stirs() throws {
    let client = try MemberClient(address)
    guard case .opened(let session, _, _) = events.next() else { throw Unexpected("no session began") }
    let bytes = Frame.encode(.close(.leaving))
    for byte in bytes.prefix(2) {
      let start = ContinuousClock.now
      client.send([byte])
      guard case .stirred(session) = signs.next() else { throw Unexpected("another session") }
      guard ContinuousClock.now - start >= .milliseconds(Int(Limits.stirMilliseconds) / 2) else {
        throw Unexpected("too early")
      }
    }
    client.send(Array(bytes.dropFirst(2)))
    guard case .received(session, .close(.leaving)) = events.next() else {
      throw Unexpected("no message came")
    }
  }

  /// A name that a member tells is no reason to ask anybody.
  func names() throws {
    let told = Address(host: "told.example", port: 7400)
    loop.queue.sync {
      for address in [told, Self.named] { network.dial(DialTarget(address: address)) }
    }
    let lookups = lookups.withLock(\.self)
    guard lookups == [Self.named] else { throw Unexpected("looked up: \(lookups)") }
    guard case .unreachable(told, nil) = events.next() else { throw Unexpected("it can be reached") }
  }

  /// However often the network changes while nobody answers, one thread waits for the answer.
  func lookup() throws {
    for _ in 0..<3 {
      loop.queue.sync {
        network.dial(DialTarget(address: Self.named))
        network.networkChanged(to: Interfaces())
      }
    }
    guard lookups.withLock(\.self) == [Self.named] else { throw Unexpected("looked up more than once") }
    for _ in 0..<3 {
      guard case .unreachable(Self.named, nil) = events.next() else { throw Unexpected("it is dialled") }
    }
    // What was looked up is for whoever still waits, and the next dial looks again.
    loop.queue.sync {
      network.dial(DialTarget(address: Self.named))
      network.resolved(Self.named, [])
      network.dial(DialTarget(address: Self.named))
    }
    guard case .unreachable(Self.named, nil) = events.next() else { throw Unexpected("it is dialled") }
    guard lookups.withLock(\.count) == 2 else { throw Unexpected("not looked up anew") }
  }

  private static let welcome = Frame.encode(.welcome(ContentHash(words: (1, 2, 3, 4))))

  /// A client from which any number of messages is read at once.
  private func welcomed() throws -> (client: MemberClient, session: SessionID) {
    let client = try MemberClient(address)
    client.send(Self.welcome)
    guard case .opened(let session, _, _) = events.next(), case .received = events.next() else {
      throw Unexpected("no session began")
    }
    loop.queue.sync {
      network.handling()
      network.handled { _ in true }
    }
    return (client, session)
  }

  /// What many have begun to send, more than is read ahead of the engine, keeps none of them from sending the rest.
  func middles() throws {
    let writes = (1...8).map { number in
      var write = Write.numbered(UInt64(number))
      write.value = [UInt8](repeating: 7, count: 30_000)
      return write
    }
    let long = Frame.encode(.delta(DeltaChunk(delta: 1, index: 0, commits: .signed(writes))))
    let clients = try (0..<20).map { _ in try welcomed().client }
    for client in clients { client.send(Array(long.dropLast())) }
    waitForBytes(clients.count * (Self.welcome.count + long.count - 1))
    clients[0].send(Array(long.suffix(1)))
    guard case .received(_, .delta) = events.next() else {
      throw Unexpected("no message came")
    }
  }

  /// Of a peer that sends many small messages no more than its share is taken in a round, and another one has its turn in each.
  func shares() throws {
    let (busy, quiet) = (try welcomed(), try welcomed())
    let message = Message.time(ClockReading(isAnswer: false, question: 1, wall: Instant(clamping: 1)))
    let (frame, count) = (Frame.encode(message), 60_000)
    // While nobody looks.
    loop.queue.sync { busy.client.send((0..<count).flatMap { _ in frame }) }
    // What one read brings is taken, and a round may end after the first share has come.
    let most = 2 * (RoundBudget.sessionCost + 64 * 1024 / frame.count)
    var left = count
    while left > 0 {
      loop.queue.sync { network.handling() }
      quiet.client.send(frame)
      var taken = 0
      while case .received(let session, _) = events.next(), session != quiet.session { taken += 1 }
      guard taken <= most else { throw Unexpected("\(taken) messages of one peer in a round") }
      left -= taken
    }
  }

  /// Whatever the engine thinks of a peer's queue, it takes only so much memory.
  func full() throws {
    let client = try MemberClient(address)
    guard case .opened(let session, _, _) = events.next() else {
      throw Unexpected("no session began")
    }
    var write = Write.numbered(1)
    write.value = [UInt8](repeating: 7, count: 30_000)
    let message = Message.delta(DeltaChunk(delta: 1, index: 0, commits: .signed([write])))
    let fitting = Limits.heldBytes / Frame.encode(message).count
    // At once, so that nothing is written to the socket meanwhile. What an end too early would tell stands before the deadline.
    loop.queue.sync {
      for _ in 0..<fitting { network.send(message, on: session) }
      events.add(.deadline)
      network.send(message, on: session)
    }
    guard case .deadline = events.next(), case .closed(session) = events.next() else {
      throw Unexpected("it was not cut, or too early")
    }
    withExtendedLifetime(client) {}
  }
}

/// What a test did not see. Thrown, since what a thread records belongs to no test.
private struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
