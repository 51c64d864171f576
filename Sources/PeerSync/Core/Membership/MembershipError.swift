/// Why a record cannot be made.
package enum MembershipError: Error, Hashable, Sendable, CaseIterable {
  /// No record introduces the device.
  case unknownDevice
  /// The device is not a member of the group.
  case notMember
  /// Somebody more senior has removed the device: nothing that it signs counts.
  case removed
  /// The device that invites was removed: whom it lets in does not count.
  case hostRemoved
  /// The device that is to come in belongs to the group.
  case alreadyKnown
  /// The device that is to come in was removed: it belonged to the group, or a member has removed it all the same.
  case joinerRemoved
  /// Only the first device of a group can take the group under another: the other one can come under this one.
  case notFirst
  /// The devices run different apps or environments.
  case otherApp
  /// There is no room for more records: see ``Limits/membershipRecords``.
  case full
  /// The recovery key is that of no device above the one to be removed, or somebody more senior has removed that device.
  case wrongRecoveryKey
  /// The device was removed before, and nothing more of it would be void.
  case removedAlready
  /// The device has left, and is not the first one: its own recovery key takes back nothing of what it said by that.
  case hasLeft
  /// The last member cannot be removed.
  case lastMember
  /// A proposal is not what was agreed on.
  case otherProposal
}
