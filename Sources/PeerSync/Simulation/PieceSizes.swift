import PeerSyncCore

/// Sizes of pieces and queues: small ones in most simulations, so that a few writes fill them.
struct PieceSizes {
  private var chunkBytes = Limits.chunkBytes
  private var queueLimit = Limits.queuedBytes

  /// Those of real devices.
  init() {}

  init(using random: inout RandomState) {
    chunkBytes = [200, 2_000, Limits.chunkBytes][Int(random.chance(3))]
    queueLimit = [500, 5_000, Limits.queuedBytes][Int(random.chance(3))]
  }

  /// Has a device use them.
  func apply(to engine: inout Engine) {
    engine.holdings.outbox.chunkBytes = chunkBytes
    engine.queueLimit = queueLimit
  }
}
