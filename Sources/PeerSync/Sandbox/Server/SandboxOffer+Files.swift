import PeerSync
import PeerSyncSandbox

// What catalogue files say of offers. peerd's own form has them in one list, with their kinds; Xcode's has a list of each
// kind.
extension SandboxOffer {
  private static let lists: [(name: String, kind: StoreOffer.Kind)] = [
    ("adHocOffers", .promotional), ("codeOffers", .code), ("winbackOffers", .winBack),
  ]
  private static let modes: [(name: String, mode: StoreOffer.Payment)] = [
    ("free", .freeTrial), ("payAsYouGo", .payAsYouGo), ("payUpFront", .payUpFront),
  ]

  /// What a file calls how it is paid.
  package var paymentMode: String? { SandboxOffer.modes.first { $0.mode == mode }?.name }

  /// All offers of a product's entry, the introductory one first.
  static func all(of product: JSONPlace, _ isStoreKit: Bool) throws(CatalogueError) -> [SandboxOffer] {
    isStoreKit ? try xcodes(product) : try own(product)
  }

  private static func own(_ product: JSONPlace) throws(CatalogueError) -> [SandboxOffer] {
    var offers: [SandboxOffer] = []
    if let place = try product.member("introductoryOffer") {
      offers.append(try SandboxOffer(.introductory, nil, place, of: product))
    }
    for place in try product.list("offers", atMost: Limits.sandboxOffers) {
      guard let id = try place.member("id") else { throw place.missing("id") }
      offers.append(try SandboxOffer(try kind(place), try id.text(), place, of: product))
    }
    return offers
  }

  private static func xcodes(_ product: JSONPlace) throws(CatalogueError) -> [SandboxOffer] {
    // Other products may have offers of other forms.
    guard try product.member("type")?.value == .string("RecurringSubscription") else { return [] }
    var offers: [SandboxOffer] = []
    var first = try product.list("introductoryOffers", atMost: Limits.sandboxOffers).first
    if let place = try product.member("introductoryOffer") { first = place }
    if let first { offers.append(try SandboxOffer(.introductory, nil, xcodes: first, of: product)) }
    for (name, kind) in lists {
      for place in try product.list(name, atMost: Limits.sandboxOffers) {
        offers.append(try SandboxOffer(kind, try xcodeId(place), xcodes: place, of: product))
      }
    }
    return offers
  }

  /// Codes have no id before version 3, but a name, by which the App Store tells of them.
  private static func xcodeId(_ place: JSONPlace) throws(CatalogueError) -> String {
    for name in ["offerID", "referenceName", "internalID"] {
      if let id = try place.member(name), id.value != .string("") { return try id.text() }
    }
    throw place.missing("offerID")
  }

  private static func kind(_ place: JSONPlace) throws(CatalogueError) -> StoreOffer.Kind {
    guard let member = try place.member("kind") else { throw place.missing("kind") }
    guard let kind = lists.map(\.kind).first(where: { member.value == .string($0.rawValue) }) else {
      throw member.refused(
        Phrase("is not one of promotional, code, winBack", "promotional, code, winBack 가운데 하나가 아닙니다"))
    }
    return kind
  }

  private static func mode(of place: JSONPlace) throws(CatalogueError) -> StoreOffer.Payment {
    guard let name = try place.member("paymentMode"),
      let mode = modes.first(where: { name.value == .string($0.name) })?.mode
    else {
      throw place.refused(
        Phrase(
          "has no paymentMode of free, payAsYouGo, payUpFront",
          "paymentMode에 free, payAsYouGo, payUpFront 가운데 하나가 있어야 합니다"))
    }
    return mode
  }

  /// An offer of Xcode's. What became free keeps the price that it had before, which means nothing.
  private init(
    _ kind: StoreOffer.Kind, _ id: String?, xcodes place: JSONPlace, of product: JSONPlace
  ) throws(CatalogueError) {
    let isFree = try SandboxOffer.mode(of: place) == .freeTrial
    try self.init(kind, id, isFree ? place.without("displayPrice") : place, of: product)
  }

  private init(
    _ kind: StoreOffer.Kind, _ id: String?, _ place: JSONPlace, of product: JSONPlace
  ) throws(CatalogueError) {
    let mode = try SandboxOffer.mode(of: place)
    var period = try place.member("subscriptionPeriod")
    for name in ["period", "recurringSubscriptionPeriod"] where period == nil {
      period = try product.member(name)
    }
    guard let period else { throw place.missing("subscriptionPeriod") }
    let price = try place.member("displayPrice")
    let milliunits = (try price?.price()).flatMap(Price.milliunits) ?? 0
    guard mode != .freeTrial || milliunits == 0 else {
      throw price?.refused(
        Phrase("is a price, and what is free has none; leave it out", "가격인데, 무료에는 가격이 없습니다. 빼세요"))
        ?? place.missing("displayPrice")
    }
    let isStackable = try place.member("isStackable")?.value == .bool(true)
    self.init(
      kind, id: id, mode: mode, period: try period.period(),
      periods: try place.member("numberOfPeriods")?.integer(in: 1...Limits.sandboxOfferPeriods) ?? 1,
      price: milliunits,
      customers: kind == .code ? try SandboxOffer.customers(place) : nil,
      isStackable: kind == .code && isStackable,
      wait: kind == .winBack ? try place.member("waitPeriod")?.period() : nil)
  }

  private static func customers(_ place: JSONPlace) throws(CatalogueError) -> [Customer] {
    var customers: [Customer] = []
    for member in try place.list("eligibility", atMost: Customer.allCases.count) {
      guard let customer = Customer.allCases.first(where: { member.value == .string($0.rawValue) }) else {
        throw member.refused(
          Phrase("is not one of new, existing, expired", "new, existing, expired 가운데 하나가 아닙니다"))
      }
      customers.append(customer)
    }
    return customers
  }
}
