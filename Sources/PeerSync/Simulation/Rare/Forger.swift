import PeerSyncCore

/// Signs commits of any content by the key of a member, under an incarnation that the member's own program knows nothing of.
package struct Forger {
  private let signer: SigningKey
  private var replica: Replica

  package init(_ signer: SigningKey, nonce: Nonce) {
    let incarnation = Incarnation(key: signer.publicKey, nonce: nonce)
    let id = incarnation.replica(.simulated)
    self.signer = signer
    replica = Replica(id: id, cryptography: .simulated)
    replica.restore(.incarnation(incarnation, replica: id))
  }

  /// The replica of the incarnation.
  package var id: ReplicaID { replica.id }

  /// Makes writes as one commit; nil when there are none.
  package mutating func commit(_ writes: [LocalWrite]) -> (commit: Commit, writes: WriteBatch)? {
    var batch = WriteBatch()
    for write in writes {
      let stamp = write.stamp ?? Stamp(rawValue: 0)
      guard let made = replica.write(key: write.key, stamp: stamp, value: write.value) else { continue }
      batch.append(made)
    }
    return replica.seal(batch, by: signer).map { ($0, batch) }
  }
}
