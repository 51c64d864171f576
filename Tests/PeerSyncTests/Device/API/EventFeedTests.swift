import PeerSync
import Testing

/// What is kept for those who follow: each sale once, however often it is written down.
@Suite struct EventFeedTests {
  private let bought = Sale(transaction: Name("1"), isRefund: false)

  private func batch(_ count: Int, of kind: RegisterKind, from first: UInt64 = 1) -> WriteBatch {
    var batch = WriteBatch()
    for number in 0..<UInt64(count) {
      batch.append(
        Write(
          key: [kind.rawValue, UInt8(number & 0xff)], stamp: Stamp(rawValue: 1), value: [1],
          dot: Dot(replica: ReplicaID(high: 0, low: 1), sequence: first + number)))
    }
    return batch
  }

  @Test func aSaleIsKeptOnceWhoeverWritesIt() {
    let feed = EventFeed()
    feed.sales = []
    for round in 0..<3 {
      feed.note([batch(2, of: .transaction, from: 10 * UInt64(round) + 1)]) { _ in [bought] }
    }
    #expect(feed.ring.next == 2)
    feed.note([batch(1, of: .transaction)]) { _ in [bought, Sale(transaction: Name("1"), isRefund: true)] }
    #expect(feed.ring.next == 3)
    feed.note([batch(2, of: .value)]) { _ in [bought] }
    #expect(feed.ring.next == 5)
  }

  @Test func whatWasKnownBeforeIsNotKept() {
    let feed = EventFeed()
    feed.sales = [bought]
    feed.note([batch(1, of: .transaction)]) { _ in [bought] }
    #expect(feed.ring.next == 1)
  }

  @Test func ofMuchAtOnceNothingIsTold() {
    let feed = EventFeed()
    feed.sales = []
    feed.note([batch(EventFeed.writesToldAtOnce + 1, of: .transaction)]) { _ in [bought] }
    #expect(feed.sales == nil && feed.ring.after(0) == nil)
  }
}
