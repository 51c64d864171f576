import PeerSyncCore
import Testing

@Suite struct IdentifierTests {
  private let id = DeviceID(high: 0x0123_4567_89ab_cdef, low: 7)
  private let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  @Test func hexadecimalRoundTrip() {
    let replica = ReplicaID(high: 0x0123_4567_89ab_cdef, low: 7)
    #expect(replica.description == "0123456789abcdef0000000000000007")
    #expect(ReplicaID(replica.description) == replica)
    #expect(ReplicaID("+123456789abcdef0000000000000007") == nil)
    #expect(ReplicaID("short") == nil)
    #expect(GroupID(high: 1, low: 2).description == "00000000000000010000000000000002")
  }

  @Test func aDeviceIsFourGroupsOfSeven() {
    #expect(DeviceID(high: 0, low: 0).description == "0000000-0000000-0000000-0000000")
    #expect(DeviceID(high: 0, low: 1).description == "0000000-0000000-0000000-0000101")
    #expect(DeviceID(high: 0, low: 1021).description == "0000000-0000000-0000000-000ZX00")
    #expect(DeviceID(high: .max, low: .max).description == "7ZZZZZZ-ZZZZZZZ-ZZZZZZZ-ZZZZZM5")
    #expect(id.shortForm == "014D2PF")
    #expect(id.description.hasPrefix(id.shortForm + "-"))
  }

  @Test func whatPeopleTypeIsRead() {
    let text = id.description
    #expect(DeviceID(text.lowercased()) == id)
    #expect(DeviceID(text.filter { $0 != "-" }) == id)
    #expect(DeviceID(" " + text.replacing("-", with: " ") + "  ") == id)
    #expect(DeviceID(text.replacing("0", with: "o").replacing("1", with: "l")) == id)
    #expect(DeviceID(text.replacing("0", with: "O").replacing("1", with: "I")) == id)
  }

  @Test func nothingElseIsRead() {
    let text = id.description
    for wrong in [
      "", "014D2PF", text + "0", String(text.dropLast()), text.replacing("P", with: "U"), "é" + text,
    ] {
      #expect(DeviceID(wrong) == nil, "\(wrong)")
    }
    // 2^128 and its check: one beyond the greatest.
    #expect(DeviceID("8000000-0000000-0000000-00000" + "M6") == nil)
    #expect(DeviceID(hexadecimal(id.high) + hexadecimal(id.low)) == nil)
  }

  @Test func everyTextComesBack() {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<300 {
        let id = DeviceID(high: random.number(), low: random.number())
        #expect(DeviceID(id.description) == id, "PEERSYNC_SEED=\(seed)")
      }
    }
  }

  @Test func everyWrongCharacterAndEveryTranspositionIsFound() {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<4 {
        let text = Array(DeviceID(high: random.next(), low: random.number()).description.filter { $0 != "-" })
        let accepted = mistakes(in: text).filter { DeviceID(String($0)) != nil }
        #expect(accepted.isEmpty, "PEERSYNC_SEED=\(seed): \(String(text)) and \(accepted.map { String($0) })")
      }
    }
  }

  private func mistakes(in text: [Character]) -> [[Character]] {
    var mistakes: [[Character]] = []
    for index in text.indices {
      for character in characters where character != text[index] {
        mistakes.append(text)
        mistakes[mistakes.count - 1][index] = character
      }
      for other in text.indices where text[other] != text[index] {
        mistakes.append(text)
        mistakes[mistakes.count - 1].swapAt(index, other)
      }
    }
    return mistakes
  }

  @Test func recoveryCodesComeBackAndFindMistakes() throws {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for round in 0..<2 {
        let code = try #require(
          RecoveryCode(seed: round == 0 ? Array(repeating: 255, count: 32) : random.bytes(32)))
        #expect(code.text.split(separator: "-").map(\.count) == Array(repeating: 7, count: 8))
        #expect(RecoveryCode(code.text.lowercased().replacing("-", with: " ")) == code)
        let accepted = mistakes(in: Array(code.text.filter { $0 != "-" })).filter {
          RecoveryCode(String($0)) != nil
        }
        #expect(accepted.isEmpty, "PEERSYNC_SEED=\(seed): \(code.text)")
      }
    }
    #expect(RecoveryCode(seed: []) == nil)
    #expect(RecoveryCode("") == nil)
  }
}
