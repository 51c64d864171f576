import PeerSync
import PeerSyncControl
import Testing

@Suite("Access to the control API")
struct AccessPolicyTests {
  private let policy = AccessPolicy(token: "secret")

  private func refusal(_ headers: [String: String], path: String = "/v1/status") -> Problem.Code? {
    let all = ["host": "127.0.0.1:7000", "authorization": "Bearer secret"].merging(headers) { $1 }
    let head = HTTPHead(
      method: "GET", path: path, headers: all.filter { !$0.value.isEmpty },
      server: Address(host: "127.0.0.5", port: 7000))
    return policy.refusal(of: head, isOpen: path == "/healthz")?.code
  }

  @Test("the right token under any of the server's names passes")
  func passes() {
    for host in ["127.0.0.1:7000", "localhost:7000", "LOCALHOST:7000", "[::1]:7000", "127.0.0.5:7000"] {
      #expect(refusal(["host": host]) == nil)
      #expect(refusal(["host": host, "origin": "http://\(host)", "sec-fetch-site": "same-origin"]) == nil)
    }
    #expect(refusal(["authorization": ""], path: "/healthz") == nil)
    #expect(refusal(["sec-fetch-site": "none", "authorization": "bearer secret"]) == nil)
  }

  @Test(
    "a wrong or missing token does not",
    arguments: ["", "secret", "Bearer ", "Bearer Secret", "Bearer secret2", "Basic secret"])
  func token(value: String) { #expect(refusal(["authorization": value]) == .tokenRequired) }

  @Test(
    "a name that is not the server's does not (DNS rebinding), whatever the path",
    arguments: [
      "", "127.0.0.1", "127.0.0.1:7001", "127.0.0.6:7000", "evil.example:7000",
      "127.0.0.1:7000, evil.example",
    ])
  func host(value: String) {
    #expect(refusal(["host": value]) == .hostNotAllowed)
    #expect(refusal(["host": value], path: "/healthz") == .hostNotAllowed)
  }

  @Test("a page of another site does not, whatever the path")
  func origin() {
    for origin in ["http://evil.example", "null", "https://127.0.0.1:7000", "http://127.0.0.1:7001"] {
      #expect(refusal(["origin": origin], path: "/healthz") == .originNotAllowed)
    }
    for site in ["cross-site", "same-site"] {
      #expect(refusal(["sec-fetch-site": site]) == .originNotAllowed)
    }
  }

  @Test("tokens are compared byte by byte")
  func comparison() {
    #expect(AccessPolicy.areEqual([1, 2], [1, 2]))
    #expect(!AccessPolicy.areEqual([1, 2], [1, 3]) && !AccessPolicy.areEqual([1], [1, 1]))
    #expect(AccessPolicy.areEqual([], []))
  }
}
