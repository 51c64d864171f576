import Foundation
import PeerSync
import PeerSyncSimulation

/// `peerd rehearse`: plays a story and shows what every device says at each step.
struct RehearseCommand {
  let options: RehearseOptions

  /// How a story went.
  private struct Report: Encodable {
    let file: String
    let simulated: Bool
    /// Nil with real processes.
    let seed: UInt64?
    var steps: [Step] = []
    /// What was expected and what was seen; nil when the story holds.
    var failure: String?

    struct Step: Encodable {
      let line: Int
      let text: String
      /// What each device shows, where that has changed.
      var devices: [Device] = []
    }

    struct Device: Encodable {
      let name: String
      let shows: [String]
    }
  }

  func run(_ console: Console) async throws {
    let scenario = try read()
    let signals = Cleanup.whenStopped()
    defer { withExtendedLifetime(signals) {} }
    let seed = options.isSimulated ? options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) : nil
    if !console.json { try console.print(line: title(scenario.file, seed)) }
    var report = Report(file: scenario.file, simulated: options.isSimulated, seed: seed)
    do {
      if let seed {
        try await play(scenario, on: VirtualStage(seed: seed), &report, console)
      } else {
        try await play(scenario, on: ProcessStage(), &report, console)
      }
    } catch let error as ScenarioError {
      report.failure = error.description
    }
    try finish(report, console)
    if let failure = report.failure { throw Failure(failure + (seed.map { " (--seed \($0))" } ?? "")) }
  }

  private func read() throws -> Scenario {
    let name = options.file.split(separator: "/").last.map(String.init) ?? options.file
    let handle = options.file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: options.file)
    guard let bytes = try? handle?.read(upToCount: Self.fileLimit + 1) else {
      throw Failure("\(options.file) cannot be read, or is empty: check its name and who may read it")
    }
    guard bytes.count <= Self.fileLimit else {
      throw Failure("\(options.file) is larger than \(Self.fileLimit) bytes: divide the story")
    }
    do throws(ScenarioError) {
      let scenario = try Scenario(String(decoding: bytes, as: UTF8.self), file: name)
      try scenario.requireSense()
      return scenario
    } catch {
      throw Failure(error.description)
    }
  }

  /// Longest file of a story, in bytes.
  private static let fileLimit = 1_048_576

  private func title(_ file: String, _ seed: UInt64?) -> String {
    seed.map { "\(file), in virtual time, seed \($0)" } ?? "\(file), played by real processes"
  }

  private func play(
    _ scenario: Scenario, on stage: some ShownStage, _ report: inout Report, _ console: Console
  ) async throws {
    var runner = ScenarioRunner(scenario, on: stage)
    var last: [String: Shown] = [:]
    for numbered in scenario.steps {
      if !console.json {
        try console.print(line: "\(numbered.line)".leftPadded(to: 4) + "  \(numbered.text)")
      }
      report.steps.append(Report.Step(line: numbered.line, text: numbered.text))
      try await runner.perform(numbered)
      guard !numbered.step.isExpectation else { continue }
      for (device, name) in runner.runningDevices {
        guard let shows = try await stage.shows(device), last[name] != shows else { continue }
        last[name] = shows
        report.steps[report.steps.count - 1].devices.append(Report.Device(name: name, shows: shows.words))
        if !console.json { try console.print(line: text(name, shows, console)) }
      }
    }
    try runner.finish()
  }

  private func text(_ device: String, _ shows: Shown, _ console: Console) -> String {
    let words = shows.words.isEmpty ? "nothing" : shows.words.joined(separator: "; ")
    return "        \(console.style.bold(device)) shows \(words)"
  }

  private func finish(_ report: Report, _ console: Console) throws {
    try console.print(report) {
      report.failure == nil ? "\(console.style.good("the story holds")): \(report.steps.count) steps\n" : ""
    }
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
