import PeerSync
import Testing

@Suite("Dashboard", .noHang)
struct DashboardTests {
  @Test("the page is all of one piece: its policy allows its own style and script, and it needs nothing else")
  func policy() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let page = try await RawConnection.exchange(fixture.server, "GET", "/")
      let policy = try #require(
        page.firstMatch(of: #/script-src 'nonce-([0-9a-f]+)'; style-src 'nonce-([0-9a-f]+)'/#))
      #expect(policy.1 == policy.2)
      let nonces = page.matches(of: #/<(?:script|style) nonce="([0-9a-f]+)">/#).map(\.1)
      #expect(nonces == [policy.1, policy.1])
      // What the policy would stop: attributes with style or script, and anything from elsewhere.
      #expect(!page.contains(#/<[a-z][^>]* (?:style|src|href|on[a-z]+)=/#))
      let again = try await RawConnection.exchange(fixture.server, "GET", "/")
      #expect(!again.contains("nonce-\(policy.1)"))
    }
  }

  @Test("the page carries no token")
  func token() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let token = try DataDirectory(fixture.directory).readControlFile().token
      #expect(!(try await RawConnection.exchange(fixture.server, "GET", "/")).contains(token))
    }
  }
}
