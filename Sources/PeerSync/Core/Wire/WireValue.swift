/// A value with one encoding.
package protocol WireValue {
  /// Reads a value.
  init(from reader: inout ByteReader) throws(WireError)
  /// Appends the value.
  func write(to writer: inout ByteWriter)
}

extension WireValue {
  /// The value as bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Reads a value that is all of the bytes.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    try self.init(from: &reader)
    try reader.finish()
  }
}
