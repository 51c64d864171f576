import Foundation
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What merging, and encoding what was merged, must obey.
enum Law: String {
  case commutative
  case associative
  case idempotent
  /// A merged state is at least as great as its parts.
  case monotone
  /// What was encoded is decoded as it was.
  case roundTrip = "encode/decode round trip"
  /// Equal states are equal byte for byte: digests are made of bytes.
  case sameBytes = "equal states have equal bytes"
}

/// A law that did not hold, and how to see it again.
struct Violation: CustomStringConvertible {
  let law: Law
  let seed: UInt64
  let triple: Int
  let states: [String]

  var description: String {
    "\(law.rawValue) does not hold: PEERSYNC_SEED=\(seed), triple \(triple)\n"
      + states.joined(separator: "\n")
  }
}

/// Where the random values of a run start: fixed seeds, so that every run checks those, and a fresh one, so that every
/// run checks something new. `PEERSYNC_SEED` replays one seed alone.
enum Seeds {
  static let all: [UInt64] =
    if let text = ProcessInfo.processInfo.environment["PEERSYNC_SEED"], let seed = UInt64(text) {
      [seed]
    } else {
      // The third once found a view that stayed stale.
      [1, 2, 17_758_183_110_187_746_464, UInt64.random(in: 0 ... .max)]
    }
}

/// Checks the laws of ``Mergeable`` over `count` generated triples from each of the seeds: 7,500 in all.
///
/// - Parameter isAtMost: The order in which merging may only lead upwards. Without one, a state counts as at least as
///   great as another when merging that other into it changes nothing.
func checkMergeLaws<State: Mergeable & Generated & WireValue>(
  _: State.Type, count: Int = 2_500, seeds: [UInt64] = Seeds.all,
  isAtMost: (State, State) -> Bool = { $1.merging($0) == $1 },
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for seed in seeds {
    guard let violation = firstViolation(State.self, count: count, seed: seed, isAtMost: isAtMost) else {
      continue
    }
    Issue.record("\(violation)", sourceLocation: sourceLocation)
  }
}

func firstViolation<State: Mergeable & Generated & WireValue>(
  _: State.Type, count: Int = 5_000, seed: UInt64,
  isAtMost: (State, State) -> Bool = { $1.merging($0) == $1 }
) -> Violation? {
  var random = SeededGenerator(seed: seed)
  for number in 0..<count {
    let triple: [State] = generateTriple(number, &random)
    if let law = brokenLaw(triple[0], triple[1], triple[2], isAtMost) {
      return Violation(law: law, seed: seed, triple: number, states: triple.map { "\($0)" })
    }
  }
  return nil
}

/// Three states: now and then the same one thrice or twice, or one that knows the others already.
private func generateTriple<State: Mergeable & Generated>(
  _ number: Int, _ random: inout SeededGenerator
) -> [State] {
  let (first, second, third) = (
    State.generate(&random), State.generate(&random), State.generate(&random)
  )
  return switch number % 8 {
  case 0: [first, first, first]
  case 1: [first, second, first]
  case 2: [first, second, first.merging(second)]
  default: [first, second, third]
  }
}

private func brokenLaw<State: Mergeable & WireValue>(
  _ first: State, _ second: State, _ third: State, _ isAtMost: (State, State) -> Bool
) -> Law? {
  let both = first.merging(second)
  let reversed = second.merging(first)
  if both != reversed { return .commutative }
  if both.encoded != reversed.encoded { return .sameBytes }
  if both.merging(third) != first.merging(second.merging(third)) { return .associative }
  if first.merging(first) != first || both.merging(second) != both || both.merging(both) != both {
    return .idempotent
  }
  if !isAtMost(first, both) || !isAtMost(second, both) { return .monotone }
  for state in [first, both] where !comesBack(state) { return .roundTrip }
  return nil
}

private func comesBack<State: Mergeable & WireValue>(_ state: State) -> Bool {
  let bytes = state.encoded
  guard let decoded = try? State(decoding: bytes) else { return false }
  return decoded == state && decoded.encoded == bytes
}
