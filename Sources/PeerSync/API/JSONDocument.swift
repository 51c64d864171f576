/// Any JSON, for documents whose form is not one Swift type.
package enum JSONDocument: Codable, Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONDocument])
  case object([String: JSONDocument])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONDocument].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONDocument].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  package subscript(key: String) -> JSONDocument? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }
}

extension JSONDocument: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(arrayLiteral elements: JSONDocument...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONDocument)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension JSONDocument {
  /// A text that was read. Numbers beyond all range are the greatest.
  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let digits): self = Int64(digits).map(JSONDocument.integer) ?? .number(Self.double(digits))
    case .string(let text): self = .string(text)
    case .array(let values): self = .array(values.map(JSONDocument.init))
    case .object(let members):
      self = .object(Dictionary(members.map { ($0.name, JSONDocument($0.value)) }) { $1 })
    }
  }

  private static func double(_ digits: String) -> Double {
    let number = Double(digits) ?? 0
    return min(max(number, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// What a value looks like as JSON; null for one that has no such form.
  package init(encoding value: some Encodable) {
    self = (try? JSON.decode(JSONDocument.self, from: JSON.encode(value))) ?? .null
  }
}
