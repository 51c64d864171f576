// A device that was set back without noticing it, as by a snapshot of a whole machine, signs other writes under dots that
// it had used. Whoever meets both holds them as evidence, and takes neither on trust. But what it had acknowledged must not
// be lost [F66]: those who hold it set it aside, and give it back to its author, who writes it again under a new incarnation.
extension Recovery {
  /// Sets aside what is about to become void of members that equivocated, and of devices that were removed.
  ///
  /// - Returns: what was not set aside before
  @discardableResult package mutating func setAside(
    beyond cuts: [ReplicaID: UInt64], _ roster: Roster, _ holdings: inout Holdings, _ effects: inout Effects
  ) -> ArraySlice<SetAside.Part> {
    holdings.seal()
    let own = Set(holdings.replica.replicas(of: holdings.key))
    var (batches, left) = ([SignedBatch](), 0)
    for (replica, cut) in cuts.sorted(by: { $0.key < $1.key }) where !own.contains(replica) {
      let items = holdings.replica.items(
        of: replica, beyond: cut, upTo: holdings.outbox.chunkBytes, most: Limits.setAsideBytesOfOne)
      batches += items.batches
      left += items.left
    }
    return setAside(batches, leaving: left, roster, holdings, &effects)
  }

  /// Sets commits of other devices aside, each batch of one author.
  ///
  /// - Parameter left: how many more there are, for which there is no room
  /// - Returns: what was not set aside before
  @discardableResult package mutating func setAside(
    _ batches: [SignedBatch], leaving left: Int = 0, _ roster: Roster, _ holdings: Holdings,
    _ effects: inout Effects
  ) -> ArraySlice<SetAside.Part> {
    guard !batches.isEmpty else { return [] }
    var lost = left
    let before = setAside
    var parts: [PublicKey: [(part: SetAside.Part, commits: Int)]] = [:]
    for batch in batches {
      guard let author = batch.authors.first, author.key != holdings.key else { continue }
      let part = SetAside.Part(replica: holdings.replica.id(of: author), commits: batch.bytes)
      parts[author.key, default: []].append((part, batch.count))
    }
    for (key, news) in parts.sorted(by: { $0.key < $1.key }) {
      let lives = Set(holdings.replica.replicas(of: key))
      let left = Set(setAside.add(news.map(\.part), of: lives, isMembers: roster.group.isMember(key)))
      lost += news.reduce(0) { $0 + (left.contains($1.part) ? $1.commits : 0) }
    }
    if setAside != before { effects.durable.append(.setAside(setAside)) }
    if lost > 0 { effects.notices.append(.notSetAside(commits: lost)) }
    return setAside.parts[before.parts.count...]
  }

  /// Gives a peer what it may have forgotten, as much as its queue takes. The rest follows once this was written again.
  package func giveBack(
    on id: SessionID, _ holdings: Holdings, _ network: inout PeerNetwork, _ effects: inout Effects
  ) {
    giveBack(setAside.parts[...], on: id, holdings, &network, &effects)
  }

  /// Gives what was just set aside to its authors, where they are connected: nothing else would tell them before their next
  /// sessions.
  func giveBack(
    _ news: ArraySlice<SetAside.Part>, _ holdings: Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    guard !news.isEmpty else { return }
    for id in network.sessions.ready { giveBack(news, on: id, holdings, &network, &effects) }
  }

  private func giveBack(
    _ parts: ArraySlice<SetAside.Part>, on id: SessionID, _ holdings: Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    guard let key = network.sessions[id]?.peer?.key else { return }
    for part in parts
    where network.hasRoom(on: id) && holdings.replica.incarnation(of: part.replica)?.key == key {
      guard let commits = part.batch else { continue }
      network.send(.items(RangeItems(range: .all, wantsReply: false, commits: commits)), on: id, &effects)
    }
  }

  /// Drops what its author has written again, or something later.
  package mutating func settleSetAside(
    on id: SessionID, _ roster: Roster, _ holdings: inout Holdings, _ network: inout PeerNetwork,
    _ effects: inout Effects
  ) {
    guard !setAside.parts.isEmpty else { return }
    let settling = Settling(
      setAside: setAside, group: roster.group, vectorHash: holdings.replica.vectorHash,
      digest: holdings.replica.digest, counting: holdings.ledgerCache.basis)
    guard settled != settling else { return }
    settled = settling
    let done = setAside.parts.map { Self.isWrittenAgain($0, in: roster.group, &holdings) }
    let before = setAside
    setAside = SetAside(zip(before.parts, done).compactMap { $1 ? nil : $0 })
    guard setAside != before else { return }
    effects.durable.append(.setAside(setAside))
    giveBack(on: id, holdings, &network, &effects)
  }

  private static func isWrittenAgain(
    _ part: SetAside.Part, in group: MembershipGroup, _ holdings: inout Holdings
  ) -> Bool {
    guard let batch = part.batch, let key = batch.authors.first?.key else { return true }
    // It waits for the removal to be overruled.
    guard group.isMember(key) else { return false }
    return batch.writes(of: part.replica).allSatisfy { holdings.isCarried($0, by: key) }
  }

  /// Writes again what peers have brought back of a life that this device had forgotten.
  package mutating func writeForgottenAgain(
    _ roster: Roster, _ holdings: inout Holdings, upTo ceiling: Stamp, _ effects: inout Effects
  ) {
    guard !forgotten.isEmpty else { return }
    let writes = forgotten.filter { write in
      !RegisterKind.isDecision(write.key) || write.stamp <= ceiling
    }
    forgotten = []
    let decisions = writes.filter { $0.key.first != RegisterKind.credit.rawValue }
    let won = holdings.writeAgain(decisions, &effects) + holdings.carry(writes, &effects)
    if won > 0 { effects.notices.append(.wroteForgottenAgain(writes: won)) }
  }
}

extension SignedBatch {
  /// The writes in full, all of one replica, that their author writes again.
  fileprivate func writes(of replica: ReplicaID) -> [Write] {
    var writes: [Write] = []
    forEach { commit in
      commit.forEachWrite(
        by: replica,
        full: { write, _ in
          if RegisterKey.isWrittenAgain(write.key) { writes.append(Write(write)) }
        }, replaced: { _, _ in })
    }
    return writes
  }
}

/// All that it depends on whether what is set aside was written again.
struct Settling: Hashable, Sendable {
  let setAside: SetAside
  let group: MembershipGroup
  let vectorHash: UInt64
  let digest: Digest
  /// What else decides what counts: it follows a moment later.
  let counting: CountingBasis?
}

extension SetAside.Part {
  var batch: SignedBatch? { try? SignedBatch(decoding: commits[...]) }
}
