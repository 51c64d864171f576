import Foundation
import PeerSync
import Testing

/// What people are told of subscriptions: whole sentences, by language and zone.
@Suite struct SentenceTests {
  private let seoul = TimeZone(identifier: "Asia/Seoul")
  private let january = Club.period("1", from: "2026-01-01", to: "2026-02-01")

  private func sentences(
    _ transactions: [Transaction], _ infos: [RenewalInfo] = [], at now: String, _ language: SentenceLanguage,
    _ zone: TimeZone?
  ) throws -> [String] {
    var ledger = Club.ledger()
    for info in infos { ledger.apply(info) }
    for transaction in transactions { ledger.take(transaction) }
    let view = try #require(ledger.club(at: now))
    let zone = try #require(zone ?? TimeZone(identifier: "UTC"))
    return SubscriptionAnswer(view).sentences(in: language, zone: zone) { "<\($0)>" }
  }

  private func failed(_ grace: String? = nil) -> RenewalInfo {
    var info = Club.renewal(signed: "2026-02-01", due: "2026-02-01")
    info.isInBillingRetryPeriod = true
    info.gracePeriodExpiresDate = grace.map(instant)
    return info
  }

  @Test func aGracePeriodInBothLanguagesAndZones() throws {
    let info = failed("2026-02-17")
    #expect(
      try sentences([january], [info], at: "2026-02-02", .english, nil) == [
        "<basic> could not be billed when it ended on 1 February 2026 at 00:00 (UTC). Access goes on until 17 February 2026 "
          + "at 00:00 (UTC), while the store tries again: ask the customer to check the payment method of the App Store "
          + "account.",
        "31 days of service have been paid for.",
        "The store last spoke of its renewal on 1 February 2026 at 00:00 (UTC).",
      ])
    #expect(
      try sentences([january], [info], at: "2026-02-02", .korean, seoul) == [
        "‘<basic>’ 구독이 2026년 2월 1일 09:00(UTC+9)에 끝났으나 결제하지 못했습니다. 유예 기간인 2026년 2월 17일 09:00(UTC+9)까지는 계속 "
          + "이용할 수 있고, 그동안 스토어가 결제를 다시 시도합니다. 고객에게 App Store 계정의 결제 수단을 확인하도록 안내하세요.",
        "지금까지 요금을 낸 이용 기간은 31일입니다.",
        "스토어가 갱신에 대해 마지막으로 알린 시각은 2026년 2월 1일 09:00(UTC+9)입니다.",
      ])
  }

  /// Each state and reason says something of its own, in each language.
  @Test(arguments: SentenceLanguage.allCases) func everyStateAndReasonDiffers(_ language: SentenceLanguage)
    throws
  {
    var mains: [String] = []
    func note(_ transactions: [Transaction], _ infos: [RenewalInfo] = [], at now: String) throws {
      mains.append(try #require(try sentences(transactions, infos, at: now, language, nil).first))
    }
    try note([january], at: "2026-01-20")
    for renews in [true, false] {
      try note(
        [january], [Club.renewal(signed: "2026-01-10", renews: renews, due: "2026-02-01")], at: "2026-01-20")
    }
    try note([january], [failed("2026-02-17")], at: "2026-02-02")
    try note([january], [failed()], at: "2026-02-02")
    try note([january], at: "2026-02-02")
    for code in 1...5 {
      var info = Club.renewal(signed: "2026-02-01", renews: false)
      info.expirationIntent = code
      try note([january], [info], at: "2026-02-02")
    }
    for type in RevocationType.allCases {
      try note([january.refunded("2026-01-15", type: type, percentage: 1)], at: "2026-01-20")
    }
    var upgraded = january
    upgraded.isUpgraded = true
    try note([upgraded], at: "2026-01-20")
    #expect(mains.count == 15 && Set(mains).count == mains.count, "\(mains)")
    #expect(mains.allSatisfy { $0.contains("<basic>") && $0.hasSuffix(".") && !$0.contains("–") })
  }

  @Test(arguments: SentenceLanguage.allCases) func whatElseIsKnownIsSaid(_ language: SentenceLanguage) throws
  {
    var info = Club.renewal(signed: "2026-01-10", due: "2026-02-01")
    info.autoRenewProductId = "plus"
    info.priceIncreaseStatus = 0
    (info.renewalPrice, info.currency) = (4990, "EUR")
    info.offer = StoreOffer(code: 2, id: "spring", payment: .payUpFront)
    var period = january
    period.ownership = .familyShared
    period.offer = StoreOffer(code: 1, payment: .freeTrial)
    let all = try sentences([period], [info], at: "2026-01-20", language, nil)
    #expect(all.count == 7 && Set(all).count == 7, "\(all)")
    for (place, part) in [(0, "4.99 EUR"), (1, "<plus>"), (3, "spring")] {
      #expect(all[place].contains(part), "\(all)")
    }
    #expect(all.allSatisfy { $0.hasSuffix(".") && !$0.contains("–") })
  }

  /// Only while it gives access: what was taken back or is over is not said to be shared as well.
  @Test func whatTheFamilySharesIsSaidWhileItGivesAccess() throws {
    var period = january
    period.ownership = .familyShared
    let grace = failed("2026-02-17")
    let revoked = period.refunded("2026-01-15", type: .familyRevoke)
    let cases: [(transaction: Transaction, infos: [RenewalInfo], now: String, isSaid: Bool)] = [
      (period, [], "2026-01-20", true), (period, [grace], "2026-02-02", true),
      (period, [failed()], "2026-02-02", false), (period, [], "2026-02-02", false),
      (revoked, [], "2026-01-20", false),
    ]
    for (language, sentence) in [
      (SentenceLanguage.english, "It is shared by the family."), (.korean, "가족 공유로 이용하는 구독입니다."),
    ] {
      for item in cases {
        let all = try sentences([item.transaction], item.infos, at: item.now, language, nil)
        #expect(all.contains(sentence) == item.isSaid, "\(all)")
      }
    }
  }

  @Test func datesAreOfTheReadersZoneAndLanguageAlone() throws {
    for (zone, english, korean) in [
      ("UTC", "31 December 2026 at 23:30 (UTC)", "2026년 12월 31일 23:30(UTC)"),
      ("Asia/Seoul", "1 January 2027 at 08:30 (UTC+9)", "2027년 1월 1일 08:30(UTC+9)"),
      ("America/St_Johns", "31 December 2026 at 20:00 (UTC-3:30)", "2026년 12월 31일 20:00(UTC-3:30)"),
    ] {
      let period = Club.period("1", from: "2026-12-01", to: "2026-12-31T23:30:00Z")
      let zone = try #require(TimeZone(identifier: zone))
      #expect(try sentences([period], at: "2026-12-05", .english, zone)[0].contains("until \(english);"))
      #expect(try sentences([period], at: "2026-12-05", .korean, zone)[0].contains("\(korean)까지"))
    }
  }

  @Test func theLanguageFollowsTheLocale() {
    for (locale, language) in [
      ("ko_KR.UTF-8", SentenceLanguage.korean), ("ko", .korean), ("KO-kr", .korean), ("kok_IN", .english),
      ("en_GB", .english), ("C", .english), ("", .english), ("de_DE", .english),
    ] {
      #expect(SentenceLanguage(locale: locale) == language, "\(locale)")
    }
    #expect(SentenceLanguage(environment: ["LANG": "ko_KR.UTF-8"]) == .korean)
    #expect(SentenceLanguage(environment: ["LC_ALL": "en_US", "LANG": "ko_KR"]) == .english)
    #expect(SentenceLanguage(environment: ["LC_ALL": "", "LC_MESSAGES": "ko", "LANG": "en"]) == .korean)
  }
}
