/// Something with a place in the order of one replica's sequences.
protocol Sequenced: Sendable {
  var sequence: UInt64 { get }
}

/// Elements in the order of their sequences, in blocks of a limited size: adding at the end costs what an array costs, and
/// anywhere else no more than moving one block.
struct SortedRuns<Element: Sequenced>: Sendable {
  /// Where an element lies; good until the next change.
  struct Place {
    fileprivate let block: Int
    fileprivate let offset: Int
  }

  private static var blockSize: Int { 256 }

  private var blocks: [[Element]] = []
  /// How many elements there are.
  private(set) var count = 0

  var isEmpty: Bool { blocks.isEmpty }
  var first: Element? { blocks.first?.first }
  var last: Element? { blocks.last?.last }

  subscript(place: Place) -> Element {
    get { blocks[place.block][place.offset] }
    set { blocks[place.block][place.offset] = newValue }
  }

  /// The last element whose sequence is not beyond this one.
  func place(notBeyond sequence: UInt64) -> Place? {
    guard let block = Self.count(blocks, where: { $0[0].sequence <= sequence }) else { return nil }
    guard let offset = Self.count(blocks[block], where: { $0.sequence <= sequence }) else { return nil }
    return Place(block: block, offset: offset)
  }

  /// The element behind one.
  func place(after place: Place) -> Place? {
    if place.offset + 1 < blocks[place.block].count {
      return Place(block: place.block, offset: place.offset + 1)
    }
    return place.block + 1 < blocks.count ? Place(block: place.block + 1, offset: 0) : nil
  }

  /// The first element from a sequence on.
  func place(from sequence: UInt64) -> Place? {
    guard sequence > 0, let before = place(notBeyond: sequence - 1) else {
      return blocks.isEmpty ? nil : Place(block: 0, offset: 0)
    }
    return place(after: before)
  }

  /// Adds an element; of two with one sequence the later stays.
  mutating func insert(_ element: Element) {
    guard let place = place(notBeyond: element.sequence) else {
      count += 1
      if blocks.isEmpty { blocks.append([element]) } else { insert(element, Place(block: 0, offset: 0)) }
      return
    }
    if self[place].sequence == element.sequence {
      self[place] = element
    } else {
      count += 1
      insert(element, Place(block: place.block, offset: place.offset + 1))
    }
  }

  private mutating func insert(_ element: Element, _ place: Place) {
    let size = blocks[place.block].count
    if size < Self.blockSize { return blocks[place.block].insert(element, at: place.offset) }
    // What comes in order leaves full blocks behind.
    if place.block == blocks.count - 1, place.offset == size { return blocks.append([element]) }
    let half = Array(blocks[place.block][(size / 2)...])
    blocks[place.block].removeSubrange((size / 2)...)
    blocks.insert(half, at: place.block + 1)
    if place.offset <= size / 2 {
      blocks[place.block].insert(element, at: place.offset)
    } else {
      blocks[place.block + 1].insert(element, at: place.offset - size / 2)
    }
  }

  mutating func remove(_ place: Place) {
    count -= 1
    blocks[place.block].remove(at: place.offset)
    if blocks[place.block].isEmpty { blocks.remove(at: place.block) }
  }

  /// Removes all elements of a range of sequences.
  ///
  /// - Returns: how many there were
  @discardableResult mutating func remove(in range: ClosedRange<UInt64>) -> Int {
    var removed = 0
    while let place = place(from: range.lowerBound), range.contains(self[place].sequence) {
      let end =
        blocks[place.block][place.offset...].firstIndex { $0.sequence > range.upperBound }
        ?? blocks[place.block].count
      removed += end - place.offset
      blocks[place.block].removeSubrange(place.offset..<end)
      if blocks[place.block].isEmpty { blocks.remove(at: place.block) }
    }
    count -= removed
    return removed
  }

  func forEach(_ body: (Element) -> Void) {
    for block in blocks { block.forEach(body) }
  }

  /// The last index for which `isBefore` holds; it holds for a beginning of the array.
  private static func count<Item>(_ items: [Item], where isBefore: (Item) -> Bool) -> Int? {
    var (low, high) = (0, items.count)
    // What comes in order looks for the end.
    if let last = items.last, isBefore(last) { return items.count - 1 }
    while low < high {
      let middle = (low + high) / 2
      if isBefore(items[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
