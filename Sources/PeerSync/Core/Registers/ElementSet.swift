/// A last-writer-wins element set: for every element that was ever added or removed, the later of the two counts
/// (Shapiro et al., *A comprehensive study of Convergent and Commutative Replicated Data Types*, 2011, section 3.3.3).
///
/// A removal stays removed unless the element is added again later, that is, with a greater stamp. So where an addition
/// and a removal bear the same stamp, the removal wins. Removed elements are remembered with their stamps, or an
/// older addition that arrives late would bring them back.
///
/// This set looks at stamps alone. An addition that nobody had seen yet can lose against a removal with a greater
/// stamp; which additions a removal had observed plays no part.
public struct ElementSet<Element: Comparable & Hashable & Sendable>: Mergeable, Hashable {
  /// Whether an element is in; the greater wins where stamps are equal.
  enum Membership: UInt8, Comparable, Sendable {
    case added
    case removed

    static func < (left: Membership, right: Membership) -> Bool { left.rawValue < right.rawValue }
  }

  private(set) var memberships = GrowOnlyMap<Element, Register<Membership>>()

  /// The empty set.
  public init() {}

  init(_ memberships: GrowOnlyMap<Element, Register<Membership>>) { self.memberships = memberships }

  /// The elements that are in, in their order.
  public var elements: [Element] {
    memberships.entries.filter { $0.value.value == .added }.map(\.key)
  }

  /// Whether the element is in.
  public func contains(_ element: Element) -> Bool { memberships[element]?.value == .added }

  /// When the element was last added or removed; nil: never.
  public func stamp(of element: Element) -> Stamp? { memberships[element]?.stamp }

  /// Adds an element, unless it was removed at the stamp or later.
  public mutating func insert(_ element: Element, stamp: Stamp) {
    memberships.merge(Register(.added, stamp: stamp), at: element)
  }

  /// Removes an element, unless it was added later. One that was never in is removed as well: its addition may still
  /// be on the way.
  public mutating func remove(_ element: Element, stamp: Stamp) {
    memberships.merge(Register(.removed, stamp: stamp), at: element)
  }

  /// Keeps the later of addition and removal of every element.
  public mutating func merge(_ other: ElementSet) { memberships.merge(other.memberships) }
}
