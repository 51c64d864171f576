/// A set of records by their place in a ``Membership``: one bit each, so that asking who knew of what costs nothing.
struct RecordSet: Hashable, Sendable {
  private var words: [UInt64] = []

  func contains(_ index: Int) -> Bool {
    index >> 6 < words.count && words[index >> 6] & (1 << UInt64(index & 63)) != 0
  }

  /// How many records there are in it.
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  mutating func insert(_ index: Int) {
    while words.count <= index >> 6 { words.append(0) }
    words[index >> 6] |= 1 << UInt64(index & 63)
  }

  mutating func formUnion(_ other: RecordSet) {
    while words.count < other.words.count { words.append(0) }
    for (index, word) in other.words.enumerated() { words[index] |= word }
  }

  mutating func formIntersection(_ other: RecordSet) {
    words.removeLast(max(0, words.count - other.words.count))
    for index in words.indices { words[index] &= other.words[index] }
  }

  /// What is in all of some sets; nil of none.
  static func common(_ sets: [RecordSet]) -> RecordSet? {
    sets.dropFirst().reduce(into: sets.first) { $0?.formIntersection($1) }
  }

  mutating func subtract(_ other: RecordSet) {
    for index in words.indices.prefix(other.words.count) { words[index] &= ~other.words[index] }
  }

  /// How many records are in both.
  func sharedCount(with other: RecordSet) -> Int {
    zip(words, other.words).reduce(0) { $0 + ($1.0 & $1.1).nonzeroBitCount }
  }

  func intersects(_ other: RecordSet) -> Bool { zip(words, other.words).contains { $0 & $1 != 0 } }
}
