import PeerSync

/// What an endpoint takes as the body of a request, and how it becomes a value.
package struct EndpointBody<Value>: Sendable {
  let outline: EndpointBodyOutline
  /// Reads a body by its schema.
  let read: @Sendable ([UInt8], JSONValue?) throws(Problem) -> Value
}

extension EndpointBody where Value == Void {
  /// No body. An empty object is as good as none.
  package static var nothing: EndpointBody {
    EndpointBody(outline: EndpointBodyOutline(isOptional: true)) { bytes, _ throws(Problem) in
      guard !bytes.isEmpty else { return }
      let value = try JSONValue(strictly: bytes)
      guard value == .object([]) else {
        throw Problem(
          .malformedBody,
          value.fields + Phrase("this request takes no body: leave it out", "이 요청에는 본문이 없습니다. 빼고 보내세요"))
      }
    }
  }
}

extension EndpointBody where Value == [UInt8] {
  /// Whatever comes, as it came.
  package static var bytes: EndpointBody {
    EndpointBody(outline: EndpointBodyOutline(isOptional: true, isJSON: false)) { bytes, _ in bytes }
  }
}

extension EndpointBody where Value == JSONValue {
  /// A document that is larger than others, as it stands in its text.
  ///
  /// - Parameter isExempt: tells of a document that may have fields which the schema does not know
  static func document(
    _ schema: String, limit: Int, unless isExempt: @escaping @Sendable (JSONValue) -> Bool
  ) -> EndpointBody {
    EndpointBody(outline: EndpointBodyOutline(schema: schema, limit: limit)) {
      bytes, schema throws(Problem) in
      let value = try JSONValue(strictly: bytes)
      if !isExempt(value) { try value.requireFields(of: schema) }
      return value
    }
  }
}

extension EndpointBody where Value: Decodable & SendableMetatype {
  /// JSON that says in one way only what it says.
  package static func json(_ type: Value.Type, _ schema: String? = nil) -> EndpointBody {
    EndpointBody(outline: EndpointBodyOutline(schema: schema)) { bytes, schema throws(Problem) in
      try JSONValue(strictly: bytes).requireFields(of: schema)
      do { return try JSON.decode(type, from: bytes) } catch {
        throw Problem(.malformedBody, JSON.told(error))
      }
    }
  }
}

extension EndpointBody {
  /// The same, or nothing at all.
  package static func optional<Wrapped: Decodable & SendableMetatype>(
    _ type: Wrapped.Type, _ schema: String
  ) -> EndpointBody where Value == Wrapped? {
    let body = EndpointBody<Wrapped>.json(type, schema)
    return EndpointBody(outline: EndpointBodyOutline(schema: schema, isOptional: true)) {
      bytes, schema throws(Problem) in
      bytes.isEmpty ? nil : try body.read(bytes, schema)
    }
  }
}

extension JSONValue {
  /// Reads a text that can be understood in one way only.
  fileprivate init(strictly bytes: [UInt8]) throws(Problem) {
    do throws(JSONError) { self = try JSONParser.parse(bytes, strictly: true) } catch {
      throw Problem(
        .malformedBody,
        Phrase("this is not JSON of one meaning in UTF-8: ", "한 가지로만 읽히는 UTF-8의 JSON이 아닙니다: ") + error.told)
    }
  }

  /// Refuses what a schema does not know by its name.
  fileprivate func requireFields(of schema: JSONValue?) throws(Problem) {
    guard let schema, let field = unknownField(schema) else { return }
    throw Problem(
      .malformedBody,
      Phrase(
        "'\(field.prefix(64))' is not a field of this request: see /openapi.json for those there are",
        "‘\(field.prefix(64))’ 필드는 이 요청에 없습니다. 쓸 수 있는 필드는 /openapi.json 문서를 보세요"))
  }

  /// Where there is a field that a schema does not know, with the name of the field; nil: nowhere.
  private func unknownField(_ schema: JSONValue, at place: String = "") -> String? {
    switch self {
    case .object(let members):
      guard let known = schema["properties"], schema["additionalProperties"] == false else {
        return nil
      }
      for member in members {
        guard let inner = known[member.name] else { return place + member.name }
        if let field = member.value.unknownField(inner, at: "\(place)\(member.name).") { return field }
      }
      return nil
    case .array(let items):
      guard let schema = schema["items"] else { return nil }
      for (index, item) in items.enumerated() {
        if let field = item.unknownField(schema, at: "\(place.dropLast())[\(index)].") { return field }
      }
      return nil
    default: return nil
    }
  }

  /// The names of an object's members, as the beginning of a sentence.
  fileprivate var fields: Phrase {
    guard case .object(let members) = self, !members.isEmpty else { return .same("") }
    let names = members.prefix(4).map { $0.name.prefix(64) }
    return Phrase(
      names.map { "'\($0)'" }.joined(separator: ", ") + " is too much: ",
      names.map { "‘\($0)’" }.joined(separator: ", ") + " 필드는 필요 없습니다. ")
  }
}
