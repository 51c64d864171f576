import PeerSyncCore

// What a table says of itself (OpenAPI 3.1).
extension EndpointTable {
  /// The description of an API that wants a bearer token of all but its open endpoints.
  package func openAPI(info: JSONValue) -> JSONValue {
    [
      "openapi": "3.1.0", "info": info, "security": [["token": []]], "paths": JSONValue(paths),
      "components": [
        "schemas": JSONValue(schemas),
        "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
      ],
    ]
  }

  private var paths: [String: JSONValue] {
    Dictionary(grouping: endpoints, by: \.path).mapValues { endpoints in
      JSONValue(Dictionary(endpoints.map { ($0.method.lowercased(), describe($0)) }) { $1 })
    }
  }

  private func describe(_ endpoint: Endpoint<Service>) -> JSONValue {
    let description = endpoint.description
    var members: [String: JSONValue] = [
      "summary": .string(description.summary), "responses": JSONValue(OpenAPI.responses(of: description)),
    ]
    if let id = description.id { members["operationId"] = .string(id) }
    let parameters =
      endpoint.names.map { OpenAPI.parameter(String($0), atMost: description.nameBytes) }
      + description.query.map(OpenAPI.parameter)
    if !parameters.isEmpty { members["parameters"] = .array(parameters) }
    if let schema = description.body.schema {
      members["requestBody"] = [
        "description": .string("at most \(bodyLimit(of: endpoint)) bytes; no name twice in an object"),
        "required": .bool(!description.body.isOptional),
        "content": ["application/json": ["schema": OpenAPI.reference(schema)]],
      ]
    }
    if description.isOpen { members["security"] = [] }
    return JSONValue(members)
  }
}
