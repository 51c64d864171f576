import PeerSyncCore

/// Remembers which items of a world were verified, and what they say. A device that starts verifies all of its items again, and a
/// world starts devices hundreds of times; what is right of one item, byte for byte, and under the same roots stays so.
///
/// `@unchecked Sendable`: it belongs to one ``World``, which runs on one thread at a time.
final class VerifiedMemo: @unchecked Sendable {
  private var known: [Item: StorePayload] = [:]

  /// The simulated store's verifier with this memory.
  var verifier: StoreVerifier {
    StoreVerifier.simulated.verifying { jws, roots in
      let item = Item(jws: jws, roots: roots)
      if let payload = self.known[item] { return .success(payload) }
      let result = Result { () throws(JWSRejection) in
        try StoreVerifier.simulated.verify(jws, trusting: roots)
      }
      if case .success(let payload) = result { self.known[item] = payload }
      return result
    }
  }

  /// Hashes signatures alone, and looks at many bytes at once: the standard library takes those of an array one after another.
  private struct Item: Hashable {
    let jws: JWS
    let roots: Set<ContentHash>

    static func == (left: Item, right: Item) -> Bool {
      left.jws.signature.hasSameBytes(as: right.jws.signature)
        && left.jws.payload.hasSameBytes(as: right.jws.payload)
        && left.jws.header.hasSameBytes(as: right.jws.header) && left.roots == right.roots
    }

    func hash(into hasher: inout Hasher) { jws.signature.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }
}
