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
      violation: report.violation?.description, path: report.path)
    try console.print(result) { text(result, console) }
    guard report.violation == nil else { throw ExitStatus.failed }
  }

  private func text(_ result: Result, _ console: Console) -> String {
    var text =
      "\(result.states) states to a depth of \(result.depth) steps\(result.whole ? ", which is all there are" : ""); "
      + "\(result.steps) steps, \(result.statesPerSecond) a second\n"
    guard let violation = result.violation else {
      return text + "every invariant \(console.style.good("holds"))\n"
    }
    text += "\(console.style.bad("BROKEN")): \(violation), after\n"
    for (index, step) in result.path.enumerated() { text += "  \(index + 1). \(step)\n" }
    return text
  }
}
