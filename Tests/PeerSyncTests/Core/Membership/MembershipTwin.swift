import PeerSyncCore

/// The rule of docs/membership.md once more, slowly and straight from the text: everything is searched for anew whenever
/// it is asked.
struct MembershipTwin {
  private let records: [ContentHash: MembershipRecord]
  /// By what the last device of the group that is asked about leaves, and would leave nobody: it has no effect.
  private var void: Set<ContentHash> = []

  init(_ records: [MembershipRecord]) {
    var byHash: [ContentHash: MembershipRecord] = [:]
    for record in records { byHash[record.hash(.simulated)] = record }
    self.records = byHash
  }

  /// What it says of a group.
  struct Group: Equatable {
    var founding: ContentHash
    var members: [PublicKey]
    var removed: [PublicKey]
    var cuts: [Limits]
  }

  /// Up to where the writes of a removed device are taken, and up to where its decisions count.
  struct Limits: Equatable {
    var taken: [Dot]
    var counted: [Dot]

    /// The lower of each.
    func lowered(to other: Limits) -> Limits {
      Limits(taken: Self.lower(taken, other.taken), counted: Self.lower(counted, other.counted))
    }

    static func lower(_ dots: [Dot], _ others: [Dot]) -> [Dot] {
      dots.compactMap { dot in others.first { $0.replica == dot.replica }.map { min($0, dot) } }
    }
  }

  /// A device in a group, with the hosts above it.
  private struct Placed {
    let founding: ContentHash
    let above: [ContentHash]
    var merge: ContentHash?
  }

  // MARK: What a record knows of

  private func knows(_ hash: ContentHash, of other: ContentHash) -> Bool {
    records[hash]?.parents.contains { $0 == other || knows($0, of: other) } ?? false
  }

  private func depth(_ hash: ContentHash) -> Int {
    (records[hash]?.parents.map(depth).max() ?? -1) + 1
  }

  private func key(_ founding: ContentHash) -> PublicKey? {
    guard case .found(let founding)? = records[founding]?.body else { return nil }
    return founding.key
  }

  private var sorted: [ContentHash] {
    records.keys.map { (depth($0), $0) }.sorted { $0 < $1 }.map(\.1)
  }

  // MARK: Which group is above which

  /// The merges, each unless those before put its joiner above its group already.
  private var merges: [(hash: ContentHash, merge: MembershipRecord.Merge)] {
    var merges: [(hash: ContentHash, merge: MembershipRecord.Merge)] = []
    for hash in sorted {
      guard case .merge(let merge)? = records[hash]?.body else { continue }
      if !isPart(places(merge.group, merges), of: places(merge.joiner, merges)) {
        merges.append((hash, merge))
      }
    }
    return merges
  }

  /// A founding and all that it, or those above it, agreed to come under.
  private func above(_ founding: ContentHash, _ merges: [MembershipRecord.Merge]) -> Set<ContentHash> {
    var above: Set = [founding]
    while let next = merges.first(where: { above.contains($0.joiner) && !above.contains($0.group) }) {
      above.insert(next.group)
    }
    return above
  }

  /// The same with the last one of a group staying. It may turn out that it had let others in once it does.
  private func knowingWhoStays(
    _ root: ContentHash, _ merges: [(hash: ContentHash, merge: MembershipRecord.Merge)], _ passes: Int = 3
  ) -> MembershipTwin {
    let places = places(root, merges)
    let members = settle(root, places).members
    guard passes > 0, members.count == 1, let last = places.first(where: { key($0.founding) == members[0] })
    else { return self }
    let out = merges.filter { next in
      key(next.merge.host) == members[0] && !places.contains { $0.merge == next.hash }
        && places.contains { $0.founding == next.merge.group }
    }
    let more = leavings(last).filter { leaving in !out.contains { knows(leaving, of: $0.hash) } }
    guard !more.isEmpty else { return self }
    var twin = self
    twin.void.formUnion(more)
    return twin.knowingWhoStays(root, merges, passes - 1)
  }

  /// Whether the first group is part of the second: the merge that puts its first device there counts in it as well.
  private func isPart(_ lower: [Placed], of upper: [Placed]) -> Bool {
    guard let first = upper.first(where: { $0.founding == lower[0].founding }) else { return false }
    return first.merge.map { counts($0, of: 0, lower) } ?? true
  }

  /// The records by which a device leaves the group that it is in by a merge, or its own one, where it knew of somebody else; by whichever
  /// founding it signed them.
  private func leavings(_ place: Placed) -> [ContentHash] {
    let all = records.keys.filter { !void.contains($0) && isLeaving($0, of: place.founding) }
    return all.filter { leaving in
      if let merge = place.merge {
        return knows(leaving, of: merge) || all.contains { !isAct($0, of: place.founding) }
      }
      return records.contains { hash, record in
        guard case .merge(let merge) = record.body else { return false }
        return merge.group == place.founding && knows(leaving, of: hash)
      }
    }
  }

  /// Whether a device had left somebody of its own group, whom a merge had brought, before it came into this one.
  private func hasLeft(_ hash: ContentHash, _ place: Placed) -> Bool {
    guard let merge = place.merge else { return false }
    let recoveries = records.keys.filter { isOwnRecovery($0, of: place.founding) }
    guard recoveries.isEmpty else {
      return recoveries.contains { !knows($0, of: merge) && knows($0, of: hash) }
    }
    let leavings = records.keys.filter { isLeaving($0, of: place.founding) }
    return !leavings.contains { knows($0, of: merge) } && leavings.contains { knows($0, of: hash) }
  }

  /// Whether a device leaves by a record, by whichever founding it signed that.
  private func isLeaving(_ hash: ContentHash, of founding: ContentHash) -> Bool {
    guard case .remove(let removal)? = records[hash]?.body, !removal.isByRecoveryKey else { return false }
    return removal.target == key(founding) && key(removal.author) == key(founding)
  }

  /// Whether a removal was signed as a founding.
  private func isAct(_ hash: ContentHash, of founding: ContentHash) -> Bool {
    if case .remove(let removal)? = records[hash]?.body { removal.author == founding } else { false }
  }

  /// Whether the recovery key of a founding removes the device of that one.
  private func isOwnRecovery(_ hash: ContentHash, of founding: ContentHash) -> Bool {
    guard case .remove(let removal)? = records[hash]?.body, removal.isByRecoveryKey else { return false }
    return removal.target == key(founding) && removal.author == founding
  }

  /// Whether a device knew of a record each time that it signed that it leaves.
  private func knewOf(_ hash: ContentHash, whenLeaving place: Placed) -> Bool {
    isLeaving(hash, of: place.founding) || place.merge == hash
      || leavings(place).allSatisfy { leaving in
        knows(leaving, of: hash) || place.merge.map { knows($0, of: hash) } ?? false
      }
  }

  /// The topmost of the groups that a key is in.
  func group(of key: PublicKey) -> Group? {
    let merges = merges
    let foundings = records.keys.filter { self.key($0) != nil }.sorted()
    let reached = foundings.filter { self.key($0) == key }.map { above($0, merges.map(\.merge)) }
    let groups = foundings.filter { founding in reached.contains { $0.contains(founding) } }
      .map { ($0, knowingWhoStays($0, merges).places($0, merges)) }
    func isAbove(_ upper: (ContentHash, [Placed]), _ lower: (ContentHash, [Placed])) -> Bool {
      knowingWhoStays(lower.0, merges).isPart(lower.1, of: upper.1)
        && !knowingWhoStays(upper.0, merges).isPart(upper.1, of: lower.1)
    }
    // Hostile records can put groups above each other all round: one that is being asked about counts as no whole one.
    var known: [ContentHash: Bool] = [:]
    func isWhole(_ lower: (ContentHash, [Placed])) -> Bool {
      if let known = known[lower.0] { return known }
      known[lower.0] = false
      let whole = !groups.contains { isAbove($0, lower) && isWhole($0) }
      known[lower.0] = whole
      return whole
    }
    let whole = groups.filter(isWhole)
    let topmost = whole.first { $0.1.contains { self.key($0.founding) == key } }
    return topmost.map { knowingWhoStays($0.0, merges).settle($0.0, $0.1) }
  }

  // MARK: Who is in a group

  private func places(
    _ root: ContentHash, _ merges: [(hash: ContentHash, merge: MembershipRecord.Merge)]
  ) -> [Placed] {
    var places = [Placed(founding: root, above: [])]
    // Each has its turn once.
    var open = merges
    func isItsTurn(_ merge: MembershipRecord.Merge) -> Bool {
      [merge.host, merge.group].allSatisfy { founding in places.contains { $0.founding == founding } }
    }
    while let index = open.firstIndex(where: { isItsTurn($0.merge) }) {
      let next = open.remove(at: index)
      guard admits(next, places) else { continue }
      let above = places.first { $0.founding == next.merge.host }?.above ?? []
      places.append(
        Placed(founding: next.merge.joiner, above: above + [next.merge.host], merge: next.hash))
    }
    return places
  }

  private func admits(
    _ next: (hash: ContentHash, merge: MembershipRecord.Merge), _ places: [Placed]
  ) -> Bool {
    guard let host = places.firstIndex(where: { $0.founding == next.merge.host }),
      let group = places.first(where: { $0.founding == next.merge.group }), !hasLeft(next.hash, group),
      !places.contains(where: { $0.founding == next.merge.joiner })
    else { return false }
    let joiner = Placed(
      founding: next.merge.joiner, above: places[host].above + [next.merge.host], merge: next.hash)
    // Whom somebody more senior has removed is in, and removed.
    let all = places + [joiner]
    return counts(next.hash, of: host, places)
      && (!binding(places.count, all).isEmpty || counts(next.hash, of: places.count, all))
  }

  /// Whether what a device signed counts: whoever more senior removed it knew of that, and so did its own recovery key. Where nobody more
  /// senior did, and it has left, it knew of that itself, unless it is the first one and its own recovery key has removed it.
  private func counts(_ hash: ContentHash, of rank: Int, _ places: [Placed]) -> Bool {
    let founding = places[rank].founding
    let isLeaving = isLeaving(hash, of: founding)
    if isLeaving, !leavings(places[rank]).contains(hash) { return false }
    let binding = binding(rank, places)
    let own = records.keys.filter { isOwnRecovery($0, of: founding) }
    let isAsked = binding.isEmpty && (own.isEmpty || places[rank].merge != nil)
    if isAsked, isLeaving { return true }
    let recoveries = own.filter { recovery in binding.allSatisfy { knows($0.hash, of: recovery) } }
    let all = binding.map(\.hash) + recoveries
    guard all.allSatisfy({ knows($0, of: hash) }) else { return false }
    return !isAsked || knewOf(hash, whenLeaving: places[rank])
  }

  /// Whether what the recovery key of a device signed counts: whoever more senior removed it knew of that.
  private func countsAsRecovery(_ hash: ContentHash, of rank: Int, _ places: [Placed]) -> Bool {
    binding(rank, places).allSatisfy { knows($0.hash, of: hash) }
  }

  /// Whether one of some removals takes back all.
  private func takesBackAll(_ hashes: [ContentHash]) -> Bool {
    hashes.contains { hash in
      if case .remove(let removal)? = records[hash]?.body { removal.counted == [] } else { false }
    }
  }

  /// Whether a removal that counts has an effect on a device. Of whose author all is taken back it has one on the author alone. But its own
  /// recovery key goes on where that has taken it back, and nobody else.
  private func concerns(_ removal: Removal, _ place: Placed, _ places: [Placed]) -> Bool {
    let author = places[removal.rank].founding
    if removal.body.isByRecoveryKey, !(place.above + [place.founding]).contains(author) { return false }
    if removal.body.target == key(author) { return true }
    if takesBackAll(binding(removal.rank, places).map(\.hash)) { return false }
    let own = records.keys.filter {
      isOwnRecovery($0, of: author) && countsAsRecovery($0, of: removal.rank, places)
    }
    return removal.body.isByRecoveryKey || !takesBackAll(own)
  }

  /// The removals of a device that count, by others that are senior to it and by the recovery keys of those above it.
  private func binding(_ rank: Int, _ places: [Placed]) -> [Removal] {
    let key = key(places[rank].founding)
    return removals(places).filter { removal in
      guard removal.body.target == key, removal.rank < rank, concerns(removal, places[rank], places) else {
        return false
      }
      return removal.body.isByRecoveryKey
        ? countsAsRecovery(removal.hash, of: removal.rank, places)
        : self.key(removal.body.author) != key && counts(removal.hash, of: removal.rank, places)
    }
  }

  private struct Removal {
    let hash: ContentHash
    let body: MembershipRecord.Removal
    let rank: Int
  }

  /// The removals by devices that are in the group, in the order in which they apply.
  private func removals(_ places: [Placed]) -> [Removal] {
    let all = sorted.compactMap { hash -> (hash: ContentHash, body: MembershipRecord.Removal)? in
      if case .remove(let body)? = records[hash]?.body { (hash, body) } else { nil }
    }
    return places.indices.flatMap { rank in
      let founding = places[rank].founding
      let own = all.filter { isAct($0.hash, of: founding) || isLeaving($0.hash, of: founding) }
        .map { Removal(hash: $0.hash, body: $0.body, rank: rank) }
      return own.filter(\.body.isByRecoveryKey) + own.filter { !$0.body.isByRecoveryKey }
    }
  }

  private func settle(_ root: ContentHash, _ places: [Placed]) -> Group {
    // A device that has made several foundings has a place for each, and is one.
    let keys = places.compactMap { key($0.founding) }.reduce(into: [PublicKey]()) { keys, key in
      if !keys.contains(key) { keys.append(key) }
    }
    var out: [PublicKey: Limits] = [:]
    for removal in removals(places) {
      let own = places.filter { key($0.founding) == removal.body.target }
      guard !own.isEmpty else { continue }
      let counts =
        removal.body.isByRecoveryKey
        ? countsAsRecovery(removal.hash, of: removal.rank, places)
        : counts(removal.hash, of: removal.rank, places)
      guard counts, own.contains(where: { concerns(removal, $0, places) }) else { continue }
      let cuts = removal.body.cuts
      let limits = Limits(
        taken: cuts, counted: removal.body.counted.map { Limits.lower(cuts, $0) } ?? cuts)
      if let known = out[removal.body.target] {
        out[removal.body.target] = known.lowered(to: limits)
      } else if out.count < keys.count - 1 {
        out[removal.body.target] = limits
      }
    }
    return Group(
      founding: root, members: keys.filter { out[$0] == nil }, removed: keys.filter { out[$0] != nil },
      cuts: keys.compactMap { out[$0] })
  }
}

extension MembershipTwin.Group {
  init(_ group: MembershipGroup) {
    self.init(
      founding: group.founding, members: group.members.map(\.key), removed: group.removed.map(\.device.key),
      cuts: group.removed.map { MembershipTwin.Limits(taken: $0.cuts, counted: $0.counted) })
  }
}
