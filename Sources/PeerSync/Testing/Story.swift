import Foundation
import PeerSyncSimulation

/// A story of devices, in the words of docs/testing.md: a text file that a person can read, played in virtual time.
///
/// ```swift
/// try await Story(file: "Stories/renewals-apart.txt").run(seeds: 1...20)
/// ```
public struct Story: Sendable {
  private let scenario: Scenario

  /// Reads a story.
  ///
  /// - Parameter name: what errors call it
  /// - Throws: a ``StoryFailure`` with the line that is no step, or expects nothing that could be
  public init(_ text: String, name: String = "story") throws {
    do {
      scenario = try Scenario(text, file: name)
      try scenario.requireSense()
    } catch { throw StoryFailure(error) }
  }

  /// Reads a story from a file.
  ///
  /// - Throws: a ``StoryFailure``; for a file that cannot be read, the error of the system
  public init(file path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try self.init(text, name: path.split(separator: "/").last.map(String.init) ?? path)
  }

  /// Plays the story. All that it leaves open follows from the seed.
  ///
  /// - Parameters:
  ///   - seed: any number
  ///   - faults: what goes wrong by itself; stories are mostly written for a calm network
  /// - Throws: a ``StoryFailure`` with the first line that does not hold
  public func run(seed: UInt64 = 1, faults: FaultRates = .none) async throws {
    do { try await ScenarioRunner.run(scenario, seed: seed, faults: faults.faults) } catch {
      throw StoryFailure(error, seed: seed)
    }
  }

  /// Plays the story once for each seed, or for the one of `PEERSYNC_SEED` in the environment, up to the first that fails.
  ///
  /// - Throws: a ``StoryFailure`` with the first line that does not hold, and the seed
  public func run(seeds: some Sequence<UInt64>, faults: FaultRates = .none) async throws {
    for seed in try Medium.toRun(Array(seeds)) { try await run(seed: seed, faults: faults) }
  }
}

/// A ``Story`` that cannot be read, or did not go as it says.
public struct StoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the story is called.
  public let story: String
  /// The line in it, from 1.
  public let line: Int
  /// What was expected, and what was seen.
  public let problem: String
  /// The seed under which it failed; nil: it cannot be read.
  public let seed: UInt64?

  init(_ error: ScenarioError, seed: UInt64? = nil) {
    (story, line, problem, self.seed) = (error.file, error.line, error.problem.description, seed)
  }

  /// Where, what, and how to see it again.
  public var description: String {
    let text = "\(story):\(line): \(problem)"
    return seed.map { "\(text)\nTo see it again, run this story with run(seed: \($0))." } ?? text
  }
}
