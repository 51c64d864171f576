import Foundation

/// `propagate`: from a purchase acknowledged on one device until it is visible on another, both durable.
enum PropagateBenchmark {
  private static let rounds = 1_000

  static func run() async throws -> Figures {
    var figures = Figures(.propagate)
    let directory = try TemporaryDirectory()
    let commit = try Floors.durableCommit(in: directory.path)
    let way = try Floors.oneWay()
    let (near, far) = try await DaemonUnderTest.pair(in: directory.path)
    let times = Percentiles(try await measure(near, far))
    await near.stop()
    await far.stop()
    figures.add("rounds", rounds)
    figures.add("floorCommitMicroseconds", commit * 1e6)
    figures.add("floorOneWayMicroseconds", way * 1e6)
    figures.add("p50Microseconds", times.p50 * 1e6)
    figures.add("p99Microseconds", times.p99 * 1e6)
    figures.add("p50ToFloor", times.p50 / (commit + way))
    figures.add("p99ToFloor", times.p99 / (commit + way))
    return figures
  }

  private static func measure(_ near: DaemonUnderTest, _ far: DaemonUnderTest) async throws -> [Double] {
    try await far.waitUntilConnected()
    let changes = await far.daemon.revisions()
    var iterator = changes.makeAsyncIterator()
    var times: [Double] = []
    for round in 0..<rounds {
      let writes = Workload.writes(Workload.purchase(round, of: "m"), .openSSL)
      let key = writes.last?.key ?? []
      try await near.write(writes)
      let start = seconds()
      while try await far.daemon.read({ engine, _ in engine.replica.registers.value(key) == nil }) {
        _ = await iterator.next()
      }
      times.append(seconds() - start)
    }
    return times
  }
}
