import PeerSync
import PeerSyncSimulation

/// A stage of which `peerd rehearse` shows each device.
protocol ShownStage: ScenarioStage {
  /// What a device shows now, if it runs.
  func shows(_ device: Int) async throws -> Shown?
}

extension VirtualStage: ShownStage {
  func shows(_ device: Int) -> Shown? { view(of: device).map { Shown($0) } }
}

extension ProcessStage: ShownStage {
  func shows(_ device: Int) async throws -> Shown? { Shown(try await devices[device].status()) }
}

extension ScenarioProblem {
  /// What a phrase says.
  init(_ told: Phrase) { self.init(told.text(in: .english), told.text(in: .korean)) }

  /// The problem, for people.
  var told: Phrase { Phrase(description, inKorean) }
}

extension ScenarioError {
  /// Where a story does not hold, and why, for people.
  var told: Phrase { Phrase(description, inKorean) }
}
