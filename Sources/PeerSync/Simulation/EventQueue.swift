/// Things to come in virtual time: a binary heap by (time, order of scheduling), so that what happens at one moment
/// happens in the order in which it was scheduled.
struct EventQueue<Element> {
  private var heap: [(time: UInt64, order: UInt64, element: Element)] = []
  private var scheduled: UInt64 = 0

  /// When the next thing happens.
  var nextTime: UInt64? { heap.first?.time }

  mutating func schedule(_ element: Element, at time: UInt64) {
    heap.append((time, scheduled, element))
    scheduled += 1
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func next() -> (time: UInt64, element: Element)? {
    guard let first = heap.first else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown()
    return (first.time, first.element)
  }

  /// All of it, in the order in which it happens.
  var pending: [Element] { heap.sorted { ($0.time, $0.order) < ($1.time, $1.order) }.map(\.element) }

  /// Takes out the first that fits.
  mutating func take(where fits: (Element) -> Bool) -> (time: UInt64, element: Element)? {
    let first = heap.indices.filter { fits(heap[$0].element) }.min { precedes($0, $1) }
    guard let first else { return nil }
    let (time, _, element) = heap.remove(at: first)
    // What is sorted is a heap.
    heap.sort { ($0.time, $0.order) < ($1.time, $1.order) }
    return (time, element)
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      let least = [parent, 2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
        .min { precedes($0, $1) }
      guard let least, least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].time, heap[left].order) < (heap[right].time, heap[right].order)
  }
}
