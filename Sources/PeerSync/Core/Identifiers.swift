/// A 128-bit identifier made from random bytes, typed by what it names so that two kinds never mix.
///
/// Ordered by its bytes, most significant first: every replica sorts identifiers alike.
public struct Identifier<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Makes an identifier from its 128 bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 hexadecimal digits; nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The identifier as 32 lower-case hexadecimal digits.
  public var description: String { hexadecimal(high) + hexadecimal(low) }

  /// By the bytes, most significant first.
  public static func < (left: Self, right: Self) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// Sixteen lower-case hexadecimal digits of a word.
package func hexadecimal(_ word: UInt64) -> String {
  let digits = String(word, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// What a ``DeviceID`` names.
public enum DeviceKind: Sendable {}
/// What a ``ReplicaID`` names.
public enum ReplicaKind: Sendable {}
/// What a ``GroupID`` names.
public enum GroupKind: Sendable {}

/// One person's device: what a peer is to another.
public typealias DeviceID = Identifier<DeviceKind>
/// One incarnation of a device's store. Dots are numbered per replica, so that a restored backup under a new
/// incarnation never uses a dot twice.
public typealias ReplicaID = Identifier<ReplicaKind>
/// The devices that share one ledger.
public typealias GroupID = Identifier<GroupKind>
