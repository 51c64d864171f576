/// A JSON value (RFC 8259) as it stands in the text: numbers keep their digits, objects the order of their members.
///
/// A reader of its own, because errors must name the place, numbers must not pass through floating point, and hostile
/// depth must end as an error.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One name and value of an object.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value as a person would recognise it, cut short.
  package var excerpt: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let digits): String(digits.prefix(40))
    case .string(let text): "\"\(text.prefix(40))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// Why a text is not JSON.
package struct JSONError: Error, Hashable {
  /// What is wrong.
  package enum Fault: Hashable, Sendable {
    case moreText
    case tooDeep
    case noValue
    case noName
    case noColon(after: String)
    case noBrace
    case noBracket
    case twice(String)
    case endsEarly
    case controlCharacter
    case noEnd
    case notUTF8
    case unknownEscape
    case halfPair
    case noDigits
  }

  package let line: Int
  package let fault: Fault

  /// ``fault``, in a few words.
  package var problem: String {
    switch fault {
    case .moreText: "more text after the end"
    case .tooDeep: "nested more than \(JSONParser.depth) deep"
    case .noValue: "no JSON value"
    case .noName: "a name in quotes is missing"
    case .noColon(let name): "\":\" is missing after \"\(name)\""
    case .noBrace: "\"}\" or \",\" is missing"
    case .noBracket: "\"]\" or \",\" is missing"
    case .twice(let name): "\"\(name)\" stands there twice"
    case .endsEarly: "the text ends too early"
    case .controlCharacter: "a control character in a text"
    case .noEnd: "a text without end"
    case .notUTF8: "text that is not UTF-8"
    case .unknownEscape: "an unknown escape in a text"
    case .halfPair: "half a surrogate pair in a text"
    case .noDigits: "\\u needs four hexadecimal digits"
    }
  }
}

/// Reads one JSON text.
package struct JSONParser {
  /// Deepest nesting. The catalogue formats need 8.
  package static let depth = 64

  /// Members of an object that are compared with each other.
  private static let fewMembers = 32

  private let bytes: [UInt8]
  private let isStrict: Bool
  private var position = 0

  /// Reads a whole text.
  ///
  /// - Parameter strictly: refuses what readers understand in different ways: a byte order mark, and a name that an
  ///   object has twice. Signed texts are read so.
  package static func parse(_ bytes: [UInt8], strictly: Bool = false) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes, strictly: strictly)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == parser.bytes.count else { throw parser.error(.moreText) }
    return value
  }

  private init(_ bytes: [UInt8], strictly: Bool) {
    self.bytes = bytes
    isStrict = strictly
    // A byte order mark, as some editors leave one.
    if !strictly, bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func error(_ fault: JSONError.Fault) -> JSONError {
    let line = bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
    return JSONError(line: line, fault: fault)
  }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < JSONParser.depth else { throw error(.tooDeep) }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw error(.noValue) }
    position += word.utf8.count
    return value
  }

  private mutating func object(depth: Int) throws(JSONError) -> [JSONValue.Member] {
    position += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    guard !skip("}") else { return members }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error(.noName) }
      let name = try string()
      skipSpace()
      guard skip(":") else { throw error(.noColon(after: String(name.prefix(40)))) }
      members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
      skipSpace()
    } while skip(",")
    guard skip("}") else { throw error(.noBrace) }
    if isStrict { try requireUniqueNames(members) }
    return members
  }

  private func requireUniqueNames(_ members: [JSONValue.Member]) throws(JSONError) {
    guard let name = members.count > JSONParser.fewMembers ? repeated(members) : repeatedOfFew(members) else {
      return
    }
    throw error(.twice(String(name.prefix(40))))
  }

  private func repeated(_ members: [JSONValue.Member]) -> String? {
    var seen: Set<Name> = []
    return members.first { !seen.insert(Name($0.name)).inserted }?.name
  }

  /// The same, quicker for few: comparing them with each other makes no table.
  private func repeatedOfFew(_ members: [JSONValue.Member]) -> String? {
    for (place, member) in members.enumerated() {
      for earlier in members[..<place] where earlier.name.hasSameBytes(as: member.name) { return member.name }
    }
    return nil
  }

  private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
    position += 1
    var values: [JSONValue] = []
    skipSpace()
    guard !skip("]") else { return values }
    repeat {
      values.append(try value(depth: depth + 1))
      skipSpace()
    } while skip(",")
    guard skip("]") else { throw error(.noBracket) }
    return values
  }

  private mutating func number() throws(JSONError) -> String {
    let start = position
    _ = skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw error(next == nil ? .endsEarly : .noValue) }
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    // Most texts have no escape.
    if next == UInt8(ascii: "\""), let text = String(validating: bytes[start..<position], as: UTF8.self) {
      position += 1
      return text
    }
    var text = Array(bytes[start..<position])
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw error(.controlCharacter) }
      position += 1
      if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
    }
    guard skip("\"") else { throw error(.noEnd) }
    guard let result = String(validating: text, as: UTF8.self) else { throw error(.notUTF8) }
    return result
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard let byte = next else { throw error(.noEnd) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
    default: throw error(.unknownEscape)
    }
  }

  /// The character of one or, as a surrogate pair, two `\u` escapes.
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xdc00, skip("\\"), skip("u") else { throw error(.halfPair) }
    let second = try codeUnit()
    guard (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    else { throw error(.halfPair) }
    return scalar
  }

  private mutating func codeUnit() throws(JSONError) -> UInt32 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error(.noDigits) }
    position += 4
    return unit
  }
}
