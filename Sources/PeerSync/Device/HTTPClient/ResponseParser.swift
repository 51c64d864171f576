/// Reads one HTTP/1.1 response from bytes that come in any pieces.
package struct ResponseParser {
  /// No HTTP, or more of it than is sensible.
  package struct Malformed: Error {}

  /// How the end of the body is known.
  private enum Framing {
    case head
    case length(Int)
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case untilClosed
    case done
  }

  private static let headLimit = 64 * 1024

  /// Nil until the head has come.
  package private(set) var status: Int?
  private var framing = Framing.head
  private var rest: [UInt8] = []

  package init() {}

  /// Whether nothing more belongs to the response.
  package var isComplete: Bool { if case .done = framing { true } else { false } }

  /// Whether the end of the connection is the end of the response.
  package var mayEnd: Bool { if case .untilClosed = framing { true } else { isComplete } }

  /// Takes bytes in and returns what they add to the body.
  package mutating func take(_ bytes: [UInt8]) throws(Malformed) -> [UInt8] {
    rest += bytes
    var body: [UInt8] = []
    while try step(&body) {}
    return body
  }

  /// - Returns: whether there may be more to do without more bytes
  private mutating func step(_ body: inout [UInt8]) throws(Malformed) -> Bool {
    switch framing {
    case .head: return try readHead()
    case .length(let missing):
      let left = move(missing, to: &body)
      framing = left == 0 ? .done : .length(left)
      return false
    case .chunkSize: return try readChunkSize()
    case .chunk(let missing):
      let left = move(missing, to: &body)
      framing = left == 0 ? .chunkEnd : .chunk(left)
      return left == 0
    case .chunkEnd:
      guard try line() != nil else { return false }
      framing = .chunkSize
      return true
    case .untilClosed:
      _ = move(rest.count, to: &body)
      return false
    case .done: return false
    }
  }

  /// - Returns: how many bytes are still missing
  private mutating func move(_ count: Int, to body: inout [UInt8]) -> Int {
    let taken = min(count, rest.count)
    body += rest.prefix(taken)
    rest.removeFirst(taken)
    return count - taken
  }

  private mutating func readHead() throws(Malformed) -> Bool {
    guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else {
      guard rest.count <= Self.headLimit else { throw Malformed() }
      return false
    }
    let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    rest.removeFirst(end.upperBound)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      throw Malformed()
    }
    // 100 Continue and its like come before the response itself.
    guard status >= 200 else { return true }
    self.status = status
    framing = try Self.framing(Array(lines.dropFirst()))
    return true
  }

  private static func framing(_ lines: [Substring]) throws(Malformed) -> Framing {
    for line in lines.map({ $0.lowercased() }) {
      if line.hasPrefix("transfer-encoding:"), line.hasSuffix("chunked") { return .chunkSize }
      guard line.hasPrefix("content-length:") else { continue }
      let text = line.dropFirst("content-length:".count).filter { $0 != " " }
      guard let length = Int(text), length >= 0 else { throw Malformed() }
      return length == 0 ? .done : .length(length)
    }
    return .untilClosed
  }

  private mutating func readChunkSize() throws(Malformed) -> Bool {
    guard let line = try line() else { return false }
    guard let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 else { throw Malformed() }
    framing = size == 0 ? .done : .chunk(size)
    return size > 0
  }

  /// The next line without its end; nil until it is whole.
  private mutating func line() throws(Malformed) -> String? {
    guard let end = rest.firstRange(of: Array("\r\n".utf8)) else {
      guard rest.count <= 1024 else { throw Malformed() }
      return nil
    }
    defer { rest.removeFirst(end.upperBound) }
    return String(decoding: rest[..<end.lowerBound], as: UTF8.self)
  }
}
