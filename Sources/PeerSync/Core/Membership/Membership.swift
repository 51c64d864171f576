/// Everything a device knows about who belongs to whom: a set of signed records that only grows.
///
/// Who is a member is never stored. It follows from the set (``group(of:preferring:)``), so that devices with the same
/// records agree, in whatever order the records came. docs/membership.md tells the rule and its reasons.
///
/// A set holds records that hang together only: each with all of its parents, and each linked to the first founding.
package struct Membership: Sendable {
  /// A record with what is asked of it again and again.
  struct Entry: Sendable {
    let record: MembershipRecord
    let hash: ContentHash
    /// The length of the longest way back to a founding. Together with the hash it orders records.
    let depth: Int
    /// All records the author knew of. The record itself is not among them.
    let ancestors: RecordSet
  }

  let cryptography: Cryptography
  /// The records in the order they came, parents first.
  private(set) var entries: [Entry] = []
  /// The bytes of all records, encoded.
  private(set) var bytes = 0
  /// The records that have left: of devices that were removed, and counting for nothing. They are told to nobody, and are
  /// kept for as long as there is room, should the removal be overruled.
  private(set) var left = RecordSet()
  /// Whether some of them were given up since somebody last asked.
  private var hasGivenUp = false
  /// For whom it is decided what has left; nil: nothing leaves.
  var viewpoint: (key: PublicKey, group: GroupID)?
  /// Who did what, by the records that have not left; nil where it was not worked out since one came.
  private var known: MembershipIndex?
  /// How the set looks from ``viewpoint``; nil where it was not worked out since a record came.
  private(set) var seen: Sight?
  /// About what that took: see ``Insertion/work``.
  private(set) var work = 0
  private var places: [ContentHash: Int] = [:]
  private var removals: [PublicKey: [Int]] = [:]

  /// The group of a device, by the records that have not left.
  struct Sight {
    let key: PublicKey
    let preferred: GroupID?
    let resolution: Resolution?
    /// The other groups that the device is in and that are part of no other one.
    let others: [Resolution]
  }

  /// The empty set. The first founding that is inserted is the one all others have to be linked to.
  package init(cryptography: Cryptography) { self.cryptography = cryptography }

  /// How many records there are, without those that have left.
  package var count: Int { entries.count - left.count }

  /// Whether a record is in the set.
  package func contains(_ hash: ContentHash) -> Bool { places[hash] != nil }

  /// A record by its hash.
  package subscript(hash: ContentHash) -> MembershipRecord? { place(of: hash).map { entries[$0].record } }

  func place(of hash: ContentHash) -> Int? { places[hash] }

  func founding(_ hash: ContentHash) -> MembershipRecord.Founding? {
    place(of: hash).flatMap { founding(at: $0) }
  }

  func founding(at place: Int) -> MembershipRecord.Founding? {
    if case .found(let founding) = entries[place].record.body { founding } else { nil }
  }

  /// The removals of a key among some records.
  func removals(of key: PublicKey, among records: RecordSet) -> [MembershipRecord.Removal] {
    removals[key, default: []].compactMap { place in
      guard records.contains(place), case .remove(let removal) = entries[place].record.body else {
        return nil
      }
      return removal
    }
  }

  /// Whether one of some records removes a key, by one of these devices or its recovery key.
  func knowsOfRemoval(of key: PublicKey, by authors: [PublicKey], _ records: RecordSet) -> Bool {
    removals(of: key, among: records).contains { removal in
      founding(removal.author).map { authors.contains($0.key) } ?? false
    }
  }

  /// Adds a record that was checked, and whose parents are here.
  mutating func append(_ record: MembershipRecord, hash: ContentHash) {
    let place = entries.count
    let parents = record.parents.compactMap { places[$0] }
    entries.append(
      Entry(
        record: record, hash: hash, depth: (parents.map { entries[$0].depth }.max() ?? -1) + 1,
        ancestors: ancestors(of: parents)))
    places[hash] = place
    (known, seen) = (nil, nil)
    bytes += record.encoded.count
    if case .remove(let removal) = record.body { removals[removal.target, default: []].append(place) }
  }

  /// Has records leave that count for nothing in the group of a device.
  package mutating func look(from key: PublicKey, preferring group: GroupID) {
    viewpoint = (key, group)
    refresh()
    giveUp()
  }

  /// The same set as if nothing had left.
  var withAllThatLeft: Membership {
    var all = self
    (all.left, all.known, all.seen) = (RecordSet(), nil, nil)
    return all
  }

  /// The records that have not left, as nobody in particular sees them: what another device is told.
  var seenByNobody: Membership {
    var present = Membership(cryptography: cryptography)
    for place in entries.indices where !left.contains(place) {
      present.append(entries[place].record, hash: entries[place].hash)
    }
    return present
  }

  /// All records that are held, with those that have left, parents first.
  package var held: [MembershipRecord] { entries.map(\.record) }

  /// Whether records were given up since this was last asked: ``held`` is then less than what came in.
  package mutating func takeGivenUp() -> Bool {
    defer { hasGivenUp = false }
    return hasGivenUp
  }

  /// Works out anew what has left, and how the rest looks: once, for all that is asked until the next record comes.
  mutating func refresh() {
    (left, work) = (RecordSet(), 0)
    see()
    guard let viewpoint, let resolution = seen?.resolution else { return }
    left = leaving(by: resolution, seenBy: viewpoint.key)
    if left.count > 0 { see() }
  }

  private mutating func see() {
    (known, seen) = (nil, nil)
    let index = index
    known = index
    // Each record is gone over several times.
    work += 4 * entries.count + index.work
    guard let viewpoint else { return }
    let resolutions = resolutions(of: viewpoint.key, preferring: viewpoint.group)
    work += resolutions.reduce(0) { $0 + $1.work }
    let whole = wholeGroups(of: viewpoint.key, among: resolutions)
    let resolution = choose(from: whole, preferring: viewpoint.group)
    seen = Sight(
      key: viewpoint.key, preferred: viewpoint.group, resolution: resolution,
      others: whole.filter { $0.root != resolution?.root })
  }

  /// Gives up of what has left, where it is too much.
  mutating func giveUp() {
    let isOver = entries.count > Limits.membershipKept || bytes > Limits.membershipMostBytes
    guard isOver, left.count > 0 else { return }
    let given = RecordRoom.givenUp(of: self)
    let kept = entries.indices.filter { !given.contains($0) }.map { (entries[$0], left.contains($0)) }
    (entries, bytes, places, removals, left) = ([], 0, [:], [:], RecordSet())
    hasGivenUp = true
    for (entry, hasLeft) in kept {
      if hasLeft { left.insert(entries.count) }
      append(entry.record, hash: entry.hash)
    }
    see()
  }

  /// Who did what, by the records that have not left. It is worked out once for all that is asked after records came.
  var index: MembershipIndex { known ?? MembershipIndex(self) }

  /// How the set looks to whom it belongs; to the first founding's device where nobody was named.
  var resolution: Resolution? {
    let first = entries.isEmpty ? nil : founding(at: 0)?.key
    guard let key = viewpoint?.key ?? first else { return nil }
    return resolution(of: key, preferring: viewpoint?.group)
  }

  /// How the set looks to the group whose records it holds. By what has just come the device of the viewpoint may be out of that: it
  /// was taken in by a device that had been removed before. It has to hear so, however many records that device has made up.
  var groupOfRecords: Resolution? {
    guard let resolution, let group = viewpoint?.group,
      let root = entries.indices.first(where: {
        founding(at: $0) != nil && GroupID(founding: entries[$0].hash) == group
      }), resolution.rank(ofFounding: root) == nil
    else { return resolution }
    return self.resolution(ofGroup: root, index)
  }

  /// The records at some places and all they descend from.
  func ancestors(of parents: [Int]) -> RecordSet {
    var ancestors = RecordSet()
    for parent in parents {
      ancestors.formUnion(entries[parent].ancestors)
      ancestors.insert(parent)
    }
    return ancestors
  }
}
