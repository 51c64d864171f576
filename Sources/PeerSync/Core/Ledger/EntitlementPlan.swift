/// Where each entitlement can come from, as the catalogue and the grants say. Made anew when one of those changes.
struct EntitlementPlan: Sendable {
  /// Lines that a product or an expiration register names, in byte order.
  let lines: [Name]
  /// Credits that a product names, in byte order.
  let credits: [Name]
  /// Non-consumable products, in byte order.
  let ownable: [Name]
  /// Entitlements that a product or a standing grant names, in byte order.
  let entitlements: [(name: Name, sources: EntitlementSources)]

  init(
    products: some Sequence<(product: Product, span: EntrySpan)>, registers: some Sequence<Name>,
    grants: some Sequence<Name>
  ) {
    var lines = Array(registers)
    var credits: [Name] = []
    var ownable: [Name] = []
    var sources: [Name: EntitlementSources] = [:]
    for (product, span) in products {
      if let line = product.stackingLine { lines.append(Name(line)) }
      if let credit = product.boughtCredit { credits.append(Name(credit)) }
      if product.type == .nonConsumable { ownable.append(Name(product.id)) }
      for entitlement in product.entitlements ?? [] {
        sources[Name(entitlement), default: EntitlementSources()].add(product, span)
      }
    }
    self.lines = lines.sortedUnique()
    self.credits = credits.sortedUnique()
    self.ownable = ownable.sortedUnique()
    // Most of what is granted no product names: it has no place among the sources.
    let names = (Array(grants) + sources.keys).sortedUnique()
    entitlements = names.map { ($0, sources[$0]?.sorted() ?? EntitlementSources()) }
  }

  /// The sources of one entitlement.
  func sources(of entitlement: Name) -> EntitlementSources? {
    let index = entitlements.partitionPoint { $0.name >= entitlement }
    guard index < entitlements.count, entitlements[index].name == entitlement else { return nil }
    return entitlements[index].sources
  }
}

/// What gives one entitlement, besides grants. Each list is in byte order.
struct EntitlementSources: Sendable {
  var lines: [Name] = []
  /// Bought within the dates of an entry that gives it.
  var owned: [EntrySpan] = []
  var credits: [Name] = []
  var subscriptions: [EntrySpan] = []

  mutating func add(_ product: Product, _ span: EntrySpan) {
    if let line = product.stackingLine { lines.append(Name(line)) }
    if let credit = product.boughtCredit { credits.append(Name(credit)) }
    switch product.type {
    case .nonConsumable: owned.append(span)
    case .autoRenewableSubscription: subscriptions.append(span)
    case .consumable, .nonRenewingSubscription, nil: break
    }
  }

  func sorted() -> EntitlementSources {
    EntitlementSources(
      lines: lines.sortedUnique(), owned: owned.sortedUnique(), credits: credits.sortedUnique(),
      subscriptions: subscriptions.sortedUnique())
  }
}
