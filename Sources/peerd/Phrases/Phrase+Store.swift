import PeerSync
import PeerSyncSandbox

// What the verbs of `peerd store` say.
extension Phrase {
  static let period = Phrase("PERIOD", "기간")
  static let group = Phrase("GROUP", "그룹")
  static let rank = Phrase("RANK", "등급")
  static let offer = Phrase("OFFER", "혜택")
  static let periods = Phrase("PERIODS", "기간")
  static let customers = Phrase("FOR", "대상")
  static let account = Phrase("ACCOUNT", "계정")
  static let family = Phrase("FAMILY", "가족")
  static let purchases = Phrase("PURCHASES", "구입")
  static let payments = Phrase("PAYMENTS", "결제")
  static let original = Phrase("ORIGINAL", "원거래")
  static let renewsAs = Phrase("RENEWS AS", "다음 상품")
  static let notes = Phrase("NOTES", "비고")
  static let number = Phrase("NUMBER", "번호")
  static let since = Phrase("SINCE", "요청 시각")

  static let offersTitle = Phrase("Offers", "혜택")
  static let accountsTitle = Phrase("Accounts", "계정")
  static let purchasesNewestLast = Phrase("Purchases, the newest last", "구입(최신이 마지막)")
  static let waitingTitle = Phrase("Waiting for approval", "승인 대기")
  static let notificationsNewestLast = Phrase("Notifications, the newest last", "알림(최신이 마지막)")
  static func storefront(_ name: String) -> Phrase { Phrase("Storefront \(name)", "\(name) 스토어") }

  static let free = Phrase("free", "무료")
  static let fail = Phrase("fail", "실패")
  static let goThrough = Phrase("go through", "정상")
  static func goThrough(until date: String) -> Phrase { Phrase("until \(date)", "\(date)까지") }
  static func once(_ what: Phrase) -> Phrase { Phrase("", "한 번 ") + what + Phrase(" once", "") }
  static func purchasesOfEverybody(_ outcome: Phrase) -> Phrase {
    Phrase("Purchases: ", "구입 결과: ") + outcome
  }
  static let purchaseTakenBack = Phrase("taken back", "취소됨")
  static let finished = Phrase("finished", "완료")
  static let unfinished = Phrase("unfinished", "미완료")
  static let delivered = Phrase("delivered", "전달됨")
  static func tried(_ count: Int) -> Phrase {
    Phrase("\(count) attempt\(count == 1 ? "" : "s")", "\(count)회 시도")
  }

  static func failed(after count: Int) -> Phrase { Phrase("failed: ", "실패: ") + tried(count) }

  static func storeTime(_ now: String, isStill: Bool, next: String?) -> Phrase {
    Phrase(
      "It is \(now)\(isStill ? ", and the clock stands still" : "")"
        + (next.map { "; next something happens \($0)" } ?? ""),
      "지금은 \(now)\(isStill ? ", 시계는 멈춰 있음" : "")" + (next.map { "; 다음 변화 \($0)" } ?? ""))
  }

  static func inTheStore(_ now: String) -> Phrase { Phrase("; in the store it is \(now)", "; 스토어 시각 \(now)") }
  /// Why nothing was bought, and what lets it through.
  static func nothingBought(_ reason: Phrase, wasCancelled: Bool) -> Phrase {
    let other = wasCancelled ? "" : "`peerd store fix-billing`"
    return reason
      + Phrase(
        "; `peerd store purchases succeed`\(other.isEmpty ? "" : " or \(other)") lets it through",
        ". `peerd store purchases succeed`\(other.isEmpty ? "" : " 또는 \(other)") 명령을 쓰세요")
  }

  static func requestNumber(_ number: UInt64) -> Phrase {
    Phrase("number      \(number)", "번호        \(number)")
  }
  static func told(_ what: String, of transaction: String?) -> Phrase {
    Phrase(
      "told        \(what)" + (transaction.map { " of transaction \($0)" } ?? ""),
      "알림        \(what)" + (transaction.map { " 거래 \($0)" } ?? ""))
  }

  static func toldMore(_ count: Int) -> Phrase {
    Phrase(
      "told        \(count) more before: see `peerd store show`",
      "알림        이전 \(count)건: `peerd store show` 명령을 보세요")
  }

  static let olderPurchases = Phrase("purchases", "구입")
  static let olderNotifications = Phrase("notifications", "알림")
  static func olderLeftOut(_ what: Phrase, _ count: Int, all: Int) -> Phrase {
    Phrase(
      "older \(what.text(in: .english)) left out: \(count); `peerd store show --last \(all)` shows them",
      "이전 \(what.text(in: .korean)) \(count)건 생략: `peerd store show --last \(all)` 명령으로 볼 수 있습니다")
  }

  static func storeNeedsOwnDirectory(_ directory: String) -> Phrase {
    Phrase(
      "\(directory) holds a device: choose another directory for the store with --data",
      "\(directory)에는 기기가 있습니다. --data 옵션으로 스토어의 다른 디렉터리를 지정하세요")
  }

  /// What stands in the way of a renewal, as the store says it.
  static func renewalWarning(_ text: String) -> Phrase {
    let korean = [
      "payments of this account fail": "이 계정의 결제가 실패함",
      "the card expires before the renewal": "갱신하기 전에 카드가 만료됨",
      "a higher price has not been agreed to": "인상된 가격에 아직 동의하지 않음",
      "the next period costs more": "다음 기간의 가격이 오름",
      "the product is no longer for sale": "상품의 판매가 중단됨",
    ]
    return Phrase(text, korean[text] ?? text)
  }

  /// What a notification may change: `access`, `renewal` or `none`.
  static func effect(_ word: String) -> Phrase {
    Phrase(word, ["access": "이용", "renewal": "갱신", "none": "없음"][word] ?? word)
  }

  // MARK: Words of the API

  /// A text by its word in the API; a word of a later version stays as it is.
  private static func word<Word: RawRepresentable<String>>(
    _ word: String, of type: Word.Type, _ told: (Word) -> Phrase
  ) -> Phrase {
    Word(rawValue: word).map(told) ?? same(word)
  }

  /// What becomes of purchases.
  package static func mood(_ mood: String) -> Phrase {
    word(mood, of: SandboxMood.self) { mood in
      switch mood {
      case .succeed: Phrase("go through", "정상")
      case .fail: Phrase("fail", "실패")
      case .cancel: Phrase("are cancelled", "취소")
      case .ask: Phrase("wait for approval", "승인 대기")
      }
    }
  }

  /// Why a subscription does not go on.
  package static func reason(ofEnd reason: String) -> Phrase {
    word(reason, of: ExpiryReason.self) { reason in
      switch reason {
      case .turnedOff: Phrase("renewal was turned off", "갱신을 해지함")
      case .billingError: Phrase("the store could not bill", "결제하지 못함")
      case .priceNotAccepted: Phrase("a higher price was not agreed to", "인상된 가격에 동의하지 않음")
      case .productUnavailable: Phrase("the product is no longer sold", "상품의 판매가 중단됨")
      case .other: Phrase("another reason", "다른 이유")
      }
    }
  }

  /// What kind of thing a product is.
  package static func type(_ type: String) -> Phrase {
    word(type, of: ProductType.self) { type in
      type.told
    }
  }

  /// Whom an offer is for by its kind.
  package static func kind(ofOffer kind: String) -> Phrase {
    word(kind, of: StoreOffer.Kind.self) { kind in
      switch kind {
      case .introductory: Phrase("introductory", "신규 할인")
      case .promotional: Phrase("promotional", "프로모션")
      case .code: Phrase("code", "코드")
      case .winBack: Phrase("win-back", "재구독 유도")
      case .other: Phrase("other", "기타")
      }
    }
  }

  /// Who may have an offer.
  package static func customer(_ customer: String) -> Phrase {
    word(customer, of: SandboxOffer.Customer.self) { customer in
      switch customer {
      case .new: Phrase("new", "새 구독자")
      case .existing: Phrase("existing", "현재 구독자")
      case .expired: Phrase("expired", "이전 구독자")
      }
    }
  }

  /// `3 months`, as people say `P3M`; what is not of one unit stays as it is written.
  static func period(_ text: String) -> Phrase {
    guard text.hasPrefix("P"), let unit = text.last, let count = Int(text.dropFirst().dropLast()) else {
      return same(text)
    }
    return span(count, unit) ?? same(text)
  }
}
