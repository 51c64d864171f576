/// A map whose keys only come and never go, and whose values merge: the union of the keys, key by key the merge of the
/// values.
///
/// What a replica holds is such a map of registers. Sorted by key, so that equal maps list, encode and hash alike in
/// every process, whatever the order in which their entries came.
struct GrowOnlyMap<Key: Comparable & Hashable & Sendable, Value: Mergeable>: Mergeable {
  /// A key with its value.
  struct Entry: Equatable, Sendable {
    /// Names the value.
    let key: Key
    /// What is known under the key.
    fileprivate(set) var value: Value
  }

  /// All entries, in the order of their keys.
  private(set) var entries: [Entry] = []

  /// The map of nothing.
  init() {}

  /// How many keys there are.
  var count: Int { entries.count }

  /// What is known under a key.
  subscript(key: Key) -> Value? {
    let index = index(of: key)
    return index < entries.count && entries[index].key == key ? entries[index].value : nil
  }

  /// Merges a value into what is known under a key.
  mutating func merge(_ value: Value, at key: Key) {
    let index = index(of: key)
    if index < entries.count, entries[index].key == key {
      entries[index].value.merge(value)
    } else {
      entries.insert(Entry(key: key, value: value), at: index)
    }
  }

  /// Takes in every entry of `other`, in one pass over both.
  mutating func merge(_ other: GrowOnlyMap) {
    guard !other.entries.isEmpty else { return }
    var merged: [Entry] = []
    merged.reserveCapacity(max(count, other.count))
    var rest = other.entries[...]
    for entry in entries {
      while let next = rest.first, next.key < entry.key { merged.append(rest.removeFirst()) }
      merged.append(entry)
      if let next = rest.first, next.key == entry.key {
        merged[merged.count - 1].value.merge(next.value)
        rest.removeFirst()
      }
    }
    entries = merged + rest
  }

  /// Adds an entry behind all others; false when its key is not the greatest.
  mutating func append(_ value: Value, at key: Key) -> Bool {
    guard entries.last.map({ $0.key < key }) ?? true else { return false }
    entries.append(Entry(key: key, value: value))
    return true
  }

  private func index(of key: Key) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension GrowOnlyMap: Hashable where Value: Hashable {}
extension GrowOnlyMap.Entry: Hashable where Value: Hashable {}
