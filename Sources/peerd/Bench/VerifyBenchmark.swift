import PeerSync

/// `verify`: signed purchases a second on one core, with the chain remembered, beside OpenSSL's bare ECDSA; and signed
/// commits of one write each, beside its bare Ed25519.
enum VerifyBenchmark {
  private static let items = 10_000

  static func run() throws -> Figures {
    var figures = Figures(.verify)
    let store = try SandboxSigner.generate()
    let signed = try (0..<items).map { try store.sign(Workload.purchase($0, of: "m")) }
    let floor = try ECDSAFloor()
    guard floor.verify(times: 1) == 1 else {
      throw BenchmarkError("a good signature was refused", "올바른 서명이 거부되었습니다")
    }
    let bare = (0..<3).map { _ in timed { _ = floor.verify(times: items / 2) } }.min() ?? 0
    let barePerSecond = Double(items / 2) / bare
    let cold = try verify(signed, store, rounds: 3, again: false)
    let known = try verify(signed, store, rounds: 3, again: true)
    let chains = try (0..<50).map { _ in try SandboxSigner.generate() }
    let firsts = try chains.map { ($0, try $0.sign(Workload.purchase(0, of: "m"))) }
    let fresh = timed {
      for (store, jws) in firsts {
        _ = try? StoreKitVerifier().verifier.verify(jws, trusting: [store.rootHash])
      }
    }
    figures.add("items", items)
    figures.add("perSecond", cold)
    figures.add("floorECDSAPerSecond", barePerSecond)
    figures.add("ratioToFloor", barePerSecond / cold)
    figures.add("rememberedPerSecond", known)
    figures.add("newChainMicroseconds", fresh / Double(firsts.count) * 1e6)
    try addCommits(&figures)
    return figures
  }

  /// Commits verified and merged in memory.
  private static func addCommits(_ figures: inout Figures) throws {
    let commits = try Workload.commits { Workload.batches(items, by: $0, of: 1) }
    guard MergeBenchmark.merge(commits) == items else {
      throw BenchmarkError("a good commit was refused", "올바른 커밋이 거부되었습니다")
    }
    let best = (0..<3).map { _ in timed { MergeBenchmark.merge(commits) } }.min() ?? 0
    let key = try DeviceKey.generate().signingKey
    let message = [UInt8](repeating: 7, count: commits[0].count)
    let signature = key.sign(message)
    let bare = timed {
      for _ in 0..<items { _ = Cryptography.openSSL.isValid(signature, of: message, by: key.publicKey) }
    }
    figures.add("commitsPerSecond", Double(items) / best)
    figures.add("floorEd25519PerSecond", Double(items) / bare)
    figures.add("commitRatioToFloor", best / bare)
  }

  /// The best rate of a few rounds.
  ///
  /// - Parameter again: whether the signatures have been verified before
  private static func verify(_ signed: [JWS], _ store: SandboxSigner, rounds: Int, again: Bool) throws
    -> Double
  {
    let roots: Set<ContentHash> = [store.rootHash]
    var best = Double.infinity
    var verifier = StoreKitVerifier().verifier
    if again { _ = count(signed, verifier, roots) }
    for _ in 0..<rounds {
      if !again { verifier = StoreKitVerifier().verifier }
      var good = 0
      best = min(best, timed { good = count(signed, verifier, roots) })
      guard good == signed.count else { throw BenchmarkError("a good item was refused", "올바른 항목이 거부되었습니다") }
    }
    return Double(signed.count) / best
  }

  private static func count(_ signed: [JWS], _ verifier: StoreVerifier, _ roots: Set<ContentHash>) -> Int {
    signed.count { (try? verifier.verify($0, trusting: roots)) != nil }
  }
}
