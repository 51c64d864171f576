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
  ///
  /// - Parameter other: who is to see them: how it came in itself is shown to it as well. Its disk may have been set back to before it did.
  package func introduction(
    of key: PublicKey, to other: PublicKey? = nil, preferring preferred: GroupID?, atMost limit: Int
  ) -> [MembershipRecord] {
    guard let resolution = resolution(of: key, preferring: preferred) else { return [] }
    let path = resolution.path(of: key) + (other.map(resolution.path) ?? [])
    let shown = entries.indices.filter { place in
      guard resolution.counted.contains(place) else { return false }
      switch entries[place].record.body {
      case .merge(let merge): return self.place(of: merge.joiner).map(path.contains) ?? false
      case .remove: return true
      case .found, .other: return false
      }
    }
    let needed = ancestors(of: shown)
    // By what a device has signed itself it knows that others take it for a member, whatever there is no room for.
    let own = [key, other].compactMap(\.self).flatMap(ways).filter { needed.contains($0) }
    let rest = order.filter { needed.contains($0) && !own.contains($0) }
    var bytes = 0
    let chosen = (own + rest.reversed()).prefix { place in
      bytes += entries[place].record.encoded.count
      return bytes <= limit
    }
    return order.filter { chosen.contains($0) }.map { entries[$0].record }
  }

  /// Whether a record is not known here, and a merge by which a device came under another one, as it has signed itself.
  package func isUnknownWay(_ record: MembershipRecord, of key: PublicKey) -> Bool {
    guard isWay(record, of: key), !contains(record.hash(cryptography)), let signature = record.signatures.last
    else { return false }
    return cryptography.isValid(signature, of: record.signedBytes, by: key)
  }

  /// Whether a record says that a device came under another one.
  package func isWay(_ record: MembershipRecord, of key: PublicKey) -> Bool {
    guard case .merge(let merge) = record.body else { return false }
    return founding(merge.joiner)?.key == key
  }

  private func ways(of key: PublicKey) -> [Int] { present.filter { isWay(entries[$0].record, of: key) } }

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
