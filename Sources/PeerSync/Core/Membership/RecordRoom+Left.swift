// What has left keeps some of its room where devices of its own branch have put it out. A member could otherwise let in devices that it makes up,
// put them out and begin anew, time and again: once it is removed with all that it had decided, all of them are members again.
extension RecordRoom {
  /// Who has what a record says count for nothing: devices of its branch, the first one among them, or others.
  enum PuttingOut { case nobody, lower, head, others }

  /// What has left of one branch.
  struct Left {
    private var lower = (records: 0, bytes: 0)
    private var head = (records: 0, bytes: 0)
    /// How many records of these each device has made, or those below it that have no rank.
    private(set) var records: [Int: Int] = [:]

    mutating func add(_ record: MembershipRecord, by rank: Int, _ puttingOut: PuttingOut) {
      switch puttingOut {
      case .lower: lower = (lower.records + 1, lower.bytes + record.encoded.count)
      case .head: head = (head.records + 1, head.bytes + record.encoded.count)
      case .nobody, .others: return
      }
      records[rank, default: 0] += 1
    }

    /// What is charged to the branch. What its lower devices put out has as much room as what counts, beside that, and with what its first
    /// device puts out twice as much: whatever a thief made up below that one, its removal frees the room of the branch.
    var charged: (records: Int, bytes: Int) {
      (
        Self.charged(lower.records, head.records, Limits.membershipBranchRecords),
        Self.charged(lower.bytes, head.bytes, Limits.membershipBranchBytes)
      )
    }

    private static func charged(_ lower: Int, _ head: Int, _ room: Int) -> Int {
      max(lower - room, lower + head - 2 * room, 0)
    }
  }

  /// What has left of each branch.
  ///
  /// - Parameters:
  ///   - set: of which something has left
  ///   - count: of how many of its records that is asked, from the first on
  ///   - branches: of each device, by ranks
  static func left(
    of set: Membership, among count: Int, _ resolution: Resolution, _ branches: [Int]
  ) -> [Int: Left] {
    var removers: [Int: [Resolution.Effect]] = [:]
    for effect in resolution.effects {
      for rank in resolution.ranks(of: effect.removal.target) where effect.rank < rank {
        removers[rank, default: []].append(effect)
      }
    }
    func puttingOut(_ act: Int, by rank: Int) -> PuttingOut {
      let unaware = (removers[rank] ?? []).filter { !set.entries[$0.record].ancestors.contains(act) }
      guard !unaware.isEmpty else { return .nobody }
      let branch = branches[rank]
      if unaware.contains(where: { branches[$0.rank] != branch }) { return .others }
      return unaware.contains { $0.rank == branch } ? .head : .lower
    }
    var ranks = AuthorRanks(set, resolution)
    var left: [Int: Left] = [:]
    for place in 0..<count where set.left.contains(place) {
      guard let (rank, act) = ranks.author(at: place), branches[rank] != 0 else { continue }
      left[branches[rank], default: Left()].add(
        set.entries[place].record, by: rank, puttingOut(act, by: rank))
    }
    return left
  }
}

/// The ranks of those who made records, or of the first above them that have one: who came in by what has left has none.
struct AuthorRanks {
  /// A rank, and the record itself, or the merge by which that device let in whoever made it, or the first above that one.
  typealias Author = (rank: Int, act: Int)

  private let set: Membership
  private let resolution: Resolution?
  /// The merges by which foundings came in, the first of each.
  private var merges: [Int: (host: Int, merge: Int)] = [:]
  /// What was looked up, by foundings; nil of whoever came in by nobody that has a rank.
  private var known: [Int: Author?] = [:]

  init(_ set: Membership, _ resolution: Resolution?) {
    (self.set, self.resolution) = (set, resolution)
    for (place, entry) in set.entries.enumerated() {
      guard case .merge(let merge) = entry.record.body, let joiner = set.place(of: merge.joiner),
        let host = set.place(of: merge.host), merges[joiner] == nil
      else { continue }
      merges[joiner] = (host, place)
    }
  }

  mutating func author(at place: Int) -> Author? {
    let author =
      switch set.entries[place].record.body {
      case .found: place
      case .merge(let merge): set.place(of: merge.host)
      case .remove(let removal): set.place(of: removal.author)
      case .other(_, let author, _): set.place(of: author)
      }
    var (founding, act, path) = (author, place, [Int]())
    var found: Author?
    while let current = founding {
      if let rank = resolution?.rank(ofFounding: current) {
        found = (rank, act)
        break
      }
      // Who made them up may have had each let in the next, in a ring.
      if let looked = known.updateValue(nil, forKey: current) {
        known[current] = looked
        found = looked
        break
      }
      path.append(current)
      (founding, act) = (merges[current]?.host, merges[current]?.merge ?? act)
    }
    for founding in path { known.updateValue(found, forKey: founding) }
    return found
  }
}
