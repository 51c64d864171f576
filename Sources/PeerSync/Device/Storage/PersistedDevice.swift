/// Everything that a device's storage holds.
package struct PersistedDevice: Sendable {
  package var identity: Identity
  package var replica: Replica
  package let membership: Membership
  package let addresses: [KnownPeer.Listening]
  package let invitation: Invitation?
  /// Whether the device was on the network when it last ran.
  package let isOnline: Bool
  package let time: TrustedTime.Persisted
  /// When members were last heard from, in the order of their ids.
  package let contacts: [KnownPeer.Contact]
  /// What the disk has spoilt and no peer has brought back yet.
  package var damage: Damage?
  /// Since when the database is known to have been set back, and no peer has been in sync with the device.
  package let setBack: Instant?
  /// What waits for other members that may have forgotten it.
  package let setAside: SetAside
  /// What was known when.
  package internal(set) var history: VectorHistory

  /// The root of the sandbox store that the device was made with, if it was: its group trusts it.
  package var storeRoot: ContentHash? {
    for case .found(let founding) in membership.records.map(\.body) where founding.key == identity.key {
      if let root = founding.storeRoot { return root }
    }
    return nil
  }
}
