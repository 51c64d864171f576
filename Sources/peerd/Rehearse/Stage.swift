import PeerSync
import PeerSyncSimulation

/// Where a story is played: in virtual time, or by real processes.
protocol Stage {
  /// Takes one step.
  ///
  /// - Throws: ``ScenarioError`` when it cannot be taken, or is not as expected
  mutating func perform(_ step: Scenario.NumberedStep) async throws
  /// What each running device shows now, in the order in which they began.
  func shown() async throws -> [(device: String, shows: Shown)]
  /// Comes to the end of the story.
  mutating func finish() async throws
}

/// A story in virtual time: the devices are real engines; network, disks and clocks are simulated.
struct SimulatedStage: Stage {
  private var runner: ScenarioRunner

  init(_ scenario: Scenario, seed: UInt64) { runner = ScenarioRunner(scenario, seed: seed) }

  mutating func perform(_ step: Scenario.NumberedStep) throws { try runner.perform(step) }

  func shown() -> [(device: String, shows: Shown)] { runner.views.map { ($0.device, Shown($0.view)) } }

  mutating func finish() throws { try runner.finish() }
}
