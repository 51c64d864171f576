import PeerSync

/// Looks at the head of a request (RFC 9112) before the library reads it, and refuses what two readers could understand in
/// two ways: lines end with CR LF, nothing is folded, no control character stands anywhere, and where the body ends is
/// said once.
struct HTTPHeadCheck {
  /// What comes of the bytes so far.
  enum Outcome {
    /// More have to come.
    case incomplete
    /// The whole request will have so many bytes.
    case good(bytes: UInt64)
    case refused(Problem)
  }

  /// Most bytes that are looked at: the empty line that ends a head does not count.
  static let mostBytes = HTTPLimits.headBytes + 3

  /// Bytes that were looked at.
  private(set) var seen = 0
  private var lineStart = 0
  private var lines: [Range<Int>] = []

  /// Looks at the bytes of a connection from its beginning: those that it was given before, and more.
  mutating func look(at bytes: ArraySlice<UInt8>) -> Outcome {
    while seen < bytes.count {
      guard seen + 1 < Self.mostBytes else { return Self.tooLarge }
      let byte = bytes[seen]
      seen += 1
      let isAfterReturn = seen > lineStart + 1 && bytes[seen - 2] == .return
      if byte == .lineFeed {
        guard isAfterReturn else {
          return Self.refuse(Phrase("a line ends without a carriage return", "캐리지 리턴 없이 끝나는 줄이 있습니다"))
        }
        let line = lineStart..<(seen - 2)
        lineStart = seen
        guard line.isEmpty else {
          lines.append(line)
          continue
        }
        return lines.isEmpty
          ? Self.refuse(Phrase("there is no request", "요청이 없습니다")) : verdict(lines.map { bytes[$0] })
      } else if isAfterReturn {
        return Self.refuse(Phrase("a carriage return stands by itself", "캐리지 리턴이 홀로 있습니다"))
      } else if byte != .return, byte != .tab, byte < 0x20 || byte == 0x7f {
        return Self.refuse(Phrase("there is a control character", "제어 문자가 있습니다"))
      }
    }
    return .incomplete
  }

  private static let tooLarge = Outcome.refused(
    Problem(
      .headTooLarge,
      Phrase(
        "the request line and the headers are larger than \(HTTPLimits.headBytes) bytes",
        "요청 줄과 헤더가 \(HTTPLimits.headBytes)바이트보다 큽니다")))

  private static func refuse(_ detail: Phrase) -> Outcome { .refused(malformed(detail)) }

  private static func malformed(_ detail: Phrase) -> Problem { Problem(.malformedRequest, detail) }

  private func verdict(_ lines: [ArraySlice<UInt8>]) -> Outcome {
    do throws(Problem) {
      var framing = try Self.framing(lines[0])
      for line in lines.dropFirst() {
        let (name, value) = try Self.header(line)
        framing.headers[name, default: []].append(value)
      }
      return framing.objection().map { .refused($0) } ?? .good(bytes: UInt64(seen) + framing.bodyBytes)
    } catch { return .refused(error) }
  }

  private static func framing(_ line: ArraySlice<UInt8>) throws(Problem) -> HTTPFraming {
    let parts = line.split(separator: .space, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isOfToken), !parts[1].isEmpty,
      parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else {
      throw malformed(
        Phrase("the first line is not METHOD TARGET VERSION", "첫 줄이 METHOD TARGET VERSION 형식이 아닙니다"))
    }
    let version = text(parts[2])
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw malformed(
        Phrase("only HTTP/1.1 and HTTP/1.0 are spoken here", "여기서는 HTTP/1.1과 HTTP/1.0만 씁니다"))
    }
    return HTTPFraming(target: text(parts[1]))
  }

  private static func header(_ line: ArraySlice<UInt8>) throws(Problem) -> (String, String) {
    guard let first = line.first, first != .space, first != .tab else {
      throw malformed(
        Phrase("a header goes on in the next line: give it one line", "헤더가 다음 줄로 이어집니다. 한 줄로 쓰세요"))
    }
    let name = line.prefix { $0 != .colon }
    guard !name.isEmpty, name.count < line.count, name.allSatisfy(\.isOfToken) else {
      throw malformed(Phrase("a header is not NAME: VALUE", "NAME: VALUE 형식이 아닌 헤더가 있습니다"))
    }
    let isBlank = { (byte: UInt8) in byte == .space || byte == .tab }
    let value = line.dropFirst(name.count + 1).drop(while: isBlank)
    let length = (value.lastIndex { !isBlank($0) }).map { $0 + 1 - value.startIndex } ?? 0
    guard let text = String(validating: value.prefix(length), as: UTF8.self) else {
      throw malformed(Phrase("a header is not UTF-8", "UTF-8이 아닌 헤더가 있습니다"))
    }
    return (Self.text(name).lowercased(), text)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension UInt8 {
  fileprivate static let tab: UInt8 = 0x09
  fileprivate static let lineFeed: UInt8 = 0x0a
  fileprivate static let `return`: UInt8 = 0x0d
  fileprivate static let space: UInt8 = 0x20
  fileprivate static let colon: UInt8 = 0x3a

  /// Whether it is of a token (RFC 9110, section 5.6.2).
  fileprivate var isOfToken: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
