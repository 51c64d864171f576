/// What a record names of all that its author knows.
extension Membership {
  /// The newest records that count, so that together with what they descend from they are all that count. Left out is
  /// what knows that the author has left: he would say that he is out. So would he by what knows that he was removed by the one that he
  /// removes, unless he takes back all that this one decided: then that counts for nothing.
  ///
  /// - Parameters:
  ///   - target: whom the record removes
  ///   - isTakingBack: whether it takes back all that this one has decided
  ///   - leaving: by which that one has left, as far as it is believed: of more than it knew then the record does not know
  func newest(
    _ resolution: Resolution, unawareOf keys: [PublicKey] = [], without disowned: Set<ContentHash> = [],
    removing target: PublicKey? = nil, isTakingBack: Bool = false, after leaving: Int? = nil,
    naming foundings: [Int], atMost limit: Int
  ) -> [ContentHash] {
    let said = leaving.map { ancestors(of: [$0]) }
    var known = resolution.counted
    if let target {
      known.formUnion(countedUntilOut(target, resolution))
      known.formUnion(removalsOfAbsent(by: target, resolution))
    }
    let since = target.map { lettingInSinceLeaving(of: $0, resolution, but: known) } ?? RecordSet()
    let counted = entries.indices.filter { place in
      place == leaving || known.contains(place) && said.map { $0.contains(place) } ?? true
    }
    let told = places(counted, unawareOf: disowned).filter {
      switch entries[$0].record.body {
      // What this version does not know decides nothing that it could name it for.
      case .other: return false
      // Of its removals none but its own counts then.
      case .remove(let removal)
      where isTakingBack && removal.target != target && founding(removal.author)?.key == target:
        return false
      case .found, .merge, .remove: break
      }
      let history = ancestors(of: [$0])
      // What others did counts whether it is named or not, and so does that the device has left.
      guard !history.intersects(since) else { return false }
      return !keys.contains {
        knowsOfRemoval(of: $0, by: [$0] + (isTakingBack ? [] : [target ?? $0]), history)
      }
    }
    // Both sides of a joining have to find the same ones.
    let sorted = target == nil ? told.sorted(by: precedes) : told
    return newest(of: sorted, removing: target, naming: foundings, atMost: limit)
  }

  /// By what a device has removed others that are not in the group now, of each the first: a liar may have removed whoever let them in, as if
  /// it had not heard of them, and they are members again once that is taken back. Not of those of whom it did not know that they came in.
  private func removalsOfAbsent(by key: PublicKey, _ resolution: Resolution) -> RecordSet {
    let joinings = Dictionary(grouping: entries.indices) { joiner(of: $0) }
    var (removals, targets) = (RecordSet(), Set<PublicKey>())
    for place in entries.indices {
      guard case .remove(let removal) = entries[place].record.body, !removal.isByRecoveryKey,
        founding(removal.author)?.key == key, resolution.rankOfKey[removal.target] == nil,
        joinings[removal.target]?.contains(where: entries[place].ancestors.contains) ?? false,
        targets.insert(removal.target).inserted
      else { continue }
      removals.insert(place)
    }
    return removals
  }

  /// Those of some places whose records are none of these, and know of none.
  private func places(_ places: [Int], unawareOf disowned: Set<ContentHash>) -> [Int] {
    guard !disowned.isEmpty else { return places }
    var left = RecordSet()
    for hash in disowned { if let place = place(of: hash) { left.insert(place) } }
    return places.filter { !ancestors(of: [$0]).intersects(left) }
  }

  /// The newest of some records, so that together with what they descend from they are all of these, and some foundings. Where there
  /// are more than one record can name, what it has to know comes first: of what decides who is in, whatever was known first, for a thief is
  /// later than what is right; then of the rest whatever says the most.
  func newest(
    of known: [Int], removing target: PublicKey?, naming foundings: [Int], atMost limit: Int
  ) -> [ContentHash] {
    var newest: [Int] = []
    var covered = RecordSet()
    let parts = byNeed(known, removing: target)
    for place in (parts.first ?? []).sorted() where !covered.contains(place) {
      let ancestors = entries[place].ancestors
      newest.removeAll(where: ancestors.contains)
      guard newest.count < limit - foundings.count else { break }
      newest.append(place)
      covered.formUnion(ancestors)
      covered.insert(place)
    }
    for part in parts.dropFirst() {
      var open = RecordSet()
      for place in part where !covered.contains(place) { open.insert(place) }
      while newest.count < limit - foundings.count, open.count > 0 {
        let says = known.map { place in
          let count = entries[place].ancestors.sharedCount(with: open) + (open.contains(place) ? 1 : 0)
          return (place: place, count: count)
        }
        guard let most = says.max(by: { $0.count < $1.count }) else { break }
        newest.append(most.place)
        covered.formUnion(ancestors(of: [most.place]))
        open.subtract(covered)
      }
    }
    newest += foundings.filter { !covered.contains($0) }
    // One that another one knows of says nothing more.
    return newest.filter { place in !newest.contains { entries[$0].ancestors.contains(place) } }
      .map { entries[$0].hash }.sorted()
  }

  /// Some records by how much a removal needs them: what it does not know of whom it removes counts for nothing. First the merges by
  /// which that device let others in, and the one by which it is first known to have come in itself; then what else its key has founded and
  /// how that came in; then whom it removed. A thief can make up any number of removals of one device, so of each the first goes ahead. What
  /// others did counts whether the removal knows of it or not.
  private func byNeed(_ known: [Int], removing target: PublicKey?) -> [[Int]] {
    var parts: [[Int]] = Array(repeating: [], count: 6)
    var out: Set<PublicKey> = []
    let came = known.filter { joiner(of: $0) == target }.min()
    for place in known.sorted(by: precedes) {
      let isOwn = target.map(authorKeys(of: place).contains) ?? false
      switch entries[place].record.body {
      case .found, .merge, .other:
        let isAgain = place != came && (joiner(of: place) ?? founding(at: place)?.key) == target
        parts[isOwn ? (isAgain ? 1 : 0) : 4].append(place)
      case .remove(let removal) where isOwn:
        parts[out.insert(removal.target).inserted ? 2 : 3].append(place)
      case .remove: parts[5].append(place)
      }
    }
    return parts
  }

  /// The key of the device that a merge brings in.
  private func joiner(of place: Int) -> PublicKey? {
    guard case .merge(let merge) = entries[place].record.body else { return nil }
    return founding(merge.joiner)?.key
  }

  private func authorKeys(of place: Int) -> [PublicKey] {
    switch entries[place].record.body {
    case .found(let founding): [founding.key]
    case .merge(let merge): [merge.host, merge.joiner].compactMap { founding($0)?.key }
    case .remove(let removal):
      removal.isByRecoveryKey ? [] : [founding(removal.author)?.key].compactMap(\.self)
    case .other(_, let author, _): [founding(author)?.key].compactMap(\.self)
    }
  }
}
