/// Under which keys writes are taken, and up to where; and of these, which decisions count.
package struct Authors: Hashable, Sendable {
  private let members: Set<PublicKey>
  /// Those that were removed, by seniority.
  private let removed: [Removed]
  private let places: [PublicKey: Int]

  /// Up to where writes of a removed device are taken, and up to where its decisions count.
  private struct Removed: Hashable {
    let key: PublicKey
    let taken: VersionVector
    let counted: VersionVector
  }

  /// - Parameter removed: by seniority, with the last write of each replica that is taken, and the last decision that counts; nil:
  ///   all that are taken
  package init(
    members: some Sequence<PublicKey>, removed: [(key: PublicKey, cuts: [Dot], counted: [Dot]?)] = []
  ) {
    self.members = Set(members)
    self.removed = removed.map {
      Removed(key: $0.key, taken: VersionVector($0.cuts), counted: VersionVector($0.counted ?? $0.cuts))
    }
    places = Dictionary(removed.indices.map { (removed[$0].key, $0) }) { first, _ in first }
  }

  init(of group: MembershipGroup) {
    self.init(
      members: group.members.map(\.key), removed: group.removed.map { ($0.device.key, $0.cuts, $0.counted) })
  }

  /// The last decision of a replica that counts; nil: all that are taken.
  package func lastCounted(of replica: ReplicaID, by key: PublicKey) -> UInt64? {
    guard let removed = places[key].map({ removed[$0] }) else { return nil }
    return removed.counted[replica] < removed.taken[replica] ? removed.counted[replica] : nil
  }

  /// The keys of those that were removed.
  package var removedKeys: Set<PublicKey> { Set(places.keys) }

  /// Whether there is more than one member.
  var areSeveral: Bool { members.count > 1 }

  /// Whether writes under a key are taken at all. Of a removed one those up to its cuts are.
  package func contains(_ key: PublicKey) -> Bool { members.contains(key) || places[key] != nil }

  /// The last sequence of a replica that is taken; nil: all are. Of a removed key's replicas nothing is but what a cut says.
  package func cut(of replica: ReplicaID, by key: PublicKey) -> UInt64? {
    if let place = places[key] { return removed[place].taken[replica] }
    return members.contains(key) ? nil : 0
  }

  /// The cuts of replicas that have been met. Of one that has not been it is known only then whose it is: a removal cuts the replicas of
  /// the removed device, whatever others it names.
  package func cuts(of known: [(ReplicaID, PublicKey)]) -> [ReplicaID: UInt64] {
    var cuts: [ReplicaID: UInt64] = [:]
    for (replica, key) in known { cuts[replica] = cut(of: replica, by: key) }
    return cuts
  }
}
