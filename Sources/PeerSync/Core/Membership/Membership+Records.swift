/// What two devices tell each other to have the same records.
extension Membership {
  /// The hashes of all records, sorted.
  package var hashes: [ContentHash] { present.map { entries[$0].hash }.sorted() }

  /// A hash of the set: equal on devices that hold the same records.
  package var fingerprint: ContentHash {
    cryptography.hash(of: Array("PeerSync membership set".utf8) + hashes.flatMap(\.bytes))
  }

  /// All records in the one order that every device with this set gives: parents first, by depth and hash, and each
  /// founding right before the first record that names it.
  package var records: [MembershipRecord] { order.map { entries[$0].record } }

  /// The records that somebody who has those lacks, in the same order.
  package func records(except known: some Sequence<ContentHash>) -> [MembershipRecord] {
    let known = Set(known)
    return order.filter { !known.contains(entries[$0].hash) }.map { entries[$0].record }
  }

  /// Whether one of these records is known here, or names one that is. Nothing is verified.
  package func isNamed(by records: [MembershipRecord]) -> Bool {
    records.contains { $0.parents.contains(where: contains) || contains($0.hash(cryptography)) }
  }

  /// The records that make a device a member, with what they descend from: how it and those above it came in, and the
  /// removals that count. Of too many the newest: who is to see them knows the older ones.
  package func introduction(
    of key: PublicKey, preferring preferred: GroupID?, atMost limit: Int
  ) -> [MembershipRecord] {
    guard let resolution = resolution(of: key, preferring: preferred) else { return [] }
    let path = resolution.path(of: key)
    let shown = entries.indices.filter { place in
      guard resolution.counted.contains(place) else { return false }
      switch entries[place].record.body {
      case .merge(let merge): return self.place(of: merge.joiner).map(path.contains) ?? false
      case .remove: return true
      case .found, .other: return false
      }
    }
    let needed = ancestors(of: shown)
    var bytes = 0
    let newest = order.filter { needed.contains($0) }.reversed().prefix { place in
      bytes += entries[place].record.encoded.count
      return bytes <= limit
    }
    return newest.reversed().map { entries[$0].record }
  }

  private var present: [Int] { entries.indices.filter { !left.contains($0) } }

  private var order: [Int] {
    let sorted = present.sorted { precedes($0, $1) }
    var listed = RecordSet()
    var order: [Int] = []
    func list(_ place: Int) {
      guard !listed.contains(place) else { return }
      listed.insert(place)
      order.append(place)
    }
    for place in sorted where founding(at: place) == nil {
      for parent in entries[place].record.parents.compactMap({ self.place(of: $0) }) { list(parent) }
      list(place)
    }
    sorted.forEach(list)
    return order
  }

  /// The order of records wherever one is needed: by depth, then by hash. Parents come before children.
  func precedes(_ left: Int, _ right: Int) -> Bool {
    (entries[left].depth, entries[left].hash) < (entries[right].depth, entries[right].hash)
  }
}
