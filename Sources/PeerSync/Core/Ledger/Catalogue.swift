/// The products a device knows how to count, sorted by identifier.
///
/// A catalogue travels as registers, one for each product, which say its version: every device folds alike.
public struct Catalogue: Equatable, Sendable {
  /// The products in byte order of their identifiers: of each the entry without a date, and those with one by their dates [F71].
  public private(set) var products: [Product] = []
  /// At most ``Limits/catalogueVersion``. A catalogue with a greater version replaces the products of one with a lesser.
  public private(set) var version: UInt64

  /// Makes a catalogue. Of one product and date a later entry adds to an earlier one.
  public init(products: [Product] = [], version: UInt64 = 0) {
    self.version = version
    for product in products { add(product) }
  }

  /// Adds a later file: its entries fill or replace the fields that they state, and the greater version counts.
  public mutating func add(_ later: Catalogue) {
    version = max(version, later.version)
    for product in later.products { add(product) }
  }

  /// Adds what an entry states to that of its identifier and date.
  public mutating func add(_ product: Product) {
    var index = position(of: product.id)
    while index < products.count, Name(products[index].id) == Name(product.id),
      !product.from.beginsNoLater(than: products[index].from)
    {
      index += 1
    }
    if index < products.count, Name(products[index].id) == Name(product.id),
      products[index].from == product.from
    {
      products[index].add(product)
    } else {
      products.insert(product, at: index)
    }
  }

  /// The first entry of an identifier.
  public subscript(id: String) -> Product? { entries(of: id).first }

  /// The entries of an identifier, by when they begin to count.
  public func entries(of id: String) -> ArraySlice<Product> {
    let first = position(of: id)
    let end = products[first...].firstIndex { Name($0.id) != Name(id) } ?? products.count
    return products[first..<end]
  }

  /// The identifiers, in byte order.
  public var ids: [String] {
    products.indices.filter { $0 == 0 || Name(products[$0 - 1].id) != Name(products[$0].id) }
      .map { products[$0].id }
  }

  /// The same with what entries of a date do not state themselves taken from the entry before, as files mean it.
  package var filled: Catalogue {
    var filled = self
    for index in products.indices.dropFirst()
    where Name(products[index].id) == Name(products[index - 1].id) {
      var whole = filled.products[index - 1]
      whole.add(products[index])
      whole.from = products[index].from
      filled.products[index] = whole
    }
    return filled
  }

  /// What the products lack to count for anything, one sentence each, in the order of the products.
  public var gaps: [String] { lacks.map(\.description) }

  /// The same, for whoever says it in another language.
  package var lacks: [ProductLack] {
    products.indices.flatMap { index in
      let product = products[index]
      let isFirst = index == 0 || Name(products[index - 1].id) != Name(product.id)
      let early = isFirst && product.from != nil ? ProductLack.Kind.before : nil
      return [early, product.lack].compactMap(\.self).map {
        ProductLack(product: product.id, from: product.from, kind: $0)
      }
    }
  }

  private func position(of id: String) -> Int {
    let name = Name(id)
    return products.partitionPoint { Name($0.id) >= name }
  }
}

/// What a product lacks to count for anything.
package struct ProductLack: Hashable, Sendable, CustomStringConvertible {
  /// What is missing.
  package enum Kind: CaseIterable, Hashable, Sendable {
    /// What it was before its first entry.
    case before
    case type
    /// The line, and the period for which a purchase covers it.
    case line
    case credit
  }

  /// The product's id.
  package let product: String
  /// From when on the entry counts; nil: always.
  package let from: Instant?
  /// What it lacks.
  package let kind: Kind

  package init(product: String, from: Instant?, kind: Kind) {
    (self.product, self.from, self.kind) = (product, from, kind)
  }

  /// What it lacks, in one sentence.
  package var description: String {
    let title = from.map { "\(product) from \($0)" } ?? product
    return switch kind {
    case .before:
      "\(product): no file says what it was before \(from.map { "\($0)" } ?? "that"), so that what was bought before grants nothing"
    case .type: "\(title): no file says its type, so that it grants nothing"
    case .line: "\(title): no file says its line and period, so that it grants nothing"
    case .credit: "\(title): no file says which credit it buys, so that it grants nothing"
    }
  }
}

extension Product {
  /// What is missing before a purchase grants anything.
  fileprivate var lack: ProductLack.Kind? {
    ProductLack.Kind(type, coversTime: line != nil && period != nil, buysCredit: credit != nil)
  }
}

extension ProductLack.Kind {
  /// What is missing before a purchase of such a product grants anything; nil: nothing.
  package init?(_ type: ProductType?, coversTime: Bool, buysCredit: Bool) {
    switch type {
    case nil: self = .type
    case .nonRenewingSubscription where !buysCredit && !coversTime: self = .line
    case .consumable where !buysCredit && !coversTime: self = .credit
    default: return nil
    }
  }
}

extension RandomAccessCollection {
  /// The first index whose element satisfies a condition that holds for all later ones as well.
  package func partitionPoint(_ belongsToEnd: (Element) -> Bool) -> Index {
    var low = startIndex
    var count = self.count
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if belongsToEnd(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}

extension Catalogue {
  /// The registers of its products.
  package var writes: [LocalWrite] {
    products.writes(version: version)
  }

  /// What is wrong with the first product beyond the limits; nil when all are within. Written all the same, every device
  /// would count it as a register that makes no sense.
  package var misfit: String? { firstMisfit.map(Catalogue.misfit) }

  /// The id of that product.
  package var firstMisfit: String? {
    products.first { !$0.isWithinLimits }?.id
      ?? ids.first { Array(entries(of: $0)).writes(version: version).isEmpty }
  }

  /// What is wrong with a product beyond the limits.
  package static func misfit(_ id: String) -> String {
    "the product '\(id.prefix(64))' is not within the limits: look at the lengths of its texts, at its "
      + "entitlements, amount and level, and at how many entries it has"
  }
}

extension Product {
  /// The register of a product in a catalogue of that version.
  package func write(version: UInt64) -> LocalWrite {
    LocalWrite(key: RegisterKey.product(id: id).encoded, value: encoded(version: version))
  }
}
