import Dispatch
import PeerSync
import Testing

/// A daemon's connections without an engine behind them.
@Suite(.noHang) struct NetworkTests {
  private let queue = DispatchQueue(label: "test network")
  private let events: AsyncStream<Event>
  private let sink: AsyncStream<Event>.Continuation
  // Touched on its queue alone.
  private nonisolated(unsafe) let network: Network
  private let address: Address

  init() throws {
    let (events, sink) = AsyncStream.makeStream(of: Event.self)
    (self.events, self.sink) = (events, sink)
    let context = try TLSContext(DeviceKey.generate()) { _ in true }
    let network = Network(queue: queue, log: Log(level: .error) { _ in }, context: context) { sink.yield($0) }
    self.network = network
    address = try queue.sync { try network.listen(on: Address(host: "127.0.0.1", port: 0)) }
  }

  /// Waits until so many bytes have come.
  private func received(_ count: Int) async {
    while queue.sync(execute: { network.traffic.received }) < UInt64(count) { await Task.yield() }
  }

  /// Before the welcome one message is read at a time; a piece of one has to wait for nobody.
  @Test func aMessageMayComeInPieces() async throws {
    let client = try MemberClient(address)
    let bytes = Frame.encode(.close(.leaving))
    client.send(Array(bytes.prefix(3)))
    await received(3)
    client.send(Array(bytes.dropFirst(3)))
    var iterator = events.makeAsyncIterator()
    guard case .opened? = await iterator.next(), case .received(_, .close(.leaving))? = await iterator.next()
    else {
      Issue.record("no message came")
      return
    }
    queue.sync { network.abandon() }
  }

  /// What many have begun to send, more than is read ahead of the engine, keeps none of them from sending the rest.
  @Test func manyMayBeInTheMiddleOfAMessage() async throws {
    let writes = (1...8).map { number in
      var write = Write.numbered(UInt64(number))
      write.value = [UInt8](repeating: 7, count: 30_000)
      return write
    }
    let long = Frame.encode(.delta(DeltaChunk(delta: 1, index: 0, commits: .signed(writes))))
    let welcome = Frame.encode(.welcome(ContentHash(words: (1, 2, 3, 4))))
    var iterator = events.makeAsyncIterator()
    var clients: [MemberClient] = []
    for _ in 0..<20 {
      let client = try MemberClient(address)
      client.send(welcome)
      guard case .opened? = await iterator.next(), case .received? = await iterator.next() else {
        Issue.record("no session began")
        return
      }
      queue.sync {
        network.handling()
        network.handled { _ in true }
      }
      clients.append(client)
    }
    for client in clients { client.send(Array(long.dropLast())) }
    await received(clients.count * (welcome.count + long.count - 1))
    clients[0].send(Array(long.suffix(1)))
    guard case .received(_, .delta)? = await iterator.next() else {
      Issue.record("no message came")
      return
    }
    queue.sync { network.abandon() }
  }

  /// Whatever the engine thinks of a peer's queue, it takes only so much memory.
  @Test func whoTakesNothingIsCut() async throws {
    let client = try MemberClient(address)
    var iterator = events.makeAsyncIterator()
    guard case .opened(let session, _, _)? = await iterator.next() else {
      Issue.record("no session began")
      return
    }
    var write = Write.numbered(1)
    write.value = [UInt8](repeating: 7, count: 30_000)
    let message = Message.delta(DeltaChunk(delta: 1, index: 0, commits: .signed([write])))
    let fitting = Limits.heldBytes / Frame.encode(message).count
    // At once, so that nothing is written to the socket meanwhile. What an end too early would tell stands before the deadline.
    queue.sync {
      for _ in 0..<fitting { network.send(message, on: session) }
      sink.yield(.deadline)
      network.send(message, on: session)
    }
    guard case .deadline? = await iterator.next(), case .closed(session)? = await iterator.next() else {
      Issue.record("it was not cut, or too early")
      return
    }
    queue.sync { network.abandon() }
    withExtendedLifetime(client) {}
  }
}
