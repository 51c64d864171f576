/// Devices that another one came in below and that have put it out: somebody with their keys has signed that they leave, as if they had let
/// nobody in, or has brought them under somebody who removed them so. They are in none of its groups then, and their recovery keys remove
/// them all the same.
extension Membership {
  /// A device that has put another one out.
  struct Above {
    /// A group that both are in as long as nobody leaves.
    let resolution: Resolution
    /// Where the device stands there.
    let rank: Int
    /// The merge by which it let the other one in, or who let that one in.
    let merge: Int
    /// The first record that was heard of those by which it leaves and knew of whom it has put out. What others of its own name alone,
    /// somebody may have made up since.
    let leaving: Int?
  }

  /// A device that another one came in below, and that has put it out.
  package struct FormerHost: Hashable, Sendable {
    package let device: MembershipGroup.Device
    /// The last writes of it that it has said itself to be taken, when it first left and knew of the one that it has put out.
    package let cuts: [Dot]
    /// The others that it has let in, by what is known: of these a removal by a recovery key may bring back some.
    package let letIn: [MembershipGroup.Device]
  }

  /// The devices that have put another one out, those of the lowest groups first.
  package func above(_ device: PublicKey, preferring preferred: GroupID? = nil) -> [FormerHost] {
    guard let group = group(of: device, preferring: preferred) else { return [] }
    var seen: Set<PublicKey> = []
    return allAbove(device).compactMap { above in
      guard let found = MembershipGroup.Device(rank: above.rank, above.resolution, self),
        !group.hasEverBelonged(found.key), seen.insert(found.key).inserted
      else { return nil }
      let places = above.resolution.places
      let letIn = places.indices.filter { places[$0].host == above.rank }
        .compactMap { MembershipGroup.Device(rank: $0, above.resolution, self) }
      return FormerHost(
        device: found, cuts: above.leaving.map(cuts) ?? [], letIn: letIn.filter { $0.key != device })
    }
  }

  private func cuts(_ place: Int) -> [Dot] {
    if case .remove(let removal) = entries[place].record.body { removal.cuts } else { [] }
  }

  /// All hosts of a device, and theirs, in each group that it would be in if nobody had signed that he leaves.
  func allAbove(_ device: PublicKey) -> [Above] {
    let index = index
    let everyLeaving = index.everyLeaving
    let resolutions = resolutions(above: device, index) {
      Resolution(root: $0, index: index, membership: self, without: everyLeaving)
    }
    return resolutions.flatMap { resolution in
      resolution.way(to: device).map { rank, merge in
        let leavings = index.leavings[resolution.places[rank].founding]
        return Above(
          resolution: resolution, rank: rank, merge: merge,
          leaving: leavings.sorted().first { entries[$0].ancestors.contains(merge) })
      }
    }
  }
}

/// Devices that were members here until somebody with the key of the one that had let them in signed that it leaves, as if it had not.
///
/// Nobody can tell that from a device that left, and whose key then let others in. What this device heard first is believed: whoever was a
/// member here before is back once it removes the one that left, unless the person names it as let in by a thief.
extension Membership {
  /// A device that has left, and whom it has put out by that.
  package struct PutOut: Hashable, Sendable {
    /// The device that has left.
    package let host: MembershipGroup.Device
    /// Those that came in below it, by seniority.
    package fileprivate(set) var devices: [MembershipGroup.Device] = []
    /// Whether the device that asks is senior to it: what that one removes brings them back.
    package let isBelow: Bool

    /// Those of them that it had let in itself.
    package var letIn: [MembershipGroup.Device] { devices.filter { $0.host == host.founding } }
  }

  /// Who has put others out, as a device sees its group, by seniority.
  package func putOut(seenBy device: PublicKey, preferring preferred: GroupID? = nil) -> [PutOut] {
    guard let resolution = resolution(of: device, preferring: preferred),
      let own = resolution.rankOfKey[device]
    else { return [] }
    let leaving = resolution.places.indices.compactMap { rank in
      resolution.firstRank(rank) == own
        ? nil : resolution.firstLeaving(of: rank).map { (founding: resolution.places[rank].founding, $0) }
    }
    guard !leaving.isEmpty else { return [] }
    let first = Dictionary(uniqueKeysWithValues: leaving)
    let index = index
    let stayed = self.resolution(resolution, without: leaving.flatMap { index.leavings[$0.founding] })
    var putOut: [Int: PutOut] = [:]
    for (place, seat) in stayed.places.enumerated() where resolution.rank(ofFounding: seat.founding) == nil {
      var host = seat.host
      while let rank = host, first[stayed.places[rank].founding] == nil { host = stayed.places[rank].host }
      guard let founding = host.map({ stayed.places[$0].founding }), let merge = seat.merge,
        let leaving = first[founding], merge < leaving, let rank = resolution.rank(ofFounding: founding),
        let host = MembershipGroup.Device(rank: rank, resolution, self),
        let device = MembershipGroup.Device(rank: place, stayed, self),
        resolution.rankOfKey[device.key] == nil
      else { continue }
      putOut[rank, default: PutOut(host: host, isBelow: own < rank)].devices.append(device)
    }
    return putOut.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Whom a device that has left had removed, and who are members again since: somebody with its key, or its recovery key, has said later that
  /// it had known less.
  package struct BroughtBack: Hashable, Sendable {
    /// The device that has left.
    package let host: MembershipGroup.Device
    /// Those that it had removed, by seniority.
    package let devices: [MembershipGroup.Device]
    /// Whether the device that asks is senior to it: where that one is removed with all that it had decided they stay.
    package let isBelow: Bool
  }

  /// Whom devices that have left brought back so, as another one sees its group, by seniority.
  package func broughtBack(
    seenBy device: PublicKey, preferring preferred: GroupID? = nil
  ) -> [BroughtBack] {
    guard let resolution = resolution(of: device, preferring: preferred),
      let own = resolution.rankOfKey[device]
    else { return [] }
    let index = index
    let later = resolution.places.indices.map { rank -> [Int] in
      guard resolution.firstRank(rank) != own, let first = resolution.firstLeaving(of: rank) else {
        return []
      }
      let founding = resolution.places[rank].founding
      return (index.leavings[founding] + index.ownRecoveries[founding]).filter { $0 > first }
    }
    guard !later.allSatisfy(\.isEmpty) else { return [] }
    let before = self.resolution(resolution, without: later.flatMap(\.self))
    let effects = before.effects
    var broughtBack: [Int: [MembershipGroup.Device]] = [:]
    for member in MembershipGroup(resolution, self).members where member.key != device {
      let authors = effects.filter { $0.removal.target == member.key }
        .compactMap { resolution.rank(ofFounding: before.places[$0.rank].founding) }
        .filter { !later[$0].isEmpty }
      for author in Set(authors.map(resolution.firstRank)) { broughtBack[author, default: []].append(member) }
    }
    return broughtBack.sorted { $0.key < $1.key }.compactMap { rank, devices in
      MembershipGroup.Device(rank: rank, resolution, self)
        .map { BroughtBack(host: $0, devices: devices, isBelow: own < rank) }
    }
  }

  /// What the device is called that has put a group out: it, or whoever it had let in, let the first one of the group in, and it has signed
  /// that it leaves as if it had not. Nil where there is none, or somebody senior to it has removed it who knew nothing of that group:
  /// that one stays out then.
  package func leaver(puttingOut group: MembershipGroup) -> String? {
    guard let first = founding(group.founding) else { return nil }
    let members = Set((group.members + group.removed.map(\.device)).map(\.founding))
    let index = index
    return allAbove(first.key).lazy.compactMap { above -> String? in
      let place = above.resolution.places[above.rank].founding
      let isUnaware = index.leavings[place].contains { !entries[$0].ancestors.contains(above.merge) }
      return isUnaware && !members.contains(entries[place].hash) ? founding(at: place)?.name : nil
    }.first
  }

  /// What would count if a device had not left, and nobody else had removed it, of all that was here before this device heard of that. Whoever
  /// has its key may have had it leave as if it had let nobody in, and a liar may have removed it so.
  func countedUntilOut(_ device: PublicKey, _ resolution: Resolution) -> RecordSet {
    let ranks = resolution.ranks(of: device)
    let foundings = ranks.filter { resolution.firstLeaving(of: $0) != nil }
      .map { resolution.places[$0].founding }
    // What a junior has said of it says nothing of whom it let in.
    let removals = resolution.effects.filter { effect in
      effect.removal.target == device && founding(at: resolution.places[effect.rank].founding)?.key != device
        && ranks.contains { effect.rank < $0 }
    }
    let index = index
    // Where a device stands by another founding as well somebody may be senior to it who is not where it stands first.
    let firsts = ranks.compactMap { rank in
      let binding = removals.filter { $0.rank < rank }.map(\.record)
      return ([resolution.firstLeaving(of: rank)].compactMap(\.self) + binding).min().map {
        (founding: resolution.places[rank].founding, heard: $0)
      }
    }
    guard let last = firsts.map(\.heard).max() else { return RecordSet() }
    let late = firsts.reduce(into: RecordSet()) { late, first in
      let own = index.acts[first.founding] + index.leavings[first.founding]
      for place in own where place > first.heard { late.insert(place) }
    }
    // What counts for nothing by these has left.
    let records = foundings.flatMap { index.leavings[$0] } + removals.map(\.record)
    let stayed = withAllThatLeft.resolution(resolution, without: records)
    return entries.indices.prefix(last).filter {
      stayed.counted.contains($0) && !ancestors(of: [$0]).intersects(late)
    }.reduce(into: RecordSet()) { $0.insert($1) }
  }

  /// By what a device that has left let others in, as this device heard only then, of what does not count.
  func lettingInSinceLeaving(
    of device: PublicKey, _ resolution: Resolution, but known: RecordSet
  ) -> RecordSet {
    let index = index
    return resolution.ranks(of: device).reduce(into: RecordSet()) { since, rank in
      guard let first = resolution.firstLeaving(of: rank) else { return }
      let own = index.acts[resolution.places[rank].founding]
      for place in own where place > first && index.merges[place] != nil && !known.contains(place) {
        since.insert(place)
      }
    }
  }

  /// A group without some of the records by which devices are out.
  private func resolution(_ resolution: Resolution, without records: [Int]) -> Resolution {
    Resolution(
      root: resolution.root, index: index, membership: self,
      without: records.reduce(into: resolution.void) { $0.insert($1) })
  }
}

extension Resolution {
  /// Where the record is by which this device first heard that one leaves; nil of one that has not left, or whom somebody senior has
  /// removed: then that says what counts of it.
  fileprivate func firstLeaving(of rank: Int) -> Int? {
    places[rank].isBoundByOthers || places[rank].host == nil && places[rank].isBound
      ? nil : places[rank].leavings.min()
  }
}
