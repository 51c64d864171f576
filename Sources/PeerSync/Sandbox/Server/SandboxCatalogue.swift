import PeerSync
import PeerSyncSandbox

/// What a sandbox store sells, and how: products, and the settings of a `.storekit` file.
package struct SandboxCatalogue: Sendable {
  package var products: [SandboxProduct] = []
  package private(set) var settings = SandboxSettings()
  /// What the files say of these products that matters to devices alone: what a purchase gives, and from when on.
  package private(set) var told = Catalogue()
  /// One sentence for each field that was ignored.
  package var warnings: [String] { notes.map { $0.text(in: .english) } }
  /// ``warnings``, in every language.
  package private(set) var notes: [Phrase] = []

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
      if isStoreKit, let place = try root.member("settings") { settings.take(place, &notes) }
      for place in try SandboxCatalogue.places(root, isStoreKit) {
        try Extra.read(place, isStoreKit, &extras)
      }
    }
    let merged = CatalogueFile.merging(read)
    notes += read.flatMap(\.told)
    // A store sells what the last entry says: when an entry begins to count is the devices' affair.
    for product in merged.catalogue.products.byProduct.compactMap(\.last) {
      add(product, extras[Name(product.id)] ?? Extra())
    }
    let sold = Set(products.map { Name($0.id) })
    told = Catalogue(products: merged.catalogue.products.filter { sold.contains(Name($0.id)) })
  }

  private mutating func add(_ product: Product, _ extra: Extra) {
    guard let type = product.type else {
      return notes.append(
        Phrase("\(product.id): of no type, and not sold", "‘\(product.id)’ 상품은 종류가 없어 팔지 않습니다"))
    }
    let isPlan = type == .autoRenewableSubscription
    guard !isPlan || product.period != nil else {
      return notes.append(
        Phrase(
          "\(product.id): no file says how long it lasts, so that it is not sold",
          "‘\(product.id)’ 상품은 기간을 적은 파일이 없어 팔지 않습니다"))
    }
    products.append(
      SandboxProduct(
        id: product.id, name: product.displayName, type: type, period: isPlan ? product.period : nil,
        price: product.price.flatMap(Price.milliunits) ?? 0, currency: product.currency ?? currency,
        group: isPlan ? product.subscriptionGroup ?? product.line : nil, rank: product.level ?? 1,
        isFamilyShareable: extra.isShareable, offers: isPlan ? extra.offers : []))
  }

  /// In which prices are that no file gives a currency to.
  private var currency: String { Storefront.currency(of: settings.storefront ?? Storefront.usual) ?? "USD" }

  private static func places(_ root: JSONPlace, _ isStoreKit: Bool) throws(CatalogueError) -> [JSONPlace] {
    var places = try root.list("products", atMost: Limits.products)
    guard isStoreKit else { return places }
    places += try root.list("nonRenewingSubscriptions", atMost: Limits.products)
    for group in try root.list("subscriptionGroups", atMost: Limits.products) {
      places += try group.list("subscriptions", atMost: Limits.products)
    }
    return places
  }

  /// Sets a store up. Its time rate counts unless another is given.
  package func apply(to sandboxStore: inout SandboxStore) throws(SandboxRefusal) {
    try sandboxStore.stock(products)
    sandboxStore.setTerms {
      if let scale = settings.scale { ($0.scale, $0.isManual) = (scale, false) }
      $0.storefront = settings.storefront ?? $0.storefront
      $0.hasGrace = settings.hasGrace ?? $0.hasGrace
      // A mood of a file is for good, one that was set by hand stays where no file states one.
      if let mood = settings.mood { ($0.mood, $0.moodOnce) = (mood, nil) }
      $0.isBillingFailing = settings.failsRenewals ?? $0.isBillingFailing
    }
  }

  /// What a file says of a product that devices need not know.
  private struct Extra {
    var isShareable = false
    var offers: [SandboxOffer] = []

    static func read(_ place: JSONPlace, _ isStoreKit: Bool, _ extras: inout [Name: Extra])
      throws(CatalogueError)
    {
      guard let name = try place.member(isStoreKit ? "productID" : "id") else { return }
      let id = try name.text()
      var extra = extras[Name(id)] ?? Extra()
      if case .bool(let flag)? = try place.member("familyShareable")?.value { extra.isShareable = flag }
      for offer in try SandboxOffer.all(of: place, isStoreKit) {
        // What two files say of one offer, or one of two by the same id: the last counts.
        extra.offers.removeAll { $0.id.map(Name.init) == offer.id.map(Name.init) }
        extra.offers.append(offer)
      }
      guard extra.offers.count <= Limits.sandboxOffers else {
        throw place.refused(
          Phrase(
            "has more than \(Limits.sandboxOffers) offers", "혜택이 \(Limits.sandboxOffers)개보다 많습니다"))
      }
      extras[Name(id)] = extra
    }
  }
}

/// What a store tells devices of what it sells.
struct ToldCatalogue {
  /// As a catalogue file.
  let document: JSONValue
  /// Another one when it says something else.
  let name: String
  private let catalogue: Catalogue

  init(_ catalogue: Catalogue = Catalogue()) {
    self.catalogue = catalogue
    document = PeerdFormat.document(of: catalogue)
    name = Cryptography.openSSL.hash(of: JSON.encode(document)).description
  }

  /// The same with products that the store sells as well, or of which it says something else now.
  func adding(_ later: Catalogue) -> ToldCatalogue {
    let ids = Set(later.ids.map(Name.init))
    return ToldCatalogue(
      Catalogue(products: catalogue.products.filter { !ids.contains(Name($0.id)) } + later.products))
  }
}
