/// The membership records that a device knows, and all that follows from them: its group, under which keys writes count and how
/// far, and whose stores are trusted.
///
/// It is worked out here, when records come, and nowhere else: who needs any of it reads it.
package struct Roster: Sendable {
  /// What is known about who belongs to whom.
  package private(set) var records: Membership
  /// The group of this device.
  package private(set) var group: MembershipGroup
  /// Under which keys writes count.
  package private(set) var authors: Authors
  /// SHA-256 of the root certificates of stores that are trusted besides Apple's: those that this device trusts by itself, and
  /// those that the devices of the group brought along.
  package private(set) var trustedRoots: Set<ContentHash>
  /// Who has used up the room for records.
  package private(set) var crowders: [Membership.Crowder]
  /// Who takes over what removed devices held.
  package private(set) var succession: Succession
  /// Whose group it is.
  private let key: PublicKey
  private let ownRoots: Set<ContentHash>
  /// What devices are called other than when they were made.
  private var names: [PublicKey: String] = [:]

  /// - Parameters:
  ///   - identity: the device's; alone in its group when no record introduces it
  ///   - ownRoots: the roots that the device trusts by itself
  package init(of identity: Identity, _ records: Membership, trusting ownRoots: Set<ContentHash>) {
    self.records = records
    self.records.look(from: identity.key, preferring: identity.group)
    self.ownRoots = ownRoots
    key = identity.key
    group =
      self.records.group(of: key, preferring: identity.group)
      ?? MembershipGroup(
        id: identity.group, founding: ContentHash(words: (0, 0, 0, 0)), members: [], removed: [],
        storeRoots: [])
    authors = Authors(of: group)
    trustedRoots = ownRoots.union(group.storeRoots)
    crowders = self.records.crowders
    succession = Succession(self.records, group)
  }

  /// Whether this device has been removed from its group.
  package var isRemoved: Bool { !group.isMember(key) }

  /// Calls devices by names.
  ///
  /// - Parameter names: of all that have another one than when they were made
  /// - Returns: whether any is called something else now
  mutating func call(_ names: [PublicKey: String]) -> Bool {
    guard names != self.names else { return false }
    self.names = names
    // Whoever takes a new name back has its first one again.
    guard let first = records.group(of: key, preferring: group.id) else { return false }
    let after = first.calling(names)
    defer { group = after }
    return after != group
  }

  /// Whether records were given up since this was last asked: see ``Membership/takeGivenUp()``.
  mutating func takeGivenUp() -> Bool { records.takeGivenUp() }

  /// Takes records in.
  ///
  /// - Parameter preferred: the group to be in from now on, where the records put the device into several
  package mutating func insert(
    _ offered: [MembershipRecord], preferring preferred: GroupID? = nil
  ) -> Membership.Insertion {
    let insertion = records.insert(offered)
    let isNew = !insertion.added.isEmpty || preferred != nil
    defer {
      if isNew {
        crowders = records.crowders
        succession = Succession(records, group)
      }
    }
    if isNew, let found = records.group(of: key, preferring: preferred ?? group.id) {
      let after = found.calling(names)
      guard after != group else { return insertion }
      group = after
      self.records.look(from: key, preferring: after.id)
      authors = Authors(of: after)
      trustedRoots = ownRoots.union(after.storeRoots)
    }
    return insertion
  }
}
