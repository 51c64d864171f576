// Two copies of one device at work at the same time: a data directory was copied, and both daemons run under one key. Their
// writes never share a dot, for a copied directory starts a new incarnation; but they would decide for one device in two
// places. A peer notices when a run of the device's program comes back after another run had begun: a program that was
// started again never does. It says so to both, and neither decides anything until it is started anew, alone.
extension Engine {
  /// Notes which run of a device's program is on the other side of a session that is about to be ready.
  ///
  /// - Returns: whether it is the only one
  mutating func isOnlyRun(_ peer: Peer, on id: SessionID) -> Bool {
    let run = peer.hello.run
    guard var known = acquaintances[peer.device] else { return true }
    if known.copies.contains(run) { return false }
    if let index = known.runs.firstIndex(where: { $0.number == run }) {
      // It came back: the runs that began after it are of another copy.
      if index < known.runs.count - 1 { known.copies = known.runs.map(\.number) }
    } else {
      // What it has shown it may have lost since.
      known.forks = [:]
      known.runs = (known.runs + [Acquaintance.Run(number: run, session: id)]).suffix(Acquaintance.runsLimit)
    }
    acquaintances[peer.device] = known
    return !known.copies.contains(run)
  }

  /// Whether a session was opened before a later run of the peer's program was met. What comes on it may have been under way
  /// for long: it proves no more that the run is alive.
  func isLate(_ peer: Peer, on id: SessionID) -> Bool {
    guard let runs = acquaintances[peer.device]?.runs, let newest = runs.last else { return false }
    return newest.number != peer.hello.run && id < newest.session
  }

  /// Another copy of this device is at work.
  mutating func stopDeciding(_ effects: inout Effects) {
    guard !isCloned else { return }
    isCloned = true
    effects.notices.append(.cloned)
    effects.changed = true
    // The other copy is to hear of it. To anybody else it would say that they are copies themselves.
    for session in sessions.all {
      end(session.id, session.channel == .certificate(identity.key) ? .cloned : .leaving, &effects)
    }
  }
}
