import Foundation
import PeerSync
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  /// A message whose frame has about so many bytes.
  private func message(_ number: UInt64, bytes: Int = 0) -> Message {
    var batch = SignedBatch()
    var write = Write.numbered(number + 1)
    write.value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: min(bytes, 30_000))
    let commit = SignedBatch.signed([write])
    while batch.bytes.count < bytes { batch.append(contentsOf: commit) }
    return .delta(DeltaChunk(delta: 1, index: number, commits: batch))
  }

  @Test func messagesArriveWholeAndInOrder() async throws {
    var events = server.events.makeAsyncIterator()
    #expect(await server.dial(server.address) == nil)
    let opened = [await events.next(), await events.next()]
    #expect(opened.contains(.accepted(1)) && opened.contains(.accepted(2)))
    var random = SeededGenerator(seed: 5)
    var sent: [Message] = []
    for number in 0..<UInt64(500) {
      let next = message(number, bytes: random.chance(1, of: 20) ? 60_000 : random.below(200))
      sent.append(next)
      server.send(next, on: 1)
    }
    var received: [Message] = []
    while received.count < sent.count, let event = await events.next() {
      if case .message(2, let message) = event { received.append(message) }
    }
    #expect(received == sent)
  }

  @Test func aSplitFrameIsPutTogether() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try RawClient(server.address)
    for byte in Frame.encode(.welcome) + Frame.encode(.close(.leaving)) { client.send([byte]) }
    #expect(await events.next() == .accepted(1))
    #expect(await events.next() == .message(1, .welcome))
    #expect(await events.next() == .message(1, .close(.leaving)))
  }

  @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{1}\u{2}\u{3}", String(repeating: "\u{ff}", count: 100_000)])
  func garbageEndsOnlyItsOwnConnection(text: String) async throws {
    var events = server.events.makeAsyncIterator()
    let garbage = try RawClient(server.address)
    #expect(await events.next() == .accepted(1))
    garbage.send(Array(text.utf8) + [0xff, 0xff, 0xff])
    #expect(await events.next() == .malformed(1))
    garbage.finishWriting()
    #expect(await garbage.readToEnd() == [])
    #expect(await events.next() == .closed(1))
    let good = try RawClient(server.address)
    good.send(Frame.encode(.welcome))
    #expect(await events.next() == .accepted(2))
    #expect(await events.next() == .message(2, .welcome))
  }

  @Test func aCutFrameEndsTheConnection() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try RawClient(server.address)
    client.send(Frame.encode(message(1, bytes: 1000)).dropLast(7))
    client.finishWriting()
    #expect(await events.next() == .accepted(1))
    #expect(await events.next() == .closed(1))
  }

  @Test func aResetEndsTheConnection() async throws {
    var events = server.events.makeAsyncIterator()
    var client: RawClient? = try RawClient(server.address)
    #expect(await events.next() == .accepted(1))
    client?.reset()
    client = nil
    #expect(await events.next() == .closed(1))
  }

  /// What does not fit into the system's buffer waits here, and `drained` tells when it has gone.
  @Test func aSlowReaderHoldsUpOnlyItself() async throws {
    var events = server.events.makeAsyncIterator()
    let slow = try RawClient(server.address)
    #expect(await events.next() == .accepted(1))
    let frame = Frame.encode(message(1, bytes: 200_000))
    var queued = 0
    var sent = 0
    while queued == 0 || sent < 4 {
      queued =
        server.with(1) {
          $0.send(frame)
          $0.flush()
          return $0.queuedBytes
        } ?? 0
      sent += 1
    }
    let other = try RawClient(server.address)
    other.send(Frame.encode(.welcome))
    while let event = await events.next(), event != .message(2, .welcome) {}
    #expect(server.with(1) { $0.queuedBytes } == queued)
    let bytes = await slow.read(frame.count * sent)
    #expect(bytes.count == frame.count * sent)
    let decoded = try decode(bytes)
    #expect(decoded == Array(repeating: message(1, bytes: 200_000), count: sent))
    #expect(await events.next() == .drained(1))
  }

  @Test func closingSendsTheLastWordFirst() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try RawClient(server.address)
    #expect(await events.next() == .accepted(1))
    // Bytes that nobody reads any more must not turn the end into a reset.
    client.send(Frame.encode(.welcome))
    _ = server.with(1) {
      for number in 0..<UInt64(20) { $0.send(Frame.encode(message(number, bytes: 100_000))) }
      $0.send(Frame.encode(.close(.leaving)))
      $0.close()
    }
    let bytes = try #require(await client.readToEnd())
    let messages = try decode(bytes)
    #expect(messages.count == 21)
    #expect(messages.last == .close(.leaving))
  }

  /// A peer that neither reads nor ends cannot keep a closing connection.
  @Test func closingIsBounded() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try RawClient(server.address)
    #expect(await events.next() == .accepted(1))
    _ = server.with(1) {
      for number in 0..<UInt64(200) { $0.send(Frame.encode(message(number, bytes: 100_000))) }
      $0.close()
    }
    #expect(await events.next() == .closed(1))
    withExtendedLifetime(client) {}
  }

  @Test func aHundredConnectionsAtOnce() async throws {
    let clients = try (0..<100).map { _ in try RawClient(server.address) }
    for client in clients { client.send(Frame.encode(.welcome)) }
    var served = 0
    for await event in server.events {
      if case .message(let name, .welcome) = event {
        server.send(.close(.busy), on: name)
        served += 1
        if served == clients.count { break }
      }
    }
    let frame = Frame.encode(.close(.busy))
    for client in clients { #expect(await client.read(frame.count) == frame) }
  }
}
