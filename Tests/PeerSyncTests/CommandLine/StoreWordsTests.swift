import PeerSync
import PeerSyncSandbox
import TestSupport
import Testing
import peerd

/// Words of the API where a person reads them.
@Suite("Words of the API, for people")
struct StoreWordsTests {
  private func expectTold(_ told: [Phrase], _ words: [String]) {
    #expect(Set(told).count == words.count, "\(told)")
    for (phrase, word) in zip(told, words) {
      let (english, korean) = (phrase.text(in: .english), phrase.text(in: .korean))
      #expect(korean.hasHangul && !korean.contains(word), "\(word): \(korean)")
      #expect(!english.contains(#/[a-z][A-Z]/#) && !english.hasHangul, "\(word): \(english)")
    }
  }

  @Test("each word of the sandbox store is told in both languages")
  func store() {
    let moods = SandboxMood.allCases.map(\.rawValue)
    expectTold(moods.map { .mood($0) }, moods)
    let reasons = ExpiryReason.allCases.map(\.rawValue)
    expectTold(reasons.map { .reason(ofEnd: $0) }, reasons)
    let types = ProductType.allCases.map(\.rawValue)
    expectTold(types.map { .type($0) }, types)
    let kinds = StoreOffer.Kind.allCases.map(\.rawValue)
    expectTold(kinds.map { .kind(ofOffer: $0) }, kinds)
    let customers = SandboxOffer.Customer.allCases.map(\.rawValue)
    expectTold(customers.map { .customer($0) }, customers)
  }

  @Test("a word of a later version stays as it is")
  func unknown() {
    for phrase in [
      Phrase.mood("barter"), .reason(ofEnd: "barter"), .type("barter"), .kind(ofOffer: "barter"),
    ] {
      #expect(phrase == .same("barter"))
    }
  }
}
