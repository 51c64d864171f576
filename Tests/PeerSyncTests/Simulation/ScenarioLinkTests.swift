import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What happens to links in stories, and whom nobody waits for.
@Suite struct ScenarioLinkTests {
  @Test(
    arguments: [
      // Nothing gets through, and what was sent arrives afterwards, on the same connection.
      "stall A B\nA grants pro\nwait 2s\nexpect A B differ\nsettle\nmend A B\nwait 2s\nexpect all same digest",
      "delay A B 5s\nA grants pro\nwait 2s\nexpect A B differ\nwait 1min\nexpect all same digest",
      "delay A B 5s\nmend A B\nA grants pro\nwait 2s\nexpect all same digest",
      "reset A B\nA grants pro\nsettle\nexpect all same digest",
      "stall A B\ncut A B\nmend A B\nA grants pro\nsettle\nexpect B pro active now",
    ], 1...8 as ClosedRange<UInt64>)
  func links(_ story: String, _ seed: UInt64) async throws {
    try await ScenarioRunner.run(Scenario("devices A B\n" + story, file: "links.txt"), seed: seed)
  }

  @Test(
    arguments: [
      "A removes C\nsettle\nA grants pro\nsettle\nexpect B pro active now",
      "copy C as C2\nsettle\nA grants pro\nsettle\nexpect B pro active now",
    ], 1...8 as ClosedRange<UInt64>)
  func nobodyWaitsForRemovedDevicesAndCopies(_ story: String, _ seed: UInt64) async throws {
    try await ScenarioRunner.run(Scenario("devices A B C\n" + story, file: "gone.txt"), seed: seed)
  }

  @Test(arguments: ["stall A", "delay A B", "delay A B 2d", "reset A B C", "stall A A"])
  func whatIsNoLineIsRefused(_ line: String) async {
    await #expect(throws: ScenarioError.self) {
      try await ScenarioRunner.run(Scenario("devices A B\n" + line, file: "x.txt"), seed: 1)
    }
  }
}
