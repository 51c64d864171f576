/// A register: its stamp, then its value.
extension Register: WireValue where Value: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    let stamp = try Stamp(from: &reader)
    self.init(try Value(from: &reader), stamp: stamp)
  }

  package func write(to writer: inout ByteWriter) {
    stamp.write(to: &writer)
    value.write(to: &writer)
  }
}

/// A maximum: its number, as a varint.
extension Maximum: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) { self.init(try reader.varint()) }
  package func write(to writer: inout ByteWriter) { writer.write(varint: value) }
}

/// A map: the count, then keys and values in the order of the keys.
extension GrowOnlyMap: WireValue where Key: WireValue, Value: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    self.init()
    for _ in 0..<(try reader.count(atMost: Limits.registers)) {
      let key = try Key(from: &reader)
      guard append(try Value(from: &reader), at: key) else { throw .malformed }
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for entry in entries {
      entry.key.write(to: &writer)
      entry.value.write(to: &writer)
    }
  }
}

/// 0: added; 1: removed.
extension ElementSet.Membership: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    guard let membership = Self(rawValue: try reader.byte()) else { throw .malformed }
    self = membership
  }

  package func write(to writer: inout ByteWriter) { writer.write(byte: rawValue) }
}

/// A set: the map from its elements to the last addition or removal.
extension ElementSet: WireValue where Element: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(try GrowOnlyMap(from: &reader))
  }

  package func write(to writer: inout ByteWriter) { memberships.write(to: &writer) }
}

/// A move: the giver, then the receiver.
extension BoundedCounter.Move: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(from: try reader.identifier(), to: try reader.identifier())
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(giver)
    writer.write(receiver)
  }
}

/// A counter: what was bought, spent and moved.
extension BoundedCounter: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    self.init()
    bought = try GrowOnlyMap(from: &reader)
    spent = try GrowOnlyMap(from: &reader)
    moved = try GrowOnlyMap(from: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    bought.write(to: &writer)
    spent.write(to: &writer)
    moved.write(to: &writer)
  }
}
