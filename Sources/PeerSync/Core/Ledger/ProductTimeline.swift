/// Which entry of a product counts for purchases of which date [F71].
///
/// An entry counts from its date on, until a greater one begins. So of all entries that authors have stated, in whatever order they
/// come, those stay for which nothing greater counts as well, and of these a later one is always a greater one.
struct ProductTimeline: Sendable {
  /// The entries that count for some date, by when they begin and by rank.
  private(set) var steps: [Decision<Product>] = []

  init(_ decisions: some Sequence<Decision<Product>> = []) {
    // In this order each is put behind those that are there: quick, however many a member states.
    for decision in decisions.sorted(by: ProductTimeline.begins) { insert(decision) }
  }

  private static func begins(_ left: Decision<Product>, before right: Decision<Product>) -> Bool {
    left.value.from == right.value.from
      ? left.rank < right.rank : left.value.from.beginsNoLater(than: right.value.from)
  }

  /// Takes in an entry.
  ///
  /// - Returns: whether it counts for some date
  @discardableResult mutating func insert(_ entry: Decision<Product>) -> Bool {
    let place = steps.partitionPoint { !$0.value.from.beginsNoLater(than: entry.value.from) }
    if place > 0, !(steps[place - 1].rank < entry.rank) { return false }
    // One that begins at the same time and is less.
    let first = place > 0 && steps[place - 1].value.from == entry.value.from ? place - 1 : place
    let end = steps[place...].firstIndex { entry.rank < $0.rank } ?? steps.count
    steps.replaceSubrange(first..<end, with: CollectionOfOne(entry))
    return true
  }

  /// The entry by which a purchase of a date counts; nil when none says so.
  subscript(date: Instant) -> Decision<Product>? {
    let next = steps.partitionPoint { !$0.value.from.beginsNoLater(than: date) }
    return next > 0 ? steps[next - 1] : nil
  }

  /// The entries with the dates for which they count.
  var spans: [(product: Product, span: EntrySpan)] {
    steps.indices.map { place in
      let product = steps[place].value
      let until = place + 1 < steps.count ? steps[place + 1].value.from : nil
      return (product, EntrySpan(product: Name(product.id), from: product.from, until: until))
    }
  }
}

/// A product, as far as one entry of it counts.
struct EntrySpan: Hashable, Comparable, Sendable {
  let product: Name
  let from: Instant?
  let until: Instant?

  /// Whether a purchase of that date counts by it.
  func holds(_ date: Instant) -> Bool {
    from.beginsNoLater(than: date) && until.map { date < $0 } ?? true
  }

  /// Whether a purchase of some date could count by either.
  func overlaps(_ other: EntrySpan) -> Bool {
    guard let later = from.beginsNoLater(than: other.from) ? other.from : from else { return true }
    return holds(later) && other.holds(later)
  }

  static func < (left: EntrySpan, right: EntrySpan) -> Bool {
    if left.product != right.product { return left.product < right.product }
    return (left.from?.milliseconds ?? .min) < (right.from?.milliseconds ?? .min)
  }
}

/// All that is stated of one product.
struct ProductState: Sendable {
  private(set) var timeline = ProductTimeline()
  /// All that was ever stated, as far as it is known, by when that was.
  private var statements: [Decision<Product>] = []
  /// How many purchases count otherwise than when they were made; nil when that has to be worked out.
  var revalued: Int?

  /// Whether some entry says what every purchase is.
  var isKnown: Bool {
    timeline.steps.first?.value.from == nil && timeline.steps.allSatisfy { $0.value.type != nil }
      && !timeline.steps.isEmpty
  }

  init() {}

  /// - Parameters:
  ///   - living: what authors state
  ///   - replaced: what they have replaced themselves
  init(_ living: [Decision<Product>], replaced: [Decision<Product>] = []) {
    timeline = ProductTimeline(living)
    // What was adopted comes first: purchases have counted by it until somebody said something else.
    statements = (living + replaced).sorted { $0.stamp < $1.stamp }
  }

  /// Takes in what some author states.
  ///
  /// - Returns: whether it counts for some date
  mutating func insert(_ entry: Decision<Product>) -> Bool {
    statements.insert(entry, at: statements.partitionPoint { $0.stamp > entry.stamp })
    revalued = nil
    return timeline.insert(entry)
  }

  /// How many of the purchases of these dates were worth something else when they were made than they are now, by an entry that counts
  /// whenever something was bought. What was bought before anything was stated was worth what was stated first.
  func revalued(among dates: some Sequence<Instant>) -> Int {
    guard Set(statements.map(\.value.worth)).count > 1 else { return 0 }
    var (stamps, timelines) = ([Stamp](), [ProductTimeline]())
    for statement in statements.suffix(Limits.productEntries * Limits.replacedEntries) {
      var next = timelines.last ?? ProductTimeline()
      next.insert(statement)
      if stamps.last == statement.stamp {
        timelines[timelines.count - 1] = next
      } else {
        stamps.append(statement.stamp)
        timelines.append(next)
      }
    }
    return dates.count { date in
      guard let now = timeline[date]?.value, now.from == nil else { return false }
      let known = stamps.partitionPoint { $0 > Stamp(date, counter: .max) }
      let first = timelines[max(known - 1, 0)...].lazy.compactMap { $0[date]?.value }.first
      return first.map { $0.type != nil && $0.worth != now.worth } ?? false
    }
  }
}
