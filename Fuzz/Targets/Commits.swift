import PeerSync
import PeerSyncSimulation

/// Signed commits: refused, or read to the same bytes; and what their author has not signed is not taken.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  guard bytes.count <= Limits.batchBytes, let batch = try? SignedBatch(decoding: bytes[...]) else { return 0 }
  check(batch.bytes == bytes, "commits have two encodings")
  var replica = Replica(id: ReplicaID(high: 1, low: 1), cryptography: .simulated)
  let outcome = replica.merge(batch, ceiling: Stamp(rawValue: .max))
  check(outcome.forgery != nil || batch.authors.allSatisfy(isKnown(replica)), "an author is not known")
  let digest = replica.digest
  check(replica.merge(batch, ceiling: Stamp(rawValue: .max)).won.isEmpty, "a second merge changes something")
  check(replica.digest == digest, "a second merge changes the digest")
  return 0
}

private func isKnown(_ replica: Replica) -> (Incarnation) -> Bool {
  { replica.incarnation(of: $0.replica(.simulated)) == $0 }
}
