import PeerSyncCore
import Testing

extension SeededGenerator {
  mutating func keyText() -> String {
    pick(["", "0", "random-owls", "com.example.owl", "e\u{301}", "\u{e9}", "2000000123456789", "日本"])
      + (chance(20) ? String(repeating: "x", count: pick(0...200)) : "")
  }

  mutating func device() -> DeviceID { DeviceID(high: UInt64(pick(0...2)), low: chance(2) ? next() : 0) }

  mutating func replica() -> ReplicaID { ReplicaID(high: UInt64(pick(0...2)), low: chance(2) ? next() : 0) }

  private mutating func creditSpend() -> RegisterKey {
    .creditSpend(
      credit: keyText(), replica: replica(), slot: UInt16(pick(0...Int(Limits.rememberedSpends) - 1)))
  }

  mutating func item() -> StoreItemID { StoreItemID(high: next(), low: next()) }

  mutating func key() -> RegisterKey {
    let environment = pick(Environment.allCases)
    switch pick(0...9) {
    case 0:
      let device = environment == .xcode ? device() : nil
      return .transaction(
        environment: environment, bundleId: keyText(), transactionId: keyText(), device: device, item: item())
    case 1:
      let device = environment == .xcode ? device() : nil
      return .renewalInfo(
        environment: environment, bundleId: keyText(), originalTransactionId: keyText(), device: device,
        item: item())
    case 2: return .expiration(line: keyText())
    case 3: return .grant(entitlement: keyText(), id: keyText())
    case 4: return .product(id: keyText())
    case 5: return chance(2) ? .creditRow(credit: keyText(), replica: replica()) : creditSpend()
    case 6:
      let (credit, one, other) = (keyText(), replica(), replica())
      return pick([
        .creditTransfer(credit: credit, from: one, to: other),
        .creditTaking(credit: credit, from: one, by: other),
        .creditLost(credit: credit, from: one, by: other),
        .creditSpendAgain(credit: credit, life: one, spend: SpendID(high: next(), low: next()), by: other),
        .creditTransferAgain(credit: credit, from: one, to: replica(), by: other),
        .creditRowAgain(credit: credit, life: one, by: other),
        .creditTakingAgain(
          credit: credit, taken: CreditTaking(from: one, by: replica(), isLost: chance(2)), by: other),
      ])
    case 7: return .storePart(StorePartID(high: next(), low: next()))
    case 8: return .deviceName
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

  /// The name of an item is the end of its key: that is where it is compared.
  @Test func theItemIsTheEndOfTheKey() throws {
    let item = StoreItemID(high: 0x0102_0304_0506_0708, low: 0x1112_1314_1516_1718)
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]
    let device = DeviceID(high: 5, low: 6)
    for environment in Environment.allCases {
      let transaction = RegisterKey.transaction(
        environment: environment, bundleId: "b", transactionId: "0", device: device, item: item)
      let renewal = RegisterKey.renewalInfo(
        environment: environment, bundleId: "b", originalTransactionId: "0", device: device, item: item)
      for key in [transaction, renewal] {
        #expect(key.encoded.suffix(16) == bytes[...])
        #expect(StoreSubject(key)?.key(item) == key)
      }
      #expect(StoreSubject(transaction) != StoreSubject(renewal))
    }
    #expect(StoreSubject(.product(id: "b")) == nil)
    #expect(RegisterKey.storePart(StorePartID(high: item.high, low: item.low)).encoded == [9] + bytes)
  }

  /// SHA-256 of "PeerSync item", the stamp and the value; computed with another program.
  @Test func theNameOfAnItemIsAHash() {
    let item = StoreItemID(of: [0x11, 0x22], stamp: Stamp(rawValue: 0x0102_0304_0506_0708), .openSSL)
    #expect(item.description == "7e1dfd567a8b2c7c330443a91ab3437c")
  }

  /// Whoever may write a register of a credit stands in its key, in one place.
  @Test func authorsOfCreditsStandInTheKeys() {
    let (one, other) = (ReplicaID(high: 1, low: 2), ReplicaID(high: 3, low: 4))
    let keys: [RegisterKey] = [
      .creditRow(credit: "c", replica: one), .creditTransfer(credit: "c", from: one, to: other),
      .creditTaking(credit: "c", from: other, by: one),
      .creditSpend(credit: "c", replica: one, slot: Limits.rememberedSpends - 1),
      .creditSpendAgain(credit: "c", life: other, spend: SpendID(high: 1, low: 2), by: one),
      .creditTransferAgain(credit: "c", from: other, to: other, by: one),
      .creditRowAgain(credit: "c", life: other, by: one),
      .creditTakingAgain(
        credit: "c", taken: CreditTaking(from: other, by: other, isLost: false), by: one),
    ]
    for key in keys { #expect(key.encoded.withUnsafeBytes { RegisterKey.creditAuthor(of: $0) } == one) }
    #expect(Set(keys).count == keys.count)
    for bytes: [UInt8] in [
      [], [6], [6, 0], [6, 0, 5, 1], [6, 0, 0, 1, 2], [8, 0, 0] + [UInt8](repeating: 1, count: 16),
    ] {
      #expect(bytes.withUnsafeBytes { RegisterKey.creditAuthor(of: $0) } == nil)
    }
    let beyond = RegisterKey.creditSpend(credit: "c", replica: one, slot: Limits.rememberedSpends)
    #expect(throws: WireError.beyondLimit) { try RegisterKey(decoding: beyond.encoded[...]) }
  }

  @Test func textsAreComparedByTheirBytes() {
    #expect(RegisterKey.product(id: "e\u{301}") != RegisterKey.product(id: "\u{e9}"))
    #expect(RegisterKey.product(id: "b") > RegisterKey.product(id: "a"))
  }

  @Test func A3_onlyXcodeKeysNameTheDevice() {
    let device = DeviceID(high: 1, low: 2)
    let item = StoreItemID(high: 3, low: 4)
    func key(_ environment: Environment, _ device: DeviceID?) -> RegisterKey {
      .transaction(environment: environment, bundleId: "b", transactionId: "0", device: device, item: item)
    }
    #expect(key(.sandbox, device) == key(.sandbox, nil))
    #expect(key(.xcode, device) != key(.xcode, nil))
  }
}
