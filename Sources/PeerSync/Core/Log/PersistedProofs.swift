/// What proves whose writes a disk holds, as plainly as it can be kept.
package struct PersistedProofs: Sendable {
  package private(set) var incarnations: [(Incarnation, ReplicaID)] = []
  package private(set) var commits: [Dot: PersistedCommit] = [:]
  package private(set) var replaced: [Dot: ContentHash] = [:]
  package private(set) var forks: [ReplicaID: Fork] = [:]

  package init() {}

  package mutating func apply(_ change: ProofChange) {
    switch change {
    case .incarnation(let incarnation, let replica):
      if !incarnations.contains(where: { $0.1 == replica }) { incarnations.append((incarnation, replica)) }
    case .commit(let kept):
      commits[Dot(replica: kept.replica, sequence: kept.first)] = kept
      if kept.root != nil { removeHashes(kept.replica, kept.first...kept.last) }
    case .dropped(let replica, let span):
      commits[Dot(replica: replica, sequence: span.lowerBound)] = nil
      removeHashes(replica, span)
    case .voided(let replica, let span):
      commits = commits.filter { $0.key.replica != replica || !span.contains($0.key.sequence) }
      replaced = replaced.filter { $0.key.replica != replica || !span.contains($0.key.sequence) }
    case .replaced(let dot, let hash): replaced[dot] = hash
    case .alive(let dot): replaced[dot] = nil
    case .forked(let fork, let replica): forks[replica] = fork
    case .forgotten(let replica):
      incarnations.removeAll { $0.1 == replica }
      forks[replica] = nil
    }
  }

  private mutating func removeHashes(_ replica: ReplicaID, _ span: ClosedRange<UInt64>) {
    for sequence in span { replaced[Dot(replica: replica, sequence: sequence)] = nil }
  }

  /// Everything, in the order in which it is put back.
  package var all: [ProofChange] {
    incarnations.map { .incarnation($0.0, replica: $0.1) }
      // Names are sorted, and not what they name: there are thousands.
      + commits.keys.sorted().compactMap { commits[$0].map(ProofChange.commit) }
      + replaced.sorted { $0.key < $1.key }.map { .replaced($0.key, $0.value) }
      + forks.sorted { $0.key < $1.key }.map { .forked($0.value, replica: $0.key) }
  }
}
