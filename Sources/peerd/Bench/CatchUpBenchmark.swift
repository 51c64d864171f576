import Foundation
import PeerSync

/// `catch-up`: an empty device takes in what another holds, over real TCP into SQLite.
enum CatchUpBenchmark {
  static func run() async throws -> [Figures] {
    var lines: [Figures] = []
    for count in [10_000, 100_000] { lines.append(try await run(count)) }
    return lines
  }

  private static func run(_ count: Int) async throws -> Figures {
    var figures = Figures(.catchUp)
    let directory = try TemporaryDirectory()
    let group = GroupID(high: 7, low: 7)
    let writes = Workload.values(count)
    let full = try await DaemonUnderTest(in: directory.path + "/a", group: group, writes: writes)
    let encoded = try await full.daemon.read { engine, _ in engine.encodedBytes }
    let start = seconds()
    let empty = try await DaemonUnderTest(in: directory.path + "/b", group: group, peers: [full.address])
    let begun = seconds()
    try await wait(for: empty, toHold: count)
    let done = seconds()
    let received = await empty.daemon.traffic.received
    figures.add("writes", count)
    figures.add("writesPerSecondDurable", Double(count) / (done - begun))
    figures.add("startMilliseconds", (begun - start) * 1_000)
    figures.add("floorEncodedBytes", encoded)
    figures.add("bytes", received)
    figures.add("bytesToFloor", Double(received) / Double(encoded))
    await empty.stop()
    await full.stop()
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

extension Engine {
  /// The bytes of all writes, encoded as a delta carries them.
  fileprivate var encodedBytes: Int {
    var batch = WriteBatch()
    replica.registers.forEach { batch.append($0) }
    return batch.bytes.count
  }
}
