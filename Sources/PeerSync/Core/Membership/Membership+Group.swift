/// What follows from the records.
extension Membership {
  /// The group of a device; nil if no record introduces its key.
  ///
  /// - Parameter preferred: Where the records put the device into several groups, as a stolen key of a device above it can bring
  ///   about, and a disk that was set back to before it joined, the one it is known to be in.
  package func group(of key: PublicKey, preferring preferred: GroupID? = nil) -> MembershipGroup? {
    resolution(of: key, preferring: preferred).map { MembershipGroup($0, self) }
  }

  /// Whether the first device of a group had come under another one that does not belong to it: whoever let it in was removed, and that counts
  /// no more. Not once somebody has come under this group since: it goes on by itself.
  package func isOutWithHost(_ group: MembershipGroup) -> Bool {
    guard group.members.contains(where: { $0.founding == group.founding }) else { return false }
    let foundings = Set((group.members + group.removed.map(\.device)).map(\.founding))
    let gone = entries.indices.filter { place in
      guard case .merge(let merge) = entries[place].record.body else { return false }
      return merge.joiner == group.founding && !foundings.contains(merge.host)
    }
    guard !gone.isEmpty else { return false }
    // Whoever came in before is among what these merges descend from.
    let before = ancestors(of: gone)
    return !entries.indices.contains { place in
      guard case .merge(let merge) = entries[place].record.body else { return false }
      return merge.group == group.founding && foundings.contains(merge.host)
        && foundings.contains(merge.joiner) && !before.contains(place)
    }
  }

  /// Whether a device has signed that it leaves.
  package func hasLeft(_ key: PublicKey) -> Bool {
    entries.contains { entry in
      guard case .remove(let removal) = entry.record.body, !removal.isByRecoveryKey else { return false }
      return removal.target == key && founding(removal.author)?.key == key
    }
  }

  /// A merge by which two devices are of one group: one of them, or who is above it, came under the first of the group by it.
  func merge(of one: PublicKey, with other: PublicKey, preferring preferred: GroupID) -> MembershipRecord? {
    guard let resolution = resolution(of: one, preferring: preferred) else { return nil }
    let paths = (resolution.path(of: one) + resolution.path(of: other)).map { entries[$0].hash }
    return entries.indices.lazy.filter { resolution.counted.contains($0) }.map { entries[$0].record }.first {
      guard case .merge(let merge) = $0.body else { return false }
      return merge.group == entries[resolution.root].hash && paths.contains(merge.joiner)
    }
  }

  /// Each pass works the whole group out, and a member can sign any number of times that it leaves. Honest devices take two.
  private static var mostPasses: Int { 4 }

  /// Works out the group of a founding. Whoever has left is bound by that: nothing counts that it did not know of then. But the last one
  /// stays, though it has signed that it leaves, and goes on. By what it signs once it has let others in it leaves.
  func resolution(ofGroup root: Int, _ index: MembershipIndex) -> Resolution {
    var resolution = Resolution(root: root, index: index, membership: self)
    for _ in 1..<Self.mostPasses {
      let more = leavingsThatLeaveNobody(resolution, index)
      guard !more.isEmpty else { break }
      let void = more.reduce(into: resolution.void) { $0.insert($1) }
      let work = resolution.work
      resolution = Resolution(root: root, index: index, membership: self, without: void)
      resolution.work += work
    }
    return resolution
  }

  /// Those leavings of the last one there that would leave nobody: it had let nobody in that it knew of then and that is out now. One by
  /// which it knew of somebody whom another one puts out leaves that one, and holds.
  private func leavingsThatLeaveNobody(_ resolution: Resolution, _ index: MembershipIndex) -> [Int] {
    guard resolution.places.contains(where: { !$0.leavings.isEmpty }) else { return [] }
    // There may be hundreds of groups of hundreds: of each it is worked out who is in, and nothing else.
    let removals = removals(resolution)
    let members = resolution.firstRanks.filter { removals[$0] == nil }
    guard members.count == 1 else { return [] }
    let last = resolution.places[members[0]]
    let isOut = { (merge: Int) in
      guard !resolution.counted.contains(merge), let edge = index.merges[merge] else { return false }
      // What it did in other groups says nothing of this one.
      return resolution.rank(ofFounding: edge.group) != nil
    }
    let number = index.numberOfFounding[last.founding]
    let out = entries.indices.filter { merge in
      index.merges[merge].map { index.numberOfFounding[$0.host] == number } ?? false && isOut(merge)
    }
    return last.leavings.filter { leaving in
      !out.contains { entries[leaving].ancestors.contains($0) }
    }
  }

  /// The group of a key: of the groups that it or those above it agreed to come under, one that it is in and that is part of no other.
  func resolution(of key: PublicKey, preferring preferred: GroupID? = nil) -> Resolution? {
    if let seen, seen.key == key, seen.preferred == preferred { return seen.resolution }
    let whole = wholeGroups(of: key, among: resolutions(of: key, preferring: preferred))
    return choose(from: whole, preferring: preferred)
  }

  /// The other groups that the device which looks at the records is a member of as well. A stolen key of a device above it can bring that
  /// about, and a disk that was set back. Others may go on in one of these.
  package var otherGroups: [MembershipGroup] {
    guard let seen else { return [] }
    return seen.others.map { MembershipGroup($0, self) }.filter { $0.isMember(seen.key) }
  }

  /// Works out the groups that a key or those above it agreed to come under, and its own, the one with the smallest hash first.
  func resolutions(of key: PublicKey, preferring preferred: GroupID?) -> [Resolution] {
    let index = index
    return resolutions(above: key, preferring: preferred, index) { resolution(ofGroup: $0, index) }
      .sorted { entries[$0.root].hash < entries[$1.root].hash }
  }

  /// Works out the group that a key is known to be in, with those that it agreed to come under, and so on, and the key's own with those: the
  /// nearest first. Whoever stole the first device of one may have agreed to hundreds, so of those that are as near as the thief's
  /// not all may be looked at.
  ///
  /// - Parameter resolve: works out the group of a founding
  func resolutions(
    above key: PublicKey, preferring preferred: GroupID? = nil, _ index: MembershipIndex,
    by resolve: (Int) -> Resolution
  ) -> [Resolution] {
    let own = entries.indices.filter { founding(at: $0)?.key == key }
      .sorted { entries[$0].hash < entries[$1].hash }
    let above = own.reduce(into: RecordSet()) { $0.formUnion(index.above[$1]) }
    let known = entries.indices.filter {
      above.contains($0) && GroupID(founding: entries[$0].hash) == preferred
    }
    // In turn, for a thief may have made up any number above the one of the two, as above the other.
    var waiting = [known, own]
    var found = (known + own).reduce(into: RecordSet()) { $0.insert($1) }
    var resolutions: [Resolution] = []
    var (turn, work) = (0, 0)
    while work < Limits.membershipPlacings,
      let side = [turn, 1 - turn].first(where: { !waiting[$0].isEmpty })
    {
      let resolution = resolve(waiting[side].removeFirst())
      work += Self.workOfGroup + resolution.work
      resolutions.append(resolution)
      for group in index.under[resolution.root] where !found.contains(group) {
        found.insert(group)
        waiting[side].append(group)
      }
      turn = 1 - side
    }
    return resolutions
  }

  /// To begin with a group takes as long as to place some devices.
  private static var workOfGroup: Int { 8 }

  func wholeGroups(of key: PublicKey, among resolutions: [Resolution]) -> [Resolution] {
    Resolution.whole(resolutions).filter { $0.rankOfKey[key] != nil }
  }

  func choose(from whole: [Resolution], preferring preferred: GroupID?) -> Resolution? {
    whole.first { GroupID(founding: entries[$0.root].hash) == preferred } ?? whole.first
  }
}

extension GroupID {
  /// The id of the group of a founding.
  package init(founding: ContentHash) { self.init(high: founding.words.0, low: founding.words.1) }
}

extension MembershipGroup {
  init(_ resolution: Resolution, _ membership: Membership) {
    let removals = membership.removals(resolution)
    let ranks = resolution.firstRanks
    founding = membership.entries[resolution.root].hash
    id = GroupID(founding: founding)
    members = ranks.filter { removals[$0] == nil }.compactMap { Device(rank: $0, resolution, membership) }
    removed = ranks.compactMap { rank in
      guard let effects = removals[rank], let device = Device(rank: rank, resolution, membership) else {
        return nil
      }
      let hasLeft = effects.contains { $0.rank == rank && !$0.removal.isByRecoveryKey }
      return Removed(device: device, effects: effects, isFinal: hasLeft || device.isBound, membership)
    }
    storeRoots = resolution.places.compactMap { membership.founding(at: $0.founding)?.storeRoot }
      .sortedUnique()
  }
}

extension Membership {
  /// The removals that are applied, by the ranks of whom they remove: those of seniors first, recovery keys ahead of their devices, and never
  /// the one that would leave nobody.
  fileprivate func removals(_ resolution: Resolution) -> [Int: [Resolution.Effect]] {
    let count = resolution.firstRanks.count
    var removals: [Int: [Resolution.Effect]] = [:]
    for effect in resolution.effects.sorted(by: { isApplied($0, before: $1) }) {
      guard let rank = resolution.rankOfKey[effect.removal.target],
        removals[rank] != nil || removals.count + 1 < count
      else { continue }
      removals[rank, default: []].append(effect)
    }
    return removals
  }

  private func isApplied(_ left: Resolution.Effect, before right: Resolution.Effect) -> Bool {
    if left.rank != right.rank { return left.rank < right.rank }
    if left.removal.isByRecoveryKey != right.removal.isByRecoveryKey { return left.removal.isByRecoveryKey }
    return precedes(left.record, right.record)
  }
}

extension MembershipGroup.Removed {
  fileprivate init(
    device: MembershipGroup.Device, effects: [Resolution.Effect], isFinal: Bool, _ membership: Membership
  ) {
    self.device = device
    self.isFinal = isFinal
    records = effects.map { membership.entries[$0.record].hash }
    cuts = Self.lowest(effects.map(\.removal.cuts))
    counted = Self.lowest(effects.flatMap { [$0.removal.cuts, $0.removal.counted].compactMap(\.self) })
  }

  /// The lowest entry of each replica that all name.
  private static func lowest(_ lists: [[Dot]]) -> [Dot] {
    var lowest = lists.first ?? []
    for list in lists.dropFirst() {
      let vector = VersionVector(list)
      lowest = lowest.compactMap { cut in
        let sequence = min(cut.sequence, vector[cut.replica])
        return sequence > 0 ? Dot(replica: cut.replica, sequence: sequence) : nil
      }
    }
    return lowest
  }
}

extension MembershipGroup.Device {
  /// The device of a rank.
  init?(rank: Int, _ resolution: Resolution, _ membership: Membership) {
    let place = resolution.places[rank]
    guard let body = membership.founding(at: place.founding) else { return nil }
    founding = membership.entries[place.founding].hash
    key = body.key
    name = body.name
    id = DeviceID(of: key, membership.cryptography)
    host = place.host.map { membership.entries[resolution.places[resolution.firstRank($0)].founding].hash }
    isBound = resolution.ranks(of: key).allSatisfy { resolution.places[$0].isBound }
  }
}
