extension Ledger {
  /// The products that some device has stated, in byte order.
  package var productNames: [String] { products.keys.sorted().map(\.text) }

  /// The transaction of a reference, in this environment and app. In the ``Environment/xcode`` environment the bare id
  /// finds the earliest of that id.
  public func transaction(_ reference: String) -> TransactionRecord? {
    guard environment == .xcode else { return record(id: reference, device: nil) }
    if let mark = reference.lastIndex(of: "@"),
      let device = DeviceID(String(reference[reference.index(after: mark)...]))
    {
      return record(id: String(reference[..<mark]), device: device)
    }
    return transactions().first { Name($0.transaction.transactionId) == Name(reference) }
  }

  /// The transaction that a register is about, if it is one of this environment and app.
  package func transaction(at register: RegisterKey) -> TransactionRecord? {
    guard let subject = StoreSubject(register), register.kind == .transaction else { return nil }
    let key = TransactionKey(subject)
    return isOwn(key) ? snapshots[key].map { TransactionRecord($0, at: key) } : nil
  }

  /// Every transaction of this environment and app, in the order of the fold.
  public func transactions() -> [TransactionRecord] {
    snapshots.filter { isOwn($0.key) }
      .map { TransactionRecord($0.value, at: $0.key) }
      .sorted { $0.precedes($1) }
  }

  /// The transactions of one product, in the order of the fold.
  package func transactions(of product: String) -> [TransactionRecord] {
    (byProduct[Name(product)] ?? []).filter(isOwn)
      .compactMap { key in snapshots[key].map { TransactionRecord($0, at: key) } }
      .sorted { $0.precedes($1) }
  }

  /// A product that some catalogue knows: the last of its entries.
  public func product(_ id: String) -> Product? { products[Name(id)]?.timeline.steps.last?.value }

  /// What people call a product, with the id by which a catalogue states it.
  package func title(of product: String) -> String {
    self.product(product)?.displayName.map { "\($0) (\(product))" } ?? product
  }

  /// The entry by which a purchase of a product counts that is made at an instant; nil when none says so.
  public func product(_ id: String, at date: Instant) -> Product? {
    products[Name(id)]?.timeline[date]?.value
  }

  /// The entries of a product that count for some date, in the order of their dates.
  public func entries(of product: String) -> [Product] {
    (products[Name(product)]?.timeline.steps ?? []).map(\.value)
  }

  /// The products known, as a catalogue of the greatest version among them.
  public var catalogue: Catalogue {
    let version = products.values.flatMap(\.timeline.steps).map(\.rank.version).max() ?? 0
    return Catalogue(
      products: products.sorted { $0.key < $1.key }.flatMap { $0.value.timeline.steps.map(\.value) },
      version: version)
  }

  /// Whether an entry of a product counts for some date, or would if it was stated here.
  func takes(_ entries: [Decision<Product>], of product: String) -> Bool {
    var timeline = products[Name(product)]?.timeline ?? ProductTimeline()
    return entries.contains { timeline.insert($0) }
  }

  /// The products of which purchases count otherwise than when they were made, because an entry without a date was stated since; and
  /// how many. In byte order.
  package mutating func revalued() -> [(product: String, count: Int)] {
    products.keys.sorted().compactMap { name in
      guard let state = products[name] else { return nil }
      let count = state.revalued ?? state.revalued(among: purchaseDates(of: name))
      products[name]?.revalued = count
      return count > 0 ? (name.text, count) : nil
    }
  }

  private func purchaseDates(of product: Name) -> [Instant] {
    (byProduct[product] ?? []).filter(isOwn).compactMap { key in
      snapshots[key].flatMap { $0.value.isAccepted ? $0.value.purchaseDate : nil }
    }
  }

  /// The references of the purchases that a line is made of, in the order of the fold: what a new expiration register
  /// covers. They are those that count, and those that the present register stands in for; one that does not count yet, as
  /// it was refunded or nobody vouches for it, is counted on top should it come to.
  public func transactionIds(ofLine line: String) -> [String] {
    guard let state = lines[Name(line)] else { return [] }
    let covered = Set(state.register?.value.covers.map(Name.init) ?? [])
    return state.purchases.sorted { $0.precedes($1) }
      .filter { $0.standing.takesPart || covered.contains(Name($0.reference)) }.map(\.reference)
  }

  /// The line whose explicit date stands in for a purchase, so that its refund changes nothing there [3.4].
  package func lineDated(for reference: String) -> String? {
    guard let record = transaction(reference),
      let line = product(of: record.transaction)?.stackingLine,
      let covers = lines[Name(line)]?.register?.value.covers,
      covers.contains(where: { Name($0) == Name(record.reference) })
    else { return nil }
    return line
  }

  /// Whether some product or explicit date names a line.
  public mutating func knowsLine(_ line: String) -> Bool {
    let lines = currentPlan().lines
    let index = lines.partitionPoint { $0 >= Name(line) }
    return index < lines.count && lines[index] == Name(line)
  }

  /// The grants of an entitlement that stand, by id.
  public func grants(of entitlement: String) -> [(id: String, grant: Grant)] {
    standingGrants(of: Name(entitlement)).map { ($0.id.text, $0.grant) }
  }

  /// The entitlements of which grants stand, in byte order.
  package var grantedEntitlements: [String] {
    grants.keys.filter { !standingGrants(of: $0).isEmpty }.sorted().map(\.text)
  }

  private func record(id: String, device: DeviceID?) -> TransactionRecord? {
    let key = TransactionKey(environment: environment, bundleId: Name(bundleId), id: Name(id), device: device)
    return snapshots[key].map { TransactionRecord($0, at: key) }
  }
}
