/// A last-writer-wins register: one value, and the stamp of the write that put it there (Johnson and Thomas, *The
/// Maintenance of Duplicate Databases*, RFC 677, 1975; Shapiro et al., *A comprehensive study of Convergent and
/// Commutative Replicated Data Types*, 2011, section 3.2.1).
///
/// The value with the greater stamp wins. Two writes can bear one stamp (two devices in one millisecond, or a store
/// that dates two snapshots alike): then the greater value wins, so that both sides keep the same one. Keeping one's
/// own in a tie is the usual mistake, and makes two replicas differ for good.
///
/// The order of `Value` therefore decides what every device sees. It must be total, and values that are equal must
/// be the same in every byte. Integers, identifiers and instants are so; `Double` is not (NaN), nor is `String`
/// ("é" in one scalar equals "é" in two): compare text by its UTF-8.
public struct Register<Value: Comparable & Hashable & Sendable>: Mergeable, Hashable {
  /// The value of the greatest write so far.
  public private(set) var value: Value
  /// The stamp of that write.
  public private(set) var stamp: Stamp

  /// Makes a register that holds one write.
  public init(_ value: Value, stamp: Stamp) {
    self.value = value
    self.stamp = stamp
  }

  /// Writes a value; one that does not win changes nothing.
  public mutating func write(_ value: Value, stamp: Stamp) {
    merge(Register(value, stamp: stamp))
  }

  /// Keeps the write with the greater stamp, or with the greater value where stamps are equal.
  public mutating func merge(_ other: Register) {
    if (stamp, value) < (other.stamp, other.value) { self = other }
  }
}
