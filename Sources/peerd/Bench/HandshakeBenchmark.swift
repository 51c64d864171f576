import COpenSSL
import PeerSync

/// `handshake`: complete TLS handshakes between two members, in memory on one core, beside the floor of what no handshake
/// of this kind can do without: on each side two key agreements, one signature and one verification.
enum HandshakeBenchmark {
  private static let handshakes = 2_000

  static func run() throws -> Figures {
    let (key, other) = (try DeviceKey.generate(), try DeviceKey.generate())
    let keys: Set<PublicKey> = [key.publicKey, other.publicKey]
    let contexts = (try TLSContext(key) { keys.contains($0) }, try TLSContext(other) { keys.contains($0) })
    var bytes = (sent: 0, received: 0)
    let seconds = try timed {
      for _ in 0..<handshakes { bytes = try shakeHands(contexts.0, contexts.1) }
    }
    let floor = try secondsOfFloor(key.signingKey)
    var figures = Figures(.handshake)
    figures.add("handshakes", handshakes)
    figures.add("perSecond", Double(handshakes) / seconds)
    figures.add("floorPerSecond", Double(handshakes) / floor)
    figures.add("timesFloor", seconds / floor)
    figures.add("bytes", bytes.sent + bytes.received)
    figures.add("bytesFromDialler", bytes.sent)
    figures.add("bytesFromListener", bytes.received)
    return figures
  }

  /// - Returns: what each side has sent
  private static func shakeHands(
    _ first: TLSContext, _ second: TLSContext
  ) throws -> (sent: Int, received: Int) {
    let ends = [try TLSChannel(dialling: first), try TLSChannel(accepting: second)]
    var sent = [0, 0]
    var established = 0
    var turn = 0
    while ends[0].outgoingCount + ends[1].outgoingCount > 0 {
      let bytes = ends[turn].withOutgoing { Array($0) }
      ends[turn].removeOutgoing(bytes.count)
      sent[turn] += bytes.count
      try bytes.withUnsafeBytes {
        try ends[1 - turn].receive($0) { if case .established = $0 { established += 1 } }
      }
      turn = 1 - turn
    }
    guard established == 2 else { throw BenchmarkError("a handshake came to nothing", "핸드셰이크가 이루어지지 않았습니다") }
    return (sent[0], sent[1])
  }

  /// OpenSSL's own time for the cryptography of so many handshakes, both sides.
  private static func secondsOfFloor(_ key: SigningKey) throws -> Double {
    let message = [UInt8](repeating: 7, count: 130)
    let signature = key.sign(message)
    return try timed {
      for _ in 0..<handshakes {
        for _ in 0..<2 {
          _ = key.sign(message)
          guard Cryptography.openSSL.isValid(signature, of: message, by: key.publicKey) else {
            throw BenchmarkError("a signature is wrong", "서명이 틀립니다")
          }
          guard agreeOnKey() else { throw BenchmarkError("no key agreement", "키를 합의하지 못했습니다") }
        }
      }
    }
  }

  /// One side of an X25519 key agreement: a fresh key, and a secret shared with it.
  private static func agreeOnKey() -> Bool {
    guard let key = freshKey(), let agreement = EVP_PKEY_CTX_new(key, nil) else { return false }
    defer {
      EVP_PKEY_free(key)
      EVP_PKEY_CTX_free(agreement)
    }
    var secret = [UInt8](repeating: 0, count: 32)
    var count = secret.count
    return EVP_PKEY_derive_init(agreement) == 1 && EVP_PKEY_derive_set_peer(agreement, key) == 1
      && EVP_PKEY_derive(agreement, &secret, &count) == 1
  }

  private static func freshKey() -> OpaquePointer? {
    guard let maker = EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(maker) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(maker) == 1, EVP_PKEY_keygen(maker, &key) == 1 else { return nil }
    return key
  }
}
