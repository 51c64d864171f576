import Foundation
import PeerSync

/// `spend`: acknowledged durable spends a second from a device's own rights, beside bare syncs of the disk.
enum SpendBenchmark {
  private static let credit = "owls"

  static func run() async throws -> Figures {
    var figures = Figures(.spend)
    let directory = try TemporaryDirectory()
    let floor = try Floors.durableCommit(in: directory.path)
    figures.add("floorSyncsPerSecond", 1 / floor)
    let path = directory.path + "/device"
    try DaemonUnderTest.create(in: path)
    let daemon = try await DaemonUnderTest(of: path)
    try await fill(daemon.daemon)
    let alone = try await rate(daemon.daemon, spenders: 1)
    figures.add("onePerSecond", alone)
    figures.add("oneToFloor", alone * floor)
    let many = try await rate(daemon.daemon, spenders: 64)
    figures.add("spenders64PerSecond", many)
    figures.add("spenders64ToOne", many / alone)
    figures.add("bytesPerSpend", try await bytes(daemon.daemon))
    await daemon.stop()
    return figures
  }

  /// A catalogue with one credit, and a purchase of as much as anybody spends here.
  private static func fill(_ daemon: Daemon) async throws {
    let product = Product(id: "c", type: .consumable, credit: credit, amount: Limits.creditAmount)
    _ = try await daemon.add(Catalogue(products: [product]))
    _ = try await daemon.purchase("c")
  }

  /// Spends a second that so many spenders, each waiting for its own acknowledgement, get done in two seconds.
  private static func rate(_ daemon: Daemon, spenders: Int) async throws -> Double {
    let start = seconds()
    let end = start + 2
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for spender in 0..<spenders {
        group.addTask {
          var count = 0
          while seconds() < end {
            _ = try await daemon.spend(credit, id: "\(spenders)-\(spender)-\(count)")
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(done) / (seconds() - start)
  }

  /// What one spend puts into a commit: the row, and the place among the last spends.
  private static func bytes(_ daemon: Daemon) async throws -> Int {
    let before = try await daemon.read { engine, _ in engine.replica.vector[engine.replica.id] }
    _ = try await daemon.spend(credit, id: "the-last-one")
    return try await daemon.read { engine, _ in
      engine.replica.sortedWrites().filter { $0.dot.sequence > before }
        .reduce(0) { $0 + $1.key.count + $1.value.count }
    }
  }
}
