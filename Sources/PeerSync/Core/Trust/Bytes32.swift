/// Thirty-two bytes, typed by what they are so that two kinds never mix. Ordered byte by byte.
public struct Bytes32<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The bytes as four big-endian words, the first bytes first.
  package let words: (UInt64, UInt64, UInt64, UInt64)

  /// Makes the value from four big-endian words.
  package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// Reads exactly 32 bytes; nil for any other number.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.init(words: (words[0], words[1], words[2], words[3]))
  }

  /// The bytes in order.
  public var bytes: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
    }
  }

  /// 64 lower-case hexadecimal digits.
  public var description: String {
    hexadecimal(words.0) + hexadecimal(words.1) + hexadecimal(words.2) + hexadecimal(words.3)
  }

  /// Whether all bytes are the same.
  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Byte by byte.
  public static func < (left: Self, right: Self) -> Bool { left.words < right.words }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

/// What a ``ContentHash`` is.
public enum ContentHashKind: Sendable {}
/// What a ``PublicKey`` is.
public enum PublicKeyKind: Sendable {}

/// A SHA-256 hash (FIPS 180-4).
public typealias ContentHash = Bytes32<ContentHashKind>
/// An Ed25519 public key (RFC 8032).
public typealias PublicKey = Bytes32<PublicKeyKind>

/// An Ed25519 signature (RFC 8032).
public struct Signature: Hashable, Sendable {
  /// Its 64 bytes.
  public let bytes: [UInt8]

  /// Takes exactly 64 bytes; nil for any other number.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Signature.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  /// Makes a signature from its two halves.
  package init<First, Second>(_ first: Bytes32<First>, _ second: Bytes32<Second>) {
    bytes = first.bytes + second.bytes
  }

  /// Bytes of a signature.
  public static var byteCount: Int { 64 }
}
