import Foundation
import PeerSync
import Testing

/// What people are told of what happened: a line in their language.
@Suite struct EventSentenceTests {
  private func purchase(_ quantity: Int) throws -> EventAnswer {
    let text = """
      {"type": "purchase", "time": "2026-01-01T00:00:00.000Z", "device": {"id": "1", "name": "Tablet"},
       "product": {"id": "6", "name": "6monthsOfRandom"}, "quantity": \(quantity), "entitlements":
       [{"id": "random-owls", "active": true, "expires": "2027-08-22T00:00:00.000Z", "because": "x", "reasons": []}]}
      """
    return try JSON.decode(EventAnswer.self, from: Array(text.utf8))
  }

  @Test func aPurchaseInBothLanguages() throws {
    let zone = try #require(TimeZone(identifier: "UTC"))
    #expect(
      try purchase(1).sentence(in: .english, zone: zone)
        == "random-owls until 22 August 2027: Tablet bought 6monthsOfRandom")
    #expect(
      try purchase(2).sentence(in: .korean, zone: zone)
        == "random-owls 2027년 8월 22일까지: ‘Tablet’ 기기에서 ‘6monthsOfRandom’ 상품을 2개 구입했습니다")
  }

  @Test(arguments: [
    (#", "firstName": "Tablet""#, "Tablet is now called Den", "‘Tablet’ 기기의 이름이 이제 ‘Den’입니다"),
    ("", "device 7 is now called Den", "7 기기의 이름이 이제 ‘Den’입니다"),
  ]) func aRenaming(first: String, english: String, korean: String) throws {
    let text =
      #"{"type": "membership", "time": null, "device": null, "change": "renamed", "#
      + #""subject": {"id": "7", "name": "Den"\#(first)}}"#
    let event = try JSON.decode(EventAnswer.self, from: Array(text.utf8))
    let zone = try #require(TimeZone(identifier: "UTC"))
    #expect(event.sentence(in: .english, zone: zone) == english)
    #expect(event.sentence(in: .korean, zone: zone) == korean)
  }

  @Test(arguments: EventAnswer.Kind.allCases) func everyTypeHasItsOwnWords(kind: EventAnswer.Kind) throws {
    let zone = try #require(TimeZone(identifier: "UTC"))
    var event = EventAnswer(kind, nil)
    event.text = "a\nb"
    if kind == .subscription { return }
    let texts = SentenceLanguage.allCases.map { event.sentence(in: $0, zone: zone) }
    #expect(Set(texts).count == texts.count && texts.allSatisfy { !$0.isEmpty && !$0.contains("\n") })
    let others = EventAnswer.Kind.allCases.filter { $0 != kind }.map {
      EventAnswer($0, nil).sentence(in: .english, zone: zone)
    }
    #expect(!others.contains(texts[0]))
  }
}
