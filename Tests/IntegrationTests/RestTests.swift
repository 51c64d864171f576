import Testing

/// What daemons cost that have nothing to do. `peerd bench idle` measures it; this is what it rests on.
@Suite("At rest", .paced, .noHang)
struct RestTests {
  @Test("no thread of a daemon is one for whose pool Dispatch wakes up every second")
  func threads() async throws {
    let group = try await PeerdGroup(2)
    try await group.agree()
    for device in [group[0], group[1]] {
      let threads = try ProcessFacts(pid: try #require(device.pid)).threads
      let workers = threads.filter { $0.contains("qos") }
      #expect(!workers.isEmpty && workers.allSatisfy { $0.hasSuffix("overcommit") }, "\(threads)")
    }
  }
}
