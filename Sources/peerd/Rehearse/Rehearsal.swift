import PeerSync
import PeerSyncSimulation

/// How a story went that was played: what every device showed at each step.
struct Rehearsal: Encodable {
  let file: String
  let simulated: Bool
  /// Nil with real processes.
  let seed: UInt64?
  private(set) var steps: [Step] = []
  /// What was expected and what was seen; nil when the story holds.
  private(set) var failure: String?
  private(set) var failureInKorean: String?
  /// The same for people.
  private(set) var failureTold: Phrase?
  private let scenario: Scenario

  /// A line of the story.
  struct Step: Encodable {
    let line: Int
    let text: String
    /// What each device shows, where that has changed.
    fileprivate(set) var devices: [Device] = []
  }

  /// A device, and what it shows.
  struct Device: Encodable {
    let name: String
    let shows: [String]
    let showsInKorean: [String]
    /// The same for people.
    let told: [Phrase]

    private enum CodingKeys: CodingKey { case name, shows, showsInKorean }

    fileprivate init(name: String, _ shown: Shown) {
      (self.name, shows, told) = (name, shown.words, shown.told)
      showsInKorean = shown.told.map { $0.text(in: .korean) }
    }
  }

  private enum CodingKeys: CodingKey { case file, simulated, seed, steps, failure, failureInKorean }

  /// - Parameter seed: nil: it is played by real processes
  init(_ scenario: Scenario, seed: UInt64?) {
    (file, simulated, self.seed, self.scenario) = (scenario.file, seed != nil, seed, scenario)
  }

  /// Plays the story to its end, or until something is not as expected: see ``failure``.
  ///
  /// - Parameters:
  ///   - begins: told of each step before it is taken
  ///   - shown: told of each device that shows something else after it
  mutating func play(
    begins: (Step) throws -> Void = { _ in }, shown: (Device) throws -> Void = { _ in }
  ) async throws {
    do {
      if let seed {
        try await play(on: VirtualStage(seed: seed) { ScenarioProblem(Problem($0).told) }, begins, shown)
      } else {
        try await play(on: ProcessStage(), begins, shown)
      }
    } catch let error as ScenarioError {
      (failure, failureInKorean, failureTold) = (error.description, error.inKorean, error.told)
    }
  }

  private mutating func play(
    on stage: some ShownStage, _ begins: (Step) throws -> Void, _ shown: (Device) throws -> Void
  ) async throws {
    var runner = ScenarioRunner(scenario, on: stage)
    var last: [String: Shown] = [:]
    for numbered in scenario.steps {
      var entry = Step(line: numbered.line, text: numbered.text)
      try begins(entry)
      steps.append(entry)
      try await runner.perform(numbered)
      guard !numbered.step.isExpectation else { continue }
      for (device, name) in runner.runningDevices {
        guard let shows = try await stage.shows(device), last[name] != shows else { continue }
        last[name] = shows
        entry.devices.append(Device(name: name, shows))
      }
      steps[steps.count - 1] = entry
      for device in entry.devices { try shown(device) }
    }
    try runner.finish()
  }
}
