import PeerSync

/// Why a test with a ``Testbed`` failed.
public struct TestFailure: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Kind: Hashable, Sendable {
    /// What must hold whatever happens does not.
    case broken(Invariant)
    /// The devices do not come to hold the same.
    case notConverged
    /// What the test expects does not hold.
    case expectation
    /// What the test threw.
    case thrown
    /// The test asks for something that cannot be.
    case misuse
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// What was expected, and what was seen.
  public let detail: String
  /// The seed under which it failed; nil with real daemons.
  public internal(set) var seed: UInt64?
  /// The generated schedule that failed, as short as it gets; nil: there was none.
  public internal(set) var schedule: Schedule?
  /// What was done to make it so short.
  var shrinking: String?

  init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  /// What a test threw under a seed.
  init(_ error: any Error, seed: UInt64?) {
    // What Swift Testing throws for `#require` it has recorded before, in better words. Its module is not known here.
    let isRequirement = "\(type(of: error))" == "ExpectationFailedError"
    let other =
      isRequirement
      ? TestFailure(.expectation, "what is required does not hold: see the issue before this one")
      : TestFailure(.thrown, "\(error)")
    self = error as? TestFailure ?? other
    self.seed = self.seed ?? seed
  }

  static func misuse(_ detail: String) -> TestFailure { TestFailure(.misuse, detail) }

  /// What happened, under which seed, and how to see it again.
  public var description: String {
    var text = seed.map { "seed \($0): \(problem)" } ?? problem
    if let shrinking { text += "\n\(shrinking)" }
    if let schedule { text += "\n\(schedule)" }
    guard let seed, kind != .misuse else { return text }
    return text + "\nTo see it again, run this test with \(Medium.variable)=\(seed) in the environment"
      + (schedule == nil
        ? ", or in .virtualTime(seed: \(seed))." : ", or that schedule with Testbed.run(_:).")
  }

  private var problem: String {
    switch kind {
    case .broken(let invariant): "\(invariant) does not hold: \(detail)"
    case .notConverged, .expectation, .thrown, .misuse: detail
    }
  }
}

/// A device did not do what was asked of it.
public struct Refused: Error, Sendable, CustomStringConvertible {
  /// The name of the device.
  public let device: String
  /// Why, with a stable code.
  public let problem: Problem

  init(_ device: String, _ refusal: Refusal, _ request: Request) {
    self.device = device
    if case .notEnough(let shortage) = refusal, case .spend(let spending) = request {
      problem = Problem(shortage, spending)
    } else {
      problem = Problem(refusal)
    }
  }

  /// Who refuses, and why.
  public var description: String { "\(device) refuses: \(problem)" }
}
