/// Writes a value as tagged fields in ascending order of their tags: tag, length and bytes of each.
///
/// A field that is absent costs nothing, and a later version may add tags that this one skips.
struct FieldWriter {
  private(set) var writer: ByteWriter

  init(precedence: UInt8) {
    writer = ByteWriter(reserving: 128)
    writer.write(byte: precedence)
  }

  mutating func write(_ tag: UInt64, text: String?) {
    guard let text else { return }
    writer.write(varint: tag)
    writer.write(text: text)
  }

  mutating func write(_ tag: UInt64, byte: UInt8?) {
    guard let byte else { return }
    writer.write(varint: tag)
    writer.write(bytes: CollectionOfOne(byte))
  }

  mutating func write(_ tag: UInt64, number: Int64?) {
    guard let number else { return }
    write(tag) { $0.write(signedVarint: number) }
  }

  mutating func write(_ tag: UInt64, instant: Instant?) { write(tag, number: instant?.milliseconds) }

  mutating func write(_ tag: UInt64, texts: [String]?) {
    guard let texts else { return }
    write(tag) { inner in
      for text in texts { inner.write(text: text) }
    }
  }

  /// Writes a field that another writer composes.
  mutating func write(_ tag: UInt64, _ compose: (inout ByteWriter) -> Void) {
    var inner = ByteWriter()
    compose(&inner)
    writer.write(varint: tag)
    writer.write(bytes: inner.bytes)
  }
}
