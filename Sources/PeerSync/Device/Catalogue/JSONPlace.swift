/// A value of a JSON text with the way to it, so that every error can name its place.
package struct JSONPlace {
  package let file: String
  /// Such as `products[2].period`; empty at the top.
  package let path: String
  package let value: JSONValue

  package init(file: String, path: String, value: JSONValue) {
    self.file = file
    self.path = path
    self.value = value
  }

  /// The refusal of this value.
  package func refused(_ problem: Phrase) -> CatalogueError {
    let place = path.isEmpty ? Phrase("the file", "파일") : .same(path)
    return CatalogueError(
      file: file, problem: place + Phrase(": \(value.excerpt) ", ": \(excerptInKorean) 값은 ") + problem)
  }

  /// The refusal of something that is not here.
  package func missing(_ name: String) -> CatalogueError {
    CatalogueError(file: file, problem: Phrase("\(join(name)): is missing", "\(join(name)): 없습니다"))
  }

  /// The member of a name; nil when absent or null.
  package func member(_ name: String) throws(CatalogueError) -> JSONPlace? {
    guard let member = try members().last(where: { $0.name == name }), member.value != .null else {
      return nil
    }
    return JSONPlace(file: file, path: join(name), value: member.value)
  }

  /// The same without a member.
  package func without(_ name: String) throws(CatalogueError) -> JSONPlace {
    JSONPlace(file: file, path: path, value: .object(try members().filter { $0.name != name }))
  }

  package func members() throws(CatalogueError) -> [JSONValue.Member] {
    guard case .object(let members) = value else { throw refused(Phrase("is not an object", "객체가 아닙니다")) }
    return members
  }

  package func elements(atMost limit: Int) throws(CatalogueError) -> [JSONPlace] {
    guard case .array(let values) = value else { throw refused(Phrase("is not an array", "배열이 아닙니다")) }
    guard values.count <= limit else {
      throw refused(Phrase("has more than \(limit) elements", "요소가 \(limit)개보다 많습니다"))
    }
    return values.enumerated().map { JSONPlace(file: file, path: "\(path)[\($0)]", value: $1) }
  }

  /// The elements of a list that may be absent.
  package func list(_ name: String, atMost limit: Int) throws(CatalogueError) -> [JSONPlace] {
    try member(name)?.elements(atMost: limit) ?? []
  }

  /// A text of 1 to so many UTF-8 bytes.
  package func text(atMost limit: Int = Limits.textBytes) throws(CatalogueError) -> String {
    guard case .string(let text) = value else { throw refused(Phrase("is not a string", "문자열이 아닙니다")) }
    guard !text.isEmpty else { throw refused(Phrase("is empty", "비어 있습니다")) }
    guard text.utf8.count <= limit else {
      throw refused(Phrase("is longer than \(limit) bytes", "\(limit)바이트보다 깁니다"))
    }
    return text
  }

  package func integer(in range: ClosedRange<Int>) throws(CatalogueError) -> Int {
    guard case .number(let digits) = value, let number = Int(digits), range.contains(number) else {
      throw refused(
        Phrase(
          "is not a whole number from \(range.lowerBound) to \(range.upperBound)",
          "\(range.lowerBound)에서 \(range.upperBound)까지의 정수가 아닙니다"))
    }
    return number
  }

  /// A price such as `4.99` that a store can have, as text.
  package func price() throws(CatalogueError) -> String {
    let text = try text(atMost: 20)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let plain = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard plain, parts.count <= 2 else {
      throw refused(Phrase("is not a price such as \"4.99\"", "\"4.99\" 같은 가격이 아닙니다"))
    }
    guard let price = Price.milliunits(text), price <= Limits.sandboxPrice else {
      let most = Price.text(Limits.sandboxPrice)
      throw refused(
        Phrase(
          "is not a price of a store: at most \(most), with at most three decimals",
          "스토어의 가격이 아닙니다. 최대 \(most), 소수점 아래 세 자리까지입니다"))
    }
    return text
  }

  package func period() throws(CatalogueError) -> Period {
    guard let period = Period(try text()) else {
      throw refused(Phrase("is not an ISO 8601 period such as P3M", "P3M 같은 ISO 8601 기간이 아닙니다"))
    }
    return period
  }

  /// An instant such as `2026-07-01T00:00:00Z`, or a date such as `2026-07-01`: the beginning of that day in UTC.
  package func instant() throws(CatalogueError) -> Instant {
    let text = try text()
    guard let instant = Instant(text) else {
      throw refused(
        Phrase(
          "is not a date such as 2026-07-01, nor an instant such as 2026-07-01T12:00:00Z",
          "2026-07-01 같은 날짜도 2026-07-01T12:00:00Z 같은 시각도 아닙니다"))
    }
    return instant
  }

  private var excerptInKorean: String {
    switch value {
    case .array: "배열"
    case .object: "객체"
    case .null, .bool, .number, .string: value.excerpt
    }
  }

  private func join(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}

/// Collects the paths of fields that are not known, each once and without the places in lists.
struct UnknownFields {
  private(set) var paths: [String] = []
  private var seen: Set<String> = []

  mutating func look(at place: JSONPlace, knowing known: Set<String>) throws(CatalogueError) {
    for member in try place.members() where !known.contains(member.name) {
      let path = UnknownFields.withoutIndices(place.path)
      let full = String((path.isEmpty ? member.name : "\(path).\(member.name)").prefix(120))
      if seen.insert(full).inserted { paths.append(full) }
    }
  }

  private static func withoutIndices(_ path: String) -> String {
    path.split(separator: "[").enumerated().map { index, part in
      guard index > 0, let close = part.firstIndex(of: "]") else { return String(part) }
      return "[]" + part[part.index(after: close)...]
    }.joined()
  }
}
