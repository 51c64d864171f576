import PeerSyncCore
import PeerSyncSandbox
import Testing

/// What the sandbox store takes back and gives again, as other devices of the account see it.
@Suite struct SandboxReturnTests {
  @Test("[C30] who has heard of a refund hears that it was reversed, on every device of the account")
  func everywhere() throws {
    var fixture = try SandboxFixture(at: "2026-01-01")
    let tablet = fixture.seen(on: "tablet")
    for product in ["owls", "season"] {
      let bought = try fixture.buy(product)
      #expect(fixture.store.changes(since: 0, for: tablet).transactions.allSatisfy { $0.id != bought })
      try fixture.handle(.refund(transaction: bought, percentage: nil))
      let refunded = fixture.store.changes(since: 0, for: tablet)
      #expect(refunded.transactions.last?.id == bought && refunded.transactions.last?.revocation != nil)
      let told = fixture.store.notifications(after: nil, for: tablet).last?.uuid
      try fixture.handle(.reverseRefund(transaction: bought))
      let news = fixture.store.changes(since: refunded.revision, for: tablet).transactions
      #expect(news.map(\.id) == [bought] && news.allSatisfy { $0.revocation == nil })
      #expect(
        fixture.store.notifications(after: told, for: tablet).map(\.type) == ["REFUND_REVERSED"])
      // It may be taken back again.
      try fixture.handle(.refund(transaction: bought, percentage: nil))
      try fixture.handle(.reverseRefund(transaction: bought))
      #expect(fixture.store.history(of: tablet).last?.id == bought)
    }
    #expect(fixture.store.history(of: fixture.seen(by: "you@example.com")).isEmpty)
  }
}
