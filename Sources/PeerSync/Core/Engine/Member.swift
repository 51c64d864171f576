/// The value of a member register: a device of the group.
package struct Member: Hashable, Sendable {
  /// What people call the device.
  package let name: String
  /// When it was made a member.
  package let joined: Instant

  package init(name: String, joined: Instant) {
    self.name = name
    self.joined = joined
  }

  /// The register's value: the name, then the instant.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(text: name)
    writer.write(joined)
    return writer.bytes
  }

  /// Reads a register's value.
  ///
  /// - Throws: ``WireError`` for anything that ``encoded`` does not write.
  package init(decoding value: ArraySlice<UInt8>) throws(WireError) {
    var reader = ByteReader(value)
    name = try reader.text()
    joined = try reader.instant()
    try reader.finish()
  }
}
