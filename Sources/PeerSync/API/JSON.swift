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
}
