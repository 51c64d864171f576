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
    guard !RoundedNumber.isIn(bytes) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "a number that would be rounded"))
    }
    return try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// Where a document is wrong, and why, in one line.
  package static func explanation(of error: any Error) -> String { told(error).text(in: .english) }

  /// The same, in every language.
  package static func told(_ error: any Error) -> Phrase {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      place(context.codingPath + [key]) + Phrase(" is missing", ": 없습니다")
    case DecodingError.typeMismatch(let type, let context):
      place(context.codingPath) + mismatch(type)
    case DecodingError.valueNotFound(_, let context):
      place(context.codingPath) + Phrase(" is null", ": null입니다")
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      place(context.codingPath) + .same(": ") + reason(context)
    // Foundation does not say which of the two it was, nor where.
    default:
      Phrase(
        "this is not JSON, or a number in it is not a whole number in range",
        "JSON이 아니거나, 범위 안의 정수가 아닌 숫자가 있습니다")
    }
  }

  /// What was wanted, in the words of JSON.
  private static func mismatch(_ type: any Any.Type) -> Phrase {
    switch type {
    case is any FixedWidthInteger.Type: Phrase(" is not a whole number", ": 정수가 아닙니다")
    case is any FloatingPoint.Type: Phrase(" is not a number", ": 숫자가 아닙니다")
    case is String.Type: Phrase(" is not a string", ": 문자열이 아닙니다")
    case is Bool.Type: Phrase(" is not a boolean (true or false)", ": 불리언(true 또는 false)이 아닙니다")
    case is [Any].Type: Phrase(" is not an array", ": 배열이 아닙니다")
    default: Phrase(" is not an object", ": 객체가 아닙니다")
    }
  }

  /// Foundation's words name Swift's types where a number is wrong; all others are this library's own.
  private static func reason(_ context: DecodingError.Context) -> Phrase {
    let text = context.debugDescription
    if let unreadable = context.underlyingError as? UnreadableText { return unreadable.told }
    return text.contains("JSON number") || text.contains("does not fit")
      ? Phrase("this is not a whole number in range", "범위 안의 정수가 아닙니다") : .same(text)
  }

  private static func place(_ path: [any CodingKey]) -> Phrase {
    guard !path.isEmpty else { return Phrase("the document", "문서") }
    return .same(
      path.reduce("") { text, key in
        if let index = key.intValue { return text + "[\(index)]" }
        return text.isEmpty ? key.stringValue : text + "." + key.stringValue
      })
  }
}
