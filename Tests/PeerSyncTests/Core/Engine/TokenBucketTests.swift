import PeerSyncCore
import Testing

@Suite struct TokenBucketTests {
  @Test func startsFullAndFillsWithTime() {
    var bucket = TokenBucket(capacity: 10, perMillisecond: 2)
    let takes: [(tokens: UInt64, now: UInt64, isThere: Bool)] = [
      (11, 100, false), (10, 100, true), (1, 100, false), (3, 101, false), (2, 101, true), (1, 101, false),
      (10, 106, true), (1, 106, false), (0, 106, true),
      // Never more than it holds, however long nobody asked.
      (11, 1_000_000, false), (10, 1_000_000, true), (10, .max, true),
      // A clock that goes back gives nothing and takes nothing.
      (1, 5, false), (1, .max, false),
    ]
    for take in takes {
      #expect(bucket.take(take.tokens, now: take.now) == take.isThere, "\(take)")
    }
  }

  /// However it is asked: over any stretch of time it gives at most what it holds and what came in.
  @Test(arguments: Seeds.all) func givesNoMoreThanItsRate(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bucket = TokenBucket(capacity: 50, perMillisecond: 3)
    var now: UInt64 = 0
    var takes: [(now: UInt64, tokens: UInt64)] = []
    for _ in 0..<400 {
      now += UInt64(random.below(20))
      let tokens = UInt64(random.below(40))
      if bucket.take(tokens, now: now) { takes.append((now, tokens)) }
    }
    for first in takes.indices {
      var sum: UInt64 = 0
      for take in takes[first...] {
        sum += take.tokens
        #expect(sum <= 50 + 3 * (take.now - takes[first].now), "seed \(seed)")
      }
    }
  }
}
