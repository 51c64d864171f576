/// What a resolution looks up: who did what, and which groups stand above which. All by the places of records in the set.
struct MembershipIndex: Sendable {
  /// A merge, with its devices as the places of their foundings.
  struct Edge: Sendable {
    let group: Int
    let host: Int
    let joiner: Int
  }

  /// The merges that do not close a ring of groups, by their place.
  private(set) var merges: [Edge?]
  /// What each device signed as author, by the place of its founding, without the records by which it leaves.
  private(set) var acts: [[Int]]
  /// The removals by each device's recovery key.
  private(set) var recoveries: [[Int]]
  /// Those of the device itself among them.
  private(set) var ownRecoveries: [[Int]]
  /// The records by which each device leaves, by whichever founding it has signed them, by the place of its founding.
  private(set) var leavings: [[Int]]
  /// Those of them that were signed by this very founding.
  private(set) var ownLeavings: [[Int]]
  /// What each device knew when it left, of all times together, by the place of its founding. Nil: it has not left.
  private(set) var knownWhenLeaving: [RecordSet?]
  /// Those of them that know of somebody else in the device's own group.
  private(set) var leavingsOfOthers: [[Int]]
  /// The foundings above each founding: the groups it agreed to come under, and those these agreed to come under.
  private(set) var above: [RecordSet]
  /// The groups that each founding agreed to come under, in the order of merges.
  private(set) var under: [[Int]]
  /// How many devices were placed to find the rings.
  private(set) var work = 0
  /// A number for each key of a device.
  let numbers: [PublicKey: Int]
  /// The number of the key of each founding.
  let numberOfFounding: [Int?]

  init(_ membership: Membership) {
    let count = membership.entries.count
    merges = Array(repeating: nil, count: count)
    acts = Array(repeating: [], count: count)
    (recoveries, ownRecoveries, leavings, ownLeavings) = (acts, acts, acts, acts)
    (leavingsOfOthers, under) = (acts, acts)
    knownWhenLeaving = Array(repeating: nil, count: count)
    above = Array(repeating: RecordSet(), count: count)
    (numbers, numberOfFounding) = Self.numbers(membership)
    var leavingsOfKey: [Int: [Int]] = [:]
    var edges: [(place: Int, edge: Edge)] = []
    for (place, entry) in membership.entries.enumerated() where !membership.left.contains(place) {
      switch entry.record.body {
      case .found: continue
      case .merge(let merge):
        guard let group = membership.place(of: merge.group), let host = membership.place(of: merge.host),
          let joiner = membership.place(of: merge.joiner)
        else { continue }
        edges.append((place, Edge(group: group, host: host, joiner: joiner)))
      case .remove(let removal):
        guard let author = membership.place(of: removal.author) else { continue }
        let isOfItself = membership.founding(at: author)?.key == removal.target
        guard removal.isByRecoveryKey else {
          if isOfItself, let number = numberOfFounding[author] {
            ownLeavings[author].append(place)
            leavingsOfKey[number, default: []].append(place)
          } else {
            acts[author].append(place)
          }
          continue
        }
        recoveries[author].append(place)
        if isOfItself { ownRecoveries[author].append(place) }
      case .other(_, let author, _):
        if let author = membership.place(of: author) { acts[author].append(place) }
      }
    }
    let known = leavingsOfKey.mapValues {
      $0.reduce(into: RecordSet()) { $0.formUnion(membership.entries[$1].ancestors) }
    }
    for (founding, number) in numberOfFounding.enumerated() {
      guard let number, let all = leavingsOfKey[number] else { continue }
      (leavings[founding], knownWhenLeaving[founding]) = (all, known[number])
      let merges = edges.filter { $0.edge.group == founding }.map(\.place)
      leavingsOfOthers[founding] = leavings[founding].filter { leaving in
        merges.contains { membership.entries[leaving].ancestors.contains($0) }
      }
    }
    // The groups that were asked about so far. A merge that comes later in the order is added to what they are already: to
    // work each out anew for each merge would take anybody's made-up ring for seconds.
    var groups = GrowingGroups()
    for (place, edge) in edges.sorted(by: { membership.precedes($0.place, $1.place) }) {
      // Of several that form a ring, the last has no effect. Those by people who are in nobody's group do not count: a thief
      // could undo a merge by a ring made up.
      let closesRing =
        above[edge.group].contains(edge.joiner) && !groups.isSpent
        && groups.isGroup(edge.group, partOf: edge.joiner, self, membership)
      guard !closesRing else { continue }
      accept(place, edge)
      groups.take(place, self, membership)
    }
    work = groups.work
  }

  /// All records by which devices leave.
  var everyLeaving: RecordSet { leavings.joined().reduce(into: RecordSet()) { $0.insert($1) } }

  private static func numbers(_ membership: Membership) -> (ofKey: [PublicKey: Int], ofFounding: [Int?]) {
    var numbers: [PublicKey: Int] = [:]
    var numberOfFounding: [Int?] = Array(repeating: nil, count: membership.entries.count)
    for place in membership.entries.indices {
      guard let key = membership.founding(at: place)?.key else { continue }
      let number = numbers[key] ?? numbers.count
      (numbers[key], numberOfFounding[place]) = (number, number)
    }
    return (numbers, numberOfFounding)
  }

  private mutating func accept(_ place: Int, _ edge: Edge) {
    var reached = above[edge.group]
    reached.insert(edge.group)
    merges[place] = edge
    acts[edge.host].append(place)
    under[edge.joiner].append(edge.group)
    for founding in above.indices where above[founding].contains(edge.joiner) {
      above[founding].formUnion(reached)
    }
    above[edge.joiner].formUnion(reached)
  }
}

/// What groups are by the merges before one, in the order of merges.
private struct GrowingGroups {
  private var groups: [Resolution] = []
  private var places: [Int: Int] = [:]

  var work: Int { groups.reduce(0) { $0 + $1.work } }

  /// Whether no more is worked out: whoever stole the first device of a group can make up hundreds that come under it as it under them.
  /// Which of two merges came first is not told then, and a device stays in the group that it was in.
  var isSpent: Bool { work >= Limits.membershipPlacings }

  /// Whether the group of one founding is part of that of another.
  mutating func isGroup(
    _ root: Int, partOf other: Int, _ index: MembershipIndex, _ membership: Membership
  ) -> Bool {
    let (lower, upper) = (place(of: root, index, membership), place(of: other, index, membership))
    return groups[upper].holds(groups[lower])
  }

  private mutating func place(of root: Int, _ index: MembershipIndex, _ membership: Membership) -> Int {
    if let place = places[root] { return place }
    places[root] = groups.count
    groups.append(Resolution(root: root, index: index, membership: membership))
    return groups.count - 1
  }

  mutating func take(_ merge: Int, _ index: MembershipIndex, _ membership: Membership) {
    guard !isSpent else { return }
    for place in groups.indices { groups[place].take(merge, index, membership) }
  }
}
