import PeerSync
import Testing

@Suite("Values of the control API")
struct APIValueTests {
  @Test("an invitation is read as people pass it on")
  func invitationURL() throws {
    let code = try #require(InvitationCode("ABCDEFGHJKMN"))
    let expected = InvitationURL(address: Address(host: "::1", port: 7401), code: code)
    #expect(expected.description == "peersync://[::1]:7401/ABCDEFGHJKMN")
    for text in [
      expected.description, "PEERSYNC://[::1]:7401/abcd-efgh-jkmn", "peersync://[::1]:7401/ABCD EFGH JKMN",
      "peersync://[::1]:7401/\(code)",
    ] {
      #expect(InvitationURL(text) == expected)
    }
  }

  @Test(
    "anything else is not an invitation",
    arguments: [
      "", "peersync://127.0.0.1:7401", "peersync://127.0.0.1/ABCDEFGHJKMN",
      "peersync://127.0.0.1:0/ABCDEFGHJKMN",
      "http://127.0.0.1:7401/ABCDEFGHJKMN", "peersync://127.0.0.1:7401/ABCDEFGHJKM",
      "peersync://h:1/ABCDEFGHJKMU",
      "peersync://127.0.0.1:7401/ABCDEFGHJKMN/", "peersync://127.0.0.1:7401/ABCDEFGHJKMNP",
    ])
  func noInvitation(text: String) { #expect(InvitationURL(text) == nil) }

  @Test("every code of a problem has an error's status and survives JSON")
  func problems() throws {
    for code in Problem.Code.allCases {
      #expect((400..<600).contains(code.status) && !code.title.isEmpty)
      let problem = Problem(code, Phrase("detail", "설명"))
      #expect(try JSON.decode(Problem.self, from: JSON.encode(problem)) == problem)
    }
  }

  @Test("times in JSON are UTC with milliseconds, and fields without a value are null")
  func encoding() throws {
    let instant = try #require(Instant("2026-01-31T02:00:00+02:00"))
    #expect(String(decoding: JSON.encode([instant]), as: UTF8.self) == "[\"2026-01-31T00:00:00.000Z\"]")
    let text =
      #"{"address":null,"clockSkew":null,"connected":true,"device":"d","dialledBy":null,"inSync":false,"lastSeen":null,"name":"n","program":null}"#
    let peer = try JSON.decode(PeerAnswer.self, from: Array(text.utf8))
    #expect(String(decoding: JSON.encode(peer), as: UTF8.self) == text)
    let short = #"{"connected":true,"device":"d","dialledBy":null,"inSync":false,"name":"n"}"#
    #expect(try JSON.decode(PeerAnswer.self, from: Array(short.utf8)) == peer)
  }

  @Test(
    "where a body is wrong is said in the words of JSON",
    arguments: [
      (#"{"quantity":"2","productId":"x"}"#, "quantity is not a whole number"),
      (#"{"quantity":1.5,"productId":"x"}"#, "whole number in range"),
      (#"{"quantity":1e30,"productId":"x"}"#, "whole number in range"),
      (#"{"quantity":99999999999999999999,"productId":"x"}"#, "whole number in range"),
      (#"{"productId":[]}"#, "productId is not a string"), ("[]", "the document is not an object"),
      (#"{"at":5,"productId":"x"}"#, "at is not a string"), ("{", "this is not JSON"),
    ])
  func explanations(body: String, expected: String) {
    let error = #expect(throws: (any Error).self) {
      try JSON.decode(PurchaseBody.self, from: Array(body.utf8))
    }
    let text = error.map(JSON.explanation) ?? ""
    #expect(text.contains(expected) && !text.contains("Int"), "\(text)")
  }

  @Test("a place in a list is said as programs write it")
  func places() {
    for (body, expected) in [
      (#"{"items":["a",1]}"#, "items[1] is not a string"), (#"{"items":{}}"#, "items is not an array"),
      ("{}", "items is missing"), (#"{"items":null}"#, "items is null"),
    ] {
      let error = #expect(throws: (any Error).self) {
        try JSON.decode(IngestBody.self, from: Array(body.utf8))
      }
      #expect(error.map(JSON.explanation) == expected)
    }
  }

  @Test("a refusal without words of its own has those of its code")
  func bareRefusal() {
    let problem = Problem(Refusal.unknownCredit)
    #expect(problem.code == .unknownCredit && problem.detail == problem.title)
  }

  @Test("a problem is told in one line, its title once")
  func problemText() {
    let problem = Problem(.storeUnreachable, .same("start it"))
    #expect("\(problem)" == "the sandbox store cannot be reached: start it")
    #expect("\(Problem(.notFound))" == "there is nothing at this path")
  }

  @Test("any JSON goes there and back")
  func document() throws {
    let text = #"{"a":[1,-2.5,true,false,null,"é\n"],"b":{},"c":9007199254740993}"#
    #expect(
      String(decoding: JSON.encode(try JSON.decode(JSONValue.self, from: Array(text.utf8))), as: UTF8.self)
        == text)
  }
}
