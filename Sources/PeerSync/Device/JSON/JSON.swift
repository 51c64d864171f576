import Foundation

/// How the control API writes and reads JSON: keys sorted, so that equal answers are equal bytes.
package enum JSON {
  package static func encode(_ value: some Encodable, pretty: Bool = false) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    do {
      return try Array(encoder.encode(value))
    } catch {
      // The API's own types have no value that JSON cannot say.
      preconditionFailure("\(type(of: value)) does not encode: \(error)")
    }
  }

  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// Where a document is wrong, and why, in one line.
  package static func explanation(of error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing"
    case DecodingError.typeMismatch(let type, let context):
      "\(place(context.codingPath)) is not \(name(type))"
    case DecodingError.valueNotFound(_, let context): "\(place(context.codingPath)) is null"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\(place(context.codingPath)): \(reason(context.debugDescription))"
    // Foundation does not say which of the two it was, nor where.
    default: "this is not JSON, or a number in it is not a whole number in range"
    }
  }

  /// What was wanted, in the words of JSON.
  private static func name(_ type: any Any.Type) -> String {
    switch type {
    case is any FixedWidthInteger.Type: "a whole number"
    case is any FloatingPoint.Type: "a number"
    case is String.Type: "a string"
    case is Bool.Type: "a boolean (true or false)"
    case is [Any].Type: "an array"
    default: "an object"
    }
  }

  /// Foundation's words name Swift's types where a number is wrong; all others are this library's own.
  private static func reason(_ text: String) -> String {
    text.contains("JSON number") || text.contains("does not fit")
      ? "this is not a whole number in range" : text
  }

  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "the document" }
    return path.reduce("") { text, key in
      if let index = key.intValue { return text + "[\(index)]" }
      return text.isEmpty ? key.stringValue : text + "." + key.stringValue
    }
  }
}
