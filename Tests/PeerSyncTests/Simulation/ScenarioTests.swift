import Foundation
import PeerSyncSimulation
import Testing

/// Stories of devices, as files a person can read: `docs/stories/*.txt`.
@Suite struct ScenarioTests {
  static let files = ScenarioFile.all

  @Test(arguments: files) func holdsUnderEverySeed(_ file: ScenarioFile) async throws {
    let scenario = try Scenario(file.text, file: file.name)
    try scenario.requireSense()
    for seed in ScenarioFile.seeds {
      await #expect(throws: Never.self, "seed \(seed)") { try await ScenarioRunner.run(scenario, seed: seed) }
    }
  }

  @Test(arguments: files) func holdsWhereMessagesAreSlowDoubledAndOutOfOrder(_ file: ScenarioFile)
    async throws
  {
    let scenario = try Scenario(file.text, file: file.name)
    var faults = Faults.none
    (faults.delay, faults.duplication, faults.reordering) = (1_000, 50, 50)
    for seed in ScenarioFile.seeds {
      await #expect(throws: Never.self, "seed \(seed)") {
        try await ScenarioRunner.run(scenario, seed: seed, faults: faults)
      }
    }
  }

  /// [B23] the other way round: here the device that dialled is the one that holds a write back.
  @Test func whatTheDialledDeviceWroteAheadComesToo() async throws {
    let text = try #require(Self.files.first { $0.name.hasPrefix("B23-") }).text
      .replacing("Phone", with: "Someone").replacing("Tablet", with: "Phone").replacing(
        "Someone", with: "Tablet"
      )
      .replacing("devices Tablet Phone", with: "devices Phone Tablet")
    let scenario = try Scenario(text, file: "B23-the-other-way-round.txt")
    for seed: UInt64 in 1...6 {
      await #expect(throws: Never.self, "seed \(seed)") { try await ScenarioRunner.run(scenario, seed: seed) }
    }
  }

  /// [F64] A device that is set back again and again syncs in its 200th life as in its first.
  @Test func whatADeviceDoesInItsTwoHundredthLifeReachesAll() async throws {
    var lines = [
      "product month nonRenewingSubscription line club period P1M entitlements club", "devices A B",
      "A buys month at 2026-01-01 as first", "settle", "backup A",
    ]
    for life in 2...200 { lines += ["restore A", "A grants life-\(life)", "wait 20s"] }
    lines += ["A buys month at 2026-01-02 as last", "wait 10min", "expect all same digest"]
    lines += ["A", "B"].map { "expect \($0) club until 2026-03-01" }
    lines += ["expect B life-2 active now", "expect B life-200 active now"]
    let scenario = try Scenario(lines.joined(separator: "\n"), file: "F64.txt")
    try await ScenarioRunner.run(scenario, seed: 1)
  }

  @Test func everyRequiredCaseHasAFile() {
    let cases =
      (1...10).map { "A\($0)" } + (11...26).map { "B\($0)" } + (27...41).map { "C\($0)" }
      + (42...45).map { "D\($0)" } + (46...51).map { "E\($0)" }
      + ["E54", "F55", "F56", "F59", "F62", "F63", "F66", "F68", "F69", "F70", "F71"]
    for name in cases {
      let file = Self.files.first { $0.name.hasPrefix("\(name)-") }
      #expect(file?.text.hasPrefix("# [\(name)] ") == true, "no file begins with `# [\(name)] `")
    }
    let names = Set(Self.files.map(\.name))
    #expect(names.isSuperset(of: ["explicit-date.txt", "replaced-write.txt"]))
  }

  @Test func theSameSeedGoesTheSameWay() async throws {
    let file = try #require(Self.files.first { $0.name.hasPrefix("A9-") })
    let scenario = try Scenario(file.text, file: file.name)
    var runs: [UInt64] = []
    for seed: UInt64 in [1, 1, 2] {
      runs.append(try await ScenarioRunner.run(scenario, seed: seed).traceHash)
    }
    #expect(runs[0] == runs[1] && runs[0] != runs[2])
  }
}

/// A scenario on disk.
struct ScenarioFile: CustomTestStringConvertible {
  let name: String
  let text: String

  var testDescription: String { name }

  /// `PEERSYNC_SEED` runs one seed alone.
  static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["PEERSYNC_SEED"].flatMap { UInt64($0) }.map { [$0] }
    ?? Array(1...6) + [UInt64.random(in: .min ... .max)]

  /// Every file of the directory.
  static let all: [ScenarioFile] = {
    let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent()
    }
    .appendingPathComponent("docs/stories")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".txt") }.sorted().map { name in
      let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      return ScenarioFile(name: name, text: text ?? "")
    }
  }()
}
