import PeerSync

/// `merge`: a delta of a million writes, decoded and merged in memory by one thread.
enum MergeBenchmark {
  private static let writes = 1_000_000
  private static let registers = 100_000

  static func run() -> Figures {
    var figures = Figures(.merge)
    let batches = Workload.batches(writes)
    let bytes = batches.reduce(0) { $0 + $1.count }
    let best = (0..<5).map { _ in timed { merge(batches) } }.min() ?? 0
    let decode = timed { for batch in batches { _ = try? WriteBatch(decoding: batch[...]) } }
    figures.add("writes", writes)
    figures.add("encodedBytes", bytes)
    figures.add("writesPerSecond", Double(writes) / best)
    figures.add("floorDecodeOnlyPerSecond", Double(writes) / decode)
    figures.add("ratioToFloor", best / decode)
    addMemory(&figures)
    return figures
  }

  private static func merge(_ batches: [[UInt8]]) {
    var replica = Replica(id: ReplicaID(high: 0, low: 1))
    merge(batches, into: &replica)
  }

  private static func merge(_ batches: [[UInt8]], into replica: inout Replica) {
    for bytes in batches {
      guard let batch = try? WriteBatch(decoding: bytes[...]) else { continue }
      _ = replica.merge(batch, ceiling: Stamp(rawValue: .max))
    }
  }

  private static func addMemory(_ figures: inout Figures) {
    let rounds = (0..<5).map { round in
      Workload.batches(registers, stamp: UInt64(round + 1), first: UInt64(round * registers + 1))
    }
    var replica = Replica(id: ReplicaID(high: 0, low: 1))
    merge(rounds[0], into: &replica)
    figures.add("registers", replica.count)
    figures.add("stateMiB", Double(replica.registers.allocatedBytes) / 1_048_576)
    for round in rounds.dropFirst() { merge(round, into: &replica) }
    figures.add("stateMiBAfterFourOverwrites", Double(replica.registers.allocatedBytes) / 1_048_576)
  }
}
