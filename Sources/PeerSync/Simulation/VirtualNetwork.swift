import PeerSyncCore

/// A simulated connection between two devices.
struct VirtualConnection {
  /// One side of it.
  struct End {
    let device: Int
    let session: SessionID
    var decoder = FrameDecoder()
    var isOpen = true
    /// When the last bytes on their way to this end arrive: later bytes arrive later, as in TCP.
    var lastArrival: UInt64 = 0
    /// Messages this end has sent that have not left its queue.
    var queued = 0
  }

  /// The end that dialled, then the one that was dialled.
  var ends: [End]
}

/// Which devices cannot reach each other.
struct VirtualLinks: Sendable {
  /// Cut by faults, until they are mended by themselves.
  private var cut: Set<Pair> = []
  /// Cut by whoever tells what happens, until they are mended by them.
  private var held: Set<Pair> = []

  private struct Pair: Hashable {
    let low: Int
    let high: Int
    init(_ left: Int, _ right: Int) { (low, high) = (min(left, right), max(left, right)) }
  }

  mutating func cut(_ left: Int, _ right: Int) { cut.insert(Pair(left, right)) }
  mutating func hold(_ left: Int, _ right: Int) { held.insert(Pair(left, right)) }
  mutating func mend(_ left: Int, _ right: Int) { held.remove(Pair(left, right)) }
  mutating func mendFaults() { cut = [] }
  mutating func mendAll() { (cut, held) = ([], []) }
  func isCut(_ left: Int, _ right: Int) -> Bool {
    cut.contains(Pair(left, right)) || held.contains(Pair(left, right))
  }
}
