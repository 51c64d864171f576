import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// Clients that keep connections without saying what they want.
@Suite("Slow clients of the control API", .noHang)
struct ConnectionWatchTests {
  /// All connections are taken: whoever has a request gets one all the same.
  @Test(
    "a crowd of clients that say nothing or never end keeps nobody out",
    arguments: ["", "GET / HTTP/1.1\r\nHost: "])
  func crowd(beginning: String) async throws {
    try await ControlFixture.with { (fixture) async throws in
      var crowd: [RawConnection] = []
      for number in 0..<(2 * HTTPLimits.connections) {
        crowd.append(try RawConnection(port: fixture.server.address.port))
        crowd[number].send(beginning)
        // Each makes room for itself: the first to come is the first to go.
        guard number >= HTTPLimits.connections else { continue }
        #expect(try await crowd[number - HTTPLimits.connections].endsInSilence(), "\(number)")
      }
      // On a busy machine room is made a moment later than it is wanted: whoever tries again gets in.
      var answer: StatusAnswer?
      for _ in 0..<50 where answer == nil { answer = try? await fixture.client.send("GET", "/v1/status") }
      #expect(answer?.online == true)
      // The last still has its place.
      let last = try #require(crowd.last)
      last.send(beginning.isEmpty ? "GET / HTTP/1.1\r\nHost: x\r\n\r\n" : "x\r\n\r\n")
      #expect(try await last.read(through: "\r\n").contains(" 403 "))
    }
  }

  /// Whoever says nothing, or does not read what anybody may read, needs no token.
  @Test("of all connections those go that may be a stranger's")
  func whoGoes() {
    let going: [ConnectionPhase] = [
      .waiting(since: 1), .refused(since: 1), .sending(since: 1, bytes: 1, isOpen: true),
    ]
    #expect(going.map(\.mayGo) == [true, true, true])
    let staying: [ConnectionPhase] = [
      .receiving(since: 1, bytes: 1), .answering, .streaming, .sending(since: 1, bytes: 1, isOpen: false),
      .cut,
    ]
    #expect(!staying.contains { $0.mayGo })
  }

  @Test("where all connections are taken a body has to come quickly")
  func slowness() {
    let (since, perByte) = (UInt64(1_000_000), Int(HTTPLimits.bodyBytesPerMillisecond))
    let end = since + HTTPLimits.crowdedBodyMilliseconds
    for (bytes, more) in [(0, UInt64(0)), (perByte, 1), (70 * perByte, 70)] {
      let phase = ConnectionPhase.receiving(since: since, bytes: bytes)
      #expect(!phase.isSlow(at: end + more) && phase.isSlow(at: end + more + 1))
    }
    for phase in [ConnectionPhase.waiting(since: 0), .answering, .streaming, .cut] {
      #expect(!phase.isSlow(at: .max))
    }
  }

  @Test(
    "whoever says nothing is awaited for so long, and whoever sends a body for as long as its bytes are worth"
  )
  func patience() {
    let since: UInt64 = 1_000_000
    let idle: UInt64 = 30_000
    #expect(!ConnectionPhase.waiting(since: since).isOverdue(at: since + idle, idle: idle))
    #expect(ConnectionPhase.waiting(since: since).isOverdue(at: since + idle + 1, idle: idle))
    let perByte = Int(HTTPLimits.bodyBytesPerMillisecond)
    for (bytes, more) in [(0, UInt64(0)), (perByte - 1, 0), (perByte, 1), (70 * perByte, 70)] {
      let end = since + HTTPLimits.bodyMilliseconds + more
      for phase in [
        ConnectionPhase.receiving(since: since, bytes: bytes),
        .sending(since: since, bytes: bytes, isOpen: false),
        .sending(since: since, bytes: bytes, isOpen: true),
      ] {
        #expect(!phase.isOverdue(at: end, idle: idle) && phase.isOverdue(at: end + 1, idle: idle), "\(phase)")
      }
    }
    let refused = ConnectionPhase.refused(since: since)
    let end = since + HTTPLimits.refusedMilliseconds
    #expect(!refused.isOverdue(at: end, idle: idle) && refused.isOverdue(at: end + 1, idle: idle))
    for phase in [ConnectionPhase.answering, .streaming, .cut] {
      #expect(!phase.isOverdue(at: .max, idle: idle))
    }
    #expect(!ConnectionPhase.waiting(since: since).isOverdue(at: since - 1, idle: idle))
  }

  @Test("a reader of events that is too slow loses the stream, and an idle stream shows that it lives")
  func slowReader() {
    let event = ServerSentEvent(id: "1", name: "changed", data: String(repeating: "x", count: 10_000))
    let pipe = EventPipe(socket: -1, keepAliveMilliseconds: 1)
    for _ in 0..<(HTTPLimits.streamBytes / event.encoded.count) { #expect(pipe.send(event)) }
    #expect(!pipe.send(event) && !pipe.send(event))
    let idle = EventPipe(socket: -1, keepAliveMilliseconds: 1)
    // Nobody takes a stream for dead who waits as long as this server does.
    #expect(HTTPLimits.keepAliveMilliseconds < Int32(HTTPLimits.idleSeconds) * 1000)
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
      #expect(idle.read(into: buffer) == .bytes(3) && buffer.prefix(3).elementsEqual(Array(":\n\n".utf8)))
      idle.close()
      #expect(idle.read(into: buffer) == .end)
    }
  }
}
