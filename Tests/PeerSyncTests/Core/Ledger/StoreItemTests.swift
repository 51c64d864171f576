import PeerSyncCore
import Testing

/// Payloads as Apple writes them.
private enum Apple {
  static func consumable(_ number: Int, withDeviceVerification: Bool) -> [UInt8] {
    let purchase = 1_700_000_000_000 + number * 987_654
    let verification =
      withDeviceVerification
      ? """
      "deviceVerification":"\(base64(number))","deviceVerificationNonce":"48c8b92d-ce0d-4229-bedf-\
      \(String(hexadecimal(UInt64(number)).suffix(12)))",
      """ : ""
    return Array(
      """
      {"transactionId":"\(2_000_000_123_456_789 + number)","originalTransactionId":"\(2_000_000_123_456_789 + number)",\
      "bundleId":"com.example.insomnio","productId":"com.example.RandomOwls","purchaseDate":\(purchase),\
      "originalPurchaseDate":\(purchase),"quantity":1,"type":"Consumable",\(verification)\
      "inAppOwnershipType":"PURCHASED","signedDate":\(purchase + 1_234 + number % 900),"environment":"Sandbox",\
      "transactionReason":"PURCHASE","storefront":"USA","storefrontId":"143441","price":4990,"currency":"USD",\
      "appTransactionId":"704289572311513293"}
      """.utf8)
  }

  private static func base64(_ number: Int) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return String((0..<64).map { digits[($0 * 7 + number) % 64] })
  }
}

@Suite struct StoreItemTests {
  private static let header = [UInt8](repeating: UInt8(ascii: "h"), count: 4_000)

  private func jws(_ payload: [UInt8]) -> JWS {
    JWS(header: Self.header, payload: payload, signature: (0..<64).map { UInt8($0) })
  }

  private func unpack(_ packed: PackedItem, id: String, stamp: Stamp) -> StoreItem.Unpacked {
    var parts: [StorePartID: StorePart] = [:]
    for bytes in packed.parts {
      parts[StorePart.id(of: bytes, .simulated)] = try? StorePart(decoding: bytes)
    }
    return packed.item.unpacked(id: id, stamp: stamp) { parts[$0] }
  }

  @Test func aPurchaseTakesAtMost226BytesOnTheWireInBulk() throws {
    for withDeviceVerification in [false, true] {
      var batch = WriteBatch()
      var parts: Set<[UInt8]> = []
      var verbatim = 0
      let count = 1_000
      for number in 0..<count {
        let payload = Apple.consumable(number, withDeviceVerification: withDeviceVerification)
        guard case .transaction(let transaction) = try StorePayload(payload) else { continue }
        let (id, stamp) = (transaction.transactionId, Stamp(transaction.signedDate))
        let packed = StoreItem.pack(jws(payload), id: id, stamp: stamp, .simulated)
        #expect(unpack(packed, id: id, stamp: stamp) == .signature(jws(payload)))
        let value = packed.item.encoded(.standing)
        let key = StoreSubject(transaction, device: nil).key(of: value, stamp: stamp, .simulated)
        let dot = Dot(replica: ReplicaID(high: 1, low: 1), sequence: UInt64(20_000 + number))
        batch.append(Write(key: key.encoded, stamp: stamp, value: value, dot: dot))
        parts.formUnion(packed.parts)
        verbatim += jws(payload).text.count
      }
      let bytes = Double(batch.bytes.count) / Double(count)
      print(
        "a purchase\(withDeviceVerification ? " with device verification" : ""): \(bytes) bytes on the wire")
      print("  verbatim \(verbatim / count), shared \(parts.map(\.count).sorted())")
      #expect(bytes <= 226)
      #expect(parts.count == 2, "one chain and one template for all")
    }
  }

  @Test(arguments: Seeds.all) func anyPayloadComesBackByteForByte(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_500 {
      let payload = random.payload()
      let (id, stamp) = (random.chance(2) ? "2000000123456789" : "", Stamp(rawValue: random.next() >> 4))
      let packed = StoreItem.pack(jws(payload), id: id, stamp: stamp, .simulated)
      let encoded = packed.item.encoded(.revoked)
      let decoded = try? StoreItem.decode(encoded[...])
      #expect(decoded?.0 == packed.item && decoded?.1 == .revoked)
      #expect(
        unpack(packed, id: id, stamp: stamp) == .signature(jws(payload)),
        "seed \(seed): \(String(decoding: payload, as: UTF8.self))")
    }
  }

  @Test(arguments: Seeds.all) func hostileBytesNeitherTrapNorGrow(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_500 {
      let packed = StoreItem.pack(jws(random.payload()), id: "1", stamp: Stamp(rawValue: 0), .simulated)
      guard packed.parts.count == 2, case .compact(let id, let signature, var values) = packed.item else {
        continue
      }
      var template = packed.parts[1]
      for _ in 0..<random.pick(0...4) {
        template[random.pick(0...(template.count - 1))] = UInt8(random.pick(0...255))
      }
      for _ in 0..<random.pick(0...4) where !values.isEmpty {
        values[random.pick(0...(values.count - 1))] = UInt8(random.pick(0...255))
      }
      let item = StoreItem.compact(template: id, signature: signature, values: values)
      let part = try? StorePart(decoding: template)
      let unpacked = item.unpacked(id: "1", stamp: Stamp(rawValue: random.next())) {
        $0 == id ? part : .chain(Self.header)
      }
      if case .signature(let jws) = unpacked { #expect(jws.text.count <= Limits.jwsBytes) }
    }
  }

  @Test func aTemplateThatRepeatsItselfEndsAtTheLimit() throws {
    let chain = StorePartID(high: 1, low: 1)
    let long = [UInt8](repeating: 65, count: 8_000)
    var writer = ByteWriter()
    writer.write(bytes: long)
    let template = PayloadTemplate(
      chain: chain, pieces: [.any] + [PayloadTemplate.Piece](repeating: .same(0), count: 8_000))
    let item = StoreItem.compact(
      template: StorePartID(high: 2, low: 2), signature: [UInt8](repeating: 1, count: 64),
      values: writer.bytes)
    let unpacked = item.unpacked(id: "", stamp: Stamp(rawValue: 0)) {
      $0 == chain ? .chain([1]) : .template(template)
    }
    #expect(unpacked == .malformed)
    #expect(throws: WireError.beyondLimit) {
      try StorePart(decoding: [UInt8](repeating: 1, count: Limits.storePartBytes + 1))
    }
    #expect(throws: WireError.malformed) {
      try StorePart(decoding: [2] + [UInt8](repeating: 0, count: 16) + [9, 0])
    }
  }

  @Test func aPartIsNoOtherPart() {
    // A chain where a template should be, and the other way round.
    let item = StoreItem.compact(
      template: StorePartID(high: 1, low: 1), signature: [UInt8](repeating: 1, count: 64), values: [])
    #expect(item.unpacked(id: "", stamp: Stamp(rawValue: 0)) { _ in .chain([1]) } == .malformed)
    let template = StorePart.template(PayloadTemplate(chain: StorePartID(high: 1, low: 1), pieces: [.key]))
    #expect(item.unpacked(id: "1", stamp: Stamp(rawValue: 0)) { _ in template } == .malformed)
    #expect(
      item.unpacked(id: "1", stamp: Stamp(rawValue: 0)) { _ in nil } == .lacks(StorePartID(high: 1, low: 1)))
  }
}

extension SeededGenerator {
  /// Something like a payload, or not.
  fileprivate mutating func payload() -> [UInt8] {
    if chance(10) { return (0..<pick(1...300)).map { _ in UInt8(pick(0...255)) } }
    var members: [String] = []
    for _ in 0..<pick(0...25) {
      let name = ["transactionId", "signedDate", "price", "appTransactionId", "x", "a\\\"b"][pick(0...5)]
      members.append("\"\(name)\"\(chance(9) ? " : " : ":")\(value())")
    }
    return Array("{\(members.joined(separator: chance(5) ? ", " : ","))}".utf8)
  }

  private mutating func value() -> String {
    switch pick(0...11) {
    case 0: "\"2000000123456789\""
    case 1: "\(1_700_000_000_000 + pick(0...2))"
    case 2: "\(UInt64(next()))"
    case 3: "0\(pick(0...99_999_999))"
    case 4: "-\(pick(0...99_999_999)).5e7"
    case 5: "\"48C8B92D-CE0D-4229-BEDF-0000000\(pick(10_000...10_003))\""
    case 6: "\"48c8b92d-ce0d-4229-bedf-0000000\(pick(10_000...10_003))\""
    case 7: "\"48c8B92d-ce0d-4229-bedf-0000000\(pick(10_000...10_003))\""
    case 8: "\"" + String(repeating: ["A", "+", "="][pick(0...2)], count: pick(30...44)) + "\""
    case 9: "\"" + String(repeating: "é\\\"", count: pick(0...60)) + "\""
    case 10: "[1,\"00012345678901\",{\"y\":\(pick(0...9_999))}]"
    default: chance(2) ? "null" : "\"PURCHASE"
    }
  }
}
