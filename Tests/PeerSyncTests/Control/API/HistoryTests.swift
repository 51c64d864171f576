import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// What has happened, as the control API tells it of one device.
@Suite("history")
struct HistoryTests {
  @Test("everything that happened is there, the newest last, with its time and its device")
  func all() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let daemon = fixture.daemon
      let bought = try await daemon.purchase(
        "3monthsOfRandom", at: Instant("2026-01-01T00:00:00Z"))
      let id = try #require(bought.transaction?.transactionId)
      _ = try await daemon.purchase("RandomOwls", quantity: 2)
      _ = try await daemon.spend("owls", amount: 3, id: "a picture")
      _ = try await daemon.grant("promotion", until: Instant("2031-01-01T00:00:00Z"))
      _ = try await daemon.setExpiration(of: "random-owls", to: nil)
      let why = try await daemon.why("random-owls")
      #expect(why.lines.map(\.writtenBy?.name) == ["Phone"])
      _ = try await daemon.setValue("theme", to: "dark")
      _ = try await daemon.refund(id)
      _ = try await daemon.acceptTime()
      let history: HistoryAnswer = try await fixture.client.send("GET", "/v1/history")
      let events = history.events
      #expect(events.map { $0.time ?? .distantPast } == events.map { $0.time ?? .distantPast }.sorted())
      #expect(events.allSatisfy { $0.type == .membership || $0.device?.name == "Phone" })
      func one(_ type: EventAnswer.Kind) throws -> EventAnswer {
        try #require(events.first { $0.type == type }, "\(type)")
      }
      #expect(events.first { $0.transactionId == id }?.time == Instant("2026-01-01T00:00:00Z"))
      #expect(try one(.refund).transactionId == id && one(.refund).product?.id == "3monthsOfRandom")
      let spend = try one(.spend)
      #expect(spend.credit == "owls" && spend.amount == 3 && spend.id == "a picture" && spend.learned == true)
      #expect(try one(.grant).entitlement == "promotion" && one(.grant).change == "granted")
      #expect(try one(.expiration).line == "random-owls" && one(.expiration).expires == nil)
      #expect(try one(.value).key == "theme" && one(.value).value == "dark")
      #expect(try one(.membership).change == "joined" && one(.membership).subject?.name == "Phone")
      #expect(try one(.accepted).time != nil)
      #expect(events.filter { $0.type == .product }.count == 4)
      let newest: HistoryAnswer = try await fixture.client.send("GET", "/v1/history?limit=3")
      #expect(timeless(newest.events) == timeless(events.suffix(3)))
      let since: HistoryAnswer = try await fixture.client.send(
        "GET", "/v1/history?since=2026-01-02T00:00:00Z")
      let january = instant("2026-01-02")
      #expect(timeless(since.events) == timeless(events.filter { ($0.time ?? .distantPast) >= january }))
      for wrong in ["limit=0", "limit=10001", "limit=x", "since=never"] {
        #expect(try await fixture.problem("GET", "/v1/history?\(wrong)")?.code == .invalidValue, "\(wrong)")
      }
    }
  }

  /// The same without times that are only by when something had happened: in the hour in which it was heard of that is now.
  private func timeless(_ events: some Sequence<EventAnswer>) -> [EventAnswer] {
    events.map { event in
      guard event.learned == true else { return event }
      var event = event
      event.time = nil
      return event
    }
  }

  @Test("transactions come a page at a time, each with the device that bought it")
  func pages() async throws {
    try await ControlFixture.with { (fixture) async throws in
      for _ in 0..<5 { _ = try await fixture.daemon.purchase("RandomOwls") }
      let all = try await fixture.daemon.transactions()
      #expect(all.transactions.count == 5 && all.next == nil)
      #expect(all.transactions.allSatisfy { $0.device?.name == "Phone" })
      let page: TransactionsAnswer = try await fixture.client.send("GET", "/v1/transactions?limit=2")
      #expect(page.transactions.count == 2 && page.next == page.transactions.last?.transactionId)
      #expect(try await fixture.client.transactions(limit: 2) == all.transactions)
      let unknown = try await fixture.problem("GET", "/v1/transactions?after=1")
      #expect(unknown?.code == .unknownTransaction)
    }
  }
}

extension Instant {
  fileprivate static let distantPast = Instant(clamping: .min)
}
