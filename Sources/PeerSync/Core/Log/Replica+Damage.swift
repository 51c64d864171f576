// What a replica does after its disk has lost something. It claims nothing any more, so that everything comes again: a
// claim that rests on a row that is gone would have others believe that they lack nothing. The next sequence never falls.
extension Replica {
  /// What the disk holds once everything is durable.
  package var inventory: Inventory {
    Inventory(
      registers: count, digest: digest, commits: log.commitCount, hashes: log.replacedCount, replica: id,
      used: lastOwn)
  }

  /// Puts back the last sequence that was used up. Only while loading.
  package mutating func restore(used: UInt64) { lastUsed = max(lastUsed, used) }

  /// How far everything was known, own writes as far as they were made. Where that is forgotten, as far as commits reach.
  package var known: VersionVector {
    var known = vector
    for (replica, _) in knownReplicas where vector[replica] == 0 {
      known.advance(replica, to: reach(of: replica))
    }
    known.advance(id, to: lastOwn)
    return known
  }

  /// Whether own writes were made that no commit here proves any more: who writes behind them could never be claimed.
  package var hasLostHead: Bool { log.reach(of: id) < lastOwn }

  /// Whether all of it is known again, as far as it counts, but for what this device wrote itself.
  package func knows(_ lost: VersionVector, exceptOf key: PublicKey) -> Bool {
    let own = Set(replicas(of: key))
    return lost.entries.allSatisfy {
      own.contains($0.replica) || vector[$0.replica] >= min($0.sequence, cuts[$0.replica] ?? .max)
    }
  }

  /// Forgets commits of which a part is missing, and what cannot be claimed any more.
  ///
  /// - Parameter keepsClaims: for a device that nobody can bring anything: it claims on as far as its commits reach
  package mutating func settle(keepsClaims: Bool) {
    log.settle(with: registers)
    let kept = vector.entries.map {
      Dot(replica: $0.replica, sequence: min($0.sequence, reach(of: $0.replica)))
    }
    lastUsed = lastOwn
    setVector(VersionVector(keepsClaims ? kept.filter { $0.sequence > 0 } : []))
  }

  /// Claims own writes again as far as they were made: whoever could bring some back has.
  ///
  /// - Parameters:
  ///   - key: this device's
  ///   - lost: how far its incarnations had come
  /// - Returns: the entries of the vector that moved
  package mutating func regain(own key: PublicKey, upTo lost: VersionVector) -> [Dot] {
    var dots = replicas(of: key).map { Dot(replica: $0, sequence: min(lost[$0], reach(of: $0))) }
    dots.append(Dot(replica: id, sequence: min(lastOwn, reach(of: id))))
    return claim(dots.filter { $0.sequence > 0 })
  }

  /// The writes that no commit here proves, in the order of their stamps. A head proves none: it came where nothing of its commit is
  /// alive any more. Nor does a commit that has another write in the place of one.
  package var unproven: [Write] {
    var writes: [Write] = []
    registers.forEach { write in
      guard let author = log.number(of: write.replica) else { return }
      let commit = log.commit(of: author, containing: write.sequence)
      let isProven =
        commit.map { $0.live > 0 } ?? false && log.replacedHash(author, write.sequence) == nil
      if !isProven { writes.append(Write(write)) }
    }
    return writes.sorted { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }
  }

  /// Everything that it holds, to be written to an empty disk.
  package var everything: Durable {
    var batch = WriteBatch()
    registers.forEach { batch.append($0) }
    return Durable([.written(batch), .proven(log.everything), .vector(vector), .counted(inventory)])
  }
}

extension CommitLog {
  /// How many commits there are.
  var commitCount: Int { authors.reduce(0) { $0 + $1.commits.count } }

  /// Everything that is kept, in an order in which it can be put back.
  var everything: [ProofChange] {
    var changes: [ProofChange] = []
    for author in authors where numbers[author.replica] != nil {
      let replica = author.replica
      changes.append(.incarnation(author.incarnation, replica: replica))
      author.commits.forEach { commit in
        changes.append(
          .commit(
            PersistedCommit(
              replica: replica, first: commit.first, count: Int(commit.count), signature: commit.signature,
              root: self.root(of: numbers[replica] ?? 0, commit))))
      }
      author.replaced.forEach { write in
        changes.append(.replaced(Dot(replica: replica, sequence: write.sequence), write.hash))
      }
      if let fork = author.fork { changes.append(.forked(fork, replica: replica)) }
    }
    return changes
  }

  /// Forgets the commits of which a part is missing, and hashes that belong to none: they prove nothing.
  mutating func settle(with registers: RegisterMap) {
    var live: [Dot: UInt32] = [:]
    registers.forEach { write in
      guard let author = numbers[write.replica], let commit = commit(of: author, containing: write.sequence)
      else { return }
      live[Dot(replica: write.replica, sequence: commit.first), default: 0] += 1
    }
    for author in authors.indices {
      let replica = authors[author].replica
      for commit in commits(of: author, overlapping: 1...UInt64.max) {
        let isHead = root(of: author, commit) != nil
        let held = live[Dot(replica: replica, sequence: commit.first)] ?? 0
        if !isHead, commit.live == 0 || held != commit.live { drop(author, commit) }
      }
      removeStrayHashes(of: author)
    }
    _ = takeChanges()
  }

  private mutating func removeStrayHashes(of author: Int) {
    var strays: [UInt64] = []
    authors[author].replaced.forEach { write in
      if commit(of: author, containing: write.sequence).map({ $0.live == 0 }) ?? true {
        strays.append(write.sequence)
      }
    }
    for sequence in strays { replacedCount -= authors[author].replaced.remove(in: sequence...sequence) }
  }
}
