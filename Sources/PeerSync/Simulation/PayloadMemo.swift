import PeerSyncCore

/// Remembers what the payloads of a world say. A device that starts reads all of them again, and a world starts devices hundreds of
/// times; what JSON says never changes. Signatures are checked all the same.
///
/// `@unchecked Sendable`: it belongs to one ``World``, which runs on one thread at a time.
final class PayloadMemo: @unchecked Sendable {
  private var known: [Key: StorePayload] = [:]

  /// The simulated store's verifier with this memory.
  var verifier: StoreVerifier {
    StoreVerifier.simulated.reading { json in
      if let payload = self.known[Key(json: json)] { return .success(payload) }
      let result = StoreVerifier.read(json)
      if case .success(let payload) = result { self.known[Key(json: json)] = payload }
      return result
    }
  }

  /// Hashes all bytes at once: the library's hash of an array takes one after another.
  private struct Key: Hashable {
    let json: [UInt8]

    func hash(into hasher: inout Hasher) { json.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }
}
