import PeerSyncCore
import Testing

/// [F68] Who was a member is remembered, as a witness of the time and as one that has vouched for it.
@Suite struct FormerMemberTests {
  private let minute: Int64 = 60_000
  private let ahead: Int64 = 400 * 86_400_000
  private let tablet = DeviceID(high: 1, low: 1)
  private let watch = DeviceID(high: 2, low: 1)
  private let mac = DeviceID(high: 3, low: 1)

  private func now(_ passed: Int64, off: Int64 = 0) -> Now {
    Now(wall: at(passed + off), monotonic: 9 + UInt64(passed))
  }

  private func at(_ passed: Int64) -> Instant { Instant(clamping: TimeBoundsTests.start + passed) }

  /// A device that knew two members before it met one of them, 400 days ahead alike.
  private func wrongWithOneUnheard() -> TrustedTime {
    var time = TrustedTime()
    _ = time.know([tablet, watch])
    time.begin(now(0))
    time.note(at(minute + ahead), of: tablet, at: now(minute, off: ahead))
    return time
  }

  /// Whoever vouches for a wrong time and removes another one for a moment is not rid of a witness.
  @Test func whoComesBackIsAWitnessStill() {
    var time = wrongWithOneUnheard()
    _ = time.know([tablet])
    _ = time.know([tablet, watch])
    _ = time.know([watch])
    let later = now(5 * minute)
    let fallen = time.withdraw([(watch, later.wall)], at: later)
    #expect(fallen.map(\.supplier) == [tablet] && fallen.map(\.witness) == [watch])
    // Nor is what it had vouched for forgotten with it: let in again, it came when it came.
    let peers = time.persisted(at: later).peers
    #expect(peers.count == 2 && peers.allSatisfy { $0.since == nil })
  }

  /// Who was a member is remembered, but no more than 1,024 of them: those that were known first, and vouch for the latest times.
  @Test func madeUpDevicesCrowdOutNobody() {
    var time = wrongWithOneUnheard()
    for batch in 1...UInt64(20) {
      _ = time.know((0..<100).map { DeviceID(high: batch, low: 10 + $0) })
    }
    _ = time.know([watch, mac])
    let peers = time.persisted(at: now(2 * minute)).peers
    #expect(peers.count == Limits.membershipRecords + 2)
    #expect(peers.first { $0.device == tablet }?.bound != nil)
    #expect(peers.first { $0.device == watch }.map { $0.since == nil } ?? false)
  }
}
