extension RecordRoom {
  /// What is given up of what has left a set: of the branch of which most has left what was heard last first, and so on, with what descends from it.
  /// So whoever makes up records has its own go, and not what others had signed and it has kept from counting.
  ///
  /// It is more than need be, or each further record would have all of this be done anew.
  static func givenUp(of set: Membership) -> RecordSet {
    let resolution = set.groupOfRecords
    let branches = branches(by: resolution)
    var ranks = AuthorRanks(set, resolution)
    var left: [Int: [Int]] = [:]
    for place in set.entries.indices where set.left.contains(place) {
      left[ranks.author(at: place).map { branches[$0.rank] } ?? nobody, default: []].append(place)
    }
    var (count, bytes) = (set.entries.count, set.bytes)
    var given = RecordSet()
    func giveUp(_ place: Int) {
      guard !given.contains(place) else { return }
      given.insert(place)
      (count, bytes) = (count - 1, bytes - set.entries[place].record.encoded.count)
    }
    while count > Limits.membershipKept / 4 * 3 || bytes > Limits.membershipMostBytes / 4 * 3,
      let branch = left.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) })?.key,
      let last = left[branch]?.popLast()
    {
      guard !given.contains(last) else { continue }
      giveUp(last)
      for place in set.entries.indices.suffix(from: last) where set.entries[place].ancestors.contains(last) {
        giveUp(place)
      }
    }
    return given
  }
}
