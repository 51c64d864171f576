import PeerSyncCore

/// `merge`: a delta of a million signed writes, decoded, verified and merged in memory by one thread.
enum MergeBenchmark {
  private static let writes = 1_000_000
  private static let registers = 100_000

  static func run() throws -> Figures {
    var figures = Figures(.merge)
    let batches = try signed(writes)
    let bytes = batches.reduce(0) { $0 + $1.count }
    let best = (0..<5).map { _ in timed { merge(batches) } }.min() ?? 0
    let decode = timed { for batch in batches { _ = try? SignedBatch(decoding: batch[...]) } }
    figures.add("writes", writes)
    figures.add("encodedBytes", bytes)
    figures.add("writesPerSecond", Double(writes) / best)
    figures.add("floorDecodeOnlyPerSecond", Double(writes) / decode)
    figures.add("ratioToFloor", best / decode)
    figures.add("floorHashOnlyPerSecond", Double(writes) / timed { hash(writes, of: bytes / writes) })
    try addMemory(&figures)
    return figures
  }

  private static func signed(_ count: Int) throws -> [[UInt8]] {
    try Workload.commits { Workload.batches(count, by: $0) }
  }

  /// SHA-256 of as many messages of the size of a write: each write's hash goes into what its author has signed.
  private static func hash(_ count: Int, of bytes: Int) {
    let message = [UInt8](repeating: 7, count: bytes)
    for _ in 0..<count { _ = Cryptography.openSSL.hash(of: message) }
  }

  /// Merges signed batches into an empty replica; what has no valid signature is left out.
  ///
  /// - Returns: how many registers there are then
  @discardableResult static func merge(_ batches: [[UInt8]]) -> Int {
    var replica = Workload.emptyReplica
    merge(batches, into: &replica)
    return replica.count
  }

  private static func merge(_ batches: [[UInt8]], into replica: inout Replica) {
    for bytes in batches {
      guard let batch = try? SignedBatch(decoding: bytes[...]) else { continue }
      _ = replica.merge(batch, ceiling: Stamp(rawValue: .max))
    }
  }

  /// The memory of registers that their author has written once, has written five times, and that five authors have
  /// written.
  private static func addMemory(_ figures: inout Figures) throws {
    var replica = Workload.emptyReplica
    merge(try signed(registers), into: &replica)
    figures.add("registers", replica.count)
    figures.add("stateMiB", mebibytes(of: replica))
    var rewritten = Workload.emptyReplica
    merge(
      try Workload.commits { author in
        (0..<5).flatMap { round in
          Workload.batches(
            registers, by: author, stamp: UInt64(round + 1), first: UInt64(round * registers + 1))
        }
      }, into: &rewritten)
    figures.add("stateMiBAfterFourOverwrites", mebibytes(of: rewritten))
    for _ in 0..<4 { merge(try signed(registers), into: &replica) }
    figures.add("stateMiBOfFiveAuthors", mebibytes(of: replica))
  }

  private static func mebibytes(of replica: Replica) -> Double {
    Double(replica.registers.allocatedBytes) / 1_048_576
  }
}
