/// How a subscription stands, in Korean.
struct KoreanSubscriptionPhrases: SubscriptionPhrases {
  func subscribed(_ facts: SubscriptionFacts) -> String {
    switch facts.willRenew {
    case true?:
      "‘\(facts.product)’ 구독을 이용 중이며 \(facts.billing)에 갱신됩니다\(facts.price.map { "(요금 \($0))" } ?? "")."
    case false?: "‘\(facts.product)’ 구독은 \(facts.expires)까지 이용할 수 있고, 자동 갱신이 꺼져 있어 갱신되지 않습니다."
    case nil: "‘\(facts.product)’ 구독은 \(facts.expires)까지 이용할 수 있습니다. 갱신 여부는 아직 스토어에서 확인되지 않았습니다."
    }
  }

  func inGracePeriod(_ facts: SubscriptionFacts) -> String {
    "‘\(facts.product)’ 구독이 \(facts.expires)에 끝났으나 결제하지 못했습니다. 유예 기간인 \(facts.access)까지는 계속 이용할 수 "
      + "있고, 그동안 스토어가 결제를 다시 시도합니다. 고객에게 App Store 계정의 결제 수단을 확인하도록 안내하세요."
  }

  func inBillingRetry(_ facts: SubscriptionFacts) -> String {
    "‘\(facts.product)’ 구독은 결제하지 못해 \(facts.expires)에 만료되었고 지금은 이용할 수 없습니다. 스토어가 \(facts.retryUntil)까지 "
      + "결제를 다시 시도합니다. 고객에게 App Store 계정의 결제 수단을 확인하도록 안내하세요."
  }

  func expired(_ facts: SubscriptionFacts) -> String {
    guard facts.stands else {
      return "‘\(facts.product)’ 구독은 이용할 수 없습니다. 이를 대신한 거래가 아직 이 기기에 도착하지 않았습니다."
    }
    let reason =
      switch facts.reason {
      case .turnedOff?: "자동 갱신이 꺼져 있었습니다."
      case .billingError?: "결제하지 못했습니다."
      case .priceNotAccepted?: "고객이 인상된 가격에 동의하지 않았습니다."
      case .productUnavailable?: "상품이 더 이상 판매되지 않습니다."
      case .other?: "스토어가 밝힌 그 밖의 사유입니다."
      case nil: "사유는 아직 스토어에서 확인되지 않았습니다."
      }
    return "‘\(facts.product)’ 구독은 \(facts.expires)에 만료되었습니다. \(reason)"
  }

  func revoked(_ facts: SubscriptionFacts) -> String {
    switch facts.revocation {
    case .familyRevoke?:
      "‘\(facts.product)’ 구독의 가족 공유가 \(facts.revoked)에 중단되었습니다. 본인이 직접 구입한 항목에는 영향이 없습니다."
    case .refundProrated?: "‘\(facts.product)’ 구독은 \(facts.revoked)에 일부 환불되어 이용할 수 없습니다."
    case .refundFull?, nil: "‘\(facts.product)’ 구독은 \(facts.revoked)에 환불되어 이용할 수 없습니다."
    }
  }

  func change(to product: String, kind: ProductChange.Kind?, _ date: String) -> String {
    "\(date)에 갱신되면서 ‘\(product)’ 상품으로 바뀝니다\(word(kind))."
  }

  func changed(from product: String, kind: ProductChange.Kind?, _ date: String) -> String {
    "\(date)까지는 ‘\(product)’ 상품이었습니다\(word(kind))."
  }

  private func word(_ kind: ProductChange.Kind?) -> String {
    switch kind {
    case .upgrade?: "(업그레이드)"
    case .downgrade?: "(다운그레이드)"
    case .crossgrade?: "(같은 등급의 변경)"
    case nil: ""
    }
  }

  func consent(_ consent: PriceConsent, _ end: String) -> String {
    switch consent {
    case .pending: "인상된 가격에 대한 고객의 동의를 기다리고 있습니다. 동의하지 않으면 구독은 \(end)에 끝납니다."
    case .accepted: "인상된 가격에 동의했거나 동의가 필요하지 않습니다."
    }
  }

  func offer(_ offer: SubscriptionAnswer.Offer, from date: String?) -> String {
    let kind =
      switch StoreOffer.Kind(rawValue: offer.kind) {
      case .introductory?: "신규 가입 혜택"
      case .promotional?: "프로모션 혜택"
      case .code?: "혜택 코드"
      case .winBack?: "복귀 혜택"
      case .other?, nil: "혜택"
      }
    let payment =
      switch offer.payment.flatMap(StoreOffer.Payment.init(rawValue:)) {
      case .freeTrial?: ", 무료 체험"
      case .payAsYouGo?: ", 기간마다 결제"
      case .payUpFront?: ", 선결제"
      case .oneTime?: ", 일회 결제"
      case nil: ""
      }
    let period = date.map { "\($0)에 시작하는 다음" } ?? "현재"
    return "\(period) 기간에는 \(kind)\(offer.id.map { "(\($0))" } ?? "")\(payment) 조건이 적용됩니다."
  }

  var familyShared: String { "가족 공유로 이용하는 구독입니다." }

  func paid(_ days: Int) -> String { "지금까지 요금을 낸 이용 기간은 \(days)일입니다." }

  func said(_ date: String) -> String { "스토어가 갱신에 대해 마지막으로 알린 시각은 \(date)입니다." }
}
