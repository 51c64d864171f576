import COpenSSL
import Dispatch

extension InvitationKey {
  /// A guess costs 2^15 rounds of scrypt (RFC 7914) with 32 MiB: about a tenth of a second. Whoever has overheard a joining
  /// can try codes at home, but not 2^60 of them.
  private static let rounds: UInt64 = 1 << 15
  private static let blockSize: UInt64 = 8
  private static let memoryLimit: UInt64 = 64 * 1024 * 1024
  /// There is nothing that both sides know before they talk, but the code; so all invitations have this salt.
  private static let salt: StaticString = "PeerSync invitation"

  /// Takes about a tenth of a second, and 32 MiB as long: not to be done on a queue that others wait for.
  ///
  /// - Throws: ``OpenSSLError`` when there is no memory.
  package init(stretching code: InvitationCode) throws(OpenSSLError) {
    var bytes = [UInt8](repeating: 0, count: 32)
    let letters = code.letters
    let salt = Self.salt.bytes
    try require(
      EVP_PBE_scrypt(
        letters, letters.utf8.count, salt.baseAddress, salt.count, Self.rounds, Self.blockSize, 1,
        Self.memoryLimit, &bytes, bytes.count))
    self.init(
      words: bytes.withUnsafeBytes { bytes in
        let words = (0..<4).map {
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self))
        }
        return (words[0], words[1], words[2], words[3])
      })
  }

  /// One at a time, so that it takes no more than its 32 MiB.
  private static let queue = DispatchQueue(label: "invitation key")

  /// The same on a thread that nobody else waits for.
  package static func stretched(from code: InvitationCode) async throws -> InvitationKey {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result { () throws -> InvitationKey in try InvitationKey(stretching: code) })
      }
    }
  }
}
