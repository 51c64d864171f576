import PeerSync
import Testing

@Suite struct InvitationCodeTests {
  @Test("a code may be typed in any case, in groups, and with the letters that look like digits")
  func typing() throws {
    let code = try #require(InvitationCode("A1B0-CDEF-GHJK"))
    for text in ["A1B0CDEFGHJK", "a1b0cdefghjk", " a1 b0-cd ef ghjk-", "AIBOCDEFGHJK", "alboCDEFGHJK"] {
      #expect(InvitationCode(text) == code, "\(text)")
    }
    #expect(code.letters == "A1B0CDEFGHJK" && code.description == "A1B0-CDEF-GHJK")
    for text in ["", "A1B0CDEFGHJ", "A1B0CDEFGHJKM", "A1B0CDEFGHJU", "A1B0_CDEFGHJ", "A1B0CDEFGHJ\u{c4}"] {
      #expect(InvitationCode(text) == nil, "\(text)")
    }
  }

  @Test("codes differ, use every letter, and read back")
  func generation() {
    var random = SeededGenerator(seed: 3)
    let codes = (0..<200).map { _ in InvitationCode(using: &random) }
    #expect(Set(codes).count == 200)
    #expect(Set(codes.flatMap(\.letters)).count == 32)
    for code in codes { #expect(InvitationCode(code.description) == code) }
  }

  @Test("stretching is scrypt, and each letter counts")
  func stretching() throws {
    let code = try #require(InvitationCode("ABCDEFGHJKMN"))
    let near = try #require(InvitationCode("ABCDEFGHJKMP"))
    #expect(try InvitationKey(stretching: code) == InvitationKey(stretching: code))
    #expect(try InvitationKey(stretching: code) != InvitationKey(stretching: near))
  }
}
