// JSON as values of Swift: by Codable, and as literals. Where no text gives them an order, members stand in that of their
// names.
extension JSONValue: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number("\(value)")
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = JSONValue(try container.decode([String: JSONValue].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let digits):
      if let value = Int64(digits) {
        try container.encode(value)
      } else {
        try container.encode(Self.double(digits))
      }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object: try container.encode(dictionary)
    }
  }

  /// Numbers beyond all range are the greatest.
  private static func double(_ digits: String) -> Double {
    let number = Double(digits) ?? 0
    return min(max(number, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// What a value looks like as JSON; null for one that has no such form.
  package init(encoding value: some Encodable) { self = (try? JSONParser.parse(JSON.encode(value))) ?? .null }
}

extension JSONValue {
  /// An object.
  package init(_ members: [String: JSONValue]) {
    self = .object(
      members.sorted { $0.key < $1.key }.map { JSONValue.Member(name: $0.key, value: $0.value) })
  }

  /// The members of an object, by their names; nil for any other value.
  package var dictionary: [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
  }

  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// A whole number.
  package static func integer(_ value: Int64) -> JSONValue { .number("\(value)") }

  /// The number, if it is a whole one in range.
  package var integer: Int64? {
    guard case .number(let digits) = self else { return nil }
    return Int64(digits)
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(Dictionary(elements) { $1 }) }
}
