// What has left keeps some of its room where devices of its own branch have put it out. A member could otherwise let in devices that it makes up,
// put them out and begin anew, time and again: once it is removed with all that it had decided, all of them are members again.
extension RecordRoom {
  /// By whom a device, or one that it came in below, was put out. The first of the branch counts before those below it, and others
  /// before both.
  enum PuttingOut { case nobody, lower, head, others }

  /// What has left of one branch.
  struct Left {
    private var lower = (records: 0, bytes: 0)
    private var head = (records: 0, bytes: 0)

    mutating func add(_ record: MembershipRecord, _ puttingOut: PuttingOut) {
      switch puttingOut {
      case .lower: lower = (lower.records + 1, lower.bytes + record.encoded.count)
      case .head: head = (head.records + 1, head.bytes + record.encoded.count)
      case .nobody, .others: break
      }
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
    let puttingOut = puttingOut(resolution, branches)
    var ranks = AuthorRanks(set, resolution)
    var left: [Int: Left] = [:]
    for place in 0..<count where set.left.contains(place) {
      guard let rank = ranks.rank(ofAuthorAt: place), branches[rank] != 0 else { continue }
      left[branches[rank], default: Left()].add(set.entries[place].record, puttingOut[rank])
    }
    return left
  }

  /// By whom devices were put out, by ranks.
  private static func puttingOut(_ resolution: Resolution, _ branches: [Int]) -> [PuttingOut] {
    var removers: [Int: [Int]] = [:]
    for effect in resolution.effects {
      for rank in resolution.ranks(of: effect.removal.target) where effect.rank < rank {
        removers[rank, default: []].append(effect.rank)
      }
    }
    var all: [PuttingOut] = []
    for (rank, place) in resolution.places.enumerated() {
      let above = place.host.map { all[$0] } ?? .nobody
      let own = (removers[rank] ?? []).map { remover -> PuttingOut in
        branches[remover] != branches[rank] ? .others : remover == branches[rank] ? .head : .lower
      }
      if above == .others || own.contains(.others) {
        all.append(.others)
      } else {
        all.append(above != .nobody ? above : own.contains(.head) ? .head : own.first ?? .nobody)
      }
    }
    return all
  }
}

/// The ranks of those who made records, or of the first above them that have one: who came in by what has left has none.
struct AuthorRanks {
  private let set: Membership
  private let resolution: Resolution?
  /// The hosts of foundings, the first of each.
  private var hosts: [Int: Int] = [:]
  /// The ranks that were looked up, by foundings.
  private var known: [Int: Int] = [:]
  /// Of whoever came in by nobody that has one.
  private static let none = -1

  init(_ set: Membership, _ resolution: Resolution?) {
    (self.set, self.resolution) = (set, resolution)
    for entry in set.entries {
      guard case .merge(let merge) = entry.record.body, let joiner = set.place(of: merge.joiner),
        hosts[joiner] == nil
      else { continue }
      hosts[joiner] = set.place(of: merge.host)
    }
  }

  mutating func rank(ofAuthorAt place: Int) -> Int? {
    let author =
      switch set.entries[place].record.body {
      case .found: place
      case .merge(let merge): set.place(of: merge.host)
      case .remove(let removal): set.place(of: removal.author)
      case .other(_, let author, _): set.place(of: author)
      }
    var (founding, path, rank) = (author, [Int](), Self.none)
    while let current = founding {
      if let found = known[current] ?? resolution?.rank(ofFounding: current) {
        rank = found
        break
      }
      path.append(current)
      // Who made them up may have had each let in the next, in a ring.
      known[current] = Self.none
      founding = hosts[current]
    }
    for founding in path { known[founding] = rank }
    return rank == Self.none ? nil : rank
  }
}
