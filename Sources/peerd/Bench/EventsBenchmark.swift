import Foundation
import PeerSync
import PeerSyncControl

/// `events`: from the request that writes a value on one device, durable there, to its event on another, over HTTP on both sides. Requests come
/// in turn on a connection that is kept, and each on a new one.
enum EventsBenchmark {
  private static let rounds = 1_000

  static func run() async throws -> Figures {
    var figures = Figures(.events)
    let directory = try TemporaryDirectory()
    let commit = try Floors.durableCommit(in: directory.path)
    let way = try Floors.oneWay()
    let (near, far) = try await DaemonUnderTest.pair(in: directory.path)
    try await far.waitUntilConnected()
    let token = Draws.token()
    let servers = try [near, far].map { device in
      try HTTPServer(
        address: Address(host: "127.0.0.1", port: 0),
        application: ControlAPI(daemon: device.daemon, token: token, draw: Draws.number).application)
    }
    let addresses = servers.map(\.address)
    let (new, kept) = try await onThread { try measure(addresses[0], addresses[1], token) }
    for server in servers { await onThread { server.stop() } }
    await near.stop()
    await far.stop()
    // From client to device, durable there, to the other device, to its reader.
    let floor = commit + 3 * way
    figures.add("rounds", rounds)
    figures.add("floorCommitMicroseconds", commit * 1e6)
    figures.add("floorOneWayMicroseconds", way * 1e6)
    figures.add("answerP50Microseconds", kept.answers.p50 * 1e6)
    figures.add("p50Microseconds", kept.events.p50 * 1e6)
    figures.add("p99Microseconds", kept.events.p99 * 1e6)
    figures.add("p50ToFloor", kept.events.p50 / floor)
    figures.add("p99ToFloor", kept.events.p99 / floor)
    figures.add("newConnectionP50Microseconds", new.events.p50 * 1e6)
    figures.add("newConnectionP99Microseconds", new.events.p99 * 1e6)
    return figures
  }

  /// Until the event is read there, and until the write is acknowledged here.
  private typealias Times = (events: Percentiles, answers: Percentiles)

  private static func measure(
    _ near: Address, _ far: Address, _ token: String
  ) throws -> (new: Times, kept: Times) {
    let reader = try LoopbackConnection(to: far, timeoutSeconds: 10)
    try reader.send(LoopbackConnection.request("GET", "/v1/events", to: far, token: token))
    var parser = ResponseParser()
    var events = EventParser()
    func next(_ name: String) throws {
      while true {
        let bytes = try reader.receive()
        guard !bytes.isEmpty else { throw BenchmarkError("the stream of events has ended", "이벤트 스트림이 끝났습니다") }
        if events.take(try parser.take(bytes)).contains(where: { $0.name == name }) { return }
      }
    }
    try next("ready")
    let kept = try LoopbackConnection(to: near, timeoutSeconds: 10)
    /// By whether the connection is new: 0 if it is.
    var (told, answered): ([[Double]], [[Double]]) = ([[], []], [[], []])
    for (round, way) in (0..<2 * rounds).map({ ($0, $0 % 2) }) {
      let body = Array("{\"value\":\"\(String(repeating: "x", count: 88))\(round)\"}".utf8)
      let request = LoopbackConnection.request(
        "PUT", "/v1/values/key\(round)", to: near, token: token, body: body, isLast: way == 0)
      let start = seconds()
      let writer = way == 0 ? try LoopbackConnection(to: near, timeoutSeconds: 10) : kept
      guard try writer.exchange(request).status == 200 else {
        throw BenchmarkError("the server refused a value", "서버에서 값을 거절했습니다")
      }
      answered[way].append(seconds() - start)
      try next("value")
      told[way].append(seconds() - start)
    }
    let times = zip(told, answered).map { (events: Percentiles($0), answers: Percentiles($1)) }
    return (times[0], times[1])
  }
}
