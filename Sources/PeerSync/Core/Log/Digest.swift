/// A fingerprint of a set of registers: the sum, modulo 2^128, of a 128-bit hash of each register's key, stamp and
/// value.
///
/// A sum does not depend on order and is kept up as registers change. Dots are left out: two replicas that were told
/// the same fact under different dots hold the same state.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
  /// The upper 64 bits.
  public private(set) var high: UInt64
  /// The lower 64 bits.
  public private(set) var low: UInt64

  /// Makes a digest from its 128 bits; of nothing, all are zero.
  public init(high: UInt64 = 0, low: UInt64 = 0) {
    self.high = high
    self.low = low
  }

  /// 32 lower-case hexadecimal digits.
  public var description: String { hexadecimal(high) + hexadecimal(low) }

  /// Takes a register's hash in.
  package mutating func add(_ other: Digest) {
    let (sum, carry) = low.addingReportingOverflow(other.low)
    low = sum
    high = high &+ other.high &+ (carry ? 1 : 0)
  }

  /// Takes a register's hash out again.
  package mutating func subtract(_ other: Digest) {
    let (difference, borrow) = low.subtractingReportingOverflow(other.low)
    low = difference
    high = high &- other.high &- (borrow ? 1 : 0)
  }
}
