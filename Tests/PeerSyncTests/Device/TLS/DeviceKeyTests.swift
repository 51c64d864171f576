import Foundation
import PeerSync
import Testing

@Suite struct DeviceKeyTests {
  @Test("SHA-256 and Ed25519 are those of the standards")
  func vectors() throws {
    let cryptography = Cryptography.openSSL
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    #expect(cryptography.hash(of: []).description == empty)
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(cryptography.hash(of: Array("abc".utf8)).description == abc)
    // RFC 8032, section 7.1, test 2.
    let key = try #require(
      PublicKey(bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")))
    let signature = try #require(
      Signature(
        bytes(
          "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")))
    #expect(cryptography.isValid(signature, of: [0x72], by: key))
    #expect(!cryptography.isValid(signature, of: [0x73], by: key))
  }

  @Test("a signature is good for its key and its message, and no other")
  func signing() throws {
    let (key, other) = (try DeviceKey.generate(), try DeviceKey.generate())
    let cryptography = Cryptography.openSSL
    let message = Array("a commit".utf8)
    let signature = key.signingKey.sign(message)
    #expect(key.signingKey.sign(message) == signature)
    #expect(cryptography.isValid(signature, of: message, by: key.publicKey))
    #expect(!cryptography.isValid(signature, of: message, by: other.publicKey))
    #expect(!cryptography.isValid(signature, of: message + [0], by: key.publicKey))
    for bit in 0..<Signature.byteCount * 8 {
      var bytes = signature.bytes
      bytes[bit / 8] ^= 1 << (bit % 8)
      let flipped = try #require(Signature(bytes))
      #expect(!cryptography.isValid(flipped, of: message, by: key.publicKey), "bit \(bit)")
    }
    // 32 bytes that are no point of the curve.
    let nonsense = try #require(PublicKey([2] + [UInt8](repeating: 0, count: 31)))
    #expect(!cryptography.isValid(signature, of: message, by: nonsense))
    #expect(key.signingKey.sign([]).bytes.count == Signature.byteCount)
  }

  /// More keys than are kept ready, in turn; and one, by many threads at once.
  @Test func keysThatAreKeptReadyAreNotMixedUp() async throws {
    let keys = try (0...VerifyingContexts.mostKeys).map { _ in try DeviceKey.generate() }
    let message = Array("a commit".utf8)
    let signatures = keys.map { $0.signingKey.sign(message) }
    for _ in 0..<2 {
      for (index, key) in keys.enumerated() {
        let next = (index + 1) % keys.count
        #expect(!Cryptography.openSSL.isValid(signatures[next], of: message, by: key.publicKey))
        #expect(Cryptography.openSSL.isValid(signatures[index], of: message, by: key.publicKey))
      }
    }
    let (key, signer) = (keys[0].publicKey, keys[0].signingKey)
    await withTaskGroup(of: Bool.self) { group in
      for round in 0..<64 {
        group.addTask {
          let message = [UInt8(round)]
          let signature = signer.sign(message)
          return Cryptography.openSSL.isValid(signature, of: message, by: key)
            && !Cryptography.openSSL.isValid(signature, of: [255], by: key)
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test("a key is saved for its owner alone, and comes back the same")
  func file() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/device.key"
    let key = try DeviceKey.generate()
    try key.save(to: path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let loaded = try DeviceKey.load(path)
    #expect(loaded.publicKey == key.publicKey)
    #expect(loaded.signingKey.sign([1]) == key.signingKey.sign([1]))
    chmod(path, 0o640)
    #expect(throws: StorageError.lax(path: path, isDirectory: false)) { try DeviceKey.load(path) }
  }

  @Test("what is not an Ed25519 key is refused")
  func otherFiles() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/device.key"
    let key = try DeviceKey.generate()
    try key.save(to: path)
    let good = try Array(Data(contentsOf: URL(filePath: path)))
    let files: [[UInt8]] = [
      [], Array("hello".utf8), Array(good.dropLast(40)), [UInt8](repeating: 65, count: 100_000), Self.x25519,
    ]
    for bytes in files {
      try FileSystem.replace(path, with: bytes)
      #expect(throws: StorageError.noKey(path: path), "\(bytes.count) bytes") { try DeviceKey.load(path) }
    }
    #expect(throws: StorageError.self) { try DeviceKey.load(directory.path + "/none") }
  }

  /// A well-formed key of another kind.
  private static let x25519 = Array(
    """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VuBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    -----END PRIVATE KEY-----

    """.utf8)

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    var digits = Array(hexadecimal.utf8)[...]
    var bytes: [UInt8] = []
    while let pair = Optional(digits.prefix(2)), pair.count == 2 {
      bytes.append(UInt8(String(decoding: pair, as: UTF8.self), radix: 16) ?? 0)
      digits = digits.dropFirst(2)
    }
    return bytes
  }
}
