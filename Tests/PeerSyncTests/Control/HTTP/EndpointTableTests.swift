import PeerSync
import PeerSyncControl
import PeerSyncSandboxServer
import Testing

@Suite("Table of endpoints")
struct EndpointTableTests {
  private let control = ControlAPI.table

  /// What stands in the path for its names.
  private func names(_ method: String, _ path: String) -> [String]? {
    control.find(method: method, path: path)?.names
  }

  /// Whether every endpoint is found by its own method and path, and by no other's.
  private func isDistinct<Service>(_ table: EndpointTable<Service>) -> Bool {
    table.endpoints.allSatisfy { endpoint in
      let path = endpoint.path.replacing(#/\{[A-Za-z]+\}/#, with: "x")
      let found = table.find(method: endpoint.method, path: path)?.endpoint
      return found?.path == endpoint.path && found?.method == endpoint.method
    }
  }

  @Test("every endpoint is reached by its own method and path, and by no other's")
  func everyEndpoint() {
    #expect(isDistinct(control))
    #expect(isDistinct(SandboxAPI.table))
    #expect(isDistinct(ServerAPI.table))
    let none: @Sendable (Int, EndpointCall<Void>) async throws -> String = { _, _ in "" }
    #expect(
      !isDistinct(EndpointTable<Int>([.get("/a/{id}", "", handler: none), .get("/a/x", "", handler: none)])))
  }

  @Test("names in a path are decoded once, slashes and all")
  func decoding() {
    #expect(names("GET", "/v1/entitlements/a%2Fb%20%C3%A9/why") == ["a/b é"])
    #expect(names("GET", "/v1/values/100%2525") == ["100%25"])
    #expect(names("GET", "/v1/values/%FF") == nil)
    #expect(names("GET", "/v1/values/%zz") == nil)
    #expect(names("GET", "/v1/values/") == nil)
  }

  @Test("HEAD goes where GET goes")
  func head() {
    #expect(control.find(method: "HEAD", path: "/v1/status")?.endpoint.description.id == "getStatus")
    #expect(control.find(method: "HEAD", path: "/v1/invitations") == nil)
  }

  @Test("the methods of a path, with HEAD where there is GET")
  func methods() {
    #expect(control.methods(of: "/v1/values/x") == ["GET", "HEAD", "PUT"])
    #expect(control.methods(of: "/v1/grants/x") == ["PUT", "DELETE"])
    #expect(control.methods(of: "/v1/nothing").isEmpty)
  }

  @Test("nothing that GET reaches changes anything")
  func safeMethods() {
    for endpoint in control.endpoints where endpoint.method == "GET" {
      let id = endpoint.description.id ?? ""
      #expect(id.hasPrefix("get") || id == "exportLedger", "\(id)")
    }
  }

  @Test("the paths that need no token are those that tell nothing")
  func openPaths() {
    func open<Service>(_ table: EndpointTable<Service>) -> [String] {
      table.endpoints.map(\.path).filter(table.isOpen).sorted()
    }
    #expect(open(control) == ["/", "/healthz", "/openapi.json"])
    let devices = SandboxAPI.table.endpoints.map(\.path).filter { $0.hasPrefix("/device/") }
    #expect(!devices.isEmpty && open(SandboxAPI.table) == (devices + ["/healthz"]).sorted())
    #expect(open(ServerAPI.table) == [])
  }

  @Test("an import and a catalogue alone may be larger than other bodies")
  func bodyLimits() {
    let larger = ["/v1/import": HTTPLimits.importBytes, "/v1/products": Limits.catalogueBytes]
    for endpoint in control.endpoints {
      let found = control.find(method: endpoint.method, path: endpoint.path)
      let limit = endpoint.method == "POST" ? larger[endpoint.path] : nil
      #expect(found?.bodyLimit == limit ?? HTTPLimits.bodyBytes, "\(endpoint.method) \(endpoint.path)")
    }
  }
}
