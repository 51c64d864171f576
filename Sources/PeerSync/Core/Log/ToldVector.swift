/// A version vector as a peer is told it: with a fingerprint of the commit at which its teller stands of each replica.
///
/// Where two devices stand at one sequence of a replica but hold two branches of it, their fingerprints differ: so the head of that
/// commit need be shown only then.
public struct ToldVector: Hashable, Sendable {
  package let vector: VersionVector
  /// Of each entry of the vector, in their order: of the commit that has the write, the first 8 bytes of the hash of its signature; 0
  /// where that commit is not here.
  package let fingerprints: [UInt64]

  /// - Parameter fingerprints: as many as the vector has entries
  package init(_ vector: VersionVector, fingerprints: [UInt64]) {
    precondition(vector.entries.count == fingerprints.count, "a fingerprint for each entry")
    self.vector = vector
    self.fingerprints = fingerprints
  }

  /// The fingerprint told with an entry; nil when the vector has another one of its replica.
  func fingerprint(of entry: Dot) -> UInt64? {
    guard let place = vector.place(of: entry.replica), vector.entries[place] == entry else { return nil }
    return fingerprints[place]
  }
}

extension Replica {
  /// This replica's vector, as peers are told it.
  package var told: ToldVector {
    ToldVector(vector, fingerprints: vector.entries.map { fingerprint(of: $0) })
  }

  private func fingerprint(of entry: Dot) -> UInt64 {
    guard let author = log.number(of: entry.replica),
      let commit = log.commit(of: author, containing: entry.sequence)
    else { return 0 }
    return fingerprint(of: commit)
  }

  /// The first 8 bytes of the hash of a commit's signature, and 1 for the 0 that says that there is no commit.
  func fingerprint(of commit: StoredCommit) -> UInt64 {
    let hash = commit.signature.signature.bytes.withUnsafeBytes { log.cryptography.hash($0) }
    return max(1, hash.words.0)
  }
}
