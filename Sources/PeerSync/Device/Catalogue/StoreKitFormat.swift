/// Xcode's StoreKit configuration file. Apple documents how to edit it and not its form; the fields known here are those
/// of files that Xcode 12 to 26 wrote. Version 1 is read as far as its fields are those of the later ones.
package enum StoreKitFormat {
  private static let versions = 1...5

  private static let rootFields: Set<String> = [
    "appPolicies", "identifier", "nonRenewingSubscriptions", "products", "settings", "subscriptionGroups",
    "subscriptionOffersKeyPair", "version",
  ]
  /// Those that drive devices or the sandbox store, then those that mean nothing there: what Xcode keeps for itself, which
  /// of its dialogs it shows, the number of the error that a purchase fails with, and the time rate for older versions.
  private static let settingsFields: Set<String> = [
    "_askToBuyEnabled", "_billingGracePeriodEnabled", "_billingIssuesEnabled", "_failTransactionsEnabled",
    "_locale", "_renewalBillingIssuesEnabled", "_storefront", "_storeKitErrors", "_timeRate",
    "_applicationInternalID", "_compatibilityTimeRate", "_developerTeamID", "_disableDialogs",
    "_lastSynchronizedDate", "_storeKitError",
  ]
  private static let groupFields: Set<String> = ["id", "localizations", "name", "subscriptions"]
  private static let productFields: Set<String> = [
    "adHocOffers", "billingPlans", "codeOffers", "displayPrice", "familyShareable", "groupNumber",
    "internalID",
    "introductoryOffer", "introductoryOffers", "localizations", "productID", "recurringSubscriptionPeriod",
    "referenceName", "subscriptionGroupID", "type", "winbackOffers",
  ]
  /// Of every kind of offer.
  private static let offerFields: Set<String> = [
    "billingPlanType", "displayPrice", "internalID", "numberOfPeriods", "offerID", "paymentMode",
    "referenceName", "referenceNamePretty", "subscriptionPeriod",
  ]
  /// The lists of offers, and what those of each have besides. Nobody has shown under which names Xcode writes when a
  /// win-back offer is open: what is there is told as unknown.
  private static let offerLists: [(name: String, fields: Set<String>)] = [
    ("introductoryOffers", []), ("adHocOffers", []), ("codeOffers", ["eligibility", "isStackable"]),
    ("winbackOffers", ["waitPeriod"]),
  ]

  /// Whether a text is such a file: its version is an object, or it has an identifier.
  package static func recognizes(_ root: JSONPlace) throws(CatalogueError) -> Bool {
    if case .object = try root.member("version")?.value { return true }
    return try root.member("identifier") != nil
  }

  static func versionWarnings(_ root: JSONPlace) throws(CatalogueError) -> [Phrase] {
    guard let major = try major(root), major > versions.upperBound else { return [] }
    return [
      Phrase(
        "\(root.file): version \(major) is newer than \(versions.upperBound) and read as that",
        "\(root.file): 버전 \(major) 형식은 여기서 아는 것보다 새로워 버전 \(versions.upperBound) 형식으로 읽습니다")
    ]
  }

  /// One sentence for each way to pay that is dropped: subscriptions are paid here in full, at the beginning of each
  /// period.
  static func planWarnings(_ root: JSONPlace) throws(CatalogueError) -> [Phrase] {
    var warnings: [Phrase] = []
    for group in try root.list("subscriptionGroups", atMost: Limits.products) {
      for product in try group.list("subscriptions", atMost: Limits.products) where try isPlan(product) {
        for plan in try product.list("billingPlans", atMost: Limits.sandboxOffers)
        where try plan.member("isEnabled")?.value != .bool(false) {
          warnings += try planWarning(plan)
        }
        for offer in try offers(of: product) { warnings += try planWarning(offer.place) }
      }
    }
    return warnings
  }

  /// What a plan, or an offer of one, says of how it is paid.
  private static func planWarning(_ place: JSONPlace) throws(CatalogueError) -> [Phrase] {
    guard let type = try place.member("billingPlanType"), type.value != .string("BILLED_UPFRONT") else {
      return []
    }
    return [
      Phrase(
        "\(type.file): \(type.path) \(type.value.excerpt) is not a way to pay that is known here, and ignored: "
          + "each period is paid when it begins",
        "\(type.file): \(type.path) \(type.value.excerpt) 값은 여기서 모르는 결제 방식이라 무시합니다. 기간마다 시작할 때 결제합니다")
    ]
  }

  static func read(_ root: JSONPlace, _ unknown: inout UnknownFields) throws(CatalogueError) -> Catalogue {
    try unknown.look(at: root, knowing: rootFields)
    let settings = try root.member("settings")
    if let settings, case .object = settings.value {
      try unknown.look(at: settings, knowing: settingsFields)
    }
    let reader = Reader(settings: settings)
    var places = try root.list("products", atMost: Limits.products)
    places += try root.list("nonRenewingSubscriptions", atMost: Limits.products)
    for group in try root.list("subscriptionGroups", atMost: Limits.products) {
      try unknown.look(at: group, knowing: groupFields)
      places += try group.list("subscriptions", atMost: Limits.products)
    }
    return try reader.catalogue(root, places, &unknown)
  }

  private static func major(_ root: JSONPlace) throws(CatalogueError) -> Int? {
    try root.member("version")?.member("major")?.integer(in: versions.lowerBound...Limits.products)
  }

  /// Looks at the offers of a subscription, which only a store reads.
  private static func look(
    atOffersOf place: JSONPlace, _ unknown: inout UnknownFields
  ) throws(CatalogueError) {
    guard try isPlan(place) else { return }
    for (offer, fields) in try offers(of: place) {
      try unknown.look(at: offer, knowing: offerFields.union(fields))
    }
  }

  /// Whether it has offers of the forms that are known.
  private static func isPlan(_ product: JSONPlace) throws(CatalogueError) -> Bool {
    try product.member("type")?.value == .string("RecurringSubscription")
  }

  /// All offers of a subscription, with the fields that those of their list have besides.
  private static func offers(
    of product: JSONPlace
  ) throws(CatalogueError) -> [(place: JSONPlace, fields: Set<String>)] {
    var offers: [(place: JSONPlace, fields: Set<String>)] = []
    if let offer = try product.member("introductoryOffer") { offers.append((offer, [])) }
    for (name, fields) in offerLists {
      for offer in try product.list(name, atMost: Limits.sandboxOffers) { offers.append((offer, fields)) }
    }
    return offers
  }

  /// Reads products in the language and currency of the file's settings.
  private struct Reader {
    private let locale: String?
    private let currency: String?

    init(settings: JSONPlace?) {
      // Settings only choose among texts: a strange one is no reason to refuse the file.
      locale = try? settings?.member("_locale")?.text()
      let storefront = try? settings?.member("_storefront").flatMap(Storefront.code)
      currency = Storefront.currency(of: storefront ?? Storefront.usual)
    }

    func catalogue(
      _ root: JSONPlace, _ places: [JSONPlace], _ unknown: inout UnknownFields
    ) throws(CatalogueError) -> Catalogue {
      guard places.count <= Limits.products else {
        throw root.refused(
          Phrase("has more than \(Limits.products) products", "상품이 \(Limits.products)개보다 많습니다"))
      }
      var catalogue = Catalogue()
      for place in places {
        try unknown.look(at: place, knowing: productFields)
        try StoreKitFormat.look(atOffersOf: place, &unknown)
        let product = try product(place)
        guard catalogue[product.id] == nil else {
          throw place.refused(
            Phrase("names \(product.id) a second time", "‘\(product.id)’ 상품을 또 적은 것입니다"))
        }
        catalogue.add(product)
      }
      return catalogue
    }

    private func product(_ place: JSONPlace) throws(CatalogueError) -> Product {
      guard let id = try place.member("productID") else { throw place.missing("productID") }
      guard let type = try place.member("type") else { throw place.missing("type") }
      var product = Product(id: try id.text())
      product.type = try self.type(type)
      product.price = try place.member("displayPrice")?.price()
      product.currency = product.price == nil ? nil : currency
      product.period = try place.member("recurringSubscriptionPeriod")?.period()
      product.subscriptionGroup = try place.member("subscriptionGroupID")?.text()
      product.level = try place.member("groupNumber")?.integer(in: 1...Limits.products)
      try describe(&product, place)
      return product
    }

    private func type(_ place: JSONPlace) throws(CatalogueError) -> ProductType {
      guard case .string(let name) = place.value, let type = ProductType(appleName: name) else {
        let names = "Consumable, NonConsumable, NonRenewingSubscription, RecurringSubscription"
        throw place.refused(Phrase("is not one of \(names)", "\(names) 가운데 하나가 아닙니다"))
      }
      return type
    }

    /// Takes the texts of the file's own locale, or else the first.
    private func describe(_ product: inout Product, _ place: JSONPlace) throws(CatalogueError) {
      let all = try place.list("localizations", atMost: 1000)
      var chosen = all.first
      for candidate in all where try candidate.member("locale")?.value == locale.map(JSONValue.string) {
        chosen = candidate
        break
      }
      product.displayName = try optionalText(chosen?.member("displayName"), atMost: Limits.textBytes)
      product.text = try optionalText(chosen?.member("description"), atMost: 4096)
      if product.displayName == nil {
        product.displayName = try optionalText(place.member("referenceName"), atMost: Limits.textBytes)
      }
    }

    /// Xcode writes texts that nobody has filled in as empty ones.
    private func optionalText(_ place: JSONPlace?, atMost limit: Int) throws(CatalogueError) -> String? {
      guard let place, place.value != .string("") else { return nil }
      return try place.text(atMost: limit)
    }
  }
}
