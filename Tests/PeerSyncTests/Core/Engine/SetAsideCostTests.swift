import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What waits for its author costs a device nothing, however often a peer speaks.
@Suite struct SetAsideCostTests {
  private static let other = Author(3)

  /// A commit of one large value, the write after so many others of its author.
  private func commit(_ place: UInt64, _ fill: UInt8, bytes: Int) -> Message? {
    let write = Write(
      key: RegisterKey.value(key: "value \(place)").encoded, stamp: Stamp(rawValue: place),
      value: [UInt8](repeating: fill, count: bytes),
      dot: Dot(replica: Self.other.replica, sequence: place))
    return Self.other.commit([write]).map { .commit($0) }
  }

  /// A member that has signed two commits under one dot, of which the others keep as much as they keep of one, then reports by the
  /// thousand that it stands where they do: 25 bytes each, which no limit counts.
  @Test func reportsOfTheSameAreCheap() throws {
    let harness = Harness(1)
    let peer = harness.welcomed(0, as: Self.other)
    for place in 1...UInt64(120) {
      harness.handle(0, [.received(peer, try #require(commit(place, 1, bytes: 32_000)))])
    }
    harness.handle(0, [.received(peer, try #require(commit(1, 2, bytes: 1)))])
    #expect(harness.engines[0].setAside.parts.reduce(0) { $0 + $1.commits.count } > 3_000_000)
    let again = harness.welcomed(0, as: Self.other)
    let summary = Summary(
      isProbe: false, vectorHash: harness.replica(0).vectorHash, digest: harness.replica(0).digest)
    let reports = [Event](repeating: .received(again, .summary(summary)), count: 10_000)
    let duration = ContinuousClock().measure { harness.handle(0, reports) }
    print("10,000 reports beside what is set aside: \(duration)")
    // A coarse bound, as in LedgerCostTests: to read all of it each time takes minutes.
    #expect(Sanitizer.isOn || duration < .seconds(20))
    // It still waits.
    #expect(!harness.engines[0].setAside.parts.isEmpty)
  }
}
