import Foundation
import PeerSync
import Testing

/// Five devices on a network of their own, in the manner of Jepsen's set-full: a checker that sees nothing but what clients saw says
/// whether promises were kept. `make storm` has more of them.
@Suite("Storm", .serialized, .pacedFirst, .timeLimit(.minutes(20 + 3 * Storm.runs)))
struct StormTests {
  @Test(
    "the checker finds what was planted into a history: a lost write, a doubled spend, a stale read and others"
  )
  func checker() async throws {
    let (status, output) = try await onThread { try Python.script("storm/test_checker.py", []) }
    #expect(status == 0 && output.contains("OK"), "\(output)")
  }

  @Test(
    "while links, clocks and daemons fail no acknowledged write is lost or doubled, no read goes backwards, and nothing is overspent",
    .enabled(if: TestNetwork.isPossible, "it takes root, and a system with network namespaces"),
    arguments: 1...Storm.runs)
  func storm(run: Int) async throws {
    let seed = Seed.make(for: "storm \(run)")
    var random = seed.generator
    let home = try await Home(discovering: 5, bridges: 2, catalogue: Storm.catalogue)
    try await home.meet()
    let directory = try TemporaryDirectory()
    let histories = home.devices.map { "\(directory.path)/\($0.name).jsonl" }
    var clients: [StormClient] = []
    for (index, device) in home.devices.enumerated() {
      clients.append(
        try StormClient(
          of: device, in: home.network[index], seed: random.pick(0...1_000_000), history: histories[index]))
    }
    let storm = Storm(home, random)
    try await storm.rage()
    try await storm.heal()
    let healed = ContinuousClock.now
    for client in clients { try await client.rest() }
    let time = try await home.comeTogether(since: healed)
    // Until nobody passes credits to another one meanwhile.
    try await home.until("what clients read is the same") {
      var digests: Set<String> = []
      for client in clients { digests.insert(try await client.read()) }
      return digests.count == 1
    }
    let (status, output) = try await onThread { try Python.script("storm/checker.py", histories) }
    print("storm \(run): together after \(time)\n\(output)")
    #expect(status == 0, "\(seed)\n\(storm.journal.joined(separator: "\n"))\n\(output)")
    if status != 0 { try keep(histories, of: run) }
  }

  /// Keeps what a checker has found something in.
  private func keep(_ histories: [String], of run: Int) throws {
    for history in histories {
      let name = URL(fileURLWithPath: history).lastPathComponent
      let target = "\(NSTemporaryDirectory())/peersync-storm-\(run)-\(name)"
      try? FileManager.default.removeItem(atPath: target)
      try FileManager.default.copyItem(atPath: history, toPath: target)
      print("storm \(run): kept \(target)")
    }
  }
}
