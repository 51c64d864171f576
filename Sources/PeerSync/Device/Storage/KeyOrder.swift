import PeerSyncCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One row of `registers`, pointing into the batch it comes from.
struct Row {
  let key: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer
  /// The number of its replica.
  let number: Int64
  let sequence: UInt64
  let stamp: UInt64

  init(_ write: borrowing WriteView, number: Int64) {
    key = write.key
    value = write.value
    self.number = number
    sequence = write.sequence
    stamp = write.stamp.rawValue
  }

  /// The number of the only replica that writes the register; 0 for one of all.
  var author: Int64 { RegisterKind.isDecision(key) ? number : 0 }
}

/// Sorts rows by key and author, so that a large batch walks the tree once from left to right and writes each page once.
enum KeyOrder {
  private struct Entry {
    /// The eight bytes after what all keys begin with: they decide most comparisons.
    let head: UInt64
    let index: Int
  }

  /// The places of the rows in the order of their registers; of several rows of one register only the last.
  static func indices(of rows: [Row]) -> [Int] {
    let shared = sharedPrefix(rows)
    var entries = rows.indices.map { Entry(head: head(rows[$0].key, from: shared), index: $0) }
    entries.sort { left, right in
      if left.head != right.head { return left.head < right.head }
      let order = compare(rows[left.index], rows[right.index])
      return order == 0 ? left.index < right.index : order < 0
    }
    return lastOfEach(entries, rows)
  }

  private static func lastOfEach(_ entries: [Entry], _ rows: [Row]) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(entries.count)
    for (place, entry) in entries.enumerated() {
      let next = place + 1
      let isReplaced =
        next < entries.count && entries[next].head == entry.head
        && compare(rows[entries[next].index], rows[entry.index]) == 0
      if !isReplaced { result.append(entry.index) }
    }
    return result
  }

  private static func sharedPrefix(_ rows: [Row]) -> Int {
    guard let first = rows.first?.key else { return 0 }
    var shared = first.count
    for row in rows.dropFirst() {
      shared = min(shared, row.key.count)
      if !hasPrefix(row.key, first, shared) { shared = agreement(row.key, first, shared) }
    }
    return shared
  }

  private static func hasPrefix(
    _ key: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, _ count: Int
  ) -> Bool {
    guard let left = key.baseAddress, let right = other.baseAddress else { return count == 0 }
    return memcmp(left, right, count) == 0
  }

  private static func agreement(
    _ key: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, _ limit: Int
  ) -> Int {
    var count = 0
    while count < limit, key[count] == other[count] { count += 1 }
    return count
  }

  private static func head(_ key: UnsafeRawBufferPointer, from start: Int) -> UInt64 {
    if key.count >= start + 8 {
      return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    var head: UInt64 = 0
    for index in start..<(start + 8) { head = head << 8 | (index < key.count ? UInt64(key[index]) : 0) }
    return head
  }

  private static func compare(_ left: Row, _ right: Row) -> Int {
    let order = compare(left.key, right.key)
    return order == 0 ? Int((left.author - right.author).signum()) : order
  }

  private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let start = left.baseAddress, let other = right.baseAddress {
      let order = Int(memcmp(start, other, min(left.count, right.count)))
      if order != 0 { return order }
    }
    return left.count - right.count
  }
}
