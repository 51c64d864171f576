/// A group as it follows from a set of records: a ``Roster`` keeps it up.
package struct MembershipGroup: Hashable, Sendable {
  /// A device of the group.
  package struct Device: Hashable, Sendable {
    package let key: PublicKey
    package let id: DeviceID
    package internal(set) var name: String
    /// What it was called when it was made, where that is something else.
    package internal(set) var firstName: String?
    /// The hash of the record that introduced it.
    package let founding: ContentHash
    /// The founding of the member that took it in; nil for the first.
    package let host: ContentHash?
    /// Whether somebody more senior has removed it: nothing counts that it signs. Whom only juniors have removed is not bound: it may
    /// remove them.
    package let isBound: Bool

    /// - Parameter other: nil: as it is called
    fileprivate mutating func call(_ other: String?) {
      guard let other, other != name else { return }
      (firstName, name) = (firstName ?? name, other)
    }
  }

  /// A device that was removed.
  package struct Removed: Hashable, Sendable {
    package var device: Device
    /// The last write of each of its replicas that is taken, sorted: of several removals the lowest. Of replicas not named none is.
    package let cuts: [Dot]
    /// The last decision of each of its replicas that counts, sorted: of several removals the lowest. Of replicas not named none
    /// does.
    package let counted: [Dot]
    /// The records that removed it, in the order in which they were applied.
    package let records: [ContentHash]
    /// Whether nothing that it has signed and that was not heard of yet could count: somebody more senior removed it, or it
    /// left by itself. Otherwise it may overrule its removal, and whoever removed it.
    package let isFinal: Bool

    /// Whether more of it was taken back than a removal does by itself: `remove --all` says who lied.
    package var isTakenBack: Bool { counted != cuts }
  }

  /// The group's id: the first half of the hash of its most senior founding.
  package let id: GroupID
  /// The hash of its most senior founding.
  package let founding: ContentHash
  /// The members by seniority, at least one.
  package internal(set) var members: [Device]
  /// Those who were members, by seniority.
  package internal(set) var removed: [Removed]
  /// The roots of the sandbox stores that the devices brought along, sorted. Those of removed devices stay: what was
  /// bought counts.
  package let storeRoots: [ContentHash]

  /// The same, with devices called by other names than their first ones.
  func calling(_ names: [PublicKey: String]) -> MembershipGroup {
    guard !names.isEmpty else { return self }
    var named = self
    for index in members.indices { named.members[index].call(names[members[index].key]) }
    for index in removed.indices { named.removed[index].device.call(names[removed[index].device.key]) }
    return named
  }

  /// The lowest device that together with those that came in below it has more than some number of something.
  ///
  /// - Parameters:
  ///   - count: how much of it a device has by itself
  /// - Returns: the device, how many came in below it, one at least, and how much all of them have; nil: none has so much
  package func branch(
    with most: Int, counting count: (Device) -> Int
  ) -> (device: Device, below: Int, count: Int)? {
    let devices = members + removed.map(\.device)
    let places = Dictionary(devices.enumerated().map { ($1.founding, $0) }) { first, _ in first }
    var branches = devices.map { (device: $0, below: -1, count: 0) }
    for device in devices {
      let (own, start) = (count(device), places[device.founding])
      var (place, steps) = (start, 0)
      // Hosts are senior to those that they let in: nobody comes round to itself.
      while let current = place, steps < devices.count {
        branches[current].below += 1
        branches[current].count += own
        (place, steps) = (devices[current].host.flatMap { places[$0] }, steps + 1)
      }
    }
    return branches.filter { $0.count > most && $0.below > 0 }
      .min { ($0.below, $0.device.founding) < ($1.below, $1.device.founding) }
  }

  /// Whether as many are in and out, and as much of what they wrote counts, whatever records say so.
  func isAsMuch(as other: MembershipGroup) -> Bool {
    id == other.id && members == other.members
      && removed.elementsEqual(other.removed) {
        $0.device == $1.device && $0.cuts == $1.cuts && $0.counted == $1.counted
      }
  }

  /// Whether a device is the only member. To one that was removed a single member is somebody else, who brings back what is missing should
  /// the removal be overruled.
  package func isAlone(_ key: PublicKey) -> Bool { members.map(\.key) == [key] }

  /// Whether a key is a member's.
  package func isMember(_ key: PublicKey) -> Bool { members.contains { $0.key == key } }

  /// A device that is a member, or was removed.
  package func device(_ id: DeviceID) -> Device? {
    (members + removed.map(\.device)).first { $0.id == id }
  }

  /// Who took a device in; nil for the first.
  package func host(of device: Device) -> Device? {
    (members + removed.map(\.device)).first { $0.founding == device.host }
  }

  /// The members but for one.
  func others(than device: DeviceID) -> [DeviceID] { members.map(\.id).filter { $0 != device } }

  /// Whether a key is or was a member's.
  package func hasEverBelonged(_ key: PublicKey) -> Bool { isMember(key) || cuts(for: key) != nil }

  /// Where the writes of a removed device end; nil if it was not removed.
  package func cuts(for key: PublicKey) -> [Dot]? { removed.first { $0.device.key == key }?.cuts }
}
