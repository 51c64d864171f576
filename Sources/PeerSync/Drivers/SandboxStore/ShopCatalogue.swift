/// What a sandbox store sells, and how: products, and the settings of a `.storekit` file.
package struct ShopCatalogue: Sendable {
  package var products: [ShopProduct] = []
  /// `_timeRate`.
  package var scale: ShopScale?
  /// `_storefront`.
  package var storefront: String?
  /// `_billingGracePeriodEnabled`.
  package var hasGrace: Bool?
  /// `_renewalBillingIssuesEnabled` (once `_billingIssuesEnabled`).
  package var failsRenewals = false
  /// `_failTransactionsEnabled` and `_askToBuyEnabled`.
  package var mood: ShopMood?
  /// One sentence for each field that was ignored.
  package var warnings: [String] = []

  /// Reads catalogue files; later ones add to earlier ones.
  ///
  /// - Throws: ``CatalogueError``
  package init(_ files: [(name: String, content: [UInt8])]) throws(CatalogueError) {
    var read: [CatalogueFile] = []
    var extras: [Name: Extra] = [:]
    for file in files {
      read.append(try CatalogueFile(file.content, name: file.name))
      let root = JSONPlace(
        file: file.name, path: "", value: try CatalogueFile.parse(file.content, name: file.name))
      let isStoreKit = try StoreKitFormat.recognizes(root)
      if isStoreKit, let settings = try root.member("settings") { take(settings) }
      for place in try ShopCatalogue.places(root, isStoreKit) { try Extra.read(place, isStoreKit, &extras) }
    }
    let merged = CatalogueFile.merging(read)
    warnings += read.flatMap(\.warnings)
    for product in merged.catalogue.products { add(product, extras[Name(product.id)] ?? Extra()) }
  }

  private mutating func add(_ product: Product, _ extra: Extra) {
    guard let type = product.type else { return warnings.append("\(product.id): of no type, and not sold") }
    let isPlan = type == .autoRenewableSubscription
    guard !isPlan || product.period != nil else {
      return warnings.append("\(product.id): no file says how long it lasts, so that it is not sold")
    }
    products.append(
      ShopProduct(
        id: product.id, type: type, period: isPlan ? product.period : nil,
        price: product.price.flatMap(Price.milliunits) ?? 0, currency: product.currency ?? "USD",
        group: isPlan ? product.subscriptionGroup ?? product.line : nil, rank: product.level ?? 1,
        isFamilyShareable: extra.isShareable, offers: isPlan ? extra.offers : []))
  }

  private static func places(_ root: JSONPlace, _ isStoreKit: Bool) throws(CatalogueError) -> [JSONPlace] {
    var places = try root.list("products", atMost: Limits.products)
    guard isStoreKit else { return places }
    for group in try root.list("subscriptionGroups", atMost: Limits.products) {
      places += try group.list("subscriptions", atMost: Limits.products)
    }
    return places
  }

  /// Takes the settings that drive a store. One of another form says so, and changes nothing.
  private mutating func take(_ settings: JSONPlace) {
    func flag(_ name: String) -> Bool? {
      guard case .bool(let flag)? = (try? settings.member(name))?.value else { return nil }
      return flag
    }
    if let rate = try? settings.member("_timeRate") {
      scale = (try? rate.integer(in: 0...1000)).flatMap(ShopScale.init(timeRate:))
      if scale == nil {
        warnings.append(
          "\(rate.file): \(rate.path) \(rate.value.excerpt) is no time rate that is known, and ignored")
      }
    }
    storefront = try? settings.member("_storefront")?.text(atMost: 3)
    hasGrace = flag("_billingGracePeriodEnabled")
    failsRenewals = flag("_renewalBillingIssuesEnabled") ?? flag("_billingIssuesEnabled") ?? false
    if flag("_failTransactionsEnabled") == true {
      mood = .fail
    } else if flag("_askToBuyEnabled") == true {
      mood = .ask
    }
  }

  /// Sets a store up. Its time rate counts unless another is given.
  package func apply(to shop: inout Shop) throws(ShopRefusal) {
    try shop.stock(products)
    shop.setTerms {
      if let scale { ($0.scale, $0.isManual) = (scale, false) }
      $0.storefront = storefront ?? $0.storefront
      $0.hasGrace = hasGrace ?? $0.hasGrace
      $0.mood = mood ?? $0.mood
      $0.isBillingFailing = failsRenewals
    }
  }

  /// What a file says of a product that devices need not know.
  private struct Extra {
    var isShareable = false
    var offers: [ShopOffer] = []

    static func read(_ place: JSONPlace, _ isStoreKit: Bool, _ extras: inout [Name: Extra])
      throws(CatalogueError)
    {
      guard let name = try place.member(isStoreKit ? "productID" : "id") else { return }
      let id = try name.text()
      var extra = extras[Name(id)] ?? Extra()
      if case .bool(let flag)? = try place.member("familyShareable")?.value { extra.isShareable = flag }
      for offer in try ShopOffer.all(of: place, isStoreKit) {
        // What two files say of one offer, or one of two by the same id: the last counts.
        extra.offers.removeAll { $0.id.map(Name.init) == offer.id.map(Name.init) }
        extra.offers.append(offer)
      }
      guard extra.offers.count <= Limits.shopOffers else {
        throw place.refused("has more than \(Limits.shopOffers) offers")
      }
      extras[Name(id)] = extra
    }
  }
}
