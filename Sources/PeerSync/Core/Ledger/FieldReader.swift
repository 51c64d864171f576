/// The fields that ``FieldWriter`` wrote. Tags must ascend; unknown ones are skipped.
struct FieldReader {
  private var fields: [(tag: UInt64, bytes: ArraySlice<UInt8>)] = []

  /// The first byte of the value: which of two facts with one stamp wins.
  let precedence: UInt8

  /// - Parameter value: of a register
  /// - Throws: ``WireError`` when it is no such value, or longer than ``Limits/valueBytes``
  init(_ value: ArraySlice<UInt8>) throws(WireError) {
    guard value.count <= Limits.valueBytes else { throw .beyondLimit }
    var reader = ByteReader(value)
    precedence = try reader.byte()
    while reader.remaining > 0 {
      let tag = try reader.varint()
      guard tag > (fields.last?.tag ?? 0) else { throw .malformed }
      fields.append((tag, try reader.bytes(atMost: Limits.valueBytes)))
    }
  }

  func bytes(_ tag: UInt64) -> ArraySlice<UInt8>? { fields.first { $0.tag == tag }?.bytes }

  func text(_ tag: UInt64, atMost limit: Int = Limits.textBytes) throws(WireError) -> String? {
    guard let bytes = bytes(tag) else { return nil }
    guard bytes.count <= limit else { throw .beyondLimit }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    return text
  }

  func byte(_ tag: UInt64) throws(WireError) -> UInt8? {
    guard let bytes = bytes(tag) else { return nil }
    guard let byte = bytes.first, bytes.count == 1 else { throw .malformed }
    return byte
  }

  func number(_ tag: UInt64) throws(WireError) -> Int64? {
    guard let bytes = bytes(tag) else { return nil }
    var reader = ByteReader(bytes)
    let number = try reader.signedVarint()
    try reader.finish()
    return number
  }

  func number(_ tag: UInt64, in range: ClosedRange<Int>) throws(WireError) -> Int? {
    guard let number = try number(tag) else { return nil }
    guard let number = Int(exactly: number), range.contains(number) else { throw .beyondLimit }
    return number
  }

  func instant(_ tag: UInt64) throws(WireError) -> Instant? {
    guard let number = try number(tag) else { return nil }
    guard let instant = Instant(milliseconds: number) else { throw .beyondLimit }
    return instant
  }

  /// Texts in byte order, each once.
  func names(_ tag: UInt64, atMost limit: Int) throws(WireError) -> [String]? {
    guard let bytes = bytes(tag) else { return nil }
    var reader = ByteReader(bytes)
    var names: [Name] = []
    while reader.remaining > 0 {
      let name = Name(try reader.text())
      guard names.count < limit else { throw .beyondLimit }
      if let last = names.last, name <= last { throw .malformed }
      names.append(name)
    }
    return names.map(\.text)
  }

  /// A field that must be there.
  func required<Value>(_ value: Value?) throws(WireError) -> Value {
    guard let value else { throw .malformed }
    return value
  }
}
