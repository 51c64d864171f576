import Foundation
import PeerSyncCore
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
    let start =
      "simulating \(options.devices) devices for \(duration) of virtual time, \(options.seeds) "
      + "seed\(options.seeds == 1 ? "" : "s") from \(first)"
      + (options.faults.isEmpty ? "" : ", with " + options.faults.map(\.rawValue).joined(separator: ", "))
    if !console.json { try console.print(line: start) }
    var outcomes: [Outcome] = []
    var broken: Set<Violation.Promise> = []
    for index in 0..<UInt64(options.seeds) {
      let report = Simulation.run(simulation(seed: first &+ index))
      broken.formUnion(report.violations.map(\.promise))
      outcomes.append(outcome(report))
      showProgress(outcomes, console)
    }
    try finish(outcomes, broken, console)
  }

  private var duration: String {
    options.minutes % 60 == 0 ? "\(options.minutes / 60) h" : "\(options.minutes) min"
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
    FileHandle.standardError.write(Data("\r\(outcomes.count) of \(options.seeds)\(end)".utf8))
  }

  private func finish(_ outcomes: [Outcome], _ broken: Set<Violation.Promise>, _ console: Console) throws {
    let failed = outcomes.filter { !$0.violations.isEmpty }
    let invariants = Violation.Promise.allCases.map { ($0, !broken.contains($0)) }
    let result = Result(
      seeds: outcomes.count, failed: failed.count,
      invariants: Dictionary(uniqueKeysWithValues: invariants.map { ($0.rawValue, $1) }), runs: outcomes)
    try console.print(result) { text(outcomes, invariants, console) }
    for outcome in failed { Console.complain("\(outcome.violations[0]); replay: \(outcome.replay)") }
    if !failed.isEmpty { throw ExitStatus.failed }
  }

  private func state(
    _ promise: Violation.Promise, holds: Bool, _ outcomes: [Outcome], _ console: Console
  ) -> String {
    guard holds else { return console.style.bad("BROKEN") }
    return untested(promise, outcomes).map { "not tested (\($0))" } ?? console.style.good("holds")
  }

  /// Why nothing has put a promise to the test, so that it holds in an empty sense; nil when something has.
  private func untested(_ promise: Violation.Promise, _ outcomes: [Outcome]) -> String? {
    switch promise {
    case .removal where !options.faults.contains(.removals): "--faults removals"
    case .removal where outcomes.allSatisfy { $0.removals == 0 }: "nobody was removed in so short a time"
    case .takingAway where !options.faults.contains(.dishonesty): "--faults dishonesty"
    case .takingAway where outcomes.allSatisfy { $0.rare["dishonesty"] == nil }:
      "nobody was dishonest in so short a time"
    default: nil
    }
  }

  private func text(
    _ outcomes: [Outcome], _ invariants: [(Violation.Promise, Bool)], _ console: Console
  ) -> String {
    var table = console.table(.text(.same("PROMISE")), .text(.same("STATE")))
    for (promise, holds) in invariants {
      table.add([promise.rawValue, state(promise, holds: holds, outcomes, console)])
    }
    func sum(_ value: (Outcome) -> Int) -> Int { outcomes.reduce(0) { $0 + value($1) } }
    let slowest = outcomes.map(\.convergenceMilliseconds).max() ?? 0
    var text =
      "\(sum(\.steps)) steps, \(sum(\.messages)) messages, \(sum(\.writes)) durable writes, "
      + "\(sum(\.acknowledged)) acknowledged requests, \(sum(\.crashes)) crashes, \(sum(\.partitions)) partitions; "
      + "converged at most \(ClockSpan(milliseconds: Int64(clamping: slowest))) of virtual time after the last fault\n"
    if outcomes.count == 1 { text += "digest \(outcomes[0].digest), trace hash \(outcomes[0].traceHash)\n" }
    return text + table.text
  }
}
