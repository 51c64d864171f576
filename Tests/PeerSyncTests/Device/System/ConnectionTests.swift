import Foundation
import PeerSync
import Testing

@Suite(.noHang) struct ConnectionTests {
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

  /// The next connection is accepted and completes its handshake.
  private func expectMember(_ name: Int, _ events: inout AsyncStream<TestServer.Event>.Iterator) async {
    #expect(await events.next() == .accepted(name))
    guard case .established(name, .certificate)? = await events.next() else {
      Issue.record("\(name) is not a member")
      return
    }
  }

  @Test func messagesArriveWholeAndInOrder() async throws {
    var events = server.events.makeAsyncIterator()
    #expect(await server.dial(server.address) == nil)
    var established: Set<Int> = []
    while established.count < 2, let event = await events.next() {
      if case .established(let name, _) = event { established.insert(name) }
    }
    var random = SeededGenerator(seed: 5)
    var sent: [Message] = [.someWelcome]
    server.send(.someWelcome, on: 1)
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
    let client = try MemberClient(server.address)
    for byte in Frame.encode(.someWelcome) + Frame.encode(.close(.leaving)) { client.send([byte]) }
    await expectMember(1, &events)
    #expect(await events.next() == .message(1, .someWelcome))
    #expect(await events.next() == .message(1, .close(.leaving)))
  }

  @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{1}\u{2}\u{3}", String(repeating: "\u{ff}", count: 100_000)])
  func garbageEndsOnlyItsOwnConnection(text: String) async throws {
    var events = server.events.makeAsyncIterator()
    let garbage = try MemberClient(server.address)
    await expectMember(1, &events)
    garbage.send(Array(text.utf8) + [0xff, 0xff, 0xff])
    #expect(await events.next() == .malformed(1))
    garbage.finishWriting()
    #expect(await garbage.readToEnd() == [])
    #expect(await events.next() == .closed(1))
    let good = try MemberClient(server.address)
    good.send(Frame.encode(.someWelcome))
    await expectMember(2, &events)
    #expect(await events.next() == .message(2, .someWelcome))
  }

  @Test func aCutFrameEndsTheConnection() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try MemberClient(server.address)
    client.send(Frame.encode(message(1, bytes: 1000)).dropLast(7))
    client.finishWriting()
    await expectMember(1, &events)
    #expect(await events.next() == .closed(1))
  }

  @Test func aResetEndsTheConnection() async throws {
    var events = server.events.makeAsyncIterator()
    var client: MemberClient? = try MemberClient(server.address)
    await expectMember(1, &events)
    client?.reset()
    client = nil
    #expect(await events.next() == .closed(1))
  }

  /// What does not fit into the system's buffer waits here, and `drained` tells when it has gone.
  @Test func aSlowReaderHoldsUpOnlyItself() async throws {
    var events = server.events.makeAsyncIterator()
    let slow = try MemberClient(server.address)
    await expectMember(1, &events)
    let frame = Frame.encode(message(1, bytes: 200_000))
    var queued = 0
    var sent = 0
    // More than the system's buffers may still take when both sides have had their turn.
    while queued < 500_000 || sent < 4 {
      queued =
        server.with(1) {
          $0.send(frame)
          $0.flush()
          return $0.queuedBytes
        } ?? 0
      sent += 1
    }
    let other = try MemberClient(server.address)
    other.send(Frame.encode(.someWelcome))
    while let event = await events.next(), event != .message(2, .someWelcome) {}
    #expect(try #require(server.with(1) { $0.queuedBytes }) > 0)
    let bytes = await slow.read(frame.count * sent)
    #expect(bytes.count == frame.count * sent)
    let decoded = try decode(bytes)
    #expect(decoded == Array(repeating: message(1, bytes: 200_000), count: sent))
    // On a busy machine it may have been slower than a peer may be: that is told as well, and nobody ends it here.
    var event = await events.next()
    while event == .stalled(1) { event = await events.next() }
    #expect(event == .drained(1))
  }

  @Test func closingSendsTheLastWordFirst() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try MemberClient(server.address)
    await expectMember(1, &events)
    // Bytes that nobody reads any more must not turn the end into a reset.
    client.send(Frame.encode(.someWelcome))
    _ = server.with(1) {
      for number in 0..<UInt64(20) { $0.send(Frame.encode(message(number, bytes: 100_000))) }
      $0.send(Frame.encode(.close(.leaving)))
      $0.close()
    }
    let bytes = await client.readToEnd()
    let messages = try decode(bytes)
    #expect(messages.count == 21)
    #expect(messages.last == .close(.leaving))
  }

  /// A peer that neither reads nor ends cannot keep a closing connection.
  @Test func closingIsBounded() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try MemberClient(server.address)
    await expectMember(1, &events)
    _ = server.with(1) {
      for number in 0..<UInt64(200) { $0.send(Frame.encode(message(number, bytes: 100_000))) }
      $0.close()
    }
    #expect(await events.next() == .closed(1))
    withExtendedLifetime(client) {}
  }

  // MARK: Slow peers

  /// Half a frame that never goes on. Who sends whole ones may be silent between them for as long as it likes.
  @Test func aFrameThatNeverEndsIsReported() async throws {
    let server = try TestServer(pace: 20)
    var events = server.events.makeAsyncIterator()
    let good = try MemberClient(server.address)
    await expectMember(1, &events)
    good.send(Frame.encode(.someWelcome))
    #expect(await events.next() == .message(1, .someWelcome))
    var clients = [good]
    for number in 2...4 {
      clients.append(try MemberClient(server.address))
      await expectMember(number, &events)
      clients[number - 1].send([0, 0, 0x10, 0, 5, 1, 2, 3])
      #expect(await events.next() == .stalled(number))
    }
    #expect(clients.count == 4)
  }

  /// Bytes wait, and nobody takes them.
  @Test func aPeerThatDoesNotReadIsReported() async throws {
    let server = try TestServer(pace: 50)
    var events = server.events.makeAsyncIterator()
    let client = try MemberClient(server.address)
    await expectMember(1, &events)
    let frame = Frame.encode(message(1, bytes: 200_000))
    _ = server.with(1) { for _ in 0..<40 { $0.send(frame) } }
    _ = server.with(1) { $0.flush() }
    #expect(await events.next() == .stalled(1))
    withExtendedLifetime(client) {}
  }

  /// What may come before a welcome is little, whole frames or not.
  @Test(arguments: [1, 2]) func beforeTheWelcomeLittleIsTaken(frames: Int) async throws {
    var events = server.events.makeAsyncIterator()
    let size = Limits.startupBytes / frames
    let client = try MemberClient(server.address)
    await expectMember(1, &events)
    for _ in 0..<frames { client.send(Frame.encode(message(1, bytes: size))) }
    for _ in 1..<frames { #expect(await events.next() == .message(1, message(1, bytes: size))) }
    #expect(await events.next() == .malformed(1))
    let other = try MemberClient(server.address)
    other.send(Frame.encode(.someWelcome) + Frame.encode(message(1, bytes: size)))
    while let event = await events.next(), event != .message(2, message(1, bytes: size)) {}
  }

  @Test func aHundredConnectionsAtOnce() async throws {
    let clients = try (0..<100).map { _ in try MemberClient(server.address) }
    for client in clients { client.send(Frame.encode(.someWelcome)) }
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

  // MARK: Encryption

  @Test func aStrangerHearsThatItIsOneAndNothingElse() async throws {
    var events = server.events.makeAsyncIterator()
    let stranger = try MemberClient(server.address, key: TestServer.stranger)
    stranger.send(Frame.encode(.someWelcome))
    #expect(await events.next() == .accepted(1))
    #expect(await events.next() == .failed(1, .notMember(TestServer.stranger.publicKey)))
    // What is sent all the same stays here.
    server.send(.someWelcome, on: 1)
    #expect(await stranger.readToEnd() == [])
    #expect(stranger.error == .notRecognized)
    stranger.finishWriting()
    #expect(await events.next() == .closed(1))
  }

  /// It may depend on what the owner has yet to save: see `Pairing.countWrongCode`.
  @Test func whyAHandshakeFailedIsSaidOnceItsOwnerCloses() async throws {
    server.keepFailed()
    var events = server.events.makeAsyncIterator()
    let stranger = try MemberClient(server.address, key: TestServer.stranger)
    #expect(await events.next() == .accepted(1))
    #expect(await events.next() == .failed(1, .notMember(TestServer.stranger.publicKey)))
    let waiting = server.with(1) { connection in
      connection.flush()
      return connection.queuedBytes
    }
    #expect(waiting ?? 0 > 0)
    _ = server.with(1) { $0.close() }
    #expect(await stranger.readToEnd() == [] && stranger.error == .notRecognized)
    stranger.finishWriting()
    #expect(await events.next() == .closed(1))
  }

  /// Ending what stands is the engine's business; whoever comes anew is judged by the new list.
  @Test func theMemberListIsReplacedWhileConnectionsStand() async throws {
    var events = server.events.makeAsyncIterator()
    let key = try DeviceKey.generate()
    let member = try MemberClient(server.address, key: key)
    await expectMember(1, &events)
    server.strangers.replace(with: [key.publicKey])
    member.send(Frame.encode(.someWelcome))
    #expect(await events.next() == .message(1, .someWelcome))
    server.send(.close(.removed), on: 1)
    let frame = Frame.encode(.close(.removed))
    #expect(await member.read(frame.count) == frame)
    #expect(await events.next() == .drained(1))
    let again = try MemberClient(server.address, key: key)
    #expect(await events.next() == .accepted(2))
    #expect(await events.next() == .failed(2, .notMember(key.publicKey)))
    #expect(await again.readToEnd() == [] && again.error == .notRecognized)
    again.finishWriting()
    #expect(await events.next() == .closed(2))
    let former = try MemberClient(server.address, key: TestServer.stranger)
    await expectMember(3, &events)
    withExtendedLifetime(former) {}
  }

  @Test(arguments: [Frame.encode(.someWelcome), Array("GET / HTTP/1.1\r\n\r\n".utf8)])
  func plainTextGetsNoMoreThanAnAlert(bytes: [UInt8]) async throws {
    var events = server.events.makeAsyncIterator()
    let plain = try RawConnection(to: "\(server.address)")
    plain.send(bytes)
    #expect(await events.next() == .accepted(1))
    #expect(await events.next() == .failed(1, .notTLS))
    server.send(.someWelcome, on: 1)
    plain.finishWriting()
    let answer = try #require(try await plain.readToEnd())
    #expect(answer.isEmpty || answer.count == 7 && answer[0] == 21)
    #expect(await events.next() == .closed(1))
  }

  @Test func plainTextWithinASessionEndsIt() async throws {
    var events = server.events.makeAsyncIterator()
    let client = try MemberClient(server.address)
    await expectMember(1, &events)
    client.send(Frame.encode(.someWelcome))
    client.sendPlain(Frame.encode(.someWelcome))
    #expect(await events.next() == .message(1, .someWelcome))
    #expect(await events.next() == .failed(1, .damaged))
    #expect(await client.readToEnd() == [])
    client.finishWriting()
    #expect(await events.next() == .closed(1))
  }

  /// Whoever says nothing, or stops halfway, does not keep a descriptor.
  @Test(arguments: [0, 3, 100]) func aHandshakeTakesNoLongerThanItMay(bytes: Int) async throws {
    var events = server.events.makeAsyncIterator()
    let slow = try RawConnection(to: "\(server.address)")
    let end = TLSEnd(try TLSChannel(dialling: TLSContext(.generate()) { _ in true }))
    slow.send(Array(end.outgoing().prefix(bytes)))
    let start = ContinuousClock.now
    #expect(await events.next() == .accepted(1))
    #expect(await events.next() == .failed(1, .handshakeTooSlow))
    #expect(await events.next() == .closed(1))
    // Not sooner than it may take. How much later this is read is up to all the other tests.
    #expect(ContinuousClock.now - start > .seconds(4))
    withExtendedLifetime(slow) {}
  }
}
