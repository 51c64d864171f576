/// What a device's disk has spoilt, was left out, and no peer has brought back yet.
package struct Damage: Hashable, Sendable {
  /// What was left out.
  package var what: [DiskLoss]
  /// How far each replica was known before: this device is whole once it knows as much again.
  package var lost: VersionVector
  /// Whether nobody else was in the group: then nobody can bring it back.
  package var isFinal: Bool
  /// Whether something is gone that says what this device knows. Other damage is not kept on disk.
  package var concernsLedger = true

  package init(_ what: [DiskLoss], lost: VersionVector = VersionVector(), isFinal: Bool = false) {
    self.what = what
    self.lost = lost
    self.isFinal = isFinal
  }

  /// Takes in what was found later.
  package mutating func add(_ later: Damage) {
    what += later.what.filter { !what.contains($0) }
    lost.merge(later.lost)
    isFinal = isFinal || later.isFinal
    concernsLedger = concernsLedger || later.concernsLedger
  }
}

/// One thing that a damaged disk has lost. The disk keeps it as it is here, in no language, until a peer has brought it back.
public enum DiskLoss: Hashable, Sendable, Codable {
  /// Rows of a table of the disk, by its name in SQL.
  case rows(table: String, count: Int)
  /// Registers, and the encoded keys of the first of them, as they were found.
  case registers(count: Int, keys: [[UInt8]])
  /// Rows of registers or of what proves them, which nobody can name.
  case unnamed
  /// The names of the changes that the database has seen.
  case changes
  /// All of it: the words of whoever found it so, and where the old one is kept.
  case database(words: String, keptAs: String)
  /// What a version before had said in its own words.
  case said(String)
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
