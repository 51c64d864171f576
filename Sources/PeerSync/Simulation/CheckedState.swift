import PeerSyncCore

/// What the checkers remember from one step to the next, so that a step costs in proportion to what it changed.
struct CheckedState {
  /// How far the claims of each device have been checked.
  var claims: [Int: VersionVector] = [:]
  /// The view that each device was last found to have, rightly.
  var views: [Int: (facts: FactsKey, view: LedgerView)] = [:]
  /// The folds from scratch of what devices hold or held lately.
  private(set) var folds: [FactsKey: LedgerView] = [:]
  /// The checkers' own random numbers: checking more or less does not change what happens.
  var random: RandomState

  /// More folds than these are forgotten: devices behind need those of a few steps back, and older ones nobody.
  private static let foldLimit = 256

  init(seed: UInt64) { random = RandomState(seed: ~seed) }

  mutating func note(_ fold: LedgerView, of facts: FactsKey) {
    if folds.count == Self.foldLimit { folds = [:] }
    folds[facts] = fold
  }
}

/// What a view follows from: the registers and the present.
struct FactsKey: Hashable {
  let digest: Digest
  let present: Instant
}

/// What one step of a device was about.
struct DeviceStep {
  let events: [Event]
  let durable: Durable
  let now: Now
  /// Whether the device has stamped something anew: then what it had just heard, or written, may win again.
  let isStampedAnew: Bool
}
