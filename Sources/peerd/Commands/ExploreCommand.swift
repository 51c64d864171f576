import PeerSync
import PeerSyncSimulation

/// `peerd explore`: searches a small world whole.
struct ExploreCommand {
  let options: ExploreOptions

  private struct Result: Encodable {
    let seed: UInt64
    let states: Int
    let steps: Int
    let depth: Int
    /// Whether there is nothing beyond that depth.
    let whole: Bool
    let seconds: Double
    let statesPerSecond: Int
    let violation: String?
    /// The steps to it.
    let path: [String]
  }

  func run(_ console: Console) throws {
    let clock = ContinuousClock()
    let start = clock.now
    var explorer = Explorer(options.bounds, seed: options.seed)
    let report = explorer.run()
    let seconds = (clock.now - start) / .seconds(1)
    let result = Result(
      seed: options.seed, states: report.states, steps: report.steps, depth: report.depth,
      whole: report.isWhole, seconds: seconds,
      statesPerSecond: Int(Double(report.steps) / max(seconds, 0.001)),
      violation: report.violation?.description, path: report.path.map(\.english))
    try console.print(result) { text(result, report, console) }
    guard report.violation == nil else { throw ExitStatus.failed }
  }

  private func text(_ result: Result, _ report: Explorer.Report, _ console: Console) -> String {
    let text =
      console.words(
        .explored(
          result.states, depth: result.depth, isWhole: result.whole, steps: result.steps,
          rate: result.statesPerSecond, seed: result.seed)) + "\n"
    guard let violation = report.violation else {
      let holds = console.style.good(console.words(.holds))
      return text + console.words(.everyInvariant(holds, isWhole: result.whole)) + "\n"
    }
    let path = report.path.enumerated().map { index, step in
      "  \(index + 1). " + console.words(Phrase(step.english, step.korean)) + "\n"
    }
    return text + console.style.bad(console.words(.brokenMark)) + ": "
      + console.words(.broken(violation) + .afterSteps) + "\n" + path.joined()
  }
}
