/// A fault planted in one device, once, at a step where it matters: for seeing the checkers fail.
package enum Sabotage: Sendable, CaseIterable {
  /// A disk acknowledges a transaction and forgets it.
  case lyingDisk
  /// A disk drops the writes of a transaction and keeps the rest.
  case lossyDisk
  /// A value on a disk changes by itself.
  case rot
  /// A vector moves without being durable.
  case unsavedClaim
  /// A device claims a write that it does not have.
  case wrongClaim
  /// A ledger misses what changed.
  case forgetfulLedger
  /// A device that is set back to a backup goes on with the rights to credits that it held then.
  case restoredRights
  /// Devices write anew what others tell them, each time they hear it.
  case echo
}
