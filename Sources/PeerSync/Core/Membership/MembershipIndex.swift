/// What a resolution looks up: who did what, and which groups stand above which.
struct MembershipIndex {
  /// A merge, with its devices as the places of their foundings.
  struct Edge {
    let group: Int
    let host: Int
    let joiner: Int
  }

  /// The merges that do not close a ring of groups, by their place.
  private(set) var merges: [Int: Edge] = [:]
  /// What each device signed as author, by the place of its founding.
  private(set) var acts: [Int: [Int]] = [:]
  /// The removals by each device's recovery key.
  private(set) var recoveries: [Int: [Int]] = [:]
  /// The foundings above each founding: the groups it agreed to come under, and those these agreed to come under.
  private(set) var above: [Int: RecordSet] = [:]

  init(_ membership: Membership) {
    var edges: [(Int, Edge)] = []
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
        if removal.isByRecoveryKey {
          recoveries[author, default: []].append(place)
        } else {
          acts[author, default: []].append(place)
        }
      case .other(_, let author, _):
        if let author = membership.place(of: author) { acts[author, default: []].append(place) }
      }
    }
    for (place, edge) in edges.sorted(by: { membership.precedes($0.0, $1.0) })
    where !closesRing(edge, membership) {
      accept(place, edge)
    }
  }

  /// Whether the merges before already put the joiner above the group: of several that form a ring, the last has no
  /// effect. Those by people who are in nobody's group do not count: a thief could undo a merge by a ring made up.
  private func closesRing(_ edge: Edge, _ membership: Membership) -> Bool {
    guard above[edge.group]?.contains(edge.joiner) ?? false else { return false }
    let below = Resolution(root: edge.joiner, index: self, membership: membership)
    return below.rankOfFounding[edge.group] != nil
  }

  private mutating func accept(_ place: Int, _ edge: Edge) {
    var reached = above[edge.group] ?? RecordSet()
    reached.insert(edge.group)
    merges[place] = edge
    acts[edge.host, default: []].append(place)
    for founding in Array(above.keys) where above[founding]?.contains(edge.joiner) ?? false {
      above[founding]?.formUnion(reached)
    }
    above[edge.joiner, default: RecordSet()].formUnion(reached)
  }
}
