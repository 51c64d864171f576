import PeerSyncCore

// What the store tells of subscriptions.
extension ScenarioVerb {
  static let hearsUsage = """
    DEVICE hears TYPE[/SUBTYPE] of NAME at TIME [renews on|off …] | DEVICE hears of NAME at TIME renews on|off \
    [as PRODUCT] [due TIME] [retrying] [grace TIME] [price pending|accepted] [ended REASON] [unverified]
    """

  static func unshared(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let (name, date) = try nameAndDate(&words)
    return .unshared(words.subject, purchase: name, at: date)
  }

  static func upgraded(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let (name, date) = try nameAndDate(&words)
    return .upgraded(words.subject, purchase: name, at: date)
  }

  static func payment(_ words: inout ScenarioWords) throws(ScenarioError) -> StoreOffer.Payment {
    try choice("a payment", &words)
  }

  static func hears(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    var type: String?
    if !words.skip("of") {
      type = try notificationType(&words)
      try words.require("of")
    }
    let (name, date) = try nameAndDate(&words)
    var news = ScenarioNews(type: type, purchase: name, date: date)
    if words.skip("renews") {
      news.renewal = try renewal(&words)
    } else if type == nil {
      throw words.failure(
        "expected `renews`",
        "`renews` 낱말이 있어야 합니다")
    }
    news.isUnverified = words.skip("unverified")
    return .hears(words.subject, news)
  }

  private static func notificationType(_ words: inout ScenarioWords) throws(ScenarioError) -> String {
    let word = try words.word("a type of notification, or `of`")
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, NotificationType(rawValue: parts[0]) != nil,
      parts.count == 1 || NotificationSubtype(rawValue: parts[1]) != nil
    else { throw words.unexpected("a type such as DID_RENEW or EXPIRED/VOLUNTARY", word) }
    return word
  }

  private static func renewal(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioRenewal {
    let word = try words.word("on or off")
    guard word == "on" || word == "off" else { throw words.unexpected("on or off", word) }
    var renewal = ScenarioRenewal(renews: word == "on")
    renewal.product = try words.option("as", "a product")
    renewal.due = try words.optionalTime("due")
    renewal.isRetrying = words.skip("retrying")
    renewal.grace = try words.optionalTime("grace")
    if words.skip("price") { renewal.consent = try choice("an answer", &words) as PriceConsent }
    if words.skip("ended") { renewal.ended = try choice("a reason", &words) as ExpiryReason }
    return renewal
  }

  private static func nameAndDate(_ words: inout ScenarioWords) throws(ScenarioError) -> (String, Instant) {
    let name = try words.word("a purchase")
    try words.require("at")
    return (name, try words.time())
  }

  static func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ what: String, _ words: inout ScenarioWords
  ) throws(ScenarioError) -> Value {
    let word = try words.word(what)
    guard let value = Value(rawValue: word) else {
      throw words.unexpected("one of " + Value.allCases.map(\.rawValue).joined(separator: ", "), word)
    }
    return value
  }
}
