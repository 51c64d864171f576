/// Taking records in.
extension Membership {
  /// What became of records that were offered.
  package struct Insertion: Hashable, Sendable {
    /// The hashes of the records that are new here, parents first.
    package var added: [ContentHash] = []
    /// Parents that are neither here nor were offered, sorted. Ask for them; what names them was not kept.
    package var missing: [ContentHash] = []
    /// The records that were not kept although their parents are here, by their hashes, with the reason.
    package var refused: [Refused] = []
    /// About what it took to check them and to work out what they mean, whether they were kept or not, in devices that were placed in some
    /// group. 0 where all were here.
    package var work = 0

    /// A record that was not kept.
    package struct Refused: Hashable, Sendable {
      package let hash: ContentHash
      package let reason: Refusal
    }
  }

  /// Why a record was not kept.
  package enum Refusal: Error, Hashable, Sendable, CaseIterable {
    /// A signature is wrong.
    case signature
    /// It does not hang together: an author its parents do not know, a device that joins itself.
    case malformed
    /// The devices run different apps or environments.
    case otherApp
    /// One who signed it knew that he had left, or that his recovery key had removed him.
    case authorRemoved
    /// Nothing links it to this group.
    case stranger
    /// There is no room: see ``Limits/membershipRecords``.
    case full
    /// It counts for nothing, and whoever signed it was removed.
    case void
  }

  /// Adds records, in any order, as far as they are valid and hang together with those that are here. Records that are
  /// here already change nothing.
  package mutating func insert(_ records: [MembershipRecord]) -> Insertion {
    var insertion = Insertion()
    var scratch = self
    scratch.insertChecked(records.prefix(Limits.membershipOffered), &insertion)
    // What is known already costs nothing but its hash, and what is refused its signatures.
    guard scratch.entries.count > entries.count else { return insertion }
    scratch = scratch.inOrderOfHearing(after: self)
    let news = entries.count..<scratch.entries.count
    let refusals = scratch.refusals(after: self)
    insertion.work += scratch.work
    guard !refusals.isEmpty else {
      insertion.added = news.map { scratch.entries[$0].hash }
      self = scratch
      giveUp()
      return insertion
    }
    for place in news {
      let entry = scratch.entries[place]
      if let reason = refusals[place] {
        insertion.refused.append(Insertion.Refused(hash: entry.hash, reason: reason))
      } else {
        append(entry.record, hash: entry.hash)
        insertion.added.append(entry.hash)
      }
    }
    guard !insertion.added.isEmpty else { return insertion }
    refresh()
    giveUp()
    insertion.work += work
    return insertion
  }

  /// The records that are not kept, although they were checked and added, by their places.
  ///
  /// - Parameter before: the set before they were added
  private mutating func refusals(after before: Membership) -> [Int: Refusal] {
    let linked = linkedToFirst
    refresh()
    let resolution = groupOfRecords
    var room = RecordRoom(self, seenBy: resolution, after: before)
    var refusals: [Int: Refusal] = [:]
    // What decides something comes first, with what it descends from: who made up the rest must not take its room.
    let news = before.entries.count..<entries.count
    let deciding = news.filter { place in
      if case .other = entries[place].record.body {
        false
      } else {
        resolution?.counted.contains(place) ?? false
      }
    }
    var first = ancestors(of: deciding)
    for place in deciding { first.insert(place) }
    for place in news.filter(first.contains) + news.filter({ !first.contains($0) }) {
      let isWithoutParent = entries[place].record.parents.compactMap { self.place(of: $0) }
        .contains { refusals[$0] != nil }
      refusals[place] =
        if !linked.contains(place) {
          .stranger
        } else if left.contains(place) {
          .void
        } else if isWithoutParent || !room.admit(place) { .full } else { nil }
    }
    return refusals
  }

  /// Whether a device has room for what counts once two groups are one: for the merge, and for all that the other side brings. What counts
  /// for nothing, or decides nothing here, may be left out: a member may have made it up.
  func hasRoom(
    for proposal: MergeProposal, bringing other: Membership, seenBy key: PublicKey, in group: GroupID
  ) -> Bool {
    var united = self
    for entry in other.seenByNobody.entries where !united.contains(entry.hash) {
      united.append(entry.record, hash: entry.hash)
    }
    guard proposal.parents.allSatisfy(united.contains) else { return false }
    // As long as it will be once it is signed.
    let unsigned = Signature(proposal.merge.host, proposal.merge.joiner)
    let merge = MembershipRecord(proposal, host: unsigned, joiner: unsigned)
    united.append(merge, hash: merge.hash(cryptography))
    united.viewpoint = (key, group)
    let refusals = united.refusals(after: self)
    guard let counted = united.resolution?.counted else { return false }
    return refusals.keys.allSatisfy { place in
      if case .other = united.entries[place].record.body { true } else { !counted.contains(place) }
    }
  }

  /// The set that a disk has kept, or that another device has told, however large. Room is not counted again: there was some for each
  /// record when it came, and what all of them say of who is charged for which may be something else. What is more than is held has
  /// left, and is given up again.
  package init(_ records: [MembershipRecord], _ cryptography: Cryptography) {
    self.init(cryptography: cryptography)
    var (all, insertion) = (self, Insertion())
    all.insertChecked(records, &insertion)
    let linked = all.linkedToFirst
    for place in all.entries.indices where linked.contains(place) {
      append(all.entries[place].record, hash: all.entries[place].hash)
    }
  }

  /// What two devices know together, whether either of them has room for it or not.
  package func union(_ other: Membership) -> Membership {
    var all = seenByNobody
    for entry in other.seenByNobody.entries where !all.contains(entry.hash) {
      all.append(entry.record, hash: entry.hash)
    }
    return all
  }

  /// The same set with what was told in one go in the order in which it counts as heard: records by which devices leave, with what they
  /// descend from, and then the rest. Whoever says only then whom such a device had let in is not believed more than the leaving
  /// (``countedUntilOut(_:_:)``). Of several leavings those that know the least go first: one may have been signed
  /// since, to bring somebody in.
  private func inOrderOfHearing(after before: Membership) -> Membership {
    let news = before.entries.count..<entries.count
    let leavings = news.filter { place in
      guard case .remove(let removal) = entries[place].record.body, !removal.isByRecoveryKey else {
        return false
      }
      return founding(removal.author)?.key == removal.target
    }
    // What the rest is linked to comes first where there was nothing yet.
    guard !leavings.isEmpty, !before.entries.isEmpty else { return self }
    var ordered = before
    var listed = RecordSet()
    func list(_ places: [Int]) {
      for place in places where !listed.contains(place) {
        listed.insert(place)
        ordered.append(entries[place].record, hash: entries[place].hash)
      }
    }
    for leaving in leavings.sorted(by: {
      (entries[$0].ancestors.count, $0) < (entries[$1].ancestors.count, $1)
    }) {
      list(news.filter { entries[leaving].ancestors.contains($0) } + [leaving])
    }
    list(Array(news))
    return ordered
  }

  /// To check the signatures of a record takes as long as to place some devices.
  private static var workOfSignature: Int { 32 }

  /// Adds what is valid and has its parents, linked or not. In the order in which it comes, as far as parents allow: it is the order in
  /// which this device has heard of it, and a disk has kept it.
  private mutating func insertChecked(
    _ records: some Sequence<MembershipRecord>, _ insertion: inout Insertion
  ) {
    let offered = records.map { (record: $0, hash: $0.hash(cryptography)) }
    // Of a full set what cannot be taken in is not even verified: a removal alone may have it taken.
    let isFull = isFull
    let isVain = isFull && !offered.contains { $0.record.isRemoval && !contains($0.hash) }
    // How many parents each lacks, and who waits for which: a record may name hundreds that come one by one.
    var lacking = Array(repeating: 0, count: offered.count)
    var waiting: [ContentHash: [Int]] = [:]
    for (number, (record, _)) in offered.enumerated() {
      let missing = record.parents.filter { !contains($0) }
      lacking[number] = missing.count
      for parent in missing { waiting[parent, default: []].append(number) }
      var ready = missing.isEmpty ? [number] : []
      while let next = ready.popLast() {
        let (record, hash) = offered[next]
        guard !contains(hash) else { continue }
        if !isVain { insertion.work += Self.workOfSignature }
        if let reason = isVain ? .full : refusal(of: record) {
          insertion.refused.append(Insertion.Refused(hash: hash, reason: reason))
          continue
        }
        append(record, hash: hash)
        for child in (waiting.removeValue(forKey: hash) ?? []).reversed() {
          lacking[child] -= 1
          if lacking[child] == 0 { ready.append(child) }
        }
      }
    }
    let orphans = offered.indices.filter { lacking[$0] > 0 }.map { offered[$0] }
    let known = Set(orphans.map(\.hash)).union(insertion.refused.map(\.hash))
    insertion.missing = orphans.flatMap(\.record.parents).filter { !contains($0) && !known.contains($0) }
      .sortedUnique()
  }

  /// The records that a way of parents and children links to the first one.
  private var linkedToFirst: RecordSet { entries.isEmpty ? RecordSet() : linked(to: 0) }

  /// The records that a way of parents and children links to one of them.
  ///
  /// - Parameter absent: records by which no way leads
  func linked(to first: Int, without absent: RecordSet = RecordSet()) -> RecordSet {
    var neighbours: [[Int]] = Array(repeating: [], count: entries.count)
    for (place, entry) in entries.enumerated() where !absent.contains(place) {
      for parent in entry.record.parents.compactMap({ self.place(of: $0) }) where !absent.contains(parent) {
        neighbours[place].append(parent)
        neighbours[parent].append(place)
      }
    }
    var linked = RecordSet()
    var open = [first]
    while let place = open.popLast() {
      guard !linked.contains(place) else { continue }
      linked.insert(place)
      open += neighbours[place]
    }
    return linked
  }
}

extension MembershipRecord {
  /// Whether it removes a device.
  var isRemoval: Bool { if case .remove = body { true } else { false } }

  /// Whether it removes a device with all that this has ever decided.
  var takesBackAll: Bool { if case .remove(let removal) = body { removal.counted == [] } else { false } }
}

extension Array where Element: Comparable {
  /// The elements in order, each once.
  func sortedUnique() -> [Element] {
    var result: [Element] = []
    for element in sorted() where result.last != element { result.append(element) }
    return result
  }
}
