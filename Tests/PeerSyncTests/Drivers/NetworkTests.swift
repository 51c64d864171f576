import Dispatch
import PeerSync
import Testing

/// A daemon's connections without an engine behind them.
@Suite(.noHang) struct NetworkTests {
  /// Whatever the engine thinks of a peer's queue, it takes only so much memory.
  @Test func whoTakesNothingIsCut() async throws {
    let queue = DispatchQueue(label: "test network")
    let (events, sink) = AsyncStream.makeStream(of: Event.self)
    let context = try TLSContext(DeviceKey.generate()) { _ in true }
    // Touched on its queue alone.
    nonisolated(unsafe) let network = Network(
      queue: queue, log: Log(level: .error) { _ in }, context: context
    ) { sink.yield($0) }
    let address = try queue.sync { try network.listen(on: Address(host: "127.0.0.1", port: 0)) }
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
