// Incarnations: the lives of this device's store. A device continues as a new one when it finds that it was set back, or
// that others know its old one as forked: so no two writes ever share a dot (I9).
extension Engine {
  /// Continues as a new incarnation if the old one must not write any more.
  mutating func renewIncarnation(now: Now, _ effects: inout Effects) {
    guard holdings.needsIncarnation, !isRemoved else { return }
    let (old, couldBegin) = (holdings.replica.id, holdings.replica.canBegin)
    let nonce = Nonce(high: network.random.next(), low: network.random.next())
    begin(Incarnation(key: identity.key, nonce: nonce), now: now, &effects)
    if holdings.replica.id != old {
      effects.notices.append(.reincarnated(holdings.replica.id))
    } else if couldBegin {
      effects.notices.append(.outlived)
      effects.changed = true
    }
  }

  /// Continues as a new incarnation of this device. What it wrote beyond a cut of the old one is written again: nothing
  /// of its own is lost.
  package mutating func begin(_ incarnation: Incarnation, now: Now, _ effects: inout Effects) {
    holdings.seal()
    let old = holdings.replica.id
    guard incarnation.key == holdings.outbox.signer.publicKey, holdings.replica.begin(incarnation),
      holdings.replica.id != old
    else { return }
    identity.replica = holdings.replica.id
    countDecisions(now: now)
    effects.durable.append(.replica(holdings.replica.id))
    effects.changed = true
    holdings.hasOwnNews = false
    // Peers know which incarnation they speak to from the hello: they give it rights.
    network.endMeetings(&effects)
    if let cut = holdings.replica.cuts[old] {
      recovery.apply([old: cut], roster, &holdings, &network, &effects)
    }
  }

  /// Cuts replicas, as the members' records say.
  package mutating func apply(_ cuts: [ReplicaID: UInt64], now: Now, _ effects: inout Effects) {
    recovery.apply(cuts, roster, &holdings, &network, &effects)
  }
}
