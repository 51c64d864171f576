import PeerSync
import Testing

/// What is kept of events, compared with a list of all.
@Suite struct EventRingTests {
  @Test(arguments: Seeds.all) func itTellsWhatCameAfterOrThatItIsGone(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let capacity = random.pick(1...5)
    var ring = EventRing<Int>(capacity: capacity)
    // The slow twin: what was skipped is nil.
    var all: [Int?] = []
    for step in 0..<200 {
      if random.chance(20) {
        let count = random.pick(1...4)
        ring.skip(count)
        all += Array(repeating: nil, count: count)
      } else {
        ring.append(step)
        all.append(step)
      }
      #expect(ring.next == UInt64(all.count + 1))
      let known = random.below(all.count + 1)
      let missed = all[known...]
      guard let told = ring.after(UInt64(known)) else {
        #expect(missed.contains(nil) || missed.count > capacity, "seed \(seed), step \(step)")
        continue
      }
      #expect(told.map(\.element) == missed.map { $0 ?? -1 }, "seed \(seed), step \(step)")
      #expect(told.map(\.number) == missed.indices.map { UInt64($0 + 1) })
    }
    #expect(ring.after(UInt64(all.count + 1)) == nil && ring.after(.max) == nil)
  }
}
