/// How far each replica's writes are known: for each replica the greatest sequence up to which nothing is missing.
///
/// "Known" means that the register of every write up to there holds that write or a greater one; replaced writes
/// leave gaps that no longer matter (Parker et al., *Detection of Mutual Inconsistency in Distributed Systems*, 1983).
/// A replica that is not named stands at 0. Sorted by replica, so that equal vectors are equal byte for byte.
public struct VersionVector: Hashable, Sendable {
  /// The named replicas with their sequences (all above 0), sorted by replica.
  public private(set) var entries: [Dot] = []

  /// The vector that knows nothing.
  public init() {}

  /// Makes a vector from entries in any order; the greatest of each replica counts.
  public init(_ entries: some Sequence<Dot>) {
    for entry in entries { advance(entry.replica, to: entry.sequence) }
  }

  /// The sequence up to which a replica's writes are known; 0 when it is not named.
  public subscript(replica: ReplicaID) -> UInt64 { place(of: replica).map { entries[$0].sequence } ?? 0 }

  /// Whether the write is known.
  public func contains(_ dot: Dot) -> Bool { self[dot.replica] >= dot.sequence }

  /// Raises a replica's entry; a lower sequence changes nothing.
  public mutating func advance(_ replica: ReplicaID, to sequence: UInt64) {
    let index = index(of: replica)
    if index < entries.count, entries[index].replica == replica {
      guard entries[index].sequence < sequence else { return }
      entries[index] = Dot(replica: replica, sequence: sequence)
    } else if sequence > 0 {
      entries.insert(Dot(replica: replica, sequence: sequence), at: index)
    }
  }

  /// Takes the greater sequence of every replica, in one pass over both.
  public mutating func merge(_ other: VersionVector) {
    var merged: [Dot] = []
    merged.reserveCapacity(max(entries.count, other.entries.count))
    var rest = other.entries[...]
    for entry in entries {
      while let next = rest.first, next.replica < entry.replica { merged.append(rest.removeFirst()) }
      if let next = rest.first, next.replica == entry.replica {
        merged.append(max(entry, next))
        rest.removeFirst()
      } else {
        merged.append(entry)
      }
    }
    entries = merged + rest
  }

  /// Whether everything that `other` knows is known here.
  public func covers(_ other: VersionVector) -> Bool {
    other.entries.allSatisfy { contains($0) }
  }

  /// The entries of this vector that `other` has not reached.
  public func entries(beyond other: VersionVector) -> [Dot] {
    entries.filter { !other.contains($0) }
  }

  /// The place of a replica among the entries; nil when it is not named.
  package func place(of replica: ReplicaID) -> Int? {
    let index = index(of: replica)
    return index < entries.count && entries[index].replica == replica ? index : nil
  }

  private func index(of replica: ReplicaID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
