/// What a device's disk has spoilt, was left out, and no peer has brought back yet.
package struct Damage: Hashable, Sendable {
  /// What was left out, a phrase for people each.
  package var what: [String]
  /// How far each replica was known before: this device is whole once it knows as much again.
  package var lost: VersionVector
  /// Whether nobody else was in the group: then nobody can bring it back.
  package var isFinal: Bool

  package init(_ what: [String], lost: VersionVector = VersionVector(), isFinal: Bool = false) {
    self.what = what
    self.lost = lost
    self.isFinal = isFinal
  }

  /// Takes in what was found later.
  package mutating func add(_ later: Damage) {
    what += later.what.filter { !what.contains($0) }
    lost.merge(later.lost)
    isFinal = isFinal || later.isFinal
  }
}

/// How much a disk holds, and the greatest number that it must never forget. Kept beside the rows: each row tells whether
/// it was altered, and this tells whether one is missing.
package struct Inventory: Hashable, Sendable {
  /// Number of registers.
  package let registers: Int
  /// The fingerprint of all of them.
  package let digest: Digest
  /// Number of commits.
  package let commits: Int
  /// Number of hashes of replaced writes.
  package let hashes: Int
  /// The incarnation that the device writes under.
  package let replica: ReplicaID
  /// The last sequence that this incarnation has used up.
  package let used: UInt64

  package init(
    registers: Int, digest: Digest, commits: Int, hashes: Int, replica: ReplicaID, used: UInt64
  ) {
    self.registers = registers
    self.digest = digest
    self.commits = commits
    self.hashes = hashes
    self.replica = replica
    self.used = used
  }

  /// Whether the two count the same rows.
  package func countsLike(_ other: Inventory) -> Bool {
    registers == other.registers && digest == other.digest && commits == other.commits
      && hashes == other.hashes
  }
}
