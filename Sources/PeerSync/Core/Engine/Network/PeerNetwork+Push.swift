// Pushing: what is written here, or comes here as news, goes at once to every peer that is not known to have it.
extension PeerNetwork {
  /// Sends the own writes of this batch of events as commits.
  package mutating func push(_ holdings: inout Holdings, _ effects: inout Effects) {
    for commit in holdings.takeSealed() {
      spread(
        commit, by: holdings.replica.id(of: commit.author), within: holdings.replica.vector, except: nil,
        &effects)
    }
  }

  package mutating func spread(
    _ commit: Commit, by author: ReplicaID, within vector: VersionVector, except source: SessionID?,
    _ effects: inout Effects
  ) {
    let last = Dot(replica: author, sequence: commit.last)
    var advance: Advance?
    for id in sessions.ready where id != source {
      guard let session = sessions[id], let flow = session.flow, flow.peer.replica != author else { continue }
      guard !flow.comparison.peerHas(last) else { continue }
      guard session.queue.bytes < queueLimit else {
        _ = sessions.update(id) { $0.queue.isBehind = true }
        continue
      }
      send(.commit(commit), on: id, &effects)
      let moved = advance ?? Advance(commit, by: author, within: vector)
      advance = moved
      sessions.flow(id) { $0.comparison.noteShown(moved) }
    }
  }
}
