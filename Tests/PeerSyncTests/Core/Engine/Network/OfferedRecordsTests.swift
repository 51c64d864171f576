import PeerSyncCore
import Testing

/// [F61] Records that come one to a message, each of which has everybody's place in a large set worked out anew, keep nothing else waiting.
@Suite struct OfferedRecordsTests {
  private let first = Author(1).device
  private let second = Author(2).device
  private let one = SessionID(rawValue: 1)
  private let other = SessionID(rawValue: 2)

  private func made(_ numbers: Range<Int>) -> [MembershipRecord] {
    let founding = Harness.device(Author(1)).founding.hash(.simulated)
    return numbers.map { number in
      let body = MembershipRecord.Body.other(
        kind: 200, author: founding, payload: [UInt8(number >> 8), UInt8(number & 255)])
      let bytes = MembershipRecord(parents: [founding], body: body, signatures: []).signedBytes
      return MembershipRecord(parents: [founding], body: body, signatures: [Author(1).key.sign(bytes)])
    }
  }

  private func isOfRecords(_ change: Durable.Change) -> Bool {
    if case .records = change { true } else { false }
  }

  @Test func whatComesOneByOneIsLookedAtTogether() throws {
    let harness = Harness(2)
    harness.connect(0, 1)
    harness.settle()
    let session = try #require(harness.sent.last { $0.to == 1 && $0.from == 0 }?.session)
    func tell(_ records: [[MembershipRecord]]) -> Effects {
      harness.handle(
        1, records.map { .received(session, .records(RecordsPart(records: $0, isLast: true))) })
    }
    let count = harness.engines[1].membership.count
    _ = tell([made(0..<800)])
    #expect(harness.engines[1].membership.count == count + 800)
    // The same ones again take nothing.
    #expect(!tell([made(0..<1), made(1..<2)]).durable.changes.contains(where: isOfRecords))
    harness.monotonic += 1000
    let effects = tell(made(800..<820).map { [$0] })
    #expect(effects.durable.changes.count(where: isOfRecords) == 1 && effects.closings.isEmpty)
    #expect(harness.engines[1].membership.count == count + 801)
    harness.monotonic = try #require(harness.engines[1].nextDeadline)
    let rest = harness.handle(1, [.deadline])
    #expect(rest.durable.changes.count(where: isOfRecords) == 1)
    #expect(harness.engines[1].membership.count == count + 820)
  }

  @Test func littleWorkHasNothingWait() {
    var offered = OfferedRecords()
    offered.rest(after: 1024, at: 5)
    #expect(offered.isOpen(at: 5) && offered.deadline == nil)
    offered.rest(after: 500_000, at: 5)
    #expect(!offered.isOpen(at: 1900) && offered.isOpen(at: 2000))
    // A smaller insertion ends no pause.
    offered.rest(after: 0, at: 6)
    #expect(!offered.isOpen(at: 1900))
  }

  @Test func membersHaveTheirTurns() throws {
    var offered = OfferedRecords()
    offered.rest(after: 100_000, at: 0)
    let records = made(0..<3)
    let places = [(first, one), (second, other), (first, other)]
    let areKept = zip(records, places).map { offered.add([$0], from: $1.0, on: $1.1) }
    #expect(areKept == [true, true, true])
    let time = try #require(offered.deadline)
    #expect(!offered.isOpen(at: time))
    let parts = [time - 1, time, time, time].map { offered.next(at: $0) }
    #expect(parts.map { $0?.device } == [nil, first, second, nil])
    #expect(parts[1]?.session == other && parts[1]?.records == [records[0], records[2]])
    #expect(parts[2]?.session == other && parts[2]?.records == [records[1]])
  }

  @Test func whatWaitsOfOneIsBounded() {
    var offered = OfferedRecords()
    let record = made(0..<1)
    let most = Array(repeating: record[0], count: Limits.membershipOffered)
    let areKept = [(most, first), (record, first), (record, second)].map {
      offered.add($0, from: $1, on: one)
    }
    #expect(areKept == [true, false, true])
  }
}
