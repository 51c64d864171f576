import Foundation
import PeerSync
import PeerSyncControl

/// `commit`: acknowledged durable purchases a second.
enum CommitBenchmark {
  /// Purchases at hand for one measurement: more than any machine gets done in its two seconds.
  private static let most = 100_000

  static func run() async throws -> Figures {
    var figures = Figures(.commit)
    let directory = try TemporaryDirectory()
    let floor = try Floors.durableCommit(in: directory.path)
    figures.add("floorSyncsPerSecond", 1 / floor)
    let daemon = try await device(directory.path + "/library")
    let alone = try await rate(daemon, writers: 1)
    figures.add("onePerSecond", alone)
    figures.add("oneToFloor", alone * floor)
    let many = try await rate(daemon, writers: 64)
    figures.add("writers64PerSecond", many)
    figures.add("writers64ToOne", many / alone)
    await daemon.stop()
    // Another, whose line is not tens of thousands of purchases long: each answer shows what became of it.
    let served = try await device(directory.path + "/http")
    try await addHTTP(served, alone: alone, to: &figures)
    await served.stop()
    return figures
  }

  private static func device(_ path: String) async throws -> DaemonUnderTest {
    try DaemonUnderTest.create(in: path)
    return try await DaemonUnderTest(of: path)
  }

  private static func addHTTP(_ daemon: DaemonUnderTest, alone: Double, to figures: inout Figures)
    async throws
  {
    let product = Workload.product("m", line: "line")
    let key = RegisterKey.product(id: product.id).encoded
    let write = LocalWrite(key: key, stamp: Stamp(rawValue: 0), value: product.encoded)
    _ = try await daemon.daemon.perform(.write([write]))
    let token = Draws.token()
    let server = try HTTPServer(
      address: Address(host: "127.0.0.1", port: 0),
      application: ControlAPI(daemon: daemon.daemon, token: token, draw: Draws.number).application)
    let web = Web(address: server.address, token: token)
    let one = try await web.rate(clients: 1, buy: product.id)
    let many = try await web.rate(clients: 32, buy: product.id)
    figures.add("oneHTTPClientPerSecond", one)
    figures.add("http32PerSecond", many)
    figures.add("http32ToOneHTTPClient", many / one)
    figures.add("http32ToOne", many / alone)
    await onThread { server.stop() }
  }

  /// Purchases a second that so many writers, each waiting for its own acknowledgement, get done in two seconds.
  private static func rate(_ daemon: DaemonUnderTest, writers: Int) async throws -> Double {
    // Made before: what the store does to sign them is none of the daemon's work.
    let prepared = (0..<writers).map { writer in
      (0..<most / writers).map { count in
        Workload.writes(
          Workload.purchase((writers * 10_000_000 + count) * writers + writer, of: "m"), .openSSL)
      }
    }
    let start = seconds()
    let end = start + 2
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for purchases in prepared {
        group.addTask {
          var count = 0
          for purchase in purchases {
            guard seconds() < end else { break }
            try await daemon.write(purchase)
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(done) / (seconds() - start)
  }
}
