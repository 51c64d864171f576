import PeerSyncCore
import Testing

@Suite struct SessionTests {
  private let peer = Author(2)
  private let record = Machines.device(Author(3)).founding

  @Test func whatCameBeforeDataIsToldOnceItFlows() {
    var session = Session.greeted(peer, as: 1)
    session.noteUntold([record])
    session.beginExchangingRecords()
    session.noteUntold([record])
    #expect(session.becomeReady(at: 5, nextBeat: nil) == [record, record])
    session.noteUntold([record])
    #expect(session.isReady && session.becomeReady(at: 5, nextBeat: nil).isEmpty)
  }

  @Test func theEndIsFinalAndKnowsWhoItWas() {
    var session = Session.ready(with: peer, as: 1)
    session.end()
    session.advance(to: .greeting)
    session.beginExchangingRecords()
    #expect(session.isEnding && session.device == peer.device && session.flow == nil)
    let changed: Int? = session.changeFlow { _ in 1 }
    #expect(changed == nil)
  }

  @Test func dataIsChangedInPlaceAndOnlyWhereItFlows() {
    var (ready, greeted) = (Session.ready(with: peer, as: 1), Session.greeted(peer, as: 2))
    let changed: Bool? = ready.changeFlow { flow in
      flow.comparison.owesReport = true
      return true
    }
    let untouched: Bool? = greeted.changeFlow { _ in true }
    #expect(changed == true && untouched == nil)
    #expect(ready.flow?.comparison.owesReport == true && ready.device == peer.device)
    #expect(greeted.device == peer.device)
  }

  @Test func recordsAreCollectedOnlyWhereTheyAreDue() throws {
    let (part, last) = (
      RecordsPart(records: [record], isLast: false), RecordsPart(records: [record], isLast: true)
    )
    var greeted = Session.greeted(peer, as: 1)
    #expect(throws: CloseReason.unexpected) { try greeted.collect(last) }
    greeted.beginExchangingRecords()
    #expect(try greeted.collect(part) == nil)
    #expect(try greeted.collect(last) == [record, record])
    #expect(try greeted.collect(last) == [record])
  }

  @Test func moreRecordsThanAreOfferedEndIt() {
    var incoming = IncomingRecords()
    let many = RecordsPart(
      records: Array(repeating: record, count: Limits.membershipOffered), isLast: false)
    #expect(throws: Never.self) { try incoming.take(many) }
    #expect(throws: CloseReason.beyondLimit) {
      try incoming.take(RecordsPart(records: [record], isLast: true))
    }
  }

  /// A record may be as long as a frame, and some thousands are taken.
  @Test func moreBytesThanAreHeldEndIt() throws {
    var incoming = IncomingRecords()
    let part = RecordsPart(records: [record], isLast: false)
    #expect(try incoming.take(part) == nil)
    let size = incoming.bytes
    #expect(size == record.encoded.count)
    let long = MembershipRecord.unknown(
      1, by: Author(3).key, record, 1, bytes: Limits.membershipPayloadBytes)
    let longer = RecordsPart(records: long, isLast: false)
    let most = (Limits.heldBytes - size) / long[0].encoded.count
    for _ in 0..<most { #expect(try incoming.take(longer) == nil) }
    #expect(throws: CloseReason.beyondLimit) { try incoming.take(longer) }
    var whole = IncomingRecords()
    _ = try whole.take(part)
    _ = try whole.take(RecordsPart(records: [], isLast: true))
    #expect(whole.bytes == 0)
  }

  @Test func sessionsStayInTheOrderInWhichTheyOpened() {
    var table = SessionTable()
    for id in [5, 2, 9] as [UInt64] { table[SessionID(rawValue: id)] = .ready(with: peer, as: id) }
    table[SessionID(rawValue: 5)] = nil
    #expect(table.ready.map(\.rawValue) == [2, 9] && table.ready(with: peer.device) != nil)
    for id in table.ready { _ = table.update(id) { $0.end() } }
    #expect(table.ready.isEmpty && table.ready(with: peer.device) == nil && table.all.count == 2)
  }
}
