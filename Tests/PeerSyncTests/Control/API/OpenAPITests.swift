import PeerSync
import PeerSyncControl
import Testing

@Suite("OpenAPI description")
struct OpenAPITests {
  @Test("every route is described, and nothing else is")
  func routes() {
    guard let paths = OpenAPI.document["paths"]?.dictionary else {
      Issue.record("no paths")
      return
    }
    let described = paths.flatMap { path, operations -> [String] in
      guard let operations = operations.dictionary else { return [] }
      return operations.keys.map { "\($0.uppercased()) \(path)" }
    }
    #expect(described.sorted() == ControlAPI.table.endpoints.map { "\($0.method) \($0.path)" }.sorted())
  }

  @Test("bodies are required, but for those that can be left out")
  func bodies() {
    func isRequired(_ path: String, _ method: String) -> JSONValue? {
      OpenAPI.document["paths"]?[path]?[method]?["requestBody"]?["required"]
    }
    #expect(isRequired("/v1/devices/{id}", "delete") == .bool(false))
    #expect(isRequired("/v1/credits/{id}/spends", "post") == .bool(false))
    #expect(isRequired("/v1/grants/{entitlement}", "put") == .bool(false))
    #expect(isRequired("/v1/purchases", "post") == .bool(true))
  }

  @Test("an invitation is a URL or its code alone")
  func invitations() throws {
    let url = OpenAPI.document["components"]?["schemas"]?["Join"]?["properties"]?["url"]
    guard case .string(let text) = url?["pattern"] else {
      Issue.record("no pattern")
      return
    }
    let pattern = try Regex(text)
    for text in ["peersync://[::1]:7401/ABCD-EFGH-JKMN", "ABCD-EFGH-JKMN", "abcd efgh jkmn"] {
      #expect(try pattern.wholeMatch(in: text) != nil, "\(text)")
    }
    #expect(try pattern.wholeMatch(in: "http://127.0.0.1/") == nil)
  }

  @Test("every route lists what may come of any request; every problem of a route is listed somewhere")
  func problems() {
    let common: [Problem.Code] = [
      .malformedRequest, .headTooLarge, .lengthRequired, .hostNotAllowed, .originNotAllowed, .stopping,
    ]
    for entry in ControlAPI.table.endpoints {
      // These two ask nothing of the daemon.
      let isConstant = ["/", "/openapi.json"].contains(entry.path)
      for code in common + (isConstant ? [] : [.failed]) {
        let isListed = OpenAPITests.lists(code, entry.method, entry.path)
        #expect(isListed == true, "\(entry.method) \(entry.path) \(code)")
      }
    }
    for code in [Problem.Code.storeRefused, .invalidValue, .ledgerFull, .tooLarge, .storeUnreachable] {
      #expect(OpenAPITests.lists(code, "POST", "/v1/refunds") == true, "\(code)")
    }
    #expect(OpenAPITests.lists(.failed, "GET", "/openapi.json") == false)
    let unlisted = Problem.Code.allCases.filter { code in
      !ControlAPI.table.endpoints.contains { OpenAPITests.lists(code, $0.method, $0.path) == true }
    }
    #expect(unlisted == [.notFound, .methodNotAllowed], "these are said where there is no route")
  }

  /// Whether the description tells that a request may end with a code; nil where no route takes the request.
  static func lists(_ code: Problem.Code, _ method: String, _ path: String) -> Bool? {
    let entry = ControlAPI.table.find(method: method, path: path)?.endpoint
    guard let entry else { return nil }
    let responses = OpenAPI.document["paths"]?[entry.path]?[method.lowercased()]?["responses"]
    guard case .string(let text)? = responses?["\(code.status)"]?["description"] else { return false }
    return "; \(text)".contains("; \(code.rawValue): ")
  }

  @Test("every reference has its schema, every schema is referred to")
  func references() {
    var referred: Set<String> = []
    func collect(_ value: JSONValue) {
      switch value {
      case .object(let members):
        if case .string(let reference)? = value["$ref"] { referred.insert(String(reference.dropFirst(21))) }
        for member in members { collect(member.value) }
      case .array(let items): for item in items { collect(item) }
      default: break
      }
    }
    collect(OpenAPI.document)
    guard let schemas = OpenAPI.document["components"]?["schemas"]?.dictionary else {
      Issue.record("no schemas")
      return
    }
    #expect(referred.symmetricDifference(schemas.keys).isEmpty)
  }

  @Test("answers have just the members that their schemas name")
  func answers() async throws {
    try await ControlFixture.with(listens: true) { (fixture) async throws in
      let bought = try await fixture.daemon.purchase("3monthsOfRandom")
      _ = try await fixture.daemon.grant("random-owls", until: nil)
      _ = try await fixture.daemon.setExpiration(of: "random-owls", to: nil)
      _ = try await fixture.daemon.setValue("image", to: "owl")
      _ = try await fixture.daemon.refund(bought.transaction?.transactionId ?? "")
      let names = ["id": "random-owls", "key": "image", "entitlement": "random-owls"]
      for entry in ControlAPI.table.endpoints where entry.method == "GET" {
        guard let schema = OpenAPITests.schema(of: entry.path) else { continue }
        let path = names.reduce(entry.path) { $0.replacing("{\($1.key)}", with: $1.value) }
        let query = entry.path == "/v1/qrcode" ? "?text=owl" : ""
        let answer: JSONValue = try await fixture.client.send("GET", path + query)
        for problem in OpenAPITests.mismatches(answer, schema, at: path) { Issue.record("\(problem)") }
      }
      let ledger: JSONValue = try await fixture.client.send("GET", "/v1/export")
      let imported: JSONValue = try await fixture.client.send("POST", "/v1/import", body: ledger)
      let schema = try #require(OpenAPI.document["components"]?["schemas"]?["Import"])
      #expect(OpenAPITests.mismatches(imported, schema, at: "import") == [])
    }
  }

  /// The schema of what GET answers; nil when that is not JSON of a schema.
  private static func schema(of path: String) -> JSONValue? {
    let operation = OpenAPI.document["paths"]?[path]?["get"]
    return operation?["responses"]?["200"]?["content"]?["application/json"]?["schema"]
  }

  /// Where a value is not what a schema says. Knows as much of JSON Schema as the description uses.
  private static func mismatches(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
    if case .string(let reference)? = schema["$ref"] {
      let name = String(reference.dropFirst(21))
      return mismatches(value, OpenAPI.document["components"]?["schemas"]?[name] ?? .null, at: place)
    }
    if case .array(let choices)? = schema["anyOf"] {
      let tries = choices.map { mismatches(value, $0, at: place) }
      return tries.contains([]) ? [] : tries[0]
    }
    switch (schema["type"], value) {
    case (nil, _), (.string("null"), .null), (.string("boolean"), .bool):
      return []
    case (.string("integer"), .number) where value.integer != nil: return []
    case (.string("string"), .string(let text)):
      guard case .array(let choices)? = schema["enum"] else { return [] }
      return choices.contains(.string(text)) ? [] : ["\(place): '\(text)' is not among the choices"]
    case (.string("array"), .array(let items)):
      return items.enumerated().flatMap { mismatches($1, schema["items"] ?? [:], at: "\(place)[\($0)]") }
    case (.string("object"), .object(let members)):
      guard let described = schema["properties"] else { return [] }
      guard case .array(let required)? = schema["required"] else { return ["\(place): no required members"] }
      let missing = required.filter { name in !members.contains { .string($0.name) == name } }
      let unknown = members.map(\.name).filter { described[$0] == nil }
      return missing.map { "\(place): \($0) is missing" } + unknown.map { "\(place): \($0) is not described" }
        + members.flatMap { mismatches($0.value, described[$0.name] ?? [:], at: "\(place).\($0.name)") }
    default: return ["\(place) is no \(schema["type"] ?? .null)"]
    }
  }
}
