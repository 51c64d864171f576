/// A 128-bit identifier made from random bytes, typed by what it names so that two kinds never mix.
///
/// Ordered by its bytes, most significant first: every replica sorts identifiers alike.
public struct Identifier<Kind: IdentifierKind>: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Makes an identifier from its 128 bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the text of an identifier: 32 hexadecimal digits, or the form of a ``DeviceID``. Nil for anything else.
  public init?(_ text: String) {
    guard let words = Kind.words(of: text) else { return nil }
    self.init(high: words.high, low: words.low)
  }

  /// The identifier as 32 lower-case hexadecimal digits; a ``DeviceID`` as four groups of seven characters.
  public var description: String { Kind.text(high: high, low: low) }

  /// By the bytes, most significant first.
  public static func < (left: Self, right: Self) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// Sixteen lower-case hexadecimal digits of a word.
package func hexadecimal(_ word: UInt64) -> String {
  String(unsafeUninitializedCapacity: 16) { digits in
    for place in 0..<16 {
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 0xf
      digits[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
    return 16
  }
}

/// What an ``Identifier`` names, and how such identifiers are written.
public protocol IdentifierKind {
  /// The text of an identifier.
  static func text(high: UInt64, low: UInt64) -> String
  /// The two halves of the identifier that a text stands for; nil if it stands for none.
  static func words(of text: String) -> (high: UInt64, low: UInt64)?
}

extension IdentifierKind {
  /// 32 lower-case hexadecimal digits.
  public static func text(high: UInt64, low: UInt64) -> String { hexadecimal(high) + hexadecimal(low) }

  /// Reads 32 hexadecimal digits.
  public static func words(of text: String) -> (high: UInt64, low: UInt64)? {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    return (high, low)
  }
}

/// What a ``DeviceID`` names.
public enum DeviceKind: Sendable {}
/// What a ``ReplicaID`` names.
public enum ReplicaKind: IdentifierKind, Sendable {}
/// What a ``GroupID`` names.
public enum GroupKind: IdentifierKind, Sendable {}

/// One person's device: what a peer is to another. Written as 26 characters of base32 and two that check them.
public typealias DeviceID = Identifier<DeviceKind>
/// One incarnation of a device's store. Dots are numbered per replica, so that a restored backup under a new
/// incarnation never uses a dot twice.
public typealias ReplicaID = Identifier<ReplicaKind>
/// The devices that share one ledger.
public typealias GroupID = Identifier<GroupKind>
