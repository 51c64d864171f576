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
    siftUp(from: heap.count - 1)
  }

  mutating func next() -> (time: UInt64, element: Element)? {
    heap.isEmpty ? nil : take(at: 0)
  }

  /// All of it, in the order in which it happens.
  var pending: [Element] { heap.sorted { ($0.time, $0.order) < ($1.time, $1.order) }.map(\.element) }

  /// Takes out the first that fits.
  mutating func take(where fits: (Element) -> Bool) -> (time: UInt64, element: Element)? {
    let first = heap.indices.filter { fits(heap[$0].element) }.min { precedes($0, $1) }
    return first.map { take(at: $0) }
  }

  private mutating func take(at place: Int) -> (time: UInt64, element: Element) {
    heap.swapAt(place, heap.count - 1)
    let (time, _, element) = heap.removeLast()
    if place < heap.count {
      siftDown(from: place)
      siftUp(from: place)
    }
    return (time, element)
  }

  private mutating func siftUp(from place: Int) {
    var child = place
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown(from place: Int) {
    var parent = place
    while 2 * parent + 1 < heap.count {
      var child = 2 * parent + 1
      if child + 1 < heap.count, precedes(child + 1, child) { child += 1 }
      guard precedes(child, parent) else { return }
      heap.swapAt(parent, child)
      parent = child
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].time, heap[left].order) < (heap[right].time, heap[right].order)
  }
}
