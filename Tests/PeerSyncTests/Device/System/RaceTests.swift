import PeerSync
import Testing

/// Several addresses of one name, and the names themselves.
@Suite(.noHang) struct RaceTests {
  private let loop = EventLoop()

  private func race(_ addresses: [Address]) async -> Result<Address?, SocketError> {
    await withCheckedContinuation { continuation in
      loop.queue.async { [loop] in
        let race = Race(addresses, segmentBytes: Limits.smallSegmentBytes, on: loop)
        race.start {
          continuation.resume(returning: $0.map(\.remoteAddress))
          // It lives until it has ended.
          withExtendedLifetime(race) {}
        }
      }
    }
  }

  /// An address at which nobody listens any more.
  private func gone() throws -> Address {
    try #require(try Socket.listening(on: Address(host: "127.0.0.1", port: 0)).localAddress)
  }

  @Test func theOneThatStandsIsTaken() async throws {
    let server = try TestServer()
    #expect(
      await race([try gone(), Address(host: "::1", port: 1), server.address]) == .success(server.address))
    #expect(await race([server.address, try gone()]) == .success(server.address))
  }

  @Test func whereNobodyAnswersItFails() async throws {
    #expect(await race([try gone(), try gone()]) == .failure(.system(111)))
    #expect(await race([]) == .failure(.timedOut))
  }

  @Test(arguments: [("127.1", true), ("nobody.invalid", false)]) func names(name: String, isKnown: Bool)
    async
  {
    let found = await withCheckedContinuation { continuation in
      Resolver.resolve(Address(host: name, port: 7)) { continuation.resume(returning: $0) }
    }
    #expect(found.count <= Limits.resolvedAddresses && found.isEmpty == !isKnown)
    #expect(found.allSatisfy { $0.port == 7 && (try? Socket.requireLoopback($0)) != nil })
  }

  /// What the other side sends fits what was asked for.
  @Test func segmentsAreSmall() async throws {
    let server = try TestServer()
    let socket = try Socket.connecting(to: server.address, segmentBytes: Limits.smallSegmentBytes)
    while socket.remoteAddress == nil {}
    #expect(socket.segmentBytes.map { $0 <= Limits.smallSegmentBytes } == true)
  }
}
