/// How a subscription stands, in English.
struct EnglishSubscriptionPhrases: SubscriptionPhrases {
  func subscribed(_ facts: SubscriptionFacts) -> String {
    let price = facts.price.map { " for \($0)" } ?? ""
    return switch facts.willRenew {
    case true?: "\(facts.product) is subscribed and renews on \(facts.billing)\(price)."
    case false?:
      "\(facts.product) is subscribed until \(facts.expires) and does not renew: renewal is turned off."
    case nil:
      "\(facts.product) is subscribed until \(facts.expires); the store has not said whether it renews."
    }
  }

  func inGracePeriod(_ facts: SubscriptionFacts) -> String {
    "\(facts.product) could not be billed when it ended on \(facts.expires). Access goes on until \(facts.access), while "
      + "the store tries again: ask the customer to check the payment method of the App Store account."
  }

  func inBillingRetry(_ facts: SubscriptionFacts) -> String {
    "\(facts.product) ended on \(facts.expires) because it could not be billed, and gives no access. The store tries again "
      + "until \(facts.retryUntil): ask the customer to check the payment method of the App Store account."
  }

  func expired(_ facts: SubscriptionFacts) -> String {
    guard facts.stands else {
      return "\(facts.product) gives no access: what replaced it has not arrived here."
    }
    let reason =
      switch facts.reason {
      case .turnedOff?: "renewal was turned off"
      case .billingError?: "it could not be billed"
      case .priceNotAccepted?: "the customer did not agree to the higher price"
      case .productUnavailable?: "the product is not sold any more"
      case .other?: "the store names another reason"
      case nil: "the store has not said why"
      }
    return "\(facts.product) ended on \(facts.expires): \(reason)."
  }

  func revoked(_ facts: SubscriptionFacts) -> String {
    switch facts.revocation {
    case .familyRevoke?:
      "\(facts.product) is not shared by the family any more since \(facts.revoked). A purchase of one's own is not "
        + "affected."
    case .refundProrated?: "\(facts.product) was refunded in part on \(facts.revoked) and gives no access."
    case .refundFull?, nil: "\(facts.product) was refunded on \(facts.revoked) and gives no access."
    }
  }

  func change(to product: String, kind: ProductChange.Kind?, _ date: String) -> String {
    "It becomes \(product) at the renewal on \(date)\(word(kind))."
  }

  func changed(from product: String, kind: ProductChange.Kind?, _ date: String) -> String {
    "It was \(product) until \(date)\(word(kind))."
  }

  private func word(_ kind: ProductChange.Kind?) -> String {
    switch kind {
    case .upgrade?: ", an upgrade"
    case .downgrade?: ", a downgrade"
    case .crossgrade?: ", a change on the same level"
    case nil: ""
    }
  }

  func consent(_ consent: PriceConsent, _ end: String) -> String {
    switch consent {
    case .pending:
      "A higher price waits for the customer's consent; without it the subscription ends on \(end)."
    case .accepted: "The higher price was accepted, or needed no consent."
    }
  }

  func offer(_ offer: SubscriptionAnswer.Offer, from date: String?) -> String {
    let kind =
      switch StoreOffer.Kind(rawValue: offer.kind) {
      case .introductory?: "an introductory offer"
      case .promotional?: "a promotional offer"
      case .code?: "an offer code"
      case .winBack?: "a win-back offer"
      case .other?, nil: "an offer"
      }
    let payment =
      switch offer.payment.flatMap(StoreOffer.Payment.init(rawValue:)) {
      case .freeTrial?: ", a free trial"
      case .payAsYouGo?: ", paid for each period"
      case .payUpFront?: ", paid in advance"
      case .oneTime?: ", paid once"
      case nil: ""
      }
    let id = offer.id.map { " (\($0))" } ?? ""
    let period = date.map { "next period, from \($0) on," } ?? "present period"
    return "The \(period) is bought with \(kind)\(id)\(payment)."
  }

  var familyShared: String { "It is shared by the family." }

  func paid(_ days: Int) -> String {
    days == 1 ? "One day of service has been paid for." : "\(days) days of service have been paid for."
  }

  func said(_ date: String) -> String { "The store last spoke of its renewal on \(date)." }
}
