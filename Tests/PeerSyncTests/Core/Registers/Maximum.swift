/// A number that only grows: merging takes the greater one.
///
/// The rows of a ``BoundedCounter`` are such numbers. Each has one writer, so the greater one is always the later.
struct Maximum: Mergeable, Hashable {
  /// The greatest number so far.
  private(set) var value: UInt64

  /// Makes one that stands at a number.
  init(_ value: UInt64 = 0) { self.value = value }

  /// Takes the greater number.
  mutating func merge(_ other: Maximum) { value = max(value, other.value) }
}
