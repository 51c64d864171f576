/// Writes the members of one flat JSON object, without white space.
package struct JSONObjectWriter {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  package init() {}

  package mutating func write(_ name: String, _ text: String?) {
    guard let text else { return }
    begin(name)
    write(quoted: text)
  }

  package mutating func write(_ name: String, _ number: Int64?) {
    guard let number else { return }
    begin(name)
    bytes.append(contentsOf: String(number).utf8)
  }

  package mutating func write(_ name: String, _ instant: Instant?) { write(name, instant?.milliseconds) }

  package mutating func write(_ name: String, _ flag: Bool) {
    begin(name)
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  /// An array of texts: from the first on as many as fit into so many bytes.
  package mutating func write(_ name: String, _ texts: [String]?, atMost limit: Int) {
    guard let texts else { return }
    begin(name)
    bytes.append(UInt8(ascii: "["))
    let start = bytes.count
    for text in texts {
      let end = bytes.count
      if end > start { bytes.append(UInt8(ascii: ",")) }
      write(quoted: text)
      guard bytes.count - start <= limit else {
        bytes.removeSubrange(end...)
        break
      }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A member whose value is JSON already.
  package mutating func write(_ name: String, raw json: [UInt8]) {
    begin(name)
    bytes.append(contentsOf: json)
  }

  package consuming func finish() -> [UInt8] { bytes + [UInt8(ascii: "}")] }

  private mutating func begin(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    write(quoted: name)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func write(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: bytes += Array("\\u00".utf8) + hexadecimal(UInt64(byte)).utf8.suffix(2)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
