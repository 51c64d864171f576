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

  /// A member may have made up hundreds of others, each of which tells as much as one may.
  @Test func whatWaitsOfAllIsBounded() {
    var network = PeerNetwork(of: Author(1).device, announcesAddresses: false, seed: 7)
    network.offered.rest(after: 100_000, at: 0)
    let long = MembershipRecord.unknown(
      500, by: Author(1).key, Harness.device(Author(1)).founding, 1, bytes: Limits.membershipPayloadBytes)
    let devices = (2...40).map { Author($0) }
    var effects = Effects()
    let isKept = network.offered.add(made(0..<1), from: first, on: one)
    for (number, author) in devices.enumerated() {
      network.sessions[SessionID(rawValue: UInt64(number + 10))] = .ready(
        with: author, as: UInt64(number + 10))
      _ = network.offered.add(
        Array(long.prefix(400 + number)), from: author.device, on: SessionID(rawValue: UInt64(number + 10)))
      network.boundRecords(&effects)
    }
    #expect(network.offered.bytes <= Limits.waitingRecordBytes)
    #expect(!effects.closings.isEmpty && effects.closings.allSatisfy { $0.1 == .busy })
    // Who has told little has its turn.
    let next = network.offered.next(at: .max)
    #expect(isKept && next?.device == first)
    // What is on its way counts as well.
    let ended = effects.closings.count
    for id in network.sessions.ready {
      _ = network.collect(RecordsPart(records: long + long, isLast: false), on: id, &effects)
    }
    let coming = network.sessions.all.reduce(0) { $0 + $1.incomingBytes }
    #expect(coming + network.offered.bytes <= Limits.waitingRecordBytes && effects.closings.count > ended)
  }

  @Test func whatWaitsOfOneIsBounded() {
    var offered = OfferedRecords()
    let (most, record) = (
      made(0..<Limits.membershipOffered), made(Limits.membershipOffered..<Limits.membershipOffered + 1)
    )
    let areKept = [(most, first), (record, first), (record, second), (most, first)].map {
      offered.add($0, from: $1, on: one)
    }
    // What was told already takes no room.
    #expect(areKept == [true, false, true, true])
  }

  /// A stranger who has seen records of the group shows them: that may take as long.
  @Test func nobodyIsIntroducedInARoundThatTookLong() {
    let harness = Harness(1)
    let stranger = Author(51)
    func introduce() -> [CloseReason] {
      let id = harness.open(0, as: stranger, over: .introduction(stranger.key.publicKey))
      let shown = RecordsPart(records: Harness.household.records, isLast: true)
      return harness.handle(0, [.received(id, .records(shown))]).closings.map(\.1)
    }
    harness.adjust(0) { $0.network.offered.rest(after: 100_000, at: harness.monotonic) }
    #expect(introduce() == [.busy])
    harness.monotonic += 1
    #expect(introduce() == [.stranger])
  }
}
