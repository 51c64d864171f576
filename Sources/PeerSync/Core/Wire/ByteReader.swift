/// Why bytes are not a message, key or value.
public enum WireError: Error, Hashable {
  /// The bytes end before the value does.
  case truncated
  /// Bytes are left after the value.
  case trailingBytes
  /// A length, count or number is beyond its limit in ``Limits``.
  case beyondLimit
  /// A value that the encoding has no meaning for: an unknown tag, text that is not UTF-8, an overlong number.
  case malformed
  /// Something of a later version that nobody may pass over who does not know it.
  case unsupported
}

extension WireError {
  /// What the other side is told when its bytes were wrong.
  package var closeReason: CloseReason {
    switch self {
    case .beyondLimit: .beyondLimit
    case .unsupported: .version
    case .truncated, .trailingBytes, .malformed: .malformed
    }
  }
}

/// Reads what ``ByteWriter`` writes. Never reads past the end, never allocates on the word of a length that the bytes
/// themselves do not back.
package struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// How many bytes are left.
  package var remaining: Int { bytes.endIndex - position }

  package mutating func byte() throws(WireError) -> UInt8 {
    guard position < bytes.endIndex else { throw .truncated }
    defer { position += 1 }
    return bytes[position]
  }

  package mutating func short() throws(WireError) -> UInt16 {
    let high = try byte()
    return UInt16(high) << 8 | UInt16(try byte())
  }

  package mutating func word() throws(WireError) -> UInt64 {
    guard remaining >= 8 else { throw .truncated }
    var word: UInt64 = 0
    for _ in 0..<8 {
      word = word << 8 | UInt64(bytes[position])
      position += 1
    }
    return word
  }

  package mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      let next = try byte()
      let group = UInt64(next & 0x7f)
      // The tenth byte holds the top bit alone, and no number may be written longer than it needs to be.
      guard shift < 63 || group <= 1, next != 0 || shift == 0 else { throw .malformed }
      value |= group << shift
      if next & 0x80 == 0 { return value }
    }
    throw .malformed
  }

  package mutating func signedVarint() throws(WireError) -> Int64 {
    let raw = try varint()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  /// A varint that counts or measures something, at most `limit`.
  package mutating func count(atMost limit: Int) throws(WireError) -> Int {
    let value = try varint()
    guard value <= UInt64(limit) else { throw .beyondLimit }
    return Int(value)
  }

  package mutating func raw(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard count >= 0, remaining >= count else { throw .truncated }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  package mutating func bytes(atMost limit: Int) throws(WireError) -> ArraySlice<UInt8> {
    try raw(try count(atMost: limit))
  }

  package mutating func text(atMost limit: Int = Limits.textBytes) throws(WireError) -> String {
    guard let text = String(validating: try bytes(atMost: limit), as: UTF8.self) else { throw .malformed }
    return text
  }

  package mutating func identifier<Kind>(_: Identifier<Kind>.Type = Identifier<Kind>.self) throws(WireError)
    -> Identifier<Kind>
  {
    Identifier(high: try word(), low: try word())
  }

  package mutating func instant() throws(WireError) -> Instant {
    guard let instant = Instant(milliseconds: try signedVarint()) else { throw .beyondLimit }
    return instant
  }

  /// Refuses bytes that nothing asked for.
  package func finish() throws(WireError) {
    guard position == bytes.endIndex else { throw .trailingBytes }
  }
}
