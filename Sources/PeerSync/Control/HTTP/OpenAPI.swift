import PeerSync

/// The words of OpenAPI 3.1.
package enum OpenAPI {
  static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

  /// A text of so many bytes at most. The keyword counts characters, of which there are never more.
  static func bytes(atMost count: Int) -> [String: JSONValue] {
    ["maxLength": .integer(Int64(count)), "description": .string("at most \(count) bytes of UTF-8")]
  }

  static func parameter(_ name: String, atMost count: Int?) -> JSONValue {
    var schema: [String: JSONValue] = ["type": "string", "minLength": 1]
    if let count { schema.merge(bytes(atMost: count)) { $1 } }
    return ["name": .string(name), "in": "path", "required": true, "schema": JSONValue(schema)]
  }

  static func parameter(_ parameter: QueryParameter) -> JSONValue {
    [
      "name": .string(parameter.name), "in": "query", "required": false,
      "description": .string(parameter.help), "schema": parameter.schema,
    ]
  }

  static func responses(of description: EndpointDescription) -> [String: JSONValue] {
    // Said of every request before its endpoint is looked for, and of every one that the end of the daemon overtakes.
    var codes =
      description.problems + [
        .malformedRequest, .hostNotAllowed, .originNotAllowed, .headTooLarge, .lengthRequired, .stopping,
        .malformedBody, .bodyTooLarge, .unsupportedMediaType,
      ]
    // What needs the token asks the daemon, whose disk may have failed.
    if !description.isOpen { codes += [.tokenRequired, .failed] }
    var responses = Dictionary(grouping: codes, by: { String($0.status) }).mapValues(problem)
    responses["200"] = ["description": .string(description.summary), "content": content(description.answer)]
    return responses
  }

  private static func content(_ answer: EndpointDescription.Answer) -> JSONValue {
    switch answer {
    case .json(let name): ["application/json": ["schema": name.map(reference) ?? [:]]]
    case .media(let type):
      JSONValue([type: ["schema": ["type": type.hasSuffix("json") ? "object" : "string"]]])
    case .events(let names):
      [
        "text/event-stream": [
          "schema": [
            "type": "string", "contentMediaType": "application/json",
            "contentSchema": ["anyOf": .array(names.map(reference))],
          ]
        ]
      ]
    }
  }

  private static func problem(_ codes: [Problem.Code]) -> JSONValue {
    let text = codes.map { "\($0.rawValue): \($0.title)" }.joined(separator: "; ")
    return [
      "description": .string(text), "content": ["application/problem+json": ["schema": reference("Problem")]],
    ]
  }
}
