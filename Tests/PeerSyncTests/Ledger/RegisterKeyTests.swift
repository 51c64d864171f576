import PeerSync
import Testing

extension SeededGenerator {
  mutating func keyText() -> String {
    pick(["", "0", "random-owls", "com.example.owl", "e\u{301}", "\u{e9}", "2000000123456789", "日本"])
      + (chance(20) ? String(repeating: "x", count: pick(0...200)) : "")
  }

  mutating func device() -> DeviceID { DeviceID(high: UInt64(pick(0...2)), low: chance(2) ? next() : 0) }

  mutating func key() -> RegisterKey {
    let environment = pick(Environment.allCases)
    switch pick(0...8) {
    case 0:
      let device = environment == .xcode ? device() : nil
      return .transaction(
        environment: environment, bundleId: keyText(), transactionId: keyText(), device: device)
    case 1:
      return .renewalInfo(environment: environment, bundleId: keyText(), originalTransactionId: keyText())
    case 2: return .expiration(line: keyText())
    case 3: return .grant(entitlement: keyText(), id: keyText())
    case 4: return .product(id: keyText())
    case 5: return .creditRow(credit: keyText(), device: device())
    case 6: return .creditTransfer(credit: keyText(), from: device(), to: device())
    case 7: return .member(device())
    default: return .value(key: keyText())
    }
  }
}

@Suite struct RegisterKeyTests {
  @Test(arguments: Seeds.all) func roundTripAndHostileBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let key = random.key()
      let bytes = key.encoded
      #expect(bytes.first == key.kind.rawValue)
      #expect(try RegisterKey(decoding: bytes[...]) == key)
      for length in bytes.indices {
        #expect(throws: WireError.self) { try RegisterKey(decoding: bytes[..<length]) }
      }
      #expect(throws: WireError.trailingBytes) { try RegisterKey(decoding: (bytes + [0])[...]) }
      var flipped = bytes
      flipped[random.pick(0...(bytes.count - 1))] ^= 1 << UInt8(random.pick(0...7))
      // Whatever still decodes is the key of exactly these bytes.
      if let other = try? RegisterKey(decoding: flipped[...]) { #expect(other.encoded == flipped) }
    }
  }

  @Test func absurdLengthsAreRefused() {
    for bytes: [UInt8] in [
      [], [0], [9], [3, 0xff, 0xff, 0xff, 0xff, 0x0f], [5, 0x80, 0x00], [1, 4, 0, 0], [6, 2, 0],
    ] {
      #expect(throws: WireError.self) { try RegisterKey(decoding: bytes[...]) }
    }
    let long = String(repeating: "x", count: 256)
    #expect(!RegisterKey.product(id: long).isWithinLimits)
    #expect(RegisterKey.product(id: String(long.dropLast())).isWithinLimits)
    let both = String(repeating: "x", count: 255)
    #expect(!RegisterKey.grant(entitlement: both, id: both).isWithinLimits)
  }

  @Test func textsAreComparedByTheirBytes() {
    #expect(RegisterKey.product(id: "e\u{301}") != RegisterKey.product(id: "\u{e9}"))
    #expect(RegisterKey.product(id: "b") > RegisterKey.product(id: "a"))
  }

  @Test func A3_onlyXcodeKeysNameTheDevice() {
    let device = DeviceID(high: 1, low: 2)
    func key(_ environment: Environment, _ device: DeviceID?) -> RegisterKey {
      .transaction(environment: environment, bundleId: "b", transactionId: "0", device: device)
    }
    #expect(key(.sandbox, device) == key(.sandbox, nil))
    #expect(key(.xcode, device) != key(.xcode, nil))
    #expect(Environment(name: "LocalTesting") == .xcode)
    #expect(Environment(name: "Production") == .production)
    #expect(Environment(name: "moon") == nil)
  }
}
