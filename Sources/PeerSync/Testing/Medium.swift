import Foundation

/// What devices run on.
public struct Medium: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: Hashable, Sendable {
    case virtualTime([UInt64])
    case daemons
  }

  private let kind: Kind

  /// The engines of the daemon in virtual time, with a network, disks and clocks that are simulated. All that a test leaves
  /// open (how long messages take, in which order they come, ids) follows from the seed; it runs once for each.
  ///
  /// `PEERSYNC_SEED` in the environment runs that seed alone.
  public static func virtualTime(seeds: some Sequence<UInt64>) -> Medium {
    Medium(kind: .virtualTime(Array(seeds)))
  }

  /// Virtual time with one seed. The environment does not change it.
  public static func virtualTime(seed: UInt64) -> Medium { virtualTime(seeds: CollectionOfOne(seed)) }

  /// Virtual time with so many seeds that nobody has tried yet.
  public static func virtualTime(freshSeeds count: UInt64) -> Medium {
    let first = UInt64.random(in: 0...UInt64(UInt32.max))
    return virtualTime(seeds: first..<(first + count))
  }

  /// Virtual time with the seeds 1 to 100.
  public static let virtualTime = virtualTime(seeds: 1...100)

  /// Real daemons in this process: sockets on loopback, TLS, and SQLite in a directory that goes away afterwards.
  public static let daemons = Medium(kind: .daemons)

  /// How tests name it.
  public var description: String {
    switch kind {
    case .daemons: "daemons"
    case .virtualTime(let seeds) where seeds.count == 1: "virtual time, seed \(seeds[0])"
    case .virtualTime(let seeds): "virtual time, \(seeds.count) seeds"
    }
  }

  /// The seeds, or the one that the environment asks for; nil with daemons.
  func seedsToRun() throws(TestFailure) -> [UInt64]? {
    guard case .virtualTime(let seeds) = kind else { return nil }
    return try Self.toRun(seeds)
  }

  /// These seeds, or the one that the environment asks for.
  static func toRun(_ seeds: [UInt64]) throws(TestFailure) -> [UInt64] {
    guard seeds.count != 1, let text = ProcessInfo.processInfo.environment[variable] else { return seeds }
    guard let seed = UInt64(text) else { throw .misuse("\(variable) is a seed, not '\(text)'") }
    return [seed]
  }

  /// Names the seed that is to be run alone.
  static let variable = "PEERSYNC_SEED"
}
