import PeerSync
import PeerSyncSimulation

/// Encoded writes: refused, or read and written again to the same bytes, and merged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  guard bytes.count <= Limits.batchBytes, let batch = try? WriteBatch(decoding: bytes[...]) else { return 0 }
  var again = WriteBatch()
  batch.forEach { again.append($0) }
  check(again == batch && again.bytes == bytes, "writes have two encodings")
  var replica = Replica(id: ReplicaID(high: 1, low: 1), cryptography: .simulated)
  let outcome = replica.merge(batch, ceiling: Stamp(rawValue: .max))
  check(outcome.isWhole && replica.count <= batch.count, "a merge makes registers up")
  let digest = replica.digest
  check(replica.merge(batch, ceiling: Stamp(rawValue: .max)).won.isEmpty, "a second merge changes something")
  check(replica.digest == digest, "a second merge changes the digest")
  return 0
}
