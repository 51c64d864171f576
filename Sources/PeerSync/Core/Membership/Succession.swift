/// Who takes over what a removed device held, as far as records tell.
///
/// Records name those that their authors knew of. So a device can say ahead that it took over from another one, but not have that one's removal
/// know less than it does.
package struct Succession: Hashable, Sendable {
  /// Those of the removed that are senior to every member, and have been the most senior one, by seniority.
  package let former: [PublicKey]
  /// Who let each device in that is a member, or was one.
  let hosts: [PublicKey: PublicKey]
  /// Who was out already when a device was removed, as all who removed it knew, and nobody knew of any removal of that device who removed it.
  let outBefore: [PublicKey: Set<PublicKey>]
  /// Who was the first of the group that a device was removed from, before that group came under another one: the first one of them took
  /// over first.
  let firstOfGroup: [PublicKey: [PublicKey]]
  /// Those of whom more was taken back than their removal does by itself: `remove --all` says who lied.
  let takenBack: Set<PublicKey>

  package init(
    former: [PublicKey] = [], hosts: [PublicKey: PublicKey] = [:],
    outBefore: [PublicKey: Set<PublicKey>] = [:], firstOfGroup: [PublicKey: [PublicKey]] = [:],
    takenBack: Set<PublicKey> = []
  ) {
    (self.former, self.hosts) = (former, hosts)
    (self.outBefore, self.firstOfGroup, self.takenBack) = (outBefore, firstOfGroup, takenBack)
  }

  /// - Parameter group: as it follows from the records
  package init(_ records: Membership, _ group: MembershipGroup) {
    let resolution = records.resolution
    let seniors = resolution?.places.lazy.compactMap { records.founding(at: $0.founding)?.key }
    former = Array(seniors?.prefix { !group.isMember($0) } ?? [])
    takenBack = Set(group.removed.filter(\.isTakenBack).map(\.device.key))
    guard !group.removed.isEmpty, let resolution else {
      (hosts, outBefore, firstOfGroup) = ([:], [:], [:])
      return
    }
    let devices = group.members + group.removed.map(\.device)
    let byFounding = Dictionary(devices.map { ($0.founding, $0) }) { first, _ in first }
    hosts = Dictionary(
      devices.compactMap { device in device.host.flatMap { byFounding[$0] }.map { (device.key, $0.key) } }
    ) { first, _ in first }
    let removals = group.removed.map { (device: $0.device, records: records.places(of: $0.records)) }
    // What each device knew when it came under the group of another one.
    var known: [ContentHash: RecordSet] = [:]
    for place in records.entries.indices where resolution.counted.contains(place) {
      guard case .merge(let merge) = records.entries[place].record.body else { continue }
      known[merge.joiner] = records.entries[place].ancestors
    }
    let takers = Set(former).union(hosts.values)
    let gone = removals.filter { takers.contains($0.device.key) }
    var (outBefore, firstOfGroup) = ([PublicKey: Set<PublicKey>](), [PublicKey: [PublicKey]]())
    // Also by what counts no more: somebody senior may have made it void by a removal of his own, as if he had not heard of it. Not by what could
    // never have counted, nor by what was taken back.
    func knowsOfRemoval(of device: PublicKey, _ ancestors: RecordSet) -> Bool {
      records.removals(of: device, among: ancestors).contains { removal in
        guard let author = records.place(of: removal.author), let rank = resolution.rank(ofFounding: author)
        else { return false }
        return resolution.concerns(removal, by: rank)
      }
    }
    for (device, own) in removals {
      let above = sequence(first: device) { $0.host.flatMap { byFounding[$0] } }.dropFirst()
      let first = above.filter { host in
        known[host.founding].map { knowsOfRemoval(of: device.key, $0) } ?? false
      }.map(\.key)
      let out = gone.filter { other in
        own.allSatisfy { place in
          other.records.contains { records.entries[place].ancestors.contains($0) }
        } && !first.contains(other.device.key)
          && !other.records.contains { knowsOfRemoval(of: device.key, records.entries[$0].ancestors) }
      }
      if !first.isEmpty { firstOfGroup[device.key] = first }
      if !out.isEmpty { outBefore[device.key] = Set(out.map(\.device.key)) }
    }
    (self.outBefore, self.firstOfGroup) = (outBefore, firstOfGroup)
  }

  /// Whether a device is the most senior member, or may have been when it took over from a removed one: none of the members is
  /// senior to it, or it let that one in, or the one that did. Its group may have come under another one since.
  ///
  /// - Parameter isSenior: whether it is the most senior member now
  package func isCustodian(_ key: PublicKey, isSenior: Bool, of removed: PublicKey) -> Bool {
    // It said so ahead.
    if outBefore[removed]?.contains(key) == true { return false }
    if isSenior || former.contains(key) { return true }
    var host = hosts[removed]
    for _ in 0..<hosts.count {
      guard let current = host, current != key else { break }
      host = hosts[current]
    }
    return host == key
  }
}

extension Membership {
  fileprivate func places(of hashes: [ContentHash]) -> [Int] { hashes.compactMap { place(of: $0) } }
}
