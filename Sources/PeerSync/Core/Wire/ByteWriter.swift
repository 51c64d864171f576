/// Appends values to bytes in the encoding of docs/protocol.md: fixed-width integers are big-endian, counts and
/// lengths are LEB128 varints, text is UTF-8 behind its length.
package struct ByteWriter {
  /// Most bytes a varint takes.
  package static let varintBytes = 10

  /// What has been written.
  package private(set) var bytes: [UInt8]

  package init(reserving capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  package mutating func write(byte: UInt8) { bytes.append(byte) }

  package mutating func write(short: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: short >> 8))
    bytes.append(UInt8(truncatingIfNeeded: short))
  }

  /// Writes a length of four bytes, as frames begin.
  package mutating func write(length: UInt32) {
    write(short: UInt16(truncatingIfNeeded: length >> 16))
    write(short: UInt16(truncatingIfNeeded: length))
  }

  /// Puts the length in once it is known, over one written earlier.
  package mutating func overwrite(length: UInt32, at offset: Int) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index))
    }
  }

  package mutating func write(word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  package mutating func write(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a signed number so that small magnitudes stay short (zigzag).
  package mutating func write(signedVarint value: Int64) {
    write(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  package mutating func write(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

  package mutating func write(bytes value: some Collection<UInt8>) {
    write(varint: UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  package mutating func write(text: String) { write(bytes: text.utf8) }

  package mutating func write<Kind>(_ identifier: Identifier<Kind>) {
    write(word: identifier.high)
    write(word: identifier.low)
  }

  package mutating func write(_ instant: Instant) { write(signedVarint: instant.milliseconds) }
}
