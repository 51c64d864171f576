import Foundation
import PeerSync
import PeerSyncSimulation

/// `peerd simulate`: runs seeds of the simulation and reports the invariants.
struct SimulateCommand {
  let options: SimulateOptions

  /// What one seed came to.
  private struct Outcome: Encodable {
    let seed: UInt64
    let devices: Int
    let hours: Double
    let faults: [String]
    let steps: Int
    let messages: Int
    let bytes: Int
    let writes: Int
    let acknowledged: Int
    let crashes: Int
    let partitions: Int
    let removals: Int
    let restores: Int
    /// How often each of the others of ``faults`` happened.
    let rare: [String: Int]
    let registers: Int
    let convergenceMilliseconds: UInt64
    let digest: String
    let traceHash: String
    let violations: [String]
    /// The command that runs just this again.
    let replay: String
  }

  private struct Result: Encodable {
    let seeds: Int
    let failed: Int
    let invariants: [String: Bool]
    let runs: [Outcome]
  }

  func run(_ console: Console) throws {
    let first = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
    if !console.json { try console.print(line: console.words(.simulates(options, from: first))) }
    var outcomes: [Outcome] = []
    var broken: [Violation] = []
    for index in 0..<UInt64(options.seeds) {
      let report = Simulation.run(simulation(seed: first &+ index))
      broken += report.violations
      outcomes.append(outcome(report))
      showProgress(outcomes, console)
    }
    try finish(outcomes, broken, console)
  }

  private func simulation(seed: UInt64) -> SimulationOptions {
    SimulationOptions(
      seed: seed, devices: options.devices, duration: UInt64(options.minutes) * 60_000, rare: options.faults)
  }

  private func outcome(_ report: SimulationReport) -> Outcome {
    let (seed, counts) = (report.options.seed, report.counts)
    return Outcome(
      seed: seed, devices: options.devices, hours: Double(options.minutes) / 60,
      faults: options.faults.map(\.rawValue), steps: counts.steps,
      messages: counts.messages,
      bytes: counts.bytes, writes: counts.writes, acknowledged: counts.acknowledged, crashes: counts.crashes,
      partitions: counts.partitions, removals: counts.removals, restores: counts.restores,
      rare: Dictionary(uniqueKeysWithValues: counts.rare.map { ($0.key.rawValue, $0.value) }),
      registers: report.registers, convergenceMilliseconds: report.convergence,
      digest: report.digest.description, traceHash: hexadecimal(report.traceHash),
      violations: report.violations.map(\.description),
      replay: report.options.command)
  }

  /// Long work says how far it is, to a person only.
  private func showProgress(_ outcomes: [Outcome], _ console: Console) {
    guard options.seeds > 1, isatty(STDERR_FILENO) == 1 else { return }
    let end = outcomes.count == options.seeds ? "\r\u{1b}[K" : ""
    FileHandle.standardError.write(
      Data("\r\(console.words(.done(outcomes.count, of: options.seeds)))\(end)".utf8))
  }

  private func finish(_ outcomes: [Outcome], _ broken: [Violation], _ console: Console) throws {
    let failed = outcomes.filter { !$0.violations.isEmpty }
    let invariants = Violation.Promise.allCases.map { promise in
      (promise, !broken.contains { $0.promise == promise })
    }
    let result = Result(
      seeds: outcomes.count, failed: failed.count,
      invariants: Dictionary(uniqueKeysWithValues: invariants.map { ($0.rawValue, $1) }), runs: outcomes)
    try console.print(result) { text(outcomes, invariants, console) }
    for outcome in failed {
      let first = broken.first { "\($0)" == outcome.violations[0] }
      Console.complain(console.words(.replay(first.map { .broken($0) } ?? .same(""), outcome.replay)))
    }
    if !failed.isEmpty { throw ExitStatus.failed }
  }

  private func state(
    _ promise: Violation.Promise, holds: Bool, _ outcomes: [Outcome], _ console: Console
  ) -> String {
    guard holds else { return console.style.bad(console.words(.brokenMark)) }
    return untested(promise, outcomes).map { console.words(.notTested($0)) }
      ?? console.style.good(console.words(.holds))
  }

  /// Why nothing has put a promise to the test, so that it holds in an empty sense; nil when something has.
  private func untested(_ promise: Violation.Promise, _ outcomes: [Outcome]) -> Phrase? {
    switch promise {
    case .removal where !options.faults.contains(.removals): .same("--faults removals")
    case .removal where outcomes.allSatisfy { $0.removals == 0 }: .nobodyRemoved
    case .takingAway where !options.faults.contains(.dishonesty): .same("--faults dishonesty")
    case .takingAway where outcomes.allSatisfy { $0.rare["dishonesty"] == nil }:
      .nobodyDishonest
    default: nil
    }
  }

  private func text(
    _ outcomes: [Outcome], _ invariants: [(Violation.Promise, Bool)], _ console: Console
  ) -> String {
    var table = console.table(.text(.promise), .text(.state))
    for (promise, holds) in invariants {
      table.add([
        console.words(.told(promise)), state(promise, holds: holds, outcomes, console),
      ])
    }
    func sum(_ value: (Outcome) -> Int) -> Int { outcomes.reduce(0) { $0 + value($1) } }
    let slowest = outcomes.map(\.convergenceMilliseconds).max() ?? 0
    let counts = [
      sum(\.steps), sum(\.messages), sum(\.writes), sum(\.acknowledged), sum(\.crashes), sum(\.partitions),
    ]
    var text = console.words(.simulated(counts, slowest: slowest)) + "\n"
    if outcomes.count == 1 {
      text += console.words(.trace(outcomes[0].traceHash, digest: outcomes[0].digest)) + "\n"
    }
    return text + table.text
  }
}
