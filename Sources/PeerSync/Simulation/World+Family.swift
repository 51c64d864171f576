import PeerSyncCore

// Which devices belong together in the end, and what need not last of what the others wrote.
extension World {
  // MARK: What it means for the checks

  /// From now on not all that the device writes, or has written, has to last.
  func doubt(_ index: Int) {
    devices[index].isDoubtful = true
    for (incarnation, replica) in devices[index].disk.proofs.incarnations
    where incarnation.key == devices[index].identity.key {
      history.doubt(replica)
    }
    history.doubt(devices[index].disk.replica)
  }

  /// A device has voided writes: all those of devices that its group does not know (any more).
  func doubtStrangers(to index: Int) {
    guard let group = look(index, \.group) else { return }
    let known = Set((group.members + group.removed.map(\.device)).map(\.key))
    for stranger in originals where !known.contains(devices[stranger].identity.key) { doubt(stranger) }
  }

  func isDoubtful(_ index: Int) -> Bool { devices[index].isDoubtful }

  // MARK: Who belongs together in the end

  /// The devices of the largest group, by what its devices know; of equals one of which nobody else has removed any, then one whose
  /// devices all take each other for members. Without removals: all.
  var family: [Int] {
    let circles = originals.map { ($0, circle(of: $0)) }.filter { $0.1.contains($0.0) }
    let standing = circles.filter { stands($0.1, by: $0.0) }
    let most = standing.map(\.1.count).max() ?? 0
    let largest = standing.filter { $0.1.count == most }.map(\.1)
    guard largest.count > 1 else { return largest.first ?? [] }
    let uncut = largest.filter { !areCut($0) }
    let rest = uncut.isEmpty ? largest : uncut
    return rest.first(where: areMutual) ?? rest[0]
  }

  /// Whether another device has removed one of these.
  private func areCut(_ circle: [Int]) -> Bool {
    originals.contains { other in
      guard !circle.contains(other), let group = look(other, \.group) else { return false }
      return circle.contains { group.cuts(for: devices[$0].identity.key) != nil }
    }
  }

  /// Whether each of these devices takes all of them for members.
  private func areMutual(_ circle: [Int]) -> Bool {
    circle.allSatisfy { index in
      guard let group = look(index, \.group) else { return true }
      return circle.allSatisfy { group.isMember(devices[$0].identity.key) }
    }
  }

  /// Whether devices that belong together by what one of them knows do so by what all of them know. Whoever takes somebody for a member
  /// whom another one has removed has not heard of it yet. So it is with whom a removed device took in before it heard, which whoever
  /// removed it has never met: that one is on its own again [E50].
  private func stands(_ circle: [Int], by index: Int) -> Bool {
    let keys = circle.map { devices[$0].identity.key }
    let groups = circle.compactMap { look($0, \.group) }
    let isRemoved = groups.contains { group in keys.contains { group.cuts(for: $0) != nil } }
    guard !isRemoved, let own = look(index, \.identity.group) else { return false }
    if areMutual(circle) { return true }
    let known = ([index] + circle).compactMap { look($0, \.membership) }
    let all = known.dropFirst().reduce(known[0]) { $0.union($1) }
    let group = all.group(of: devices[index].identity.key, preferring: own)
    return keys.allSatisfy { group?.isMember($0) ?? false }
  }

  /// The replicas that the family has heard of: whoever is of another group may have written what nobody here knows.
  var authorsOfFamily: Set<ReplicaID> {
    Set(family.flatMap { devices[$0].disk.proofs.incarnations.map(\.1) })
  }

  /// Whether a device knows that it was removed.
  func isOut(_ index: Int) -> Bool { look(index, \.isRemoved) ?? false }

  /// The devices that belong together by what one of them knows. Not those that know that they were removed: the device that removed
  /// them may have been set back to before, and then nobody else knows it.
  private func circle(of index: Int) -> [Int] {
    guard let group = look(index, \.group) else { return [] }
    return originals.filter { group.isMember(devices[$0].identity.key) && !isOut($0) }
  }

  /// Another device that belongs to this one by what this one knows; nil if there is none.
  func presumedCompanion(of index: Int) -> Int? { circle(of: index).first { $0 != index } }

  /// Another device that belongs to this one by what either knows; nil if there is none.
  func companion(of index: Int) -> Int? {
    circle(of: index).first { $0 != index && circle(of: $0).contains(index) }
  }

  /// Whether a device was removed by what the family knows.
  func isRemoved(_ index: Int) -> Bool {
    guard let first = family.first, let group = look(first, \.group) else { return false }
    return group.cuts(for: devices[index].identity.key) != nil
  }

  /// The device that can bring this one into the family, by pairing: the first of its group. Nil for a device that is in,
  /// was removed, or cannot come: a group that removed one of the family comes under no other, nor does one that removed its
  /// own first device, but for whoever others of the family know already; and nobody comes whom no record can bring in.
  func joiner(for index: Int) -> Int? {
    let family = family
    guard devices[index].original == nil, let group = look(index, \.group),
      let first = group.members.first, !isRemoved(index),
      !isOut(index), first.founding == group.founding || family.contains(index),
      let joiner = devices.indices.first(where: { devices[$0].identity.key == first.key }),
      !isRemoved(joiner), !isOut(joiner),
      family.allSatisfy({ group.cuts(for: devices[$0].identity.key) == nil })
    else { return nil }
    // One of the family may have been set back to before another came, and know nothing of it.
    let isKnown = family.contains(index) && family.allSatisfy { group.isMember(devices[$0].identity.key) }
    let coming = family.contains(joiner) ? index : joiner
    return isKnown || host(for: coming) == nil ? nil : coming
  }

  /// The one of the family that lets a device in: one that it does not know, if it can be, or that does not know it. Nil if none can.
  /// Whom the family takes for one of its own may try in any case: it tells of the records by which it is not.
  func host(for joiner: Int) -> Int? {
    let family = family
    let others = family.filter { $0 != joiner && (family.contains(joiner) || canTakeIn($0, joiner)) }
    let (group, key) = (look(joiner, \.group), devices[joiner].identity.key)
    return others.first { group?.isMember(devices[$0].identity.key) == false }
      ?? others.first { devices[$0].engine?.group.isMember(key) == false } ?? others.first
  }

  /// Whether a device can take another one in, by the records that both have. Not where a member that has made up hundreds uses up the
  /// room of its branch, or of all if it is the first [F61], with the host or, where the newcomer is that member, with itself; nor one
  /// whose group a recovery key has split off [F62], unknown to others.
  private func canTakeIn(_ host: Int, _ joiner: Int) -> Bool {
    let signers = (host: devices[host].signer, joiner: devices[joiner].signer)
    guard let host = devices[host].engine, let joiner = devices[joiner].engine else { return true }
    do {
      let proposal = try host.membership.proposeMerge(
        host: host.identity.key, joiner: joiner.identity.key, of: joiner.membership,
        preferring: host.identity.group)
      let merge = MembershipRecord(
        proposal, host: proposal.signature(by: signers.host), joiner: proposal.signature(by: signers.joiner))
      var joined = joiner.membership
      _ = joined.insert(host.membership.records + [merge])
      return joined.contains(merge.hash(.simulated))
    } catch {
      let both = host.membership.union(joiner.membership)
      let group = both.group(of: host.identity.key, preferring: host.identity.group)
      return group?.isMember(joiner.identity.key) ?? false
    }
  }

  /// No register holds what does not count: a write of a device that was removed, beyond its cut. And nothing else is cut.
  func checkCuts(_ index: Int, _ engine: Engine) {
    for write in engine.replica.sortedWrites() {
      guard let author = author(of: write.dot.replica), let cuts = engine.group.cuts(for: author) else {
        continue
      }
      if write.dot.sequence > VersionVector(cuts)[write.dot.replica] {
        report(.removal, "device \(index) holds a write of a removed device, beyond its cut")
      }
    }
    let forked = Set(engine.replica.forkedReplicas)
    let cuts = engine.replica.cuts.sorted { $0.key < $1.key }.filter { !forked.contains($0.key) }
    for (replica, cut) in cuts {
      guard let author = author(of: replica), engine.group.hasEverBelonged(author) else { continue }
      let called = engine.group.cuts(for: author).map { VersionVector($0)[replica] }
      if cut != called {
        report(.removal, "device \(index) cuts a replica where no removal of its device does")
      }
    }
  }

  /// The key of the device whose incarnation a replica is.
  func author(of replica: ReplicaID) -> PublicKey? {
    for index in devices.indices {
      if let (incarnation, _) = devices[index].disk.proofs.incarnations.first(where: { $0.1 == replica }) {
        return incarnation.key
      }
    }
    return nil
  }
}
