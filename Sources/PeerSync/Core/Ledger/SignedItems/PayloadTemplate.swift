/// A payload with holes: all that payloads have in common is text, all that differs from one to the next a hole.
///
/// A template has no names and knows no JSON: it is a list of pieces that are put one behind another. The kind of a hole says
/// how its text is written in an item. What repeats within one payload costs an item nothing: a hole that always equals an
/// earlier one, the transaction's id or the date of signing says so in the template.
package struct PayloadTemplate: Hashable, Sendable {
  /// The chain of the header.
  package let chain: StorePartID
  package let pieces: [Piece]

  /// One piece of a payload.
  package enum Piece: Hashable, Sendable {
    /// The same in all payloads of the template.
    case text([UInt8])
    /// The id in the key of the item's register.
    case key
    /// The milliseconds of the item's stamp: the date of signing.
    case stamp
    /// Milliseconds; written as the difference from the stamp.
    case date
    /// A number without leading zeros; written as a varint.
    case number
    /// A UUID in lower case; written as 16 bytes.
    case uuid
    /// A UUID in upper case; written as 16 bytes.
    case upperUUID
    /// The base64 of so many bytes; written as these bytes.
    case base64(Int)
    /// Any text; written with its length.
    case any
    /// The text of an earlier hole, by its number among all holes.
    case same(Int)
  }

  private enum Tag {
    static let text: UInt8 = 0
    static let key: UInt8 = 1
    static let stamp: UInt8 = 2
    static let date: UInt8 = 3
    static let number: UInt8 = 4
    static let uuid: UInt8 = 5
    static let upperUUID: UInt8 = 6
    static let base64: UInt8 = 7
    static let any: UInt8 = 8
    static let same: UInt8 = 9
  }

  package init(chain: StorePartID, pieces: [Piece]) {
    self.chain = chain
    self.pieces = pieces
  }

  func write(to writer: inout ByteWriter) {
    writer.write(chain)
    for piece in pieces { PayloadTemplate.write(piece, to: &writer) }
  }

  private static func write(_ piece: Piece, to writer: inout ByteWriter) {
    switch piece {
    case .text(let text):
      writer.write(byte: Tag.text)
      writer.write(bytes: text)
    case .key: writer.write(byte: Tag.key)
    case .stamp: writer.write(byte: Tag.stamp)
    case .date: writer.write(byte: Tag.date)
    case .number: writer.write(byte: Tag.number)
    case .uuid: writer.write(byte: Tag.uuid)
    case .upperUUID: writer.write(byte: Tag.upperUUID)
    case .base64(let count):
      writer.write(byte: Tag.base64)
      writer.write(varint: UInt64(count))
    case .any: writer.write(byte: Tag.any)
    case .same(let hole):
      writer.write(byte: Tag.same)
      writer.write(varint: UInt64(hole))
    }
  }

  /// Reads all that is left.
  init(from reader: inout ByteReader) throws(WireError) {
    chain = try reader.identifier()
    var pieces: [Piece] = []
    var holes = 0
    while reader.remaining > 0 {
      let piece = try PayloadTemplate.piece(from: &reader, afterHoles: holes)
      if case .text = piece {} else { holes += 1 }
      pieces.append(piece)
    }
    self.pieces = pieces
  }

  private static func piece(from reader: inout ByteReader, afterHoles holes: Int) throws(WireError) -> Piece {
    switch try reader.byte() {
    case Tag.text: return .text(Array(try reader.bytes(atMost: Limits.storePartBytes)))
    case Tag.key: return .key
    case Tag.stamp: return .stamp
    case Tag.date: return .date
    case Tag.number: return .number
    case Tag.uuid: return .uuid
    case Tag.upperUUID: return .upperUUID
    case Tag.base64: return .base64(try reader.count(atMost: Limits.jwsBytes))
    case Tag.any: return .any
    case Tag.same:
      let hole = try reader.count(atMost: Limits.storePartBytes)
      guard hole < holes else { throw .malformed }
      return .same(hole)
    default: throw .malformed
    }
  }
}

// MARK: - Filling

/// What a template's holes may stand for besides what an item itself says.
struct TemplateContext {
  /// The id in the key of the register.
  let id: [UInt8]
  /// The milliseconds of the register's stamp.
  let milliseconds: Int64

  init(id: String, stamp: Stamp) {
    self.id = Array(id.utf8)
    // 48 bits: always positive, and far from overflow.
    milliseconds = Int64(stamp.milliseconds)
  }
}

extension PayloadTemplate {
  /// The payload that an item's values make.
  ///
  /// Never longer than ``Limits/jwsBytes``, whatever a template repeats.
  func payload(_ reader: inout ByteReader, _ context: TemplateContext) throws(WireError) -> [UInt8] {
    var payload: [UInt8] = []
    var holes: [Range<Int>] = []
    for piece in pieces {
      let start = payload.count
      if case .same(let hole) = piece {
        try PayloadTemplate.append(Array(payload[holes[hole]]), to: &payload)
      } else {
        try PayloadTemplate.append(PayloadTemplate.text(of: piece, &reader, context), to: &payload)
      }
      if case .text = piece {} else { holes.append(start..<payload.count) }
    }
    return payload
  }

  private static func append(_ text: [UInt8], to payload: inout [UInt8]) throws(WireError) {
    guard payload.count + text.count <= Limits.jwsBytes else { throw .beyondLimit }
    payload += text
  }

  private static func text(of piece: Piece, _ reader: inout ByteReader, _ context: TemplateContext)
    throws(WireError) -> [UInt8]
  {
    switch piece {
    case .text(let text): return text
    case .key: return context.id
    case .stamp: return Array(String(context.milliseconds).utf8)
    case .date:
      let (date, overflow) = context.milliseconds.subtractingReportingOverflow(try reader.signedVarint())
      guard !overflow, date >= 0 else { throw .malformed }
      return Array(String(date).utf8)
    case .number: return Array(String(try reader.varint()).utf8)
    case .uuid: return UUIDText.text(try reader.raw(16), isUpper: false)
    case .upperUUID: return UUIDText.text(try reader.raw(16), isUpper: true)
    case .base64(let count): return Base64.encode(try reader.raw(count), .standard)
    case .any: return Array(try reader.bytes(atMost: Limits.jwsBytes))
    case .same: return []
    }
  }
}
