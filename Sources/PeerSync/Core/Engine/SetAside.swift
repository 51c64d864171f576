/// Writes of members that equivocated and that are void, or lost to another branch of the same life, as their commits: what a
/// restored device has forgotten may be among them. They wait here for their author, who writes them again.
package struct SetAside: Hashable, Sendable {
  /// Commits of one replica, few enough for a frame.
  package struct Part: Hashable, Sendable {
    package let replica: ReplicaID
    /// An encoded ``SignedBatch``.
    package let commits: [UInt8]

    package init(replica: ReplicaID, commits: [UInt8]) {
      self.replica = replica
      self.commits = commits
    }
  }

  /// In the order in which they came.
  package private(set) var parts: [Part]

  package init(_ parts: [Part] = []) { self.parts = parts }

  private var bytes: Int { parts.reduce(0) { $0 + $1.commits.count } }

  /// Keeps parts of one device, each once.
  ///
  /// - Parameter lives: its replicas
  /// - Returns: those that are not kept: ``Limits/setAsideBytesOfOne`` or ``Limits/setAsideBytes`` are used up
  package mutating func add(_ news: [Part], of lives: Set<ReplicaID>) -> [Part] {
    var (bytes, kept, lost) = (bytes, Set(parts), [Part]())
    var own = parts.reduce(0) { $0 + (lives.contains($1.replica) ? $1.commits.count : 0) }
    for part in news where kept.insert(part).inserted {
      let (size, all) = (own + part.commits.count, bytes + part.commits.count)
      guard size <= Limits.setAsideBytesOfOne, all <= Limits.setAsideBytes else {
        lost.append(part)
        continue
      }
      parts.append(part)
      (own, bytes) = (size, all)
    }
    return lost
  }
}

// A device that was set back without noticing it, as by a snapshot of a whole machine, signs other writes under dots that
// it had used. Whoever meets both holds them as evidence, and takes neither on trust. But what it had acknowledged must not
// be lost [F66]: those who hold it set it aside, and give it back to its author, who writes it again under a new incarnation.
extension Engine {
  /// Sets aside what is about to become void of members that equivocated.
  mutating func setAside(beyond cuts: [ReplicaID: UInt64], _ effects: inout Effects) {
    seal()
    setAside(
      cuts.sorted { $0.key < $1.key }.flatMap { replica.items(of: $0, beyond: $1, upTo: chunkBytes) },
      &effects)
  }

  /// Sets commits of members aside, each batch of one author.
  ///
  /// - Returns: what was not set aside before
  @discardableResult mutating func setAside(
    _ batches: [SignedBatch], _ effects: inout Effects
  ) -> ArraySlice<SetAside.Part> {
    guard !batches.isEmpty else { return [] }
    var lost = 0
    let before = setAside
    var parts: [PublicKey: [(part: SetAside.Part, commits: Int)]] = [:]
    for batch in batches {
      guard let author = batch.authors.first, isMembers(author.key) else { continue }
      let part = SetAside.Part(replica: replica.id(of: author), commits: batch.bytes)
      parts[author.key, default: []].append((part, batch.count))
    }
    for (key, news) in parts.sorted(by: { $0.key < $1.key }) {
      let left = Set(setAside.add(news.map(\.part), of: Set(replica.replicas(of: key))))
      lost += news.reduce(0) { $0 + (left.contains($1.part) ? $1.commits : 0) }
    }
    if setAside != before { effects.durable.append(.setAside(setAside)) }
    if lost > 0 { effects.notices.append(.notSetAside(commits: lost)) }
    return setAside.parts[before.parts.count...]
  }

  private func isMembers(_ key: PublicKey) -> Bool { key != identity.key && group.isMember(key) }

  /// Gives a peer what it may have forgotten, as much as its queue takes. The rest follows once this was written again.
  mutating func giveBack(on id: SessionID, _ effects: inout Effects) {
    giveBack(setAside.parts[...], on: id, &effects)
  }

  /// Gives what was just set aside to its authors, where they are connected: nothing else would tell them before their next
  /// sessions.
  mutating func giveBack(_ news: ArraySlice<SetAside.Part>, _ effects: inout Effects) {
    guard !news.isEmpty else { return }
    for id in sessions.ready { giveBack(news, on: id, &effects) }
  }

  private mutating func giveBack(
    _ parts: ArraySlice<SetAside.Part>, on id: SessionID, _ effects: inout Effects
  ) {
    guard let key = sessions[id]?.peer?.key else { return }
    for part in parts where hasRoom(on: id) && replica.incarnation(of: part.replica)?.key == key {
      guard let commits = part.batch else { continue }
      send(.items(RangeItems(range: .all, wantsReply: false, commits: commits)), on: id, &effects)
    }
  }

  /// Drops what its author has written again, or something later, and what belongs to nobody in the group any more.
  mutating func settleSetAside(on id: SessionID, _ effects: inout Effects) {
    guard !setAside.parts.isEmpty else { return }
    let done = setAside.parts.map { isWrittenAgain($0) }
    let before = setAside
    setAside = SetAside(zip(before.parts, done).compactMap { $1 ? nil : $0 })
    guard setAside != before else { return }
    effects.durable.append(.setAside(setAside))
    giveBack(on: id, &effects)
  }

  private mutating func isWrittenAgain(_ part: SetAside.Part) -> Bool {
    guard let key = replica.incarnation(of: part.replica)?.key, group.isMember(key), let batch = part.batch
    else { return true }
    return batch.writes(of: part.replica).allSatisfy { isCarried($0, by: key) }
  }

  /// Writes again what peers have brought back of a life that this device had forgotten.
  mutating func writeForgottenAgain(now: Now, _ effects: inout Effects) {
    guard !forgotten.isEmpty else { return }
    let ceiling = ceiling(at: now)
    let writes = forgotten.filter { write in
      !RegisterKind.isDecision(write.key) || write.stamp <= ceiling
    }
    forgotten = []
    // What a removed device writes is void like what it wrote.
    guard !isRemoved else { return }
    let decisions = writes.filter { $0.key.first != RegisterKind.credit.rawValue }
    let won = writeAgain(decisions, &effects) + carry(writes, &effects)
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

extension SetAside.Part {
  fileprivate var batch: SignedBatch? { try? SignedBatch(decoding: commits[...]) }
}
