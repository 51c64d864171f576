/// Verifies signed items of the store with OpenSSL.
///
/// A chain of certificates is verified as a path once and remembered by the hash of its header; a signature as well. So
/// the usual item costs one hash of its payload and one ECDSA verification, and reading the ledger anew none.
package final class StoreKitVerifier: Sendable {
  /// Chains remembered: Apple changes its leaf about once a year.
  private static let chainLimit = 64
  /// Signatures remembered, at about 64 bytes each: as many as a ledger holds, or reading it anew would verify all of them again.
  private static let verdictLimit = Limits.registers

  private struct Memory {
    var chains: [ContentHash: CertificateChain] = [:]
    var verdicts: [ContentHash: Bool] = [:]
  }

  private let memory = Guarded(Memory())
  private let appleRoots: Set<ContentHash>

  /// - Parameter appleRoots: the roots that count as Apple's; given by tests alone
  package init(appleRoots: Set<ContentHash> = [.appleRootG3]) { self.appleRoots = appleRoots }

  /// What the core verifies with.
  package var verifier: StoreVerifier {
    StoreVerifier(cryptography: .openSSL) { jws, date, environment, roots in
      do throws(JWSRejection) {
        return .success(try self.authenticate(jws, date, environment, roots))
      } catch {
        return .failure(error)
      }
    }
  }

  private func authenticate(
    _ jws: JWS, _ date: Instant, _ environment: Environment, _ roots: Set<ContentHash>
  ) throws(JWSRejection) -> StoreSigner {
    let result = memory.withLock { memory -> Result<StoreSigner, JWSRejection> in
      do throws(JWSRejection) {
        return .success(try self.authenticate(jws, date, environment, roots, &memory))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func authenticate(
    _ jws: JWS, _ date: Instant, _ environment: Environment, _ roots: Set<ContentHash>,
    _ memory: inout Memory
  ) throws(JWSRejection) -> StoreSigner {
    let name = Cryptography.openSSL.hash(of: jws.header)
    let known = memory.chains[name]
    let chain = if let known { known } else { try CertificateChain(jws.header) }
    let isApple = appleRoots.contains(chain.root)
    guard isApple || environment != .production && roots.contains(chain.root) else { throw .untrustedRoot }
    // Dates of a payload are not before 1970: division rounds down.
    let seconds = date.milliseconds / 1000
    if known == nil || !chain.isValid(at: seconds) { try chain.verifyPath(at: seconds) }
    if memory.chains.count >= Self.chainLimit { memory.chains = [:] }
    memory.chains[name] = chain
    try verifySignature(jws, chain, &memory)
    return StoreSigner(root: chain.root, isApple: isApple)
  }

  private func verifySignature(_ jws: JWS, _ chain: CertificateChain, _ memory: inout Memory)
    throws(JWSRejection)
  {
    guard let digest = chain.digest(of: jws.payload) else { throw .badSignature }
    let name = Cryptography.openSSL.hash(of: digest + jws.signature)
    if let verdict = memory.verdicts[name] {
      guard verdict else { throw .badSignature }
      return
    }
    let isValid = chain.isValid(jws.signature, of: digest)
    if memory.verdicts.count >= Self.verdictLimit { memory.verdicts = [:] }
    memory.verdicts[name] = isValid
    guard isValid else { throw .badSignature }
  }
}

extension ContentHash {
  /// Apple Root CA - G3, <https://www.apple.com/certificateauthority/>.
  package static let appleRootG3 = ContentHash(
    words: (0x6334_3abf_b89a_6a03, 0xebb5_7e9b_3f5f_a7be, 0x7c4f_5c75_6f30_17b3, 0xa8c4_88c3_653e_9179))
}
