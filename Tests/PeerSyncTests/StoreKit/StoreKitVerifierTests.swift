import Foundation
import PeerSync
import Testing

@Suite struct StoreKitVerifierTests {
  @Test func aPurchaseOfTheSandboxStoreVerifies() throws {
    let shop = try StoreShop()
    var expected = StoreShop.purchase
    expected.verification = .simulated
    let jws = try JWS(shop.store.sign(StoreShop.purchase).text)
    #expect(try shop.verifier.verify(jws, trusting: shop.roots) == .transaction(expected))
  }

  @Test func aRootCountsOnlyWhereItIsTrustedAndNeverInProduction() throws {
    let shop = try StoreShop()
    #expect(shop.rejection(try shop.store.sign(StoreShop.purchase), trusting: []) == .untrustedRoot)
    var production = StoreShop.purchase
    production.environment = .production
    #expect(shop.rejection(try shop.store.sign(production)) == .untrustedRoot)
    // The root that stands in for Apple's counts everywhere, and as Apple's.
    let apple = StoreKitVerifier(appleRoots: [shop.store.rootHash]).verifier
    production.verification = .verified
    #expect(try apple.verify(shop.store.sign(production), trusting: []) == .transaction(production))
  }

  /// Why an item is refused where it has to be of one environment.
  private func rejection(_ jws: JWS, _ shop: StoreShop, in environment: Environment) -> JWSRejection? {
    do throws(JWSRejection) {
      _ = try shop.verifier.verifyAll(
        jws, environment: environment, bundleId: Shop.bundleId, trusting: shop.roots)
      return nil
    } catch { return error }
  }

  @Test(
    "what Xcode signs is refused for that, where it is of the environment; its dates may have fractions",
    arguments: ["1767225600000", "1767225600000.4931"])
  func xcodes(date: String) throws {
    let shop = try StoreShop()
    let certificate = Data(shop.store.root).base64EncodedString()
    let header = #"{"alg":"ES256","kid":"Apple_Xcode_Key","typ":"JWT","x5c":["\#(certificate)"]}"#
    let payload = """
      {"transactionId":"0","originalTransactionId":"0","bundleId":"\(Shop.bundleId)","productId":"owl",\
      "purchaseDate":\(date),"signedDate":\(date),"environment":"Xcode"}
      """
    let jws = JWS(
      header: Array(header.utf8), payload: Array(payload.utf8), signature: [UInt8](repeating: 1, count: 64))
    #expect(rejection(jws, shop, in: .xcode) == .signedByXcode)
    #expect(shop.rejection(jws) == .signedByXcode)
    for other in [Environment.sandbox, .production] {
      #expect(rejection(jws, shop, in: other) == .otherEnvironment)
    }
  }

  @Test("an item of another environment is refused for that, whoever has signed it")
  func otherEnvironments() throws {
    let shop = try StoreShop()
    for (stated, asked) in [
      (Environment.production, Environment.sandbox), (.sandbox, .production), (.sandbox, .xcode),
      (.xcode, .sandbox),
    ] {
      var purchase = StoreShop.purchase
      purchase.environment = stated
      let good = try shop.store.sign(purchase)
      let forged = JWS(
        header: good.header, payload: good.payload, signature: [UInt8](repeating: 1, count: 64))
      let stranger = try StoreShop().store.sign(purchase)
      for jws in [good, forged, stranger] { #expect(rejection(jws, shop, in: asked) == .otherEnvironment) }
    }
    // Of the right one, what is wrong with it is said.
    let stranger = try StoreShop().store.sign(StoreShop.purchase)
    #expect(rejection(stranger, shop, in: .sandbox) == .untrustedRoot)
    #expect(rejection(try shop.store.sign(StoreShop.purchase), shop, in: .sandbox) == nil)
    let notification = """
      {"notificationType":"TEST","notificationUUID":"u","signedDate":2,\
      "data":{"bundleId":"b","environment":"Production"}}
      """
    #expect(
      rejection(try StoreShop().store.sign(Array(notification.utf8)), shop, in: .sandbox) == .otherEnvironment
    )
  }

  @Test func anyBitOfTheSignatureCounts() throws {
    let shop = try StoreShop()
    let good = try shop.store.sign(StoreShop.purchase)
    for byte in 0..<64 {
      var signature = good.signature
      signature[byte] ^= 1 << UInt8(byte % 8)
      let bad = JWS(header: good.header, payload: good.payload, signature: signature)
      #expect(shop.rejection(bad) == .badSignature)
      #expect(shop.rejection(bad) == .badSignature, "remembered")
    }
    #expect(
      shop.rejection(
        JWS(header: good.header, payload: good.payload, signature: [UInt8](repeating: 0, count: 64)))
        == .badSignature)
    var payload = StoreShop.purchase
    payload.quantity = 9
    #expect(
      shop.rejection(JWS(header: good.header, payload: payload.payload, signature: good.signature))
        == .badSignature)
    #expect(shop.rejection(good) == nil)
  }

  @Test func theTextHasOneForm() throws {
    let shop = try StoreShop()
    let text = try String(decoding: shop.store.sign(StoreShop.purchase).text, as: UTF8.self)
    let wrong = [
      text + "=", text + "\n", " " + text, text + ".", text.replacing(".", with: ".."), "..", "",
      text.replacing(".", with: ".="), "\u{feff}" + text, String(text.dropLast()), text + "AA",
    ]
    for text in wrong { #expect(throws: JWSRejection.self) { try JWS(Array(text.utf8)) } }
    #expect(throws: JWSRejection.tooLong) {
      try JWS(Array(String(repeating: "A", count: Limits.jwsBytes + 1).utf8))
    }
    // The last character of a signature holds four spare bits.
    let bytes = Array(text.utf8)
    for digit in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    where digit != bytes.last {
      let other = try? JWS(bytes.dropLast() + [digit])
      #expect(other == nil || other?.text == bytes.dropLast() + [digit])
    }
  }

  @Test func theHeaderIsReadStrictly() throws {
    let shop = try StoreShop()
    let good = try shop.store.sign(StoreShop.purchase)
    let header = String(decoding: good.header, as: UTF8.self)
    func rejection(_ change: (String) -> String) -> JWSRejection? {
      let changed = JWS(header: Array(change(header).utf8), payload: good.payload, signature: good.signature)
      return shop.rejection(changed)
    }
    #expect(rejection { $0.replacing("ES256", with: "none") } == .wrongAlgorithm)
    #expect(rejection { $0.replacing("\"alg\":\"ES256\",", with: "") } == .wrongAlgorithm)
    #expect(
      rejection { $0.replacing("{\"alg\"", with: "{\"crit\":[\"x\"],\"alg\"") } == .unknownExtension("crit"))
    #expect(
      rejection { $0.replacing("{\"alg\"", with: "{\"b64\":false,\"alg\"") } == .unknownExtension("b64"))
    #expect(rejection { $0.replacing("{\"alg\"", with: "{\"alg\":\"ES256\",\"alg\"") }?.isJSON == true)
    #expect(rejection { "\u{feff}" + $0 }?.isJSON == true)
    #expect(rejection { "[" + $0 + "]" }?.isJSON == true)
    #expect(rejection { $0.replacing("]}", with: ",\"AA==\"]}") } == .wrongChainLength)
    #expect(rejection { $0.replacing("[\"", with: "[7,\"") } == .wrongChainLength)
    #expect(rejection { $0.replacing("x5c", with: "x5C") } == .wrongChainLength)
    #expect(rejection { $0.replacing("[\"", with: "[\" ") } == .notCertificate(.leaf))
    #expect(rejection { $0.replacing("\"]}", with: "AAAA\"]}") } == .notCertificate(.root))
    // An unknown field is no harm, but the text that was signed is another.
    #expect(rejection { $0.replacing("{\"alg\"", with: "{\"typ\":\"JWT\",\"alg\"") } == .badSignature)
  }

  @Test func theChainIsAPathOfTheStore() throws {
    #expect(try StoreShop.rejection { _, _ in } == nil)
    #expect(
      try StoreShop.rejection { draft, place in if place == .leaf { draft.marker = nil } }
        == .missingMarker(.leaf))
    #expect(
      try StoreShop.rejection { draft, place in if place == .intermediate { draft.marker = nil } }
        == .missingMarker(.intermediate))
    #expect(
      try StoreShop.rejection { draft, place in
        if place == .leaf { draft.extensions[0].value = "critical,CA:TRUE" }
      } == .leafIsAuthority)
    let long = try SandboxStore(SandboxChain.generate { $1 == .leaf ? $0.curve = "P-384" : () })
    let signed = JWS(
      header: long.header, payload: StoreShop.purchase.payload, signature: [UInt8](repeating: 1, count: 64))
    #expect(try StoreShop(long).rejection(signed) == .wrongKey)
    #expect(
      try StoreShop.rejection { draft, place in
        if place == .intermediate { draft.extensions[0].value = "critical,CA:FALSE" }
      }?.isPath == true)
    #expect(
      try StoreShop.rejection { draft, place in
        if place == .intermediate { draft.extensions[1].value = "critical,digitalSignature" }
      }?.isPath == true)
    // Strict: a leaf that names no key of its issuer.
    #expect(
      try StoreShop.rejection { draft, place in if place == .leaf { draft.extensions.removeLast() } }?.isPath
        == true)
  }

  @Test func theChainIsCheckedAtTheTimeOfSigning() throws {
    for flawed in [JWSRejection.Place.leaf, .intermediate, .root] {
      let chain = try SandboxChain.generate { draft, place in
        guard place == flawed else { return }
        draft.notBefore = "20260101000000Z"
        draft.notAfter = "20260201000000Z"
      }
      let shop = try StoreShop(SandboxStore(chain))
      func rejection(at date: String) throws -> JWSRejection? {
        var purchase = StoreShop.purchase
        purchase.signedDate = instant(date)
        return shop.rejection(try shop.store.sign(purchase))
      }
      #expect(try rejection(at: "2025-12-31T23:59:59.999Z")?.isPath == true)
      // Then remembered, and looked at again for every other time.
      #expect(try rejection(at: "2026-01-01") == nil)
      #expect(try rejection(at: "2026-01-31T23:59:59Z") == nil)
      #expect(try rejection(at: "2026-02-01")?.isPath == true)
      #expect(try rejection(at: "2025-12-31T23:59:59.999Z")?.isPath == true)
    }
  }

  @Test func certificatesOfTwoChainsDoNotMix() throws {
    let (first, second) = (try SandboxChain.generate(), try SandboxChain.generate())
    let (mine, theirs) = (try first.encodedCertificates, try second.encodedCertificates)
    for mix in [
      [mine[0], theirs[1], mine[2]], [mine[0], mine[1], theirs[2]], [mine[0], mine[2], mine[1]],
      [mine[0], mine[1], mine[1]],
    ] {
      let store = try SandboxStore(first, showing: mix)
      let shop = try StoreShop(store)
      let roots = Set((mine + theirs).map { Cryptography.openSSL.hash(of: $0) })
      #expect(shop.rejection(try store.sign(StoreShop.purchase), trusting: roots) != nil)
    }
  }

  @Test func theStoreOfADirectoryStaysAndIsPrivate() throws {
    let directory = try TemporaryDirectory()
    let first = try SandboxStore.open(directory.path + "/store")
    let again = try SandboxStore.open(directory.path + "/store")
    #expect(first.rootHash == again.rootHash)
    let shop = try StoreShop(first)
    #expect(shop.rejection(try again.sign(StoreShop.purchase)) == nil)
    for name in ["leaf.pem", "intermediate.pem", "root.pem", "key.pem"] {
      try FileSystem.requirePrivate(directory.path + "/store/" + name)
    }
  }
}

extension JWSRejection {
  var isPath: Bool { if case .invalidPath = self { true } else { false } }
  var isJSON: Bool { if case .notJSON = self { true } else { false } }
}
