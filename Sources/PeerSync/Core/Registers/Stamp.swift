/// What orders writes: of the decisions of several authors under one key the greatest stamp counts, and of the writes of any other
/// register it wins.
///
/// 48 bits of milliseconds since 1970 and 16 bits of counter, compared as one number. A fact of the store is stamped
/// with the store's own `signedDate` (counter 0); what a device decides is stamped by its `HybridLogicalClock`.
/// Rows of a credit are stamped with their number.
public struct Stamp: Hashable, Comparable, Sendable {
  /// Milliseconds in the upper 48 bits, the counter in the lower 16.
  public let rawValue: UInt64

  /// Makes a stamp from its 64 bits; every value is a stamp.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The stamp of a fact of the store. Dates before 1970 count as 1970.
  public init(_ instant: Instant, counter: UInt16 = 0) {
    rawValue = UInt64(max(instant.milliseconds, 0)) << 16 | UInt64(counter)
  }

  /// What a device has adopted from a sandbox store is stamped before whatever anybody decides.
  package static let adopted = Stamp(rawValue: 0)

  /// Milliseconds since 1970.
  public var milliseconds: UInt64 { rawValue >> 16 }

  /// The time that it tells.
  package var time: Instant { Instant(clamping: Int64(clamping: milliseconds)) }

  /// The greater stamp wins its register.
  public static func < (left: Stamp, right: Stamp) -> Bool { left.rawValue < right.rawValue }
}
