import PeerSync
import Testing

/// Sentences in answers, for who asks for them.
@Suite("Readers", .noHang)
struct ReaderTests {
  @Test("history has sentences in the language that is asked for, and none else")
  func history() async throws {
    try await ControlFixture.with { (fixture) async throws in
      _ = try await fixture.daemon.purchase("CarefreeOwl")
      func sentence(_ query: String) async throws -> String? {
        let history: HistoryAnswer = try await fixture.client.send("GET", "/v1/history" + query)
        let place = try #require(history.events.lastIndex { $0.type == .purchase })
        return history.sentences?[place]
      }
      #expect(try await sentence("") == nil)
      #expect(try await sentence("?language=en")?.contains("Phone bought CarefreeOwl") == true)
      #expect(try await sentence("?language=ko&zone=Asia/Seoul")?.contains("구입했습니다") == true)
      for query in ["?language=fr", "?language=en&zone=Nowhere"] {
        for path in ["/v1/history", "/v1/status", "/v1/subscriptions"] {
          #expect(try await fixture.problem("GET", path + query)?.code == .invalidValue, "\(path)\(query)")
        }
      }
    }
  }

  @Test("a zone without a language, and a language where there are no sentences, are refused with what to do")
  func nothingToTell() async throws {
    try await ControlFixture.with { (fixture) async throws in
      for path in ["/v1/history", "/v1/status", "/v1/subscriptions", "/v1/events?full=true"] {
        let query = (path.contains("?") ? "&" : "?") + "zone=Asia/Seoul"
        let problem = try await fixture.problem("GET", path + query)
        #expect(problem?.code == .invalidValue && problem?.detail.contains("language=en") == true, "\(path)")
        #expect(problem?.detailInKorean?.contains("language=ko") == true, "\(path)")
      }
      for query in ["language=ko", "zone=Asia/Seoul", "language=en&traffic=true"] {
        let problem = try await fixture.problem("GET", "/v1/events?\(query)")
        #expect(problem?.code == .invalidValue && problem?.detail.contains("full=true") == true, "\(query)")
      }
    }
  }

  @Test("a text is drawn as a QR code with a quiet zone, and a long one is refused")
  func qrCode() async throws {
    struct Answer: Decodable {
      let rows: [String]
    }
    try await ControlFixture.with { (fixture) async throws in
      let code: Answer = try await fixture.client.send("GET", "/v1/qrcode?text=peersync")
      #expect(code.rows.count == 29 && code.rows.allSatisfy { $0.count == 29 })
      #expect(code.rows[4].dropFirst(4).hasPrefix("11111110") && !code.rows[3].contains("1"))
      let long = String(repeating: "x", count: Limits.textBytes + 1)
      for query in ["", "?text=", "?text=\(long)"] {
        #expect(try await fixture.problem("GET", "/v1/qrcode" + query)?.code == .invalidValue)
      }
    }
  }
}
