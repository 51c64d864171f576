import PeerSync
import Testing

@Suite("Router")
struct RouterTests {
  @Test("every entry is reached by its own method and path, and by no other entry's")
  func everyEntry() throws {
    var seen: [Route] = []
    for entry in Router.entries {
      let path = entry.path.replacing(#/\{[a-z]+\}/#, with: "x")
      let route = try Router.route(method: entry.method, path: path)
      #expect(!seen.contains(route), "\(entry.method) \(entry.path)")
      seen.append(route)
    }
  }

  @Test("names in a path are decoded once, slashes and all")
  func decoding() throws {
    #expect(try Router.route(method: "GET", path: "/v1/entitlements/a%2Fb%20%C3%A9/why") == .why("a/b é"))
    #expect(try Router.route(method: "GET", path: "/v1/values/100%2525") == .value("100%25"))
    #expect(throws: Problem.self) { try Router.route(method: "GET", path: "/v1/values/%FF") }
    #expect(throws: Problem.self) { try Router.route(method: "GET", path: "/v1/values/%zz") }
  }

  @Test("HEAD goes where GET goes")
  func head() throws { #expect(try Router.route(method: "HEAD", path: "/v1/status") == .status) }

  @Test("an unknown path and an unknown method are told apart")
  func refusals() {
    let missing = #expect(throws: Problem.self) { try Router.route(method: "GET", path: "/v1/nothing") }
    #expect(missing?.code == .notFound)
    let method = #expect(throws: Problem.self) { try Router.route(method: "POST", path: "/v1/grants/x") }
    #expect(method?.code == .methodNotAllowed)
    #expect(method?.detail == "/v1/grants/x takes PUT, DELETE, not POST")
  }

  @Test("the methods of a path, with HEAD where there is GET")
  func methods() {
    #expect(Router.methods(of: "/v1/values/x") == ["GET", "HEAD", "PUT"])
    #expect(Router.methods(of: "/v1/grants/x") == ["PUT", "DELETE"])
    #expect(Router.methods(of: "/v1/nothing").isEmpty)
  }

  @Test("nothing that GET reaches changes anything")
  func safeMethods() throws {
    let changing: [Route] = [.purchase, .refund, .invite, .join, .network, .importLedger]
    for entry in Router.entries where entry.method == "GET" {
      let path = entry.path.replacing(#/\{[a-z]+\}/#, with: "x")
      #expect(!changing.contains(try Router.route(method: "GET", path: path)))
    }
  }
}
