/// The last things of a sequence, each with its number: what is older has left.
package struct EventRing<Element> {
  private let capacity: Int
  private var elements: [Element] = []
  /// The number that the next thing gets.
  package private(set) var next: UInt64 = 1

  /// - Parameter capacity: how many are kept at least; never more than twice as many
  package init(capacity: Int) { self.capacity = capacity }

  package mutating func append(_ element: Element) {
    // Moving the rest costs little when it is done once for many.
    if elements.count == 2 * capacity { elements.removeFirst(capacity) }
    elements.append(element)
    next += 1
  }

  /// Counts what is not kept one by one. Whoever stands before it has missed it.
  package mutating func skip(_ count: Int) {
    elements = []
    next += UInt64(count)
  }

  /// What came after a number; nil when some of it is not kept, or nothing ever had that number.
  package func after(_ number: UInt64) -> [(number: UInt64, element: Element)]? {
    guard number < next, next - number - 1 <= elements.count else { return nil }
    let missed = elements.suffix(Int(next - number - 1))
    return missed.enumerated().map { (number + 1 + UInt64($0), $1) }
  }
}
