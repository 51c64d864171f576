/// A broken promise, found by a checker.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// Which promise, by its id in docs/semantics.md where it has one.
  package enum Promise: String, Sendable, CaseIterable {
    case noLostRenewal = "I1 no lost renewal"
    case convergence = "I2 convergence"
    case durability = "I3 durability"
    case noOverspending = "I4 no overspending"
    case removal = "removed devices count no more"
    case idempotence = "I7 idempotence"
    case determinism = "I8 determinism"
    case identity = "I9 identity"
    case claims = "claims hold"
    case liveness = "liveness"
    case undecodable = "messages decode"
    case quiet = "idle devices are quiet"
    case answers = "one answer a request"
    case time = "I6 clocks can't cheat"
    case takingAway = "I10 nobody takes it away"
  }

  package let promise: Promise
  package let time: UInt64
  package let detail: String

  package var description: String { "\(promise.rawValue) broken at \(time) ms: \(detail)" }
}
