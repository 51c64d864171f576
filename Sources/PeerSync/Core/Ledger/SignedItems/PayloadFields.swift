/// The members of a signed JSON object, read strictly: a field of a wrong type is refused, an unknown one ignored.
package struct PayloadFields {
  private let members: [Name: JSONValue]

  package init(_ bytes: [UInt8], _ part: JWSRejection.Part) throws(JWSRejection) {
    let value: JSONValue
    do { value = try JSONParser.parse(bytes, strictly: true) } catch { throw .notJSON(part, error.problem) }
    guard let fields = PayloadFields(value) else { throw .notJSON(part, "it is \(value.excerpt)") }
    self = fields
  }

  init?(_ value: JSONValue) {
    guard case .object(let list) = value else { return nil }
    members = Dictionary(list.map { (Name($0.name), $0.value) }) { first, _ in first }
  }

  package subscript(name: String) -> JSONValue? { members[Name(name)] }

  package func has(_ name: String) -> Bool { self[name] != nil }

  /// A text of 1 to ``Limits/textBytes`` bytes.
  package func text(_ name: String, atMost limit: Int = Limits.textBytes) throws(JWSRejection) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value, !text.isEmpty, text.utf8.count <= limit else { throw .wrong(name) }
    return text
  }

  func required(text name: String) throws(JWSRejection) -> String {
    guard let text = try text(name) else { throw .missing(name) }
    return text
  }

  /// A whole number, written as one and not as text.
  package func integer(_ name: String, in range: ClosedRange<Int64>) throws(JWSRejection) -> Int64? {
    guard let value = self[name] else { return nil }
    guard case .number(let digits) = value, let number = Int64(digits), range.contains(number) else {
      throw .wrong(name)
    }
    return number
  }

  /// Milliseconds since 1970.
  func instant(_ name: String) throws(JWSRejection) -> Instant? {
    try integer(name, in: Limits.signedMilliseconds).map(Instant.init(clamping:))
  }

  func required(instant name: String) throws(JWSRejection) -> Instant {
    guard let instant = try instant(name) else { throw .missing(name) }
    return instant
  }

  func flag(_ name: String) throws(JWSRejection) -> Bool? {
    guard let value = self[name] else { return nil }
    guard case .bool(let flag) = value else { throw .wrong(name) }
    return flag
  }

  func environment(_ name: String) throws(JWSRejection) -> Environment {
    guard let environment = Environment(appleName: try required(text: name)) else { throw .wrong(name) }
    return environment
  }

  func object(_ name: String) throws(JWSRejection) -> PayloadFields? {
    guard let value = self[name] else { return nil }
    guard let fields = PayloadFields(value) else { throw .wrong(name) }
    return fields
  }
}

extension Environment {
  /// Reads Apple's `environment` field as Apple writes it.
  init?(appleName: String) {
    switch appleName {
    case "Production": self = .production
    case "Sandbox": self = .sandbox
    case "Xcode", "LocalTesting": self = .xcode
    default: return nil
    }
  }

  /// As Apple writes it.
  package var appleName: String {
    switch self {
    case .production: "Production"
    case .sandbox: "Sandbox"
    case .xcode: "Xcode"
    }
  }
}
