/// Who belongs to the group of one founding, worked out from the most senior to the most junior.
///
/// Whether a record counts depends only on records of more senior devices, so one pass settles everything: a device is
/// placed, then its removals bind all who are placed later, then those it takes in wait for their turn. With n records,
/// of which r remove, the cost is n log n + n r at worst.
struct Resolution {
  /// A device in the group, removed or not.
  struct Place {
    /// Where its founding is in the set.
    let founding: Int
    /// What its founding says.
    let body: MembershipRecord.Founding
    /// The rank of its host; nil for the first.
    let host: Int?
    /// Whether somebody more senior has removed it, so that nothing it signs from now on counts.
    let isBound: Bool
  }

  /// A removal that counts.
  struct Effect {
    let record: Int
    /// The rank of the author.
    let rank: Int
    let removal: MembershipRecord.Removal
  }

  /// Where the most senior founding is in the set.
  let root: Int
  private let index: MembershipIndex
  private let membership: Membership

  /// The devices by seniority.
  private(set) var places: [Place] = []
  private(set) var rankOfKey: [PublicKey: Int] = [:]
  private(set) var rankOfFounding: [Int: Int] = [:]
  /// The removals that count, in no order that matters.
  private(set) var effects: [Effect] = []
  /// All records that count.
  private(set) var counted = RecordSet()

  /// Merges whose host is placed, the first at the end.
  private var queue: [Int] = []
  /// Merges whose host is placed and whose group is not, by the group's founding.
  private var waiting: [Int: [Int]] = [:]
  private var bindings: [PublicKey: [Effect]] = [:]

  init(root: Int, index: MembershipIndex, membership: Membership) {
    self.index = index
    self.membership = membership
    self.root = root
    let key = membership.founding(at: root)?.key
    place(root, host: nil, bound: key.map { binding(on: $0, founding: root, host: nil) } ?? [])
    while let merge = queue.popLast() { consider(merge) }
  }

  /// Where a device stands, if it is in the group or was.
  func place(of key: PublicKey) -> Place? { rankOfKey[key].map { places[$0] } }

  /// The foundings of a device and of those that it came in below, the device first.
  func path(of key: PublicKey) -> [Int] {
    var path: [Int] = []
    var rank = rankOfKey[key]
    while let current = rank {
      path.append(places[current].founding)
      rank = places[current].host
    }
    return path
  }

  /// Those groups that are part of no other one that is itself part of none: who joined a group that came under
  /// another, without getting there, is not in that group any more.
  static func whole(_ resolutions: [Resolution]) -> [Resolution] {
    var known: [Int: Bool] = [:]
    func isWhole(_ lower: Resolution) -> Bool {
      if let known = known[lower.root] { return known }
      known[lower.root] = false
      let whole = !resolutions.contains { $0.isAbove(lower) && isWhole($0) }
      known[lower.root] = whole
      return whole
    }
    return resolutions.filter(isWhole)
  }

  /// Whether another group is part of this one, and not the other way round too.
  private func isAbove(_ other: Resolution) -> Bool {
    rankOfFounding[other.root] != nil && other.rankOfFounding[root] == nil
  }

  /// Takes the joiner of a merge in, unless it is in already or somebody more senior removed it without knowing of the
  /// merge.
  private mutating func consider(_ merge: Int) {
    guard let edge = index.merges[merge], let host = rankOfFounding[edge.host],
      let key = membership.founding(at: edge.joiner)?.key, rankOfKey[key] == nil
    else { return }
    let bound = binding(on: key, founding: edge.joiner, host: host)
    guard allows(bound, merge) else { return }
    counted.insert(merge)
    place(edge.joiner, host: host, bound: bound)
  }

  /// The removals of a device by those who are senior to it.
  private func binding(on key: PublicKey, founding: Int, host: Int?) -> [Int] {
    let own = index.recoveries[founding, default: []].filter { membership.target(of: $0) == key }
    let others = bindings[key, default: []].filter { effect in
      !effect.removal.isByRecoveryKey || isBelow(host, effect.rank)
    }
    return own + others.map(\.record)
  }

  /// Whether all who removed a device knew of what it did.
  private func allows(_ bound: [Int], _ record: Int) -> Bool {
    bound.allSatisfy { membership.entries[$0].ancestors.contains(record) }
  }

  /// Whether a device is another, or came in below it.
  func isBelow(_ rank: Int?, _ other: Int) -> Bool {
    var rank = rank
    while let current = rank, current >= other {
      if current == other { return true }
      rank = places[current].host
    }
    return false
  }

  /// Gives a device the next rank, and makes what it did count.
  private mutating func place(_ founding: Int, host: Int?, bound: [Int]) {
    guard let body = membership.founding(at: founding) else { return }
    let rank = places.count
    places.append(Place(founding: founding, body: body, host: host, isBound: !bound.isEmpty))
    rankOfKey[body.key] = rank
    rankOfFounding[founding] = rank
    counted.insert(founding)
    for record in index.recoveries[founding, default: []] { remove(record, rank) }
    for record in index.acts[founding, default: []] where allows(bound, record) {
      if index.merges[record] != nil { enqueue(record) } else { remove(record, rank) }
    }
    for merge in waiting.removeValue(forKey: founding) ?? [] { enqueue(merge) }
  }

  private mutating func remove(_ record: Int, _ rank: Int) {
    counted.insert(record)
    guard case .remove(let removal) = membership.entries[record].record.body else { return }
    let effect = Effect(record: record, rank: rank, removal: removal)
    effects.append(effect)
    bindings[removal.target, default: []].append(effect)
  }

  /// Puts a merge in its turn: by depth, then by hash.
  private mutating func enqueue(_ merge: Int) {
    guard let edge = index.merges[merge] else { return }
    guard rankOfFounding[edge.group] != nil else {
      waiting[edge.group, default: []].append(merge)
      return
    }
    var low = 0
    var high = queue.count
    while low < high {
      let middle = (low + high) / 2
      if membership.precedes(merge, queue[middle]) { low = middle + 1 } else { high = middle }
    }
    queue.insert(merge, at: low)
  }
}

extension Membership {
  func target(of record: Int) -> PublicKey? {
    if case .remove(let removal) = entries[record].record.body { removal.target } else { nil }
  }
}
