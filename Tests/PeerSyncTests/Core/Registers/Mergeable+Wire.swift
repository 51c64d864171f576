import PeerSyncCore

/// A maximum: its number, as a varint.
extension Maximum: WireValue {
  init(from reader: inout ByteReader) throws(WireError) { self.init(try reader.varint()) }
  func write(to writer: inout ByteWriter) { writer.write(varint: value) }
}

/// A map: the count, then keys and values in the order of the keys.
extension GrowOnlyMap: WireValue where Key: WireValue, Value: WireValue {
  init(from reader: inout ByteReader) throws(WireError) {
    self.init()
    for _ in 0..<(try reader.count(atMost: Limits.registers)) {
      let key = try Key(from: &reader)
      guard append(try Value(from: &reader), at: key) else { throw .malformed }
    }
  }

  func write(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for entry in entries {
      entry.key.write(to: &writer)
      entry.value.write(to: &writer)
    }
  }
}

/// A move: the giver, then the receiver.
extension BoundedCounter.Move: WireValue {
  init(from reader: inout ByteReader) throws(WireError) {
    self.init(from: try reader.identifier(), to: try reader.identifier())
  }

  func write(to writer: inout ByteWriter) {
    writer.write(giver)
    writer.write(receiver)
  }
}

/// A counter: what was bought, spent and moved.
extension BoundedCounter: WireValue {
  init(from reader: inout ByteReader) throws(WireError) {
    self.init()
    bought = try GrowOnlyMap(from: &reader)
    spent = try GrowOnlyMap(from: &reader)
    moved = try GrowOnlyMap(from: &reader)
  }

  func write(to writer: inout ByteWriter) {
    bought.write(to: &writer)
    spent.write(to: &writer)
    moved.write(to: &writer)
  }
}

extension UInt64: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) { self = try reader.varint() }
  package func write(to writer: inout ByteWriter) { writer.write(varint: self) }
}

extension Identifier: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) { self = try reader.identifier() }
  package func write(to writer: inout ByteWriter) { writer.write(self) }
}

extension Stamp: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) { self.init(rawValue: try reader.word()) }
  package func write(to writer: inout ByteWriter) { writer.write(word: rawValue) }
}

extension VersionVector: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) { self = try reader.versionVector() }
  package func write(to writer: inout ByteWriter) { writer.write(self) }
}
