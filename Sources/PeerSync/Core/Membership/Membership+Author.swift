/// Making records. Nothing is added to the set: ``insert(_:)`` the record that comes back.
extension MembershipRecord {
  /// The record by which a device introduces itself.
  package static func found(
    name: String, recoveryKey: PublicKey, environment: Environment, bundleId: String,
    storeRoot: ContentHash? = nil, by key: SigningKey
  ) -> MembershipRecord {
    let founding = Founding(
      key: key.publicKey, recoveryKey: recoveryKey, name: name, environment: environment, bundleId: bundleId,
      storeRoot: storeRoot)
    return MembershipRecord(parents: [], body: .found(founding), signedBy: [key])
  }

  fileprivate init(parents: [ContentHash], body: Body, signedBy keys: [SigningKey]) {
    let bytes = MembershipRecord(parents: parents, body: body, signatures: []).signedBytes
    self.init(parents: parents, body: body, signatures: keys.map { $0.sign(bytes) })
  }

  /// A merge that both sides have signed.
  package init(_ proposal: MergeProposal, host: Signature, joiner: Signature) {
    self.init(parents: proposal.parents, body: .merge(proposal.merge), signatures: [host, joiner])
  }
}

extension MergeProposal: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    parents = try reader.sortedHashes()
    merge = try MembershipRecord.Merge(from: &reader)
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(parents.count))
    for parent in parents { writer.write(raw: parent.bytes) }
    merge.write(to: &writer)
  }
}

extension Membership {
  /// What a member proposes to a device that comes under its group, alone or with everybody below it.
  ///
  /// - Parameters:
  ///   - host: The key of this device.
  ///   - joiner: The key of the device that comes, the first of its group.
  ///   - other: The joiner's records.
  package func proposeMerge(
    host: PublicKey, joiner: PublicKey, of other: Membership, preferring preferred: GroupID? = nil
  ) throws(MembershipError) -> MergeProposal {
    let proposal = try proposal(host: host, joiner: joiner, of: other, preferring: preferred)
    let group = GroupID(founding: proposal.merge.group)
    guard hasRoom(for: proposal, bringing: other, seenBy: host, in: group) else { throw .full }
    return proposal
  }

  /// The merge that the two have to sign, whether they have room for it or not.
  private func proposal(
    host: PublicKey, joiner: PublicKey, of other: Membership, preferring preferred: GroupID? = nil
  ) throws(MembershipError) -> MergeProposal {
    do {
      return try propose(host: host, joiner: joiner, of: other, preferring: preferred)
    } catch {
      guard error == .alreadyKnown || error == .joinerRemoved else { throw error }
      // One of the two may take the other for a member, or for removed, for it has not heard of a removal that the other
      // knows: what counts is what both know together.
      let both = union(other)
      return try both.propose(host: host, joiner: joiner, of: both, preferring: preferred)
    }
  }

  private func propose(
    host: PublicKey, joiner: PublicKey, of other: Membership, preferring preferred: GroupID?
  ) throws(MembershipError) -> MergeProposal {
    let (resolution, group): (Resolution, MembershipGroup)
    do {
      (resolution, group) = try standing(of: host, preferring: preferred)
    } catch { throw error == .removed ? .hostRemoved : error }
    guard group.isMember(host) else { throw .hostRemoved }
    guard let hostPlace = resolution.place(of: host), let hostRank = resolution.rankOfKey[host] else {
      throw .unknownDevice
    }
    guard !resolution.isRemoved(joiner, letInBy: hostRank) else { throw .joinerRemoved }
    guard resolution.rankOfKey[joiner] == nil else { throw .alreadyKnown }
    let (joinerResolution, joinerGroup) = try other.standing(of: joiner)
    guard joinerResolution.rankOfKey[host] == nil else { throw .alreadyKnown }
    guard let joinerPlace = joinerResolution.place(of: joiner) else { throw .unknownDevice }
    guard joinerGroup.isMember(joiner) else { throw .notMember }
    guard joinerPlace.founding == joinerResolution.root else { throw .notFirst }
    guard let hostBody = founding(at: hostPlace.founding),
      let joinerBody = other.founding(at: joinerPlace.founding), hostBody.isOfSameApp(as: joinerBody)
    else { throw .otherApp }
    let merge = MembershipRecord.Merge(
      group: group.founding, host: entries[hostPlace.founding].hash, joiner: joinerGroup.founding)
    let half = Limits.membershipParents / 2
    let parents =
      newest(
        resolution, unawareOf: [host, joiner], naming: [resolution.root, hostPlace.founding], atMost: half)
      + other.newest(
        joinerResolution, unawareOf: [host, joiner], naming: [joinerPlace.founding], atMost: half)
    return MergeProposal(parents: parents.sortedUnique(), merge: merge)
  }

  /// Checks on the joiner's side that a proposal is what its user agreed to: to come under the host's group. And that there is room for it.
  ///
  /// - Parameters:
  ///   - joiner: The key of this device.
  ///   - host: The key of the device that invited.
  ///   - other: The host's records, as they are when it proposes.
  package func check(
    _ proposal: MergeProposal, joiner: PublicKey, host: PublicKey, of other: Membership
  ) throws(MembershipError) {
    // The host may be in several groups, as far as can be told from its records.
    let expected = try other.proposal(
      host: host, joiner: joiner, of: self, preferring: GroupID(founding: proposal.merge.group))
    guard proposal == expected else { throw .otherProposal }
    let group = GroupID(founding: proposal.merge.joiner)
    guard hasRoom(for: proposal, bringing: other, seenBy: joiner, in: group) else { throw .full }
  }

  /// The removal of a device by another, or by itself: it leaves. One that was removed before may be removed again, where less of what
  /// it wrote is to count.
  ///
  /// - Parameters:
  ///   - cuts: The last write of each of its replicas that is taken. If there are more than
  ///     ``Limits/membershipCuts``, those of the longest replicas are kept.
  ///   - counted: The last decision of each that counts; nil: all that are taken.
  ///   - disowned: Records after which nothing that the removed device did shall count, as if its author had not known
  ///     of them: what a thief did before the removal.
  package func removal(
    of target: PublicKey, cuts: [Dot], counted: [Dot]? = nil, by key: SigningKey,
    disowning disowned: Set<ContentHash> = [],
    preferring preferred: GroupID? = nil
  ) throws(MembershipError) -> MembershipRecord {
    let (resolution, group) = try standing(of: key.publicKey, preferring: preferred)
    guard let place = resolution.place(of: key.publicKey) else { throw .notMember }
    guard resolution.rankOfKey[target] != nil else { throw .unknownDevice }
    // The last one stays, even where its leaving would bring back a junior that was removed.
    guard target != key.publicKey || group.members.count > 1 else { throw .lastMember }
    let body = MembershipRecord.Removal(
      author: entries[place.founding].hash, isByRecoveryKey: false, target: target, cuts: bounded(cuts),
      counted: counted.map(bounded))
    let parents = newest(
      resolution, unawareOf: [key.publicKey], without: disowned, removing: target,
      isTakingBack: counted == [], naming: [place.founding], atMost: Limits.membershipParents)
    let record = MembershipRecord(parents: parents, body: .remove(body), signedBy: [key])
    return try requireEffect(of: record, on: target, in: group, seenBy: key.publicKey, preferred)
  }

  /// The removal of a device by the recovery key of a device that it came in below, or its own.
  ///
  /// The first device of a group can take all below it into another group, and so can whoever stole it. Where the removal is
  /// made by a device below the one that is removed, all of these leave that group again.
  ///
  /// Whoever has the key of a device may have it leave once more as if it had let nobody in, and so have put this one out. Then it is
  /// removed with what it knew when it left and still knew of this one, and they are of one group again.
  ///
  /// - Parameter device: The key of this device, whose group is meant.
  package func removal(
    of target: PublicKey, cuts: [Dot], counted: [Dot]? = nil, byRecoveryKey key: SigningKey,
    inGroupOf device: PublicKey,
    disowning disowned: Set<ContentHash> = [], preferring preferred: GroupID? = nil
  ) throws(MembershipError) -> MembershipRecord {
    guard let resolution = resolution(of: device, preferring: preferred) else { throw .unknownDevice }
    let parents: [ContentHash]
    let author: Int
    let before: MembershipGroup?
    if resolution.rankOfKey[target] != nil {
      author = try owner(of: key, removing: target, inGroupOf: device, resolution)
      before = MembershipGroup(resolution, self)
      let isBelow = resolution.ranks(of: target).contains { resolution.isBelow(device, $0) }
      let own = isBelow ? ownGroup(of: target, with: author, above: device) : nil
      if own == nil, counted == nil, hasLeft(author, target, resolution) { throw .hasLeft }
      let joined = own == nil ? [] : joinings(of: author)
      // What others did in the group that it leads out of would stay with those who name it.
      parents = newest(
        own ?? resolution, without: disowned.union(joined), removing: target, isTakingBack: counted == [],
        naming: [author], atMost: Limits.membershipParents)
    } else {
      let above = allAbove(device).first { $0.resolution.ranks(of: target).contains($0.rank) }
      guard let above else { throw .unknownDevice }
      author = try owner(of: key, removing: target, inGroupOf: device, above.resolution)
      // Another one of those above may have put this one out as well: they are removed one after the other.
      before = nil
      let own = ownGroup(of: target, with: author, above: device)
      if own == nil, above.resolution.places[above.rank].host != nil, founding(at: author)?.key == target {
        throw .hasLeft
      }
      let joined = own == nil ? [] : joinings(of: author)
      parents = newest(
        above.resolution, without: disowned.union(joined), removing: target, isTakingBack: counted == [],
        after: above.leaving, naming: [author], atMost: Limits.membershipParents)
    }
    let body = MembershipRecord.Removal(
      author: entries[author].hash, isByRecoveryKey: true, target: target, cuts: bounded(cuts),
      counted: counted.map(bounded))
    let record = MembershipRecord(parents: parents, body: .remove(body), signedBy: [key])
    do {
      return try requireEffect(of: record, on: target, in: before, seenBy: device, preferred)
    } catch {
      // Once others have removed its device it leads out of a group, and does nothing else.
      let isBound = resolution.rank(ofFounding: author).map { resolution.places[$0].isBoundByOthers }
      throw error == .removedAlready && isBound == true ? .wrongRecoveryKey : error
    }
  }

  /// Whether a recovery key is that of the very device that is to be removed, which has left and is not the first one.
  private func hasLeft(_ author: Int, _ target: PublicKey, _ resolution: Resolution) -> Bool {
    guard founding(at: author)?.key == target, let rank = resolution.rank(ofFounding: author) else {
      return false
    }
    let place = resolution.places[rank]
    return place.host != nil && !place.isBoundByOthers && !place.leavings.isEmpty
  }

  /// The founding whose recovery key it is: of the device that is to be removed, or of one that this came in below. Nobody proves that the
  /// recovery key of his founding is his. So that founding of the device itself goes first by which it let in the one that asks; then the
  /// nearest that is above all places which the device has; then the nearest.
  private func owner(
    of key: SigningKey, removing target: PublicKey, inGroupOf device: PublicKey, _ resolution: Resolution
  ) throws(MembershipError) -> Int {
    let ranks = resolution.ranks(of: target)
    let ways = ranks.flatMap { sequence(first: $0) { resolution.places[$0].host } }
    let owners = Set(ways).sorted(by: >).filter { rank in
      founding(at: resolution.places[rank].founding)?.recoveryKey == key.publicKey
        && (ranks.contains(rank) || !resolution.places[rank].isBoundByOthers)
    }
    let owner =
      owners.first { ranks.contains($0) && resolution.isBelow(device, $0) }
      ?? owners.first { owner in ranks.allSatisfy { resolution.isBelow($0, owner) } } ?? owners.first
    guard let owner else { throw .wrongRecoveryKey }
    return resolution.places[owner].founding
  }

  /// The merges by which a device let others in.
  ///
  /// - Parameters:
  ///   - joiners: their foundings
  ///   - host: the founding of that device
  package func merges(of joiners: Set<ContentHash>, by host: ContentHash) -> Set<ContentHash> {
    guard !joiners.isEmpty, let key = founding(host)?.key else { return [] }
    // By all foundings that their keys have signed.
    let keys = Set(joiners.compactMap { founding($0)?.key })
    return Set(
      entries.lazy.filter { entry in
        guard case .merge(let merge) = entry.record.body else { return false }
        return founding(merge.joiner).map { keys.contains($0.key) } ?? false
          && founding(merge.host)?.key == key
      }.map(\.hash))
  }

  /// The group of a device's own that it took along when it came under others, as if nobody had left it: the thief may also have had it leave
  /// that as if it had not let this one in. With those as well whom he has put out there, so that how they came in has left. Nil where this device was not taken along: who came in below the other when that was
  /// in such a group already would be left alone, where nobody hears what it says.
  ///
  /// - Parameter author: the founding whose recovery key it is
  private func ownGroup(of target: PublicKey, with author: Int, above device: PublicKey) -> Resolution? {
    guard device != target, founding(at: author)?.key == target else { return nil }
    let index = withAllThatLeft.index
    let own = Resolution(root: author, index: index, membership: self, without: index.everyLeaving)
    return own.rankOfKey[device] == nil ? nil : own
  }

  /// The merges by which a device came under others. Its recovery key disowns them: whoever stole the device may have brought it into a
  /// group of his own, to be above all that were below it. All that there are, for he may have brought it into many, of which one after the
  /// other would count.
  private func joinings(of founding: Int) -> Set<ContentHash> {
    Set(
      entries.lazy.filter { entry in
        guard case .merge(let merge) = entry.record.body else { return false }
        return merge.joiner == entries[founding].hash
      }.map(\.hash))
  }
}

extension Membership {
  /// The group of a device that has a say in it.
  private func standing(
    of key: PublicKey, preferring preferred: GroupID? = nil
  ) throws(MembershipError) -> (Resolution, MembershipGroup) {
    guard let resolution = resolution(of: key, preferring: preferred) else { throw .unknownDevice }
    guard let place = resolution.place(of: key), !place.isBound else { throw .removed }
    let group = MembershipGroup(resolution, self)
    // Whoever has left is not bound by it, and could remove those who stayed: both would go on with the same credits. One that a junior has
    // removed may overrule that.
    guard group.removed.first(where: { $0.device.key == key })?.isFinal != true else { throw .removed }
    return (resolution, group)
  }

  /// Refuses a removal that would have no effect: it would leave nobody, or all that it says is so already.
  ///
  /// - Parameter group: what is so now; nil: that is not asked
  private func requireEffect(
    of record: MembershipRecord, on target: PublicKey, in group: MembershipGroup?, seenBy device: PublicKey,
    _ preferred: GroupID?
  ) throws(MembershipError) -> MembershipRecord {
    var trial = self
    if let refused = trial.insert([record]).refused.first {
      throw refused.reason == .full ? .full : .lastMember
    }
    guard let after = trial.group(of: device, preferring: preferred), !after.isMember(target) else {
      throw .lastMember
    }
    if let group, after.isAsMuch(as: group), !trial.isLessCrowded(than: self),
      !trial.binds(target, seenBy: device, preferred) || binds(target, seenBy: device, preferred)
    {
      throw .removedAlready
    }
    return record
  }

  /// Whether somebody senior to a device has removed it. Who has left, or was removed by a junior, could have more count otherwise.
  private func binds(_ target: PublicKey, seenBy device: PublicKey, _ preferred: GroupID?) -> Bool {
    resolution(of: device, preferring: preferred)?.place(of: target)?.isBoundByOthers == true
  }

  /// Whether a removal has freed room that what the removed device had made leave took up.
  private func isLessCrowded(than other: Membership) -> Bool {
    func records(_ crowders: [Crowder]) -> Int { crowders.reduce(0) { $0 + $1.records } }
    return records(crowders) < records(other.crowders)
  }

  private func bounded(_ cuts: [Dot]) -> [Dot] {
    cuts.filter { $0.sequence > 0 }.sorted { ($0.sequence, $0.replica) > ($1.sequence, $1.replica) }
      .prefix(Limits.membershipCuts).sorted()
  }
}
