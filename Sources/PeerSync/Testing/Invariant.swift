import PeerSyncSimulation

/// What must hold whatever happens: the invariants of docs/semantics.md, and what the checkers of virtual time look at besides.
public enum Invariant: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// Once devices know the same, each one's answer is the fold over every purchase that any of them acknowledged.
  case noLostRenewal = "I1 no lost renewal"
  /// Devices with the same facts answer the same.
  case convergence = "I2 convergence"
  /// What was acknowledged survives a crash.
  case durability = "I3 durability"
  /// Never are more credits spent than were bought.
  case noOverspending = "I4 no overspending"
  /// No clock prolongs anything, and nobody vouches for a time that has not come.
  case time = "I6 clocks can't cheat"
  /// What comes again changes nothing.
  case idempotence = "I7 idempotence"
  /// No answer depends on the order of arrival.
  case determinism = "I8 determinism"
  /// No two writes have one name.
  case identity = "I9 identity"
  /// What a device claims to know it holds.
  case claims = "claims hold"
  /// What was due is done.
  case liveness = "liveness"
  /// Every message can be read.
  case messages = "messages decode"
  /// A request has one answer.
  case answers = "one answer a request"
  /// What a dishonest member states is gone once it is removed with all that it decided.
  case takingAway = "I10 nobody takes it away"
  /// What a removed device writes afterwards counts nowhere.
  case removal = "removed devices count no more"
  /// Devices that know everything say little.
  case quiet = "idle devices are quiet"

  /// Its number, where it has one, and its name.
  public var description: String { rawValue }

  /// What a checker of the simulator has found broken.
  init(_ promise: Violation.Promise) { self = Invariant(rawValue: promise.rawValue) ?? .convergence }
}
