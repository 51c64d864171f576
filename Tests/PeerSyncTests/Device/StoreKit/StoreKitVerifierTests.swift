import Foundation
import PeerSync
import Testing

@Suite struct StoreKitVerifierTests {
  @Test func aPurchaseOfTheSandboxStoreVerifies() throws {
    let sandboxStore = try SigningFixture()
    var expected = SigningFixture.purchase
    expected.verification = .simulated
    let jws = try JWS(sandboxStore.store.sign(SigningFixture.purchase).text)
    #expect(try sandboxStore.verifier.verify(jws, trusting: sandboxStore.roots) == .transaction(expected))
  }

  @Test func aRootCountsOnlyWhereItIsTrustedAndNeverInProduction() throws {
    let sandboxStore = try SigningFixture()
    #expect(
      sandboxStore.rejection(try sandboxStore.store.sign(SigningFixture.purchase), trusting: [])
        == .untrustedRoot)
    var production = SigningFixture.purchase
    production.environment = .production
    #expect(sandboxStore.rejection(try sandboxStore.store.sign(production)) == .untrustedRoot)
    // The root that stands in for Apple's counts everywhere, and as Apple's.
    let apple = StoreKitVerifier(appleRoots: [sandboxStore.store.rootHash]).verifier
    production.verification = .verified
    #expect(try apple.verify(sandboxStore.store.sign(production), trusting: []) == .transaction(production))
  }

  /// Why an item is refused where it has to be of one environment.
  private func rejection(_ jws: JWS, _ sandboxStore: SigningFixture, in environment: Environment)
    -> JWSRejection?
  {
    do throws(JWSRejection) {
      _ = try sandboxStore.verifier.verifyAll(
        jws, environment: environment, bundleId: Fixtures.bundleId, trusting: sandboxStore.roots)
      return nil
    } catch { return error }
  }

  @Test(
    "what Xcode signs is refused for that, where it is of the environment; its dates may have fractions",
    arguments: ["1767225600000", "1767225600000.4931"])
  func xcodes(date: String) throws {
    let sandboxStore = try SigningFixture()
    let certificate = Data(sandboxStore.store.root).base64EncodedString()
    let header = #"{"alg":"ES256","kid":"Apple_Xcode_Key","typ":"JWT","x5c":["\#(certificate)"]}"#
    let payload = """
      {"transactionId":"0","originalTransactionId":"0","bundleId":"\(Fixtures.bundleId)","productId":"owl",\
      "purchaseDate":\(date),"signedDate":\(date),"environment":"Xcode"}
      """
    let jws = JWS(
      header: Array(header.utf8), payload: Array(payload.utf8), signature: [UInt8](repeating: 1, count: 64))
    #expect(rejection(jws, sandboxStore, in: .xcode) == .signedByXcode)
    #expect(sandboxStore.rejection(jws) == .signedByXcode)
    for other in [Environment.sandbox, .production] {
      #expect(rejection(jws, sandboxStore, in: other) == .otherEnvironment)
    }
  }

  @Test("an item of another environment is refused for that, whoever has signed it")
  func otherEnvironments() throws {
    let sandboxStore = try SigningFixture()
    for (stated, asked) in [
      (Environment.production, Environment.sandbox), (.sandbox, .production), (.sandbox, .xcode),
      (.xcode, .sandbox),
    ] {
      var purchase = SigningFixture.purchase
      purchase.environment = stated
      let good = try sandboxStore.store.sign(purchase)
      let forged = JWS(
        header: good.header, payload: good.payload, signature: [UInt8](repeating: 1, count: 64))
      let stranger = try SigningFixture().store.sign(purchase)
      for jws in [good, forged, stranger] {
        #expect(rejection(jws, sandboxStore, in: asked) == .otherEnvironment)
      }
    }
    // Of the right one, what is wrong with it is said.
    let stranger = try SigningFixture().store.sign(SigningFixture.purchase)
    #expect(rejection(stranger, sandboxStore, in: .sandbox) == .untrustedRoot)
    #expect(
      rejection(try sandboxStore.store.sign(SigningFixture.purchase), sandboxStore, in: .sandbox) == nil)
    let notification = """
      {"notificationType":"TEST","notificationUUID":"u","signedDate":2,\
      "data":{"bundleId":"b","environment":"Production"}}
      """
    #expect(
      rejection(try SigningFixture().store.sign(Array(notification.utf8)), sandboxStore, in: .sandbox)
        == .otherEnvironment
    )
  }

  @Test func anyBitOfTheSignatureCounts() throws {
    let sandboxStore = try SigningFixture()
    let good = try sandboxStore.store.sign(SigningFixture.purchase)
    for byte in 0..<64 {
      var signature = good.signature
      signature[byte] ^= 1 << UInt8(byte % 8)
      let bad = JWS(header: good.header, payload: good.payload, signature: signature)
      #expect(sandboxStore.rejection(bad) == .badSignature)
      #expect(sandboxStore.rejection(bad) == .badSignature, "remembered")
    }
    #expect(
      sandboxStore.rejection(
        JWS(header: good.header, payload: good.payload, signature: [UInt8](repeating: 0, count: 64)))
        == .badSignature)
    var payload = SigningFixture.purchase
    payload.quantity = 9
    #expect(
      sandboxStore.rejection(JWS(header: good.header, payload: payload.payload, signature: good.signature))
        == .badSignature)
    #expect(sandboxStore.rejection(good) == nil)
  }

  @Test func theTextHasOneForm() throws {
    let sandboxStore = try SigningFixture()
    let text = try String(decoding: sandboxStore.store.sign(SigningFixture.purchase).text, as: UTF8.self)
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
    let sandboxStore = try SigningFixture()
    let good = try sandboxStore.store.sign(SigningFixture.purchase)
    let header = String(decoding: good.header, as: UTF8.self)
    func rejection(_ change: (String) -> String) -> JWSRejection? {
      let changed = JWS(header: Array(change(header).utf8), payload: good.payload, signature: good.signature)
      return sandboxStore.rejection(changed)
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
    #expect(try SigningFixture.rejection { _, _ in } == nil)
    #expect(
      try SigningFixture.rejection { draft, place in if place == .leaf { draft.marker = nil } }
        == .missingMarker(.leaf))
    #expect(
      try SigningFixture.rejection { draft, place in if place == .intermediate { draft.marker = nil } }
        == .missingMarker(.intermediate))
    #expect(
      try SigningFixture.rejection { draft, place in
        if place == .leaf { draft.extensions[0].value = "critical,CA:TRUE" }
      } == .leafIsAuthority)
    let long = try SandboxSigner(SandboxChain.generate { $1 == .leaf ? $0.curve = "P-384" : () })
    let signed = JWS(
      header: long.header, payload: SigningFixture.purchase.payload,
      signature: [UInt8](repeating: 1, count: 64))
    #expect(try SigningFixture(long).rejection(signed) == .wrongKey)
    #expect(
      try SigningFixture.rejection { draft, place in
        if place == .intermediate { draft.extensions[0].value = "critical,CA:FALSE" }
      }?.isPath == true)
    #expect(
      try SigningFixture.rejection { draft, place in
        if place == .intermediate { draft.extensions[1].value = "critical,digitalSignature" }
      }?.isPath == true)
    // Strict: a leaf that names no key of its issuer.
    #expect(
      try SigningFixture.rejection { draft, place in if place == .leaf { draft.extensions.removeLast() } }?
        .isPath
        == true)
  }

  @Test func theChainIsCheckedAtTheTimeOfSigning() throws {
    for flawed in [JWSRejection.Place.leaf, .intermediate, .root] {
      let chain = try SandboxChain.generate { draft, place in
        guard place == flawed else { return }
        draft.notBefore = "20260101000000Z"
        draft.notAfter = "20260201000000Z"
      }
      let sandboxStore = try SigningFixture(SandboxSigner(chain))
      func rejection(at date: String) throws -> JWSRejection? {
        var purchase = SigningFixture.purchase
        purchase.signedDate = instant(date)
        return sandboxStore.rejection(try sandboxStore.store.sign(purchase))
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
      let store = try SandboxSigner(first, showing: mix)
      let sandboxStore = try SigningFixture(store)
      let roots = Set((mine + theirs).map { Cryptography.openSSL.hash(of: $0) })
      #expect(sandboxStore.rejection(try store.sign(SigningFixture.purchase), trusting: roots) != nil)
    }
  }

  @Test func theStoreOfADirectoryStaysAndIsPrivate() throws {
    let directory = try TemporaryDirectory()
    let first = try SandboxSigner.open(directory.path + "/store")
    let again = try SandboxSigner.open(directory.path + "/store")
    #expect(first.rootHash == again.rootHash)
    let sandboxStore = try SigningFixture(first)
    #expect(sandboxStore.rejection(try again.sign(SigningFixture.purchase)) == nil)
    for name in ["leaf.pem", "intermediate.pem", "root.pem", "key.pem"] {
      try FileSystem.requirePrivate(directory.path + "/store/" + name)
    }
  }

  /// Files of two stores, or a bit of one, are told at the start and not by whoever refuses what is signed.
  @Test(arguments: ["leaf.pem", "intermediate.pem", "root.pem", "key.pem"])
  func filesThatDoNotBelongTogetherAreTold(name: String) throws {
    let directory = try TemporaryDirectory()
    let (store, other) = (directory.path + "/store", directory.path + "/other")
    let root = try SandboxSigner.open(store).rootHash
    _ = try SandboxSigner.open(other)
    let bytes = try #require(try FileSystem.read(other + "/" + name, limit: 8192))
    try FileSystem.replace(store + "/" + name, with: bytes, isDurable: false)
    for known in [root, nil] {
      let error = try #require(throws: StorageError.self) { try SandboxSigner.open(store, root: known) }
      #expect(throws: error) { try SandboxSigner.find(in: store, root: known) }
      guard case .wrongStore(store, let reason, let hasRoot) = error else { throw error }
      #expect((reason.words == "key.pem is not the key of leaf.pem") == (name == "key.pem"), "\(error)")
      // Another store's is told from its own only by whoever knows it.
      #expect(hasRoot == (known == nil || name != "root.pem"))
      #expect("\(error)".contains("--trust-root \(store)/root.pem") == hasRoot)
    }
    #expect(throws: Never.self) { try SandboxSigner.open(other) }
  }

  /// A file that holds nothing, or is none.
  @Test(arguments: ["leaf.pem", "intermediate.pem", "root.pem", "key.pem"], ["empty", "directory", "pipe"])
  func aSpoiltFileIsToldByItsName(name: String, fault: String) throws {
    let directory = try TemporaryDirectory()
    let (store, path) = (directory.path + "/store", directory.path + "/store/" + name)
    let root = try SandboxSigner.open(store).rootHash
    unlink(path)
    switch fault {
    case "directory": try #require(mkdir(path, 0o700) == 0)
    case "pipe": try #require(mkfifo(path, 0o600) == 0)
    default: try FileSystem.replace(path, with: [])
    }
    let error = try #require(throws: StorageError.self) { try SandboxSigner.open(store, root: root) }
    #expect(throws: error) { try SandboxSigner.find(in: store, root: root) }
    guard case .wrongStore(store, let reason, hasRoot: name != "root.pem") = error else { throw error }
    #expect(reason.words.hasPrefix("\(name): "))
    #expect("\(error)".contains("if there is none, make a new device"))
  }

  /// Another store would sell under a root that nobody trusts, and the old root is needed to make up for it.
  @Test(arguments: ["leaf.pem", "intermediate.pem", "root.pem", "key.pem"])
  func noOtherStoreIsMadeWhereOneIsLost(name: String) throws {
    let directory = try TemporaryDirectory()
    let store = directory.path + "/store"
    _ = try SandboxSigner.open(store)
    let names = ["leaf.pem", "intermediate.pem", "root.pem", "key.pem"].filter { $0 != name }
    let before = try names.map { try FileSystem.read(store + "/" + $0, limit: 8192) }
    unlink(store + "/" + name)
    let error = StorageError.lostStore(directory: store, missing: [name])
    #expect(throws: error) { try SandboxSigner.open(store) }
    #expect(throws: error) { try SandboxSigner.find(in: store) }
    #expect(try names.map { try FileSystem.read(store + "/" + $0, limit: 8192) } == before)
    #expect(!FileSystem.exists(store + "/" + name))
    let told = "\(error)"
    #expect(told.contains(name) && told.contains("backup"))
    #expect(told.contains("--trust-root \(store)/root.pem") == (name != "root.pem"))
    // What a crash has left while it was made is nobody's store yet.
    try FileSystem.replace(store + "/unfinished", with: [])
    #expect(throws: Never.self) { try SandboxSigner.open(store) }
    #expect(!FileSystem.exists(store + "/unfinished"))
  }

  /// The group trusts the root that the device was made with.
  @Test func aDeviceWhoseStoreIsGoneMakesNoOther() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/phone"
    try Daemon.create(directory: path, name: "Phone", environment: .sandbox, bundleId: "com.example.app")
    let names = ["leaf.pem", "intermediate.pem", "root.pem", "key.pem"]
    for name in names { unlink(path + "/store/" + name) }
    #expect(throws: StorageError.lostStore(directory: path + "/store", missing: names)) {
      try Daemon(configuration: Daemon.Configuration(directory: path, log: Log(level: .error)))
    }
    #expect(names.allSatisfy { !FileSystem.exists(path + "/store/" + $0) })
  }
}

extension JWSRejection {
  var isPath: Bool { if case .invalidPath = self { true } else { false } }
  var isJSON: Bool { if case .notJSON = self { true } else { false } }
}
