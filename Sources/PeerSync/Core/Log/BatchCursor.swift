/// Walks encoded writes and commits. What may be anything is checked by the methods that throw; bytes that have been
/// checked are read by the others.
struct BatchCursor {
  let buffer: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  var isAtEnd: Bool { position == buffer.count }
}

// MARK: Writes of a batch

extension BatchCursor {
  /// Reads a write of bytes that ``skipWrite(_:)`` has accepted before.
  mutating func checkedWrite(_ named: inout [ReplicaID]) -> WriteView {
    let index = Int(checkedVarint())
    if index == named.count {
      named.append(ReplicaID(high: checkedWord(), low: checkedWord()))
    }
    let sequence = checkedVarint()
    let stamp = Stamp(rawValue: checkedWord())
    let key = checkedBytes()
    let value = checkedBytes()
    return WriteView(replica: named[index], sequence: sequence, stamp: stamp, key: key, value: value)
  }

  /// Checks one write that may be anything.
  mutating func skipWrite(_ named: inout [ReplicaID]) throws(WireError) {
    let index = try varint()
    guard index <= UInt64(named.count) else { throw .malformed }
    if index == UInt64(named.count) {
      guard named.count < Limits.replicas else { throw .beyondLimit }
      guard buffer.count - position >= 16 else { throw .truncated }
      named.append(ReplicaID(high: checkedWord(), low: checkedWord()))
    }
    _ = try sequence()
    try skip(8)
    try skipKey(length: try varint())
    try skipValue()
  }

  /// A sequence, from 1 to its limit.
  mutating func sequence() throws(WireError) -> UInt64 {
    let sequence = try varint()
    guard sequence > 0 else { throw .malformed }
    guard sequence <= Limits.sequence else { throw .beyondLimit }
    return sequence
  }

  /// Passes over a key whose length has been read.
  mutating func skipKey(length: UInt64) throws(WireError) {
    guard length > 0 else { throw .malformed }
    guard length <= UInt64(Limits.keyBytes) else { throw .beyondLimit }
    try skip(Int(length))
  }

  /// Passes over a value and its length.
  mutating func skipValue() throws(WireError) {
    let length = try varint()
    guard length <= UInt64(Limits.valueBytes) else { throw .beyondLimit }
    try skip(Int(length))
  }
}

// MARK: Numbers and bytes

extension BatchCursor {
  mutating func skip(_ count: Int) throws(WireError) {
    guard buffer.count - position >= count else { throw .truncated }
    position += count
  }

  mutating func byte() throws(WireError) -> UInt8 {
    guard position < buffer.count else { throw .truncated }
    defer { position += 1 }
    return buffer[position]
  }

  mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      let group = UInt64(next & 0x7f)
      guard shift < 63 || group <= 1, next != 0 || shift == 0 else { throw .malformed }
      value |= group << shift
      if next & 0x80 == 0 { return value }
      shift += 7
      guard shift <= 63 else { throw .malformed }
    }
  }

  @inline(__always) mutating func checkedByte() -> UInt8 {
    defer { position += 1 }
    return buffer[position]
  }

  @inline(__always) mutating func checkedVarint() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = buffer[position]
      position += 1
      value |= UInt64(next & 0x7f) &<< shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
  }

  @inline(__always) mutating func checkedWord() -> UInt64 {
    defer { position += 8 }
    return UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  @inline(__always) mutating func checked32<Kind>(_: Bytes32<Kind>.Type = Bytes32<Kind>.self) -> Bytes32<Kind>
  {
    Bytes32(words: (checkedWord(), checkedWord(), checkedWord(), checkedWord()))
  }

  @inline(__always) mutating func checkedBytes() -> UnsafeRawBufferPointer {
    checkedBytes(length: Int(checkedVarint()))
  }

  @inline(__always) mutating func checkedBytes(length: Int) -> UnsafeRawBufferPointer {
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: buffer[position..<(position + length)])
  }
}
