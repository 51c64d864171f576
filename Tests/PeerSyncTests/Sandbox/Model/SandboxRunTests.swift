import PeerSyncCore
import PeerSyncSandbox
import Testing

/// A sandbox store that is started again, from its directory or from a copy of it.
@Suite struct SandboxRunTests {
  @Test("a copy that is started gives what it sells and tells other ids than the store that has gone on")
  func copies() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let before = try fixture.buy("season")
    var copy = fixture
    copy.store.begin(run: 7_000_000_007)
    for run in [UInt64.max, 3] {
      for _ in 0..<10 {
        try fixture.buy("season")
        try copy.buy("owls")
      }
      fixture.store.begin(run: run)
    }
    let (sold, told) = (ids(fixture), fixture.store.notifications.map(\.uuid))
    #expect(Set(sold).intersection(ids(copy)) == [before])
    #expect(Set(told).intersection(copy.store.notifications.map(\.uuid)) == [told[0]])
    #expect(sold == sold.sorted() && sold.count == 21 && Set(sold).count == 21)
  }

  private func ids(_ fixture: SandboxFixture) -> [UInt64] { fixture.store.transactions.map(\.id) }

  @Test("ids are found on both sides of a gap, and not within it")
  func lookups() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let first = try fixture.buy("monthly")
    fixture.store.begin(run: 1000)
    let second = try fixture.buy("owls")
    #expect(second == first + 1001)
    for id in [first, second] {
      #expect(fixture.store.transaction(id)?.id == id)
      try fixture.handle(.finish(account: SandboxFixture.me, transactions: [id, id + 1]))
      #expect(fixture.store.transaction(id)?.isFinished == true)
      try fixture.handle(.refund(transaction: id, percentage: nil))
      #expect(fixture.store.transaction(id)?.revocation != nil)
    }
    for id in [first - 1, first + 1, second - 1, second + 1, 0, .max] {
      #expect(fixture.store.transaction(id) == nil)
      #expect(fixture.refusal(.reverseRefund(transaction: id)) == .unknownTransaction(id))
    }
    // Nothing was sold since: the gap does not grow with each start.
    fixture.store.begin(run: 1000)
    fixture.store.begin(run: 5)
    #expect(try fixture.buy("owls") == second + 6)
  }

  @Test("bounded: ids stay numbers that JavaScript holds")
  func limit() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    fixture.store.setTerms { $0.nextId = Limits.sandboxIdWithGap - 2 }
    try fixture.buy("owls")
    fixture.store.begin(run: Limits.sandboxIdGap - 1)
    let last = try fixture.buy("owls")
    #expect(last == Limits.sandboxIdWithGap - 1 + Limits.sandboxIdGap - 1 && last < 1 << 53)
    fixture.store.begin(run: Limits.sandboxIdGap - 1)
    #expect(try fixture.buy("owls") == last + 1)
  }
}
