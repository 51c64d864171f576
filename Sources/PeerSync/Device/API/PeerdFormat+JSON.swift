extension PeerdFormat {
  /// A catalogue as such a document: what the file said for a store alone is not in it.
  package static func document(of catalogue: Catalogue) -> JSONValue {
    ["products": .array(catalogue.products.map(entry))]
  }

  private static func entry(of product: Product) -> JSONValue {
    var fields: [String: JSONValue] = ["id": .string(product.id)]
    let texts: [(String, String?)] = [
      ("type", product.type?.rawValue), ("line", product.line), ("period", product.period?.description),
      ("credit", product.credit), ("displayName", product.displayName), ("description", product.text),
      ("price", product.price), ("currency", product.currency),
      ("subscriptionGroup", product.subscriptionGroup), ("from", product.from?.description),
    ]
    for (name, text) in texts { if let text { fields[name] = .string(text) } }
    if let amount = product.amount { fields["amount"] = .integer(Int64(amount)) }
    if let level = product.level { fields["level"] = .integer(Int64(level)) }
    if let entitlements = product.entitlements {
      fields["entitlements"] = .array(entitlements.map(JSONValue.string))
    }
    return JSONValue(fields)
  }
}
