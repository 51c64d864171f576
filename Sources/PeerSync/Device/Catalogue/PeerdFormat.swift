/// peerd's own catalogue: `{"version": 1, "products": [{"id": …, "type": …, "line": …, "period": …}]}`.
package enum PeerdFormat {
  private static let productFields: Set<String> = [
    "id", "type", "line", "period", "entitlements", "credit", "amount", "displayName", "description", "price",
    "currency", "subscriptionGroup", "level", "from",
    // What only a store needs to know.
    "familyShareable", "introductoryOffer", "offers",
  ]
  private static let introductoryFields: Set<String> = [
    "paymentMode", "subscriptionPeriod", "numberOfPeriods", "displayPrice",
  ]
  private static let offerFields = introductoryFields.union([
    "kind", "id", "eligibility", "isStackable", "waitPeriod",
  ])

  static func read(_ root: JSONPlace, _ unknown: inout UnknownFields) throws(CatalogueError) -> Catalogue {
    try unknown.look(at: root, knowing: ["version", "products"])
    guard let list = try root.member("products") else { throw root.missing("products") }
    let version = try root.member("version")?.integer(in: 0...Limits.catalogueVersion) ?? 0
    var catalogue = Catalogue(version: UInt64(version))
    for place in try list.elements(atMost: Limits.products) {
      try unknown.look(at: place, knowing: productFields)
      if let offer = try place.member("introductoryOffer") {
        try unknown.look(at: offer, knowing: introductoryFields)
      }
      for offer in try place.list("offers", atMost: Limits.sandboxOffers) {
        try unknown.look(at: offer, knowing: offerFields)
      }
      let product = try product(place)
      try check(product, at: place, besides: catalogue.entries(of: product.id))
      catalogue.add(product)
    }
    return catalogue
  }

  /// The entries are lent for the check alone: kept any longer they would have the catalogue copied for each product that is added.
  private static func check(
    _ product: Product, at place: JSONPlace, besides others: ArraySlice<Product>
  ) throws(CatalogueError) {
    guard !others.contains(where: { $0.from == product.from }) else {
      throw place.refused(
        Phrase(
          "names \(product.id) a second time\(product.from.map { " from \($0)" } ?? "")",
          "\(product.from.map { "\($0)부터의 " } ?? "")‘\(product.id)’ 상품을 또 적은 것입니다"))
    }
    guard others.count < Limits.productEntries else {
      throw place.refused(
        Phrase(
          "is one more than the \(Limits.productEntries) entries that a product may have",
          "상품 하나에 쓸 수 있는 항목 \(Limits.productEntries)개를 넘습니다"))
    }
  }

  private static func product(_ place: JSONPlace) throws(CatalogueError) -> Product {
    guard let id = try place.member("id") else { throw place.missing("id") }
    var product = Product(id: try id.text())
    if let type = try place.member("type") { product.type = try self.type(type) }
    product.line = try place.member("line")?.text()
    product.period = try place.member("period")?.period()
    if let list = try place.member("entitlements") { product.entitlements = try entitlements(list) }
    product.credit = try place.member("credit")?.text()
    product.amount = try place.member("amount")?.integer(in: 1...Limits.creditAmount)
    product.displayName = try place.member("displayName")?.text()
    product.text = try place.member("description")?.text(atMost: 4096)
    product.price = try place.member("price")?.price()
    product.currency = try place.member("currency").map(currency)
    product.subscriptionGroup = try place.member("subscriptionGroup")?.text()
    product.level = try place.member("level")?.integer(in: 1...Limits.products)
    product.from = try place.member("from")?.instant()
    return product
  }

  private static func type(_ place: JSONPlace) throws(CatalogueError) -> ProductType {
    guard case .string(let name) = place.value, let type = ProductType(rawValue: name) else {
      let names = ProductType.allCases.map(\.rawValue).joined(separator: ", ")
      throw place.refused(Phrase("is not one of \(names)", "\(names) 가운데 하나가 아닙니다"))
    }
    return type
  }

  private static func entitlements(_ place: JSONPlace) throws(CatalogueError) -> [String] {
    var names: [String] = []
    for element in try place.elements(atMost: Limits.entitlementsPerProduct) {
      names.append(try element.text())
    }
    return names.sortedUniqueNames()
  }

  private static func currency(_ place: JSONPlace) throws(CatalogueError) -> String {
    let code = try place.text()
    guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5a).contains($0) }) else {
      throw place.refused(
        Phrase("is not an ISO 4217 currency code such as USD", "USD 같은 ISO 4217 통화 코드가 아닙니다"))
    }
    return code
  }
}
