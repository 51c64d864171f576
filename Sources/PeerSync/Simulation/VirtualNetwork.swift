import PeerSyncCore

/// The network of a simulation: connections between devices, and the links between them that are cut.
///
/// A session is one end of a connection, and belongs to the device there. What is on its way stands in the world's queue; here
/// stands what makes bytes arrive as over TCP. How long they take and whether they are lost is for the caller to draw.
package struct VirtualNetwork {
  package var links = VirtualLinks()
  /// The ends of all connections that there ever were. Those of one connection stand side by side, the one that dialled first;
  /// a session is named by its place, from 1 on.
  private var ends: [End] = []

  /// One side of a connection.
  private struct End {
    let device: Int
    var decoder = FrameDecoder()
    var isOpen = true
    /// When the last bytes on their way to this end arrive: later bytes arrive later, as in TCP.
    var lastArrival: UInt64 = 0
    /// What has come over a stalled link, and waits.
    var held: [[UInt8]] = []
    /// Messages this end has sent that have not left its queue.
    var queued = 0
  }

  package init() {}

  // MARK: Connections

  /// Opens a connection.
  package mutating func connect(
    _ dialler: Int, to listener: Int
  ) -> (dialler: SessionID, listener: SessionID) {
    ends += [End(device: dialler), End(device: listener)]
    return (SessionID(rawValue: UInt64(ends.count - 1)), SessionID(rawValue: UInt64(ends.count)))
  }

  /// A connection that ended with its handshake.
  ///
  /// - Returns: its name at the listener
  package mutating func failedHandshake(_ dialler: Int, with listener: Int) -> SessionID {
    let sessions = connect(dialler, to: listener)
    _ = close(sessions.dialler)
    _ = close(sessions.listener)
    return sessions.listener
  }

  /// The device at whose end a session is.
  package func device(of session: SessionID) -> Int { ends[place(session)].device }

  /// The session at the other end.
  package func peer(of session: SessionID) -> SessionID {
    SessionID(rawValue: UInt64(place(session) ^ 1) + 1)
  }

  /// Whether an end is open; the other one may have been closed.
  package func isOpen(_ session: SessionID) -> Bool { ends[place(session)].isOpen }

  /// Whether nothing can go over a connection any more.
  package func isCut(_ session: SessionID) -> Bool {
    links.isCut(device(of: session), device(of: peer(of: session)))
  }

  /// The open ends of a device, in the order in which they were opened.
  package func openSessions(of device: Int) -> [SessionID] {
    ends.indices.filter { ends[$0].device == device && ends[$0].isOpen }.map {
      SessionID(rawValue: UInt64($0) + 1)
    }
  }

  /// Whether nothing reaches an end, although its connection stands.
  package func isDeaf(_ session: SessionID) -> Bool {
    links.isBlocked(device(of: peer(of: session)), to: device(of: session))
  }

  /// The open ends of connections between two devices, in the order in which they were opened.
  func openSessions(between left: Int, _ right: Int) -> [SessionID] {
    openSessions(of: left).filter { device(of: peer(of: $0)) == right }.flatMap { [$0, peer(of: $0)] }
      .sorted()
  }

  /// By how many milliseconds what an end sends is late.
  func delay(of session: SessionID) -> UInt64 {
    links.delay(device(of: session), device(of: peer(of: session)))
  }

  /// Keeps what has come to an end over a stalled link.
  ///
  /// - Returns: whether the link is stalled
  mutating func hold(_ bytes: [UInt8], on session: SessionID) -> Bool {
    guard links.isStalled(device(of: session), device(of: peer(of: session))) else { return false }
    ends[place(session)].held.append(bytes)
    return true
  }

  /// What was kept for an end.
  mutating func releaseHeld(on session: SessionID) -> [[UInt8]] {
    defer { ends[place(session)].held = [] }
    return ends[place(session)].held
  }

  /// Closes an end.
  ///
  /// - Returns: whether it was open
  package mutating func close(_ session: SessionID) -> Bool {
    defer { ends[place(session)].isOpen = false }
    return isOpen(session)
  }

  /// Closes all ends of a device that has died.
  ///
  /// - Returns: the other ends, which are to hear of it
  package mutating func closeAll(of device: Int) -> [SessionID] {
    let open = openSessions(of: device)
    for session in open { ends[place(session)].isOpen = false }
    return open.map { peer(of: $0) }
  }

  private func place(_ session: SessionID) -> Int { Int(session.rawValue) - 1 }

  // MARK: Bytes

  /// A message goes into the queue of an end.
  package mutating func enqueue(on session: SessionID) { ends[place(session)].queued += 1 }

  /// A message has left the queue of an end.
  ///
  /// - Returns: whether that has drained it
  package mutating func dequeue(on session: SessionID) -> Bool {
    ends[place(session)].queued -= 1
    return ends[place(session)].queued == 0 && isOpen(session)
  }

  /// When bytes reach the other end that would be there at a time by themselves.
  ///
  /// - Parameter overtakes: whether they need not wait for those before them
  package mutating func arrival(of session: SessionID, at time: UInt64, overtakes: Bool) -> UInt64 {
    guard !overtakes else { return time }
    let other = place(peer(of: session))
    ends[other].lastArrival = max(time, ends[other].lastArrival)
    return ends[other].lastArrival
  }

  /// When the last bytes arrive that are on their way to an end.
  package func lastArrival(at session: SessionID) -> UInt64 { ends[place(session)].lastArrival }

  /// Bytes have come to an end.
  package mutating func take(_ bytes: [UInt8], on session: SessionID) {
    bytes.withUnsafeBytes { ends[place(session)].decoder.append($0) }
  }

  /// The next message that has come to an end as a whole; nil when there is none.
  package mutating func nextMessage(on session: SessionID) throws -> Message? {
    try ends[place(session)].decoder.next()
  }
}

/// Which devices cannot reach each other.
package struct VirtualLinks: Sendable {
  /// Cut by faults, until they are mended by themselves.
  private var cut: Set<Pair> = []
  /// Cut by whoever tells what happens, until they are mended by them.
  private var held: Set<Pair> = []
  /// Over which nothing gets, while connections stand.
  private var stalled: Set<Pair> = []
  /// Over which all comes so many milliseconds later.
  private var delays: [Pair: UInt64] = [:]
  /// Ways over which nothing comes, while the way back is open.
  private var blocked: Set<Way> = []

  private struct Way: Hashable {
    let from: Int
    let to: Int
  }

  private struct Pair: Hashable {
    let low: Int
    let high: Int
    init(_ left: Int, _ right: Int) { (low, high) = (min(left, right), max(left, right)) }
  }

  package mutating func cut(_ left: Int, _ right: Int) { cut.insert(Pair(left, right)) }
  package mutating func hold(_ left: Int, _ right: Int) { held.insert(Pair(left, right)) }
  package mutating func mend(_ left: Int, _ right: Int) { held.remove(Pair(left, right)) }

  /// Notes what has happened to a link; of a reset nothing stays.
  mutating func set(_ left: Int, _ right: Int, _ change: LinkChange) {
    let pair = Pair(left, right)
    guard change != .reset else { return }
    held.remove(pair)
    stalled.remove(pair)
    delays[pair] = nil
    switch change {
    case .cut: held.insert(pair)
    case .stalled: stalled.insert(pair)
    case .delayed(let milliseconds): delays[pair] = milliseconds
    case .mended, .reset: break
    }
  }

  func isStalled(_ left: Int, _ right: Int) -> Bool { stalled.contains(Pair(left, right)) }
  func delay(_ left: Int, _ right: Int) -> UInt64 { delays[Pair(left, right)] ?? 0 }
  package mutating func block(_ from: Int, to: Int) { blocked.insert(Way(from: from, to: to)) }
  package mutating func mendFaults() { (cut, blocked) = ([], []) }
  /// Bytes that a stalled link holds are for whoever mends it: see ``World/change(_:_:_:)``.
  package mutating func mendAll() { (cut, held, blocked, stalled, delays) = ([], [], [], [], [:]) }
  package func isBlocked(_ from: Int, to: Int) -> Bool { blocked.contains(Way(from: from, to: to)) }
  package func isCut(_ left: Int, _ right: Int) -> Bool {
    cut.contains(Pair(left, right)) || held.contains(Pair(left, right))
  }
}
