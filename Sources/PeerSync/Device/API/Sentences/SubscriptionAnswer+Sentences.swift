import Foundation

extension SubscriptionAnswer {
  /// What a support desk would want to know of the subscription, in whole sentences: how it stands and why, what comes
  /// next, and what is known of it.
  ///
  /// The same for the same arguments, wherever it is asked.
  ///
  /// - Parameters:
  ///   - language: the language of the sentences
  ///   - zone: the reader's; dates are given in it
  ///   - name: what the reader calls a product; by default its id
  public func sentences(
    in language: SentenceLanguage, zone: TimeZone, name: (String) -> String = { $0 }
  ) -> [String] {
    sentences(in: language, date: SentenceDates(language: language, zone: zone).text, name: name)
  }

  /// The same with dates as the reader wants them.
  package func sentences(
    in language: SentenceLanguage, date: @escaping (Instant) -> String, name: (String) -> String
  ) -> [String] {
    let (main, present, coming, known) = parts(in: language, date: date, name: name)
    return [main] + coming + present + known
  }

  /// How it stands and what comes next: what somebody wants to know who has just changed it.
  package func outlook(
    in language: SentenceLanguage, date: @escaping (Instant) -> String, name: (String) -> String
  ) -> [String] {
    let (main, _, coming, _) = parts(in: language, date: date, name: name)
    return [main] + coming
  }

  private typealias Parts = (main: String, present: [String], coming: [String], known: [String])

  private func parts(
    in language: SentenceLanguage, date: @escaping (Instant) -> String, name: (String) -> String
  ) -> Parts {
    let phrases: any SubscriptionPhrases =
      switch language {
      case .english: EnglishSubscriptionPhrases()
      case .korean: KoreanSubscriptionPhrases()
      }
    let facts = SubscriptionFacts(self, date, name)
    let main: String =
      switch SubscriptionState(rawValue: standing.state) {
      case .subscribed?: phrases.subscribed(facts)
      case .inGracePeriod?: phrases.inGracePeriod(facts)
      case .inBillingRetry?: phrases.inBillingRetry(facts)
      case .revoked?: phrases.revoked(facts)
      case .expired?, nil: phrases.expired(facts)
      }
    let isOpen = standing.state == SubscriptionState.subscribed.rawValue
    return (
      main, present(facts, phrases, name), isOpen ? coming(facts, phrases, name) : [], known(facts, phrases)
    )
  }

  /// What comes at the next renewal.
  private func coming(
    _ facts: SubscriptionFacts, _ phrases: any SubscriptionPhrases, _ name: (String) -> String
  ) -> [String] {
    let sentences = [
      renewal.nextChange.map { phrases.change(to: name($0.to), kind: kind(of: $0), facts.date($0.date)) },
      renewal.priceConsent.flatMap(PriceConsent.init(rawValue:)).map {
        phrases.consent($0, facts.expires)
      },
      renewal.nextOffer.map { phrases.offer($0, from: facts.billing) },
    ]
    return sentences.compactMap(\.self)
  }

  /// How the present period came about.
  private func present(
    _ facts: SubscriptionFacts, _ phrases: any SubscriptionPhrases, _ name: (String) -> String
  ) -> [String] {
    let sentences = [
      standing.lastChange.map {
        phrases.changed(from: name($0.from), kind: kind(of: $0), facts.date($0.date))
      },
      standing.offer.map { phrases.offer($0, from: nil) },
    ]
    return sentences.compactMap(\.self)
  }

  /// What else is known of it.
  private func known(_ facts: SubscriptionFacts, _ phrases: any SubscriptionPhrases) -> [String] {
    let givesAccess = [SubscriptionState.subscribed, .inGracePeriod].map(\.rawValue).contains(standing.state)
    let sentences = [
      standing.familyShared && givesAccess ? phrases.familyShared : nil,
      standing.daysOfPaidService > 0 ? phrases.paid(standing.daysOfPaidService) : nil,
      renewal.renewalSigned.map { phrases.said(facts.date($0)) },
    ]
    return sentences.compactMap(\.self)
  }

  private func kind(of change: Change) -> ProductChange.Kind? {
    change.kind.flatMap(ProductChange.Kind.init(rawValue:))
  }
}

/// The parts of sentences about a subscription, ready to be put in.
struct SubscriptionFacts {
  let product: String
  let expires: String
  let access: String
  let retryUntil: String
  let billing: String
  /// Amount and currency of the next period.
  let price: String?
  let willRenew: Bool?
  let reason: ExpiryReason?
  let revocation: RevocationType?
  let revoked: String
  /// Whether any of its transactions stands.
  let stands: Bool

  private let dateText: (Instant) -> String

  init(
    _ subscription: SubscriptionAnswer, _ date: @escaping (Instant) -> String, _ name: (String) -> String
  ) {
    dateText = date
    func text(_ instant: Instant?) -> String { instant.map(date) ?? "–" }
    product = name(subscription.productId)
    expires = text(subscription.expires)
    access = text(subscription.accessUntil)
    retryUntil = text(subscription.retryUntil)
    billing = text(subscription.nextBillingDate)
    price = subscription.renewalPrice.map { price in
      subscription.currency.map { "\(price) \($0)" } ?? price
    }
    willRenew = subscription.willRenew
    reason = subscription.reason.flatMap(ExpiryReason.init(rawValue:))
    revocation = subscription.revocation.flatMap { RevocationType(rawValue: $0.type) }
    revoked = text(subscription.revocation?.date)
    stands = subscription.expires != nil
  }

  /// A date for the reader; a dash for none.
  func date(_ instant: Instant?) -> String { instant.map(dateText) ?? "–" }
}

/// One language's way of saying how a subscription stands. Each is a whole sentence or several.
protocol SubscriptionPhrases {
  func subscribed(_ facts: SubscriptionFacts) -> String
  func inGracePeriod(_ facts: SubscriptionFacts) -> String
  func inBillingRetry(_ facts: SubscriptionFacts) -> String
  func expired(_ facts: SubscriptionFacts) -> String
  func revoked(_ facts: SubscriptionFacts) -> String
  func change(to product: String, kind: ProductChange.Kind?, _ date: String) -> String
  func changed(from product: String, kind: ProductChange.Kind?, _ date: String) -> String
  func consent(_ consent: PriceConsent, _ end: String) -> String
  /// - Parameter date: when its period begins; nil: it is the present one
  func offer(_ offer: SubscriptionAnswer.Offer, from date: String?) -> String
  var familyShared: String { get }
  func paid(_ days: Int) -> String
  func said(_ date: String) -> String
}
