import PeerSyncCore

/// How much more may be read before the engine has its next round.
///
/// A round answers everybody who waits, so it is bounded in what it holds in memory and in what it takes to handle, however many peers
/// send at once. Callers of this device wait for one round at most. Nobody fills it alone, and from whoever has not had a turn one read is
/// taken although it is full: some peers may be looked at before others each time.
package struct RoundBudget {
  /// Bytes of messages received and not yet handled by the engine.
  private var bytes = 0
  /// Bytes received of which no message has come yet. They hold nothing up, for nothing would have the engine look at
  /// them: each connection bounds its own.
  private var unreadBytes = 0
  private var cost = 0
  private var costs: [SessionID: Int] = [:]

  package init() {}

  /// Received bytes beyond which sockets are left alone until the engine has caught up.
  package static let bytes = 4 * 1024 * 1024
  /// What may be handled in a round, as ``Message/cost`` has it: about a quarter of a second.
  package static let cost = 2048
  /// How much of it may be one peer's.
  package static let sessionCost = cost / 4

  /// So many bytes came.
  package mutating func received(_ count: Int) { unreadBytes += count }

  /// With them a message was whole.
  package mutating func received(_ message: Message, on session: SessionID) {
    bytes += unreadBytes
    unreadBytes = 0
    cost += message.cost
    costs[session, default: 0] += message.cost
  }

  /// The engine is about to handle everything received so far.
  package mutating func handling() { (bytes, cost, costs) = (0, 0, [:]) }

  /// Whether to read more of what a peer sends.
  package func hasRoom(for session: SessionID) -> Bool {
    guard bytes < Self.bytes else { return false }
    guard let own = costs[session] else { return true }
    return cost < Self.cost && own < Self.sessionCost
  }
}
