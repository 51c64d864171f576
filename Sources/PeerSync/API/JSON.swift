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
    case DecodingError.typeMismatch(let type, let context): "\(place(context.codingPath)) is no \(type)"
    case DecodingError.valueNotFound(_, let context): "\(place(context.codingPath)) is null"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\(place(context.codingPath)): \(context.debugDescription)"
    default: "this is no JSON"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "the document" : path.map(\.stringValue).joined(separator: ".")
  }
}
