/// What one author states of a product: the value of its register.
///
/// Mostly that is one entry. More of them say since when each counts [F71]. What the author has stated before and replaced says what
/// past purchases were worth; it decides nothing.
package struct ProductRecord: Hashable, Sendable {
  /// One entry of a catalogue.
  package struct Entry: Hashable, Sendable {
    /// What it states, and since when it counts.
    package var product: Product
    /// The catalogue's: up to ``Limits/catalogueVersion``.
    package var version: UInt64
    /// Whether it stands above what others had written before it: see ``DecisionRank/settled(among:)``.
    package var isAnswer: Bool
    /// When it was decided; nil: when the register was last written.
    package var stamp: Stamp?

    package init(_ product: Product, version: UInt64, isAnswer: Bool = false, stamp: Stamp? = nil) {
      (self.product, self.version, self.isAnswer, self.stamp) = (product, version, isAnswer, stamp)
    }

    /// Orders the entries of one author: the version, when it was decided, and since when it counts.
    fileprivate var order: (UInt64, UInt64, Int64) {
      (version, stamp?.rawValue ?? .max, product.from?.milliseconds ?? .min)
    }

    /// Whether it counts for all purchases for which another one would.
    fileprivate func replaces(_ other: Entry) -> Bool {
      product.from.beginsNoLater(than: other.product.from) && order > other.order
    }
  }

  /// The greatest of its entries.
  package var head: Entry
  /// Those besides, by when they begin to count.
  package var others: [Entry] = []
  /// What the author has replaced, by when that was decided.
  package var replaced: [Entry] = []

  /// The record of one entry.
  package init(_ entry: Entry) { head = entry }

  /// All that count.
  package var entries: [Entry] { [head] + others }

  /// States entries over what the same author had stated before. Those that are replaced by it, and were worth something else, are
  /// remembered.
  ///
  /// - Parameters:
  ///   - news: what is stated now, decided when the register is written
  ///   - old: what stood there, all decided at a time that is known
  /// - Returns: nil without any entry, with more than ``Limits/productEntries``, and when they are too long
  package init?(stating news: [Entry], over old: ProductRecord?) {
    let held = old?.entries ?? []
    // An entry may come again from where it was carried to.
    let all = held + news.filter { !held.contains($0) }
    let living = all.filter { entry in !all.contains { $0.replaces(entry) } }
      .sorted { $0.order < $1.order }
    guard let head = living.last, living.count <= Limits.productEntries else { return nil }
    self.head = head
    others = living.dropLast().sorted {
      ($0.product.from?.milliseconds ?? .min) < ($1.product.from?.milliseconds ?? .min)
    }
    let fallen = held.filter { entry in
      entry.product.type != nil && !living.contains(entry)
        && !living.contains {
          $0.product.from == entry.product.from && $0.product.worth == entry.product.worth
        }
    }
    for entry in ((old?.replaced ?? []) + fallen).sorted(by: { $0.age < $1.age }) {
      // Two that were decided ahead of the time may have been decided at one time, as far as is known now.
      if let last = replaced.last, !(last.age < entry.age) { replaced.removeLast() }
      replaced.append(entry)
    }
    replaced = replaced.suffix(Limits.replacedEntries)
    while encoded.count > Limits.valueBytes {
      guard !replaced.isEmpty else { return nil }
      replaced.removeFirst()
    }
    guard isInOrder else { return nil }
  }

  /// Whether there is one entry for each date, and all are in their order: each record has one encoding.
  var isInOrder: Bool {
    let froms = others.map { $0.product.from?.milliseconds ?? .min }
    let isSorted = zip(froms, froms.dropFirst()).allSatisfy { $0 < $1 }
    return isSorted && !froms.contains(head.product.from?.milliseconds ?? .min)
      && zip(replaced, replaced.dropFirst()).allSatisfy { $0.age < $1.age }
  }

  /// The same with the time at which each entry was decided: none later than when the register was written.
  ///
  /// - Parameter stamp: when the register was written
  package func decided(by stamp: Stamp) -> ProductRecord {
    stamped { min($0 ?? stamp, stamp) }
  }

  /// The same with other stamps of its entries.
  private func stamped(_ stamp: (Stamp?) -> Stamp?) -> ProductRecord {
    func changed(_ entry: Entry) -> Entry {
      var entry = entry
      entry.stamp = stamp(entry.stamp)
      return entry
    }
    var record = self
    record.head = changed(head)
    record.others = others.map(changed)
    record.replaced = replaced.map(changed)
    return record
  }

  /// The same for a register that is stamped anew: what was decided beyond the new stamp was so under the wrong clock that made the old
  /// one, and moves back as far as that does.
  ///
  /// - Parameters:
  ///   - old: when the register was written, as it says
  ///   - new: when it was
  func moved(from old: Stamp, to new: Stamp) -> ProductRecord {
    stamped { stamp in
      guard let stamp, stamp > new else { return stamp }
      // It was decided no later than the register was written.
      let earlier = old.rawValue - min(old.rawValue, stamp.rawValue)
      return Stamp(rawValue: new.rawValue - min(new.rawValue, earlier))
    }
  }

  /// Leaves out when entries were decided that are as old as the register.
  package mutating func decide(at stamp: Stamp) {
    func brief(_ entry: Entry) -> Entry {
      var entry = entry
      if entry.stamp == stamp { entry.stamp = nil }
      return entry
    }
    head = brief(head)
    others = others.map(brief)
  }

  /// What it states, as it is ordered among what others do.
  ///
  /// - Parameter stamp: when the register was written
  func statements(by stamp: Stamp) -> (living: [Decision<Product>], replaced: [Decision<Product>]) {
    let record = decided(by: stamp)
    return (record.entries.map(\.decision), record.replaced.map(\.decision))
  }
}

/// What all authors state of one product, ordered among each other.
struct ProductStatements {
  /// The entries, with the place of their author among those that were given.
  private(set) var living: [(place: Int, decision: Decision<Product>)] = []
  /// What authors have replaced themselves.
  private(set) var replaced: [Decision<Product>] = []
  /// How many cannot be read.
  private(set) var unreadable = 0

  init(of id: String, _ candidates: some Sequence<(stamp: Stamp, value: [UInt8])>) {
    for (place, candidate) in candidates.enumerated() {
      guard let record = try? ProductRecord(decoding: candidate.value[...]),
        Name(record.head.product.id) == Name(id)
      else {
        unreadable += 1
        continue
      }
      let statements = record.statements(by: candidate.stamp)
      living += statements.living.map { (place, $0) }
      replaced += statements.replaced
    }
    let versions = StatedVersions(living.map(\.decision.rank))
    living = living.map { ($0.place, $0.decision.settled(among: versions)) }
    replaced = replaced.map { $0.settled(among: versions) }
  }
}

extension Decision<Product> {
  fileprivate func settled(among versions: StatedVersions) -> Decision {
    Decision(value: value, rank: rank.settled(among: versions))
  }
}

extension ProductRecord.Entry {
  /// The entry among the decisions of all; one whose time is known.
  fileprivate var decision: Decision<Product> {
    let value = ProductRecord.Entry(product, version: version, isAnswer: isAnswer).encoded
    let rank = DecisionRank(
      version: version, isAnswer: isAnswer, stamp: stamp ?? Stamp(rawValue: 0), from: product.from,
      value: value)
    return Decision(value: product, rank: rank)
  }

  fileprivate var age: (UInt64, Int64) {
    (stamp?.rawValue ?? .max, product.from?.milliseconds ?? .min)
  }
}

extension Instant? {
  /// Whether an entry that begins to count here does so when one that begins there does.
  func beginsNoLater(than other: Instant?) -> Bool {
    guard let self else { return true }
    return other.map { self <= $0 } ?? false
  }
}

/// What decides how a purchase of a product counts.
struct ProductWorth: Hashable, Sendable {
  private let type: ProductType?
  private let line: String?
  private let period: Period?
  private let credit: String?
  private let amount: Int?
  private let entitlements: [String]

  init(_ product: Product) {
    type = product.type
    line = product.stackingLine
    // How long an auto-renewable one lasts the store says.
    period = product.stackingLine == nil ? nil : product.period
    credit = product.boughtCredit
    amount = product.boughtCredit == nil ? nil : product.amount ?? 1
    entitlements = product.entitlements ?? []
  }
}

extension Product {
  /// What decides how a purchase of it counts.
  var worth: ProductWorth { ProductWorth(self) }
}

extension ProductRecord {
  /// The register that holds it.
  var write: LocalWrite { LocalWrite(key: RegisterKey.product(id: head.product.id).encoded, value: encoded) }
}

extension [Product] {
  /// The entries of each product by when they begin to count, in the order in which the products come first. Of two of one date the
  /// later one is meant.
  package var byProduct: [[Product]] {
    var (places, groups) = ([Name: Int](), [[Product]]())
    for product in self {
      if let place = places[Name(product.id)] {
        groups[place].removeAll { $0.from == product.from }
        groups[place].append(product)
      } else {
        places[Name(product.id)] = groups.count
        groups.append([product])
      }
    }
    return groups.map { group in
      group.sorted { $0.from != $1.from && $0.from.beginsNoLater(than: $1.from) }
    }
  }

  /// The registers of a device that has stated nothing else of these products.
  package func writes(version: UInt64) -> [LocalWrite] {
    byProduct.compactMap { entries in
      ProductRecord(stating: entries.map { ProductRecord.Entry($0, version: version) }, over: nil)?.write
    }
  }
}
