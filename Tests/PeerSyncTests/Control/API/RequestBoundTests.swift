import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// What the description says of requests is what a real API takes and refuses: just that.
@Suite("Bounds of requests", .noHang)
struct RequestBoundTests {
  /// One request of each operation that takes a body, right in itself.
  private static let bodies: [String: (path: String, body: JSONValue)] = [
    "buy": ("/v1/purchases", ["productId": "RandomOwls", "quantity": 1, "at": "2026-01-31", "offer": .null]),
    "refund": ("/v1/refunds", ["transactionId": "1"]),
    "spend": ("/v1/credits/owls/spends", ["amount": 1, "id": "x"]),
    "reclaim": ("/v1/credits/owls/reclaim", ["from": "lost"]),
    "ingest": ("/v1/transactions", ["items": ["x"]]),
    "setExpiration": ("/v1/lines/random-owls/expiration", ["expires": "2026-01-31T00:00:00Z"]),
    "grant": ("/v1/grants/club", ["until": "2026-01-31T00:00:00Z"]),
    "setValue": ("/v1/values/x", ["value": "a"]),
    "join": ("/v1/membership", ["url": "peersync://127.0.0.1:1/ABCDEFGHJKMN"]),
    "removeDevice": ("/v1/devices/Nobody", ["recoveryKey": .null]),
    "previewRemoval": ("/v1/devices/Nobody/preview", ["all": false]),
    "putProducts": ("/v1/products", ["products": [["id": "x", "type": "nonConsumable"]]]),
    "renameDevice": ("/v1/device", ["name": "Kitchen"]),
    "setNetwork": ("/v1/network", ["online": true]),
    "acceptTime": ("/v1/time", ["accept": true]),
    "importLedger": (
      "/v1/import",
      [
        "format": "peersync-ledger", "version": 1, "exported": "", "digest": "", "device": ["id": "x"],
        "registers": [
          [
            "raw": ["key": "/w==", "stamp": "1", "value": ""], "kind": "x", "written": "", "author": "",
            "fact": [],
          ]
        ],
      ]
    ),
  ]

  /// What says that a request itself is wrong.
  private static let bounds: Set<Problem.Code> = [.malformedBody, .invalidValue, .tooLarge]

  /// An operation of the description.
  private struct Operation {
    let id: String
    let method: String
    let path: String
    let schema: JSONValue?
    let parameter: JSONValue?
  }

  private static var operations: [Operation] {
    guard let paths = OpenAPI.document["paths"]?.dictionary else { return [] }
    return paths.sorted { $0.key < $1.key }.flatMap { path, methods -> [Operation] in
      guard let methods = methods.dictionary else { return [] }
      return methods.sorted { $0.key < $1.key }.compactMap { method, described in
        guard case .string(let id)? = described["operationId"] else { return nil }
        let body = described["requestBody"]?["content"]?["application/json"]?["schema"]?["$ref"]
        var parameter: JSONValue?
        if case .array(let parameters)? = described["parameters"] {
          parameter = parameters.first { $0["in"] == .string("path") }?["schema"]
        }
        return Operation(
          id: id, method: method.uppercased(), path: path, schema: body.flatMap(schema), parameter: parameter)
      }
    }
  }

  private static func schema(_ reference: JSONValue) -> JSONValue? {
    guard case .string(let text) = reference else { return nil }
    return OpenAPI.document["components"]?["schemas"]?[String(text.dropFirst(21))]
  }

  private static func example(_ operation: Operation) throws -> (path: String, body: JSONValue) {
    try #require(bodies[operation.id], "no example of \(operation.id)")
  }

  private func refusal(
    _ fixture: ControlFixture, _ operation: Operation, _ path: String, _ body: JSONValue
  )
    async throws -> Problem?
  {
    guard let problem = try await fixture.problem(operation.method, path, body) else { return nil }
    return Self.bounds.contains(problem.code) ? problem : nil
  }

  @Test("a field that is not known is refused by its name, at any depth and wherever no body is taken")
  func unknownFields() async throws {
    try await ControlFixture.with { (fixture) async throws in
      for operation in Self.operations where operation.path.hasPrefix("/v1/") {
        guard operation.schema != nil else {
          guard operation.method != "GET" else { continue }
          let path = operation.path.replacing(#/\{[a-z]+\}/#, with: "owls")
          let problem = try await refusal(fixture, operation, path, ["surplus": 1])
          #expect(
            problem?.detail.contains("'surplus'") == true, "\(operation.id): \(String(describing: problem))")
          continue
        }
        let (path, body) = try Self.example(operation)
        #expect(try await refusal(fixture, operation, path, body) == nil, "\(operation.id)")
        for (place, wrong) in body.withSurplus(at: "") {
          let problem = try await refusal(fixture, operation, path, wrong)
          #expect(
            problem?.detail.contains("'\(place)'") == true, "\(operation.id): \(String(describing: problem))")
        }
      }
    }
  }

  @Test("each bound of a field is kept, and none is that the description does not state")
  func fields() async throws {
    try await ControlFixture.with { (fixture) async throws in
      var tried = 0
      for operation in Self.operations {
        guard let schema = operation.schema, let properties = schema["properties"]?.dictionary else {
          continue
        }
        let (path, body) = try Self.example(operation)
        guard let members = body.dictionary, case .array(let required)? = schema["required"] else {
          continue
        }
        for (name, property) in properties.sorted(by: { $0.key < $1.key })
        where property["type"] != nil || property["anyOf"] != nil {
          // Without it, and with null.
          var without = members
          without[name] = nil
          let isRequired = required.contains(.string(name))
          let missing = try await refusal(fixture, operation, path, JSONValue(without))
          #expect(
            (missing != nil) == isRequired, "\(operation.id) without \(name): \(String(describing: missing))")
          for (value, isTaken) in RequestBoundTests.tries(of: property) {
            let problem = try await refusal(
              fixture, operation, path, JSONValue(members.merging([name: value]) { $1 }))
            #expect(
              (problem == nil) == isTaken,
              "\(operation.id) \(name) \(value.excerpt): \(String(describing: problem))")
            tried += 1
          }
        }
      }
      #expect(tried > 80)
    }
  }

  @Test("each bound of a name in a path is kept, and none is that the description does not state")
  func names() async throws {
    try await ControlFixture.with { (fixture) async throws in
      for operation in Self.operations {
        guard let parameter = operation.parameter else { continue }
        let body = try operation.schema == nil ? nil : Self.example(operation).body
        for (value, isTaken) in Self.tries(of: parameter) {
          guard case .string(let name) = value, !name.isEmpty else { continue }
          let path = operation.path.replacing(#/\{[a-z]+\}/#, with: name)
          let problem = try await fixture.problem(operation.method, path, body)
          let isRefused = problem.map { Self.bounds.contains($0.code) } ?? false
          #expect(
            isRefused != isTaken,
            "\(operation.id) \(name.count): \(String(describing: problem))")
        }
      }
    }
  }

  /// Values at the bounds of a schema and one beyond, and whether they are taken.
  private static func tries(of schema: JSONValue) -> [(JSONValue, Bool)] {
    if case .array(let choices)? = schema["anyOf"], choices.contains(["type": "null"]) {
      return tries(of: choices[0]).filter { $0.0 != .null } + [(.null, true)]
    }
    let others: [JSONValue] = [.null, true, 1, "x", [], [:]]
    switch schema["type"] {
    case .string("integer"):
      var tries: [(JSONValue, Bool)] = others.filter { $0 != 1 }.map { ($0, false) }
      if let least = schema["minimum"]?.integer {
        tries += [(.integer(least), true), (.integer(least - 1), false)]
      }
      if let most = schema["maximum"]?.integer {
        tries += [(.integer(most), true), (.integer(most + 1), false)]
      }
      return tries
    case .string("boolean"): return others.map { ($0, $0 == true) }
    case .string("array"): return others.map { ($0, $0 == []) }
    case .string("string"):
      return others.filter { $0 != "x" }.map { ($0, false) } + texts(of: schema)
    default: return []
    }
  }

  private static func texts(of schema: JSONValue) -> [(JSONValue, Bool)] {
    func text(_ count: Int64) -> JSONValue { .string(String(repeating: "x", count: Int(count))) }
    if schema["anyOf"] != nil {
      return [
        ("2026-01-31", true), ("9999-12-31T23:59:59Z", true), ("31.1.2026", false), ("0000-01-01", false),
      ]
    }
    // Its examples are tried elsewhere: most that match are none.
    if schema["pattern"] != nil { return [("", false), ("é/é", false)] }
    if case .array(let choices)? = schema["enum"] { return choices.map { ($0, true) } + [("other", false)] }
    var tries: [(JSONValue, Bool)] = []
    if let most = schema["maxLength"]?.integer {
      tries += [(text(most), true), (text(most + 1), false)]
    } else {
      tries.append((text(8_000), true))
    }
    if let least = schema["minLength"]?.integer {
      tries += [(text(least), true), (text(least - 1), false)]
    } else {
      tries.append(("", true))
    }
    return tries
  }
}

extension JSONValue {
  /// The document with a field too many in each of its objects, and where that is.
  fileprivate func withSurplus(at place: String) -> [(place: String, document: JSONValue)] {
    switch self {
    case .object:
      let members = dictionary ?? [:]
      let here = JSONValue(members.merging(["surplus": .null]) { $1 })
      return [(place + "surplus", here)]
        + members.sorted { $0.key < $1.key }.flatMap { name, value in
          value.withSurplus(at: "\(place)\(name).").map { (place, inner) in
            (place, JSONValue(members.merging([name: inner]) { $1 }))
          }
        }
    case .array(let items):
      guard let first = items.first else { return [] }
      return first.withSurplus(at: "\(place.dropLast())[0].").map { ($0.place, .array([$0.document])) }
    default: return []
    }
  }

  /// For messages.
  fileprivate var excerpt: String { String("\(self)".prefix(40)) }
}
