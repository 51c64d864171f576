import PeerSyncCore
import PeerSyncSimulation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks for the fault that is awake, with stories and then with the simulation: hunt NUMBER SECONDS STORY...
///
/// It prints what has found it; nothing, when nothing has.
@main struct Hunt {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else { return }
    awakeFault = numbers[0]
    for story in arguments.dropFirst(2) {
      if let problem = await play(story) { return print(problem) }
    }
    let clock = ContinuousClock()
    let end = clock.now + .seconds(numbers[1])
    var seed: UInt64 = 1
    while clock.now < end {
      if let problem = simulate(seed) { return print(problem) }
      seed += 1
    }
  }

  private static func play(_ path: String) async -> String? {
    guard let text = contents(of: path) else { return "cannot read \(path)" }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    do throws(ScenarioError) {
      try await ScenarioRunner.run(Scenario(text, file: name), seed: 1)
      return nil
    } catch { return "the story \(error)" }
  }

  /// By turns what goes wrong always, each rare fault, and all of them.
  private static func simulate(_ seed: UInt64) -> String? {
    let kinds = RareFault.allCases
    let turn = Int(seed % UInt64(kinds.count + 2))
    let rare = turn == 0 ? [] : turn <= kinds.count ? [kinds[turn - 1]] : kinds
    let options = SimulationOptions(seed: seed, devices: 2 + Int(seed % 4), duration: 1_800_000, rare: rare)
    return Simulation.run(options).violations.first.map { "\($0); replay: \(options.command)" }
  }

  private static func contents(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
