/// Finds what is likely to differ from one payload to the next.
///
/// It looks at the texts and numbers of JSON without reading JSON: whatever it makes of an odd payload, the pieces are
/// the payload again.
struct PayloadScanner {
  /// The pieces, as a template has them, and what an item says for the holes.
  private(set) var pieces: [PayloadTemplate.Piece] = []
  private(set) var values = ByteWriter()

  private let bytes: [UInt8]
  private let context: TemplateContext
  private var position = 0
  /// Where the text begins that belongs to no hole yet.
  private var pending = 0
  /// The last name of a member.
  private var name: ArraySlice<UInt8> = []
  private var holes: [ArraySlice<UInt8>] = []

  /// Fields whose values are long, and the same in every purchase of one account.
  private static let steady: [[UInt8]] = ["appTransactionId", "subscriptionGroupIdentifier"].map {
    Array($0.utf8)
  }

  init(_ payload: [UInt8], _ context: TemplateContext) {
    bytes = payload
    self.context = context
    scan()
    close(at: bytes.count)
  }

  private mutating func scan() {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""): scanText()
      case UInt8(ascii: "0")...UInt8(ascii: "9"): scanNumber()
      default: position += 1
      }
    }
  }

  private mutating func scanText() {
    let start = position + 1
    position = start
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    let text = bytes[start..<min(position, bytes.count)]
    position = min(position + 1, bytes.count)
    if position < bytes.count, bytes[position] == UInt8(ascii: ":") { return name = text }
    if let hole = hole(forText: text) { fill(text, hole) }
  }

  private mutating func scanNumber() {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
      position += 1
    }
    let digits = bytes[start..<position]
    if let hole = hole(forNumber: digits) { fill(digits, hole) }
  }

  // MARK: What is a hole

  private func hole(forText text: ArraySlice<UInt8>) -> PayloadTemplate.Piece? {
    guard !text.isEmpty, !Self.steady.contains(where: { $0.elementsEqual(name) }) else { return nil }
    if text.elementsEqual(context.id) { return .key }
    if let same = earlier(text) { return same }
    if text.count >= 9, number(text) != nil { return .number }
    if UUIDText.bytes(text, isUpper: false) != nil { return .uuid }
    if UUIDText.bytes(text, isUpper: true) != nil { return .upperUUID }
    if text.count >= 32, let bytes = Base64.decode(text, .standard) { return .base64(bytes.count) }
    return text.count > 80 ? .any : nil
  }

  private func hole(forNumber digits: ArraySlice<UInt8>) -> PayloadTemplate.Piece? {
    guard digits.count > 1, let number = number(digits) else { return nil }
    if number == UInt64(context.milliseconds) { return .stamp }
    if let same = earlier(digits) { return same }
    return digits.count == 13 ? .date : .number
  }

  /// An earlier hole of the same text. Short texts are equal by chance, which would make a template of its own.
  private func earlier(_ text: ArraySlice<UInt8>) -> PayloadTemplate.Piece? {
    guard text.count >= 9 else { return nil }
    return holes.firstIndex { $0.elementsEqual(text) }.map(PayloadTemplate.Piece.same)
  }

  /// A number of at most 18 digits without leading zeros.
  private func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard digits.count <= 18, digits.first != UInt8(ascii: "0") else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + UInt64(digit - UInt8(ascii: "0"))
    }
    return value
  }

  // MARK: Filling it

  private mutating func fill(_ text: ArraySlice<UInt8>, _ hole: PayloadTemplate.Piece) {
    close(at: text.startIndex)
    pending = text.endIndex
    pieces.append(hole)
    holes.append(text)
    switch hole {
    case .text, .key, .stamp, .same: break
    case .date: values.write(signedVarint: context.milliseconds - Int64(number(text) ?? 0))
    case .number: values.write(varint: number(text) ?? 0)
    case .uuid: values.write(raw: UUIDText.bytes(text, isUpper: false) ?? [])
    case .upperUUID: values.write(raw: UUIDText.bytes(text, isUpper: true) ?? [])
    case .base64: values.write(raw: Base64.decode(text, .standard) ?? [])
    case .any: values.write(bytes: text)
    }
  }

  private mutating func close(at end: Int) {
    if pending < end { pieces.append(.text(Array(bytes[pending..<end]))) }
    pending = end
  }
}
