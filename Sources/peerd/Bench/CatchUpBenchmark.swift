import Foundation
import PeerSyncCore

/// `catch-up`: an empty device takes in what another holds, over real TCP into SQLite.
enum CatchUpBenchmark {
  static func run() async throws -> [Figures] {
    var lines: [Figures] = []
    for count in [10_000, 100_000] { lines.append(try await run(count)) }
    lines.append(try load(1_000_000))
    return lines
  }

  /// A device that holds so much is only started.
  private static func load(_ count: Int) throws -> Figures {
    var figures = Figures(.catchUp)
    let directory = try TemporaryDirectory()
    try DaemonUnderTest.create(in: directory.path, writes: Workload.values(count))
    figures.add("writes", count)
    figures.add("loadMilliseconds", try DaemonUnderTest.loadSeconds(directory.path) * 1_000)
    return figures
  }

  private static func run(_ count: Int) async throws -> Figures {
    var figures = Figures(.catchUp)
    let directory = try TemporaryDirectory()
    let paths = ["a", "b"].map { directory.path + "/" + $0 }
    try DaemonUnderTest.create(in: paths[0], writes: Workload.values(count))
    try DaemonUnderTest.create(in: paths[1])
    try DaemonUnderTest.unite(paths)
    let full = try await DaemonUnderTest(of: paths[0])
    let encoded = try await full.daemon.read { engine, _ in engine.replica.registers.encodedBytes }
    let start = seconds()
    let empty = try await DaemonUnderTest(of: paths[1], peers: [full.address])
    let begun = seconds()
    let usage = ProcessUsage()
    try await wait(for: empty, toHold: count)
    let done = seconds()
    let received = await empty.daemon.traffic.received
    figures.add("writes", count)
    figures.add("writesPerSecondDurable", Double(count) / (done - begun))
    figures.add("processorSecondsOfBoth", ProcessUsage().processor - usage.processor)
    figures.add("startMilliseconds", (begun - start) * 1_000)
    figures.add("floorEncodedBytes", encoded)
    figures.add("bytes", received)
    figures.add("bytesToFloor", Double(received) / Double(encoded))
    await empty.stop()
    await full.stop()
    figures.add("loadMilliseconds", try DaemonUnderTest.loadSeconds(paths[0]) * 1_000)
    return figures
  }

  private static func wait(for device: DaemonUnderTest, toHold count: Int) async throws {
    let changes = await device.daemon.revisions()
    for await _ in changes {
      // Claimed, so everything has come and is durable.
      if try await device.daemon.read({ engine, _ in
        engine.replica.vector.entries.contains { $0.sequence >= count }
      }) {
        return
      }
    }
  }
}

extension RegisterMap {
  /// The bytes of all writes, encoded as a delta carries them.
  fileprivate var encodedBytes: Int {
    var batch = WriteBatch()
    forEach { batch.append($0) }
    return batch.bytes.count
  }
}
