/// The products a device knows how to count, sorted by identifier.
///
/// A catalogue travels as registers, one for each product, which say its version: every device folds alike.
public struct Catalogue: Equatable, Sendable {
  /// The products in byte order of their identifiers, each once.
  public private(set) var products: [Product] = []
  /// At most ``Limits/catalogueVersion``. A catalogue with a greater version replaces the products of one with a lesser.
  public private(set) var version: UInt64

  /// Makes a catalogue. A later entry for a product adds to an earlier one.
  public init(products: [Product] = [], version: UInt64 = 0) {
    self.version = version
    for product in products { add(product) }
  }

  /// Adds a later file: its entries fill or replace the fields that they state, and the greater version counts.
  public mutating func add(_ later: Catalogue) {
    version = max(version, later.version)
    for product in later.products { add(product) }
  }

  /// Adds what an entry states to the product of its identifier.
  public mutating func add(_ product: Product) {
    let index = position(of: product.id)
    if index < products.count, Name(products[index].id) == Name(product.id) {
      products[index].add(product)
    } else {
      products.insert(product, at: index)
    }
  }

  /// The product of an identifier.
  public subscript(id: String) -> Product? {
    let index = position(of: id)
    guard index < products.count, Name(products[index].id) == Name(id) else { return nil }
    return products[index]
  }

  /// What the products lack to count for anything, one sentence each, in the order of the products.
  public var gaps: [String] { products.compactMap(\.gap) }

  private func position(of id: String) -> Int {
    let name = Name(id)
    return products.partitionPoint { Name($0.id) >= name }
  }
}

extension Product {
  /// What is missing before a purchase grants anything.
  fileprivate var gap: String? {
    switch type {
    case nil: "\(id): no file says its type, so that it grants nothing"
    case .nonRenewingSubscription where credit == nil && (line == nil || period == nil):
      "\(id): no file says its line and period, so that it grants nothing"
    case .consumable where credit == nil && (line == nil || period == nil):
      "\(id): no file says which credit it buys, so that it grants nothing"
    default: nil
    }
  }
}

extension RandomAccessCollection {
  /// The first index whose element satisfies a condition that holds for all later ones as well.
  func partitionPoint(_ belongsToEnd: (Element) -> Bool) -> Index {
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
  package var writes: [LocalWrite] { products.map { $0.write(version: version) } }

  /// What is wrong with the first product beyond the limits; nil when all are within. Written all the same, every device
  /// would count it as a register that makes no sense.
  package var misfit: String? {
    products.first { !$0.isWithinLimits }.map { Catalogue.misfit($0.id) }
  }

  /// What is wrong with a product beyond the limits.
  package static func misfit(_ id: String) -> String {
    "the product '\(id.prefix(64))' is not within the limits: look at the lengths of its texts, at its "
      + "entitlements, amount and level"
  }
}

extension Product {
  /// The register of a product in a catalogue of that version.
  package func write(version: UInt64) -> LocalWrite {
    LocalWrite(key: RegisterKey.product(id: id).encoded, value: encoded(version: version))
  }
}
