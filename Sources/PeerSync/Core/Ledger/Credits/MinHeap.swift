/// The least of many, found at once: a binary heap. Putting one in and taking the least out cost the logarithm of how many there are.
struct MinHeap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []

  init(_ elements: [Element] = []) {
    for element in elements { insert(element) }
  }

  var count: Int { elements.count }

  /// The least.
  var first: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, elements[place] < elements[(place - 1) / 2] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the least out; of none nothing.
  mutating func removeFirst() {
    guard let last = elements.popLast(), !elements.isEmpty else { return }
    elements[0] = last
    var place = 0
    while true {
      let children = (2 * place + 1..<2 * place + 3).clamped(to: 0..<elements.count)
      guard let least = children.min(by: { elements[$0] < elements[$1] }), elements[least] < elements[place]
      else { return }
      elements.swapAt(place, least)
      place = least
    }
  }
}
