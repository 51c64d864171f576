// Two copies of one device at work at the same time: a data directory was copied, and both daemons run under one key. Their
// writes never share a dot, for a copied directory starts a new incarnation; but they would decide for one device in two
// places. A peer notices when a run of the device's program comes back after another run had begun: a program that was
// started again never does. It says so to both, and neither decides anything until it is started anew, alone.
extension Engine {
  /// Notes which run of a device's program is on the other side of a session that is about to be ready.
  ///
  /// - Returns: whether it is the only one
  mutating func isOnlyRun(_ peer: Peer) -> Bool {
    let run = peer.hello.run
    guard var known = acquaintances[peer.device] else { return true }
    if known.copies.contains(run) { return false }
    if let index = known.runs.firstIndex(of: run) {
      // It came back: the runs that began after it are of another copy.
      if index < known.runs.count - 1 { known.copies = known.runs }
    } else {
      known.runs = (known.runs + [run]).suffix(Acquaintance.runsLimit)
    }
    acquaintances[peer.device] = known
    return !known.copies.contains(run)
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
