// Two copies of one device at work at the same time: a data directory was copied, and both daemons run under one key. Their
// writes never share a dot, for a copied directory starts a new incarnation; but they would decide for one device in two
// places. A peer notices when a boot id comes back after another one had come: a program that was
// started again never does that. It says so to both, and neither decides anything until it is started anew, alone.
extension PeerNetwork {
  /// Notes under which boot id a device is on the other side of a session that is about to be ready.
  ///
  /// - Returns: whether it is the only one
  package mutating func isOnlyBoot(_ peer: Peer, on id: SessionID) -> Bool {
    let bootID = peer.hello.bootID
    var device = known[peer.device] ?? KnownPeer()
    if device.copies.contains(bootID) { return false }
    if let index = device.boots.firstIndex(where: { $0.number == bootID }) {
      // It came back: the boots that began after it are of another copy.
      if index < device.boots.count - 1 { device.copies = device.boots.map(\.number) }
    } else {
      // What it has shown it may have lost since.
      device.forks = [:]
      device.boots = (device.boots + [KnownPeer.Boot(number: bootID, session: id)]).suffix(
        KnownPeer.bootsLimit)
    }
    known[peer.device] = device
    return !device.copies.contains(bootID)
  }

  /// Whether a session goes with one on which a copy was found to be at work. What was opened later may be of a program that was started
  /// since, alone: it would be told to stop although it did just what was asked of it.
  package func isOfCopies(_ session: Session, through id: SessionID) -> Bool {
    guard session.id > id, let peer = session.peer else { return session.id <= id }
    return known[peer.device]?.copies.contains(peer.hello.bootID) ?? false
  }

  /// Whether a session was opened before the peer was met under a later boot id. What comes on it may have been under way
  /// for long: it proves no more that this program is alive.
  package func isLate(_ peer: Peer, on id: SessionID) -> Bool {
    guard let boots = known[peer.device]?.boots, let newest = boots.last else { return false }
    return newest.number != peer.hello.bootID && id < newest.session
  }
}
