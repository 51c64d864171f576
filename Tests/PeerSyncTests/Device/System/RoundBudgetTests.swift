import PeerSync
import Testing

/// What is read before a round of the engine.
struct RoundBudgetTests {
  private let busy = SessionID(rawValue: 1)
  private let quiet = SessionID(rawValue: 2)

  @Test func aPeerHasAShareOfARound() {
    var budget = RoundBudget()
    for _ in 0..<RoundBudget.sessionCost {
      #expect(budget.hasRoom(for: busy))
      budget.received(.dialBack, on: busy)
    }
    #expect(!budget.hasRoom(for: busy))
    #expect(budget.hasRoom(for: quiet))
    budget.handling()
    #expect(budget.hasRoom(for: busy))
  }

  @Test func manyPeersHaveARoundTogether() {
    var budget = RoundBudget()
    budget.received(.dialBack, on: quiet)
    for number in 1..<RoundBudget.cost {
      #expect(budget.hasRoom(for: quiet))
      budget.received(.dialBack, on: SessionID(rawValue: 10 + UInt64(number)))
    }
    #expect(!budget.hasRoom(for: quiet))
    // Whoever was not heard yet has its turn.
    let late = SessionID(rawValue: 3)
    #expect(budget.hasRoom(for: late))
    budget.received(.dialBack, on: late)
    #expect(!budget.hasRoom(for: late))
  }

  @Test func bytesCountOnceTheirMessageIsWhole() {
    var budget = RoundBudget()
    budget.received(RoundBudget.bytes)
    #expect(budget.hasRoom(for: quiet))
    budget.received(.dialBack, on: busy)
    #expect(!budget.hasRoom(for: quiet))
  }

  @Test func whatHasManySignaturesCostsAsMuch() {
    let writes = (1...8).map { Write.numbered($0) }
    let commits = SignedBatch.signed(writes)
    #expect(commits.count > 1)
    #expect(Message.delta(DeltaChunk(delta: 1, index: 0, commits: commits)).cost == commits.count)
    #expect(Message.items(RangeItems(range: .all, wantsReply: true, commits: commits)).cost == commits.count)
    let record = MembershipRecord(
      parents: [], body: .other(kind: 200, author: ContentHash(words: (1, 2, 3, 4)), payload: []),
      signatures: [])
    #expect(Message.records(RecordsPart(records: [record, record], isLast: true)).cost == 16)
    #expect(Message.records(RecordsPart(records: [], isLast: true)).cost == 1)
    // Two of one peer in a round: each is answered with all that there is.
    #expect(2 * Message.recordHashes([]).cost == RoundBudget.sessionCost)
    let wanted = Message.rightsWanted(RightsTotal(credit: "c", total: 1))
    #expect(8 * wanted.cost == RoundBudget.sessionCost)
  }
}
