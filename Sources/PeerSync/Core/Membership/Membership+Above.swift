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
    /// The records by which it leaves and knew of whom it has put out. What others of its own name alone, somebody may have made up since.
    let leavings: [Int]
  }

  /// The devices that have put another one out, those of the lowest groups first, and the last writes of each that it has said itself to be
  /// taken where it knew of that one: of several times the highest.
  package func above(
    _ device: PublicKey, preferring preferred: GroupID? = nil
  ) -> [(device: MembershipGroup.Device, cuts: [Dot])] {
    guard let group = group(of: device, preferring: preferred) else { return [] }
    var seen: Set<PublicKey> = []
    return allAbove(device).compactMap { above in
      guard let found = MembershipGroup.Device(rank: above.rank, above.resolution, self),
        !group.hasEverBelonged(found.key), seen.insert(found.key).inserted
      else { return nil }
      let cuts = above.leavings.flatMap { place -> [Dot] in
        guard case .remove(let removal) = entries[place].record.body else { return [] }
        return removal.cuts
      }
      return (found, VersionVector(cuts).entries)
    }
  }

  /// All hosts of a device, and theirs, in each group that it would be in if nobody had signed that he leaves.
  func allAbove(_ device: PublicKey) -> [Above] {
    let index = index
    let everyLeaving = index.everyLeaving
    let own = entries.indices.filter { founding(at: $0)?.key == device }
    let roots = entries.indices.filter { root in own.contains { index.above[$0].contains(root) } }
      .sorted { (index.above[$1].count, entries[$0].hash) < (index.above[$0].count, entries[$1].hash) }
    return roots.flatMap { root in
      let resolution = Resolution(root: root, index: index, membership: self, without: everyLeaving)
      return resolution.way(to: device).map { rank, merge in
        let leavings = index.leavings[resolution.places[rank].founding]
        return Above(
          resolution: resolution, rank: rank,
          leavings: leavings.filter { entries[$0].ancestors.contains(merge) })
      }
    }
  }
}
