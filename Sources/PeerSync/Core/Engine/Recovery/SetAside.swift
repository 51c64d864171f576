/// Writes that have left the registers and may be wanted again, as their commits.
///
/// Of members that equivocated: what is void, or lost to another branch of the same life. What a restored device has forgotten
/// may be among them, and they wait for their author, who writes them again. Of devices that do not belong to the group any
/// more: what left by the removal. Should it be overruled, they are put back.
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
  /// - Parameters:
  ///   - lives: its replicas
  ///   - isMembers: whether it belongs to the group. Those that do not use up half of the room, at most.
  /// - Returns: those that are not kept: ``Limits/setAsideBytesOfOne`` or ``Limits/setAsideBytes`` are used up
  package mutating func add(_ news: [Part], of lives: Set<ReplicaID>, isMembers: Bool = true) -> [Part] {
    let limit = isMembers ? Limits.setAsideBytes : Limits.setAsideBytes / 2
    var (bytes, kept, lost) = (bytes, Set(parts), [Part]())
    var own = parts.reduce(0) { $0 + (lives.contains($1.replica) ? $1.commits.count : 0) }
    for part in news where kept.insert(part).inserted {
      let (size, all) = (own + part.commits.count, bytes + part.commits.count)
      guard size <= Limits.setAsideBytesOfOne, all <= limit else {
        lost.append(part)
        continue
      }
      parts.append(part)
      (own, bytes) = (size, all)
    }
    return lost
  }
}
