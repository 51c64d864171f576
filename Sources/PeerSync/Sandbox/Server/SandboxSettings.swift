import PeerSync
import PeerSyncSandbox

/// What the `settings` of `.storekit` files state of a store. What no file states changes nothing.
package struct SandboxSettings: Sendable {
  /// `_timeRate`, or what `_compatibilityTimeRate` has in its place.
  package private(set) var scale: SandboxScale?
  /// `_storefront`.
  package private(set) var storefront: String?
  /// `_billingGracePeriodEnabled`.
  package private(set) var hasGrace: Bool?
  /// `_renewalBillingIssuesEnabled` (once `_billingIssuesEnabled`).
  package private(set) var failsRenewals: Bool?
  /// `_failTransactionsEnabled`.
  private var failsPurchases: Bool?
  /// Whether `_storeKitErrors` has purchases fail.
  private var hasPurchaseError: Bool?
  /// `_askToBuyEnabled`.
  private var asks: Bool?

  /// What becomes of purchases; nil: no file says it.
  package var mood: SandboxMood? {
    if failsPurchases == true || hasPurchaseError == true { return .fail }
    if asks == true { return .ask }
    return (failsPurchases ?? hasPurchaseError ?? asks).map { _ in .succeed }
  }

  /// Takes what one more file states. A value of another form says so in a warning, and changes nothing.
  mutating func take(_ settings: JSONPlace, _ warnings: inout [Phrase]) {
    takeRate(settings, &warnings)
    if let place = member("_storefront", of: settings) { take(storefront: place, &warnings) }
    func flag(_ name: String) -> Bool? {
      guard let place = member(name, of: settings) else { return nil }
      if case .bool(let flag) = place.value { return flag }
      warnings.append(
        SandboxSettings.ignored(place, Phrase("is neither true nor false", "true도 false도 아닙니다")))
      return nil
    }
    hasGrace = flag("_billingGracePeriodEnabled") ?? hasGrace
    let oldFlag = flag("_billingIssuesEnabled")
    failsRenewals = flag("_renewalBillingIssuesEnabled") ?? oldFlag ?? failsRenewals
    failsPurchases = flag("_failTransactionsEnabled") ?? failsPurchases
    asks = flag("_askToBuyEnabled") ?? asks
    if let list = member("_storeKitErrors", of: settings) { take(errors: list, &warnings) }
  }

  private func member(_ name: String, of settings: JSONPlace) -> JSONPlace? { try? settings.member(name) }

  private static func ignored(_ place: JSONPlace, _ problem: Phrase) -> Phrase {
    place.phrase + problem + Phrase(", and ignored", ". 무시합니다")
  }

  private mutating func takeRate(_ settings: JSONPlace, _ warnings: inout [Phrase]) {
    let older = member("_compatibilityTimeRate", of: settings)
    let olderScale = older.flatMap(SandboxSettings.scale(forOlder:))
    if let rate = member("_timeRate", of: settings) {
      if let known = SandboxSettings.scale(of: rate) { return scale = known }
      let instead =
        olderScale == nil
        ? Phrase(
          "time runs as without it: say how when you start the store",
          "시간은 이 값이 없을 때처럼 흐릅니다. 스토어를 시작할 때 지정하세요")
        : Phrase(
          "_compatibilityTimeRate counts instead, unless the store was started with another rate",
          "스토어를 다른 속도로 시작하지 않았으면 _compatibilityTimeRate 값을 씁니다")
      warnings.append(
        rate.phrase
          + Phrase("is not a time rate that is known here; ", "여기서 모르는 시간 속도입니다. ") + instead)
    } else if let older, olderScale == nil {
      warnings.append(
        SandboxSettings.ignored(
          older, Phrase("has no time rate that is known here", "여기서 아는 시간 속도가 없습니다")))
    }
    scale = olderScale ?? scale
  }

  private static func scale(of rate: JSONPlace) -> SandboxScale? {
    (try? rate.integer(in: 0...1000)).flatMap(SandboxScale.init(timeRate:))
  }

  /// The rate for programs that do not know the newest ones: `{"3": 6}`, by their versions, or the rate alone. Of several the
  /// one for the newest version counts.
  private static func scale(forOlder place: JSONPlace) -> SandboxScale? {
    guard let versions = try? place.members() else { return scale(of: place) }
    let rates = versions.compactMap { member -> (version: Int, scale: SandboxScale)? in
      let rate = JSONPlace(file: place.file, path: place.path, value: member.value)
      guard let version = Int(member.name), let scale = scale(of: rate) else { return nil }
      return (version, scale)
    }
    return rates.max { $0.version < $1.version }?.scale
  }

  private mutating func take(storefront place: JSONPlace, _ warnings: inout [Phrase]) {
    guard let code = Storefront.code(place) else {
      return warnings.append(
        SandboxSettings.ignored(
          place, Phrase("is not a code of a country such as USA", "USA 같은 국가 코드가 아닙니다")))
    }
    storefront = code
    guard Storefront.currency(of: code) == nil else { return }
    warnings.append(
      Phrase(
        "\(place.file): the currency of \(place.path) \(place.value.excerpt) is not known, and prices are in USD",
        "\(place.file): \(place.path) \(place.value.excerpt)의 통화를 알 수 없어 가격은 USD입니다"))
  }

  /// Which calls of StoreKit fail: `{"name": "Purchase", "enabled": true, "current": …}`. Only purchases can here.
  private mutating func take(errors list: JSONPlace, _ warnings: inout [Phrase]) {
    guard let errors = try? list.elements(atMost: Limits.storeKitErrors) else {
      return warnings.append(
        SandboxSettings.ignored(
          list,
          Phrase(
            "is not an array of up to \(Limits.storeKitErrors) errors",
            "오류 \(Limits.storeKitErrors)개 이하의 배열이 아닙니다")))
    }
    hasPurchaseError = false
    for error in errors where member("enabled", of: error)?.value == .bool(true) {
      guard let name = member("name", of: error) else { continue }
      if name.value == .string("Purchase") {
        hasPurchaseError = true
      } else {
        warnings.append(
          name.phrase + Phrase("does not fail here: only purchases can", "여기서는 실패하지 않습니다. 구입만 실패하게 할 수 있습니다"))
      }
    }
  }
}

extension JSONPlace {
  /// Where it is and what it is, as the beginning of a sentence.
  fileprivate var phrase: Phrase {
    Phrase("\(file): \(path) \(value.excerpt) ", "\(file): \(path) \(value.excerpt) 값은 ")
  }
}
