/// Writes of members that equivocated and that are void, or lost to another branch of the same life, as their commits: what a
/// restored device has forgotten may be among them. They wait here for their author, who writes them again.
package struct SetAside: Hashable, Sendable {
  /// Commits of one replica, few enough for a frame.
  package struct Part: Hashable, Sendable {
    package let replica: ReplicaID
    /// An encoded ``SignedBatch``.
    package let commits: [UInt8]

    package init(replica: ReplicaID, commits: [UInt8]) {
      self.replica = replica
      self.commits = commits
    }
  }

  /// In the order in which they came.
  package private(set) var parts: [Part]

  package init(_ parts: [Part] = []) { self.parts = parts }

  private var bytes: Int { parts.reduce(0) { $0 + $1.commits.count } }

  /// Keeps parts of one device, each once.
  ///
  /// - Parameter lives: its replicas
  /// - Returns: those that are not kept: ``Limits/setAsideBytesOfOne`` or ``Limits/setAsideBytes`` are used up
  package mutating func add(_ news: [Part], of lives: Set<ReplicaID>) -> [Part] {
    var (bytes, kept, lost) = (bytes, Set(parts), [Part]())
    var own = parts.reduce(0) { $0 + (lives.contains($1.replica) ? $1.commits.count : 0) }
    for part in news where kept.insert(part).inserted {
      let (size, all) = (own + part.commits.count, bytes + part.commits.count)
      guard size <= Limits.setAsideBytesOfOne, all <= Limits.setAsideBytes else {
        lost.append(part)
        continue
      }
      parts.append(part)
      (own, bytes) = (size, all)
    }
    return lost
  }
}
