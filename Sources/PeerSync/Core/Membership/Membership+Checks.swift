/// What every record must fulfil, whoever is asked: it depends on the record and on what it descends from alone.
extension Membership {
  /// Why a record whose parents are here is no good, or nil.
  func refusal(of record: MembershipRecord) -> Refusal? {
    let ancestors = ancestors(of: record.parents.compactMap { place(of: $0) })
    return switch record.body {
    case .found(let founding): refusal(of: founding, record)
    case .merge(let merge): refusal(of: merge, record, ancestors)
    case .remove(let removal): refusal(of: removal, record, ancestors)
    case .other(_, let author, _): refusal(ofAuthor: author, record, ancestors)
    }
  }

  private func refusal(of founding: MembershipRecord.Founding, _ record: MembershipRecord) -> Refusal? {
    guard record.parents.isEmpty, founding.key != founding.recoveryKey else {
      return .malformed
    }
    return isSigned(record, by: [founding.key]) ? nil : .signature
  }

  private func refusal(
    of merge: MembershipRecord.Merge, _ record: MembershipRecord, _ ancestors: RecordSet
  ) -> Refusal? {
    guard let group = known(merge.group, ancestors), let host = known(merge.host, ancestors),
      let joiner = known(merge.joiner, ancestors), host.key != joiner.key, merge.group != merge.joiner
    else { return .malformed }
    guard host.isOfSameApp(as: joiner), host.isOfSameApp(as: group) else { return .otherApp }
    if [host, joiner].contains(where: { knowsOfRemoval(of: $0.key, ancestors) }) { return .authorRemoved }
    return isSigned(record, by: [host.key, joiner.key]) ? nil : .signature
  }

  private func refusal(
    of removal: MembershipRecord.Removal, _ record: MembershipRecord, _ ancestors: RecordSet
  ) -> Refusal? {
    guard removal.isByRecoveryKey else { return refusal(ofAuthor: removal.author, record, ancestors) }
    guard let author = known(removal.author, ancestors) else { return .malformed }
    return isSigned(record, by: [author.recoveryKey]) ? nil : .signature
  }

  private func refusal(
    ofAuthor hash: ContentHash, _ record: MembershipRecord, _ ancestors: RecordSet
  ) -> Refusal? {
    guard let author = known(hash, ancestors) else { return .malformed }
    if knowsOfRemoval(of: author.key, ancestors) { return .authorRemoved }
    return isSigned(record, by: [author.key]) ? nil : .signature
  }

  /// A founding among what a record descends from.
  private func known(_ hash: ContentHash, _ ancestors: RecordSet) -> MembershipRecord.Founding? {
    guard let place = place(of: hash), ancestors.contains(place) else { return nil }
    return founding(at: place)
  }

  private func isSigned(_ record: MembershipRecord, by keys: [PublicKey]) -> Bool {
    let bytes = record.signedBytes
    return record.signatures.count == keys.count
      && zip(record.signatures, keys).allSatisfy { cryptography.isValid($0, of: bytes, by: $1) }
  }

  /// Whether the bounds leave room for one more record, and if not, why it is refused.
  func refusal(forRoomOf record: MembershipRecord) -> Refusal? {
    guard record.parents.allSatisfy({ contains($0) }) else { return .full }
    // A founding without the merge that links it would be of no use, so it needs room for two.
    let needed = record.parents.isEmpty ? 2 : 1
    let hasRoom =
      entries.count + needed <= Limits.membershipRecords
      && bytes + record.encoded.count <= Limits.membershipBytes
    if hasRoom || entries.isEmpty { return nil }
    guard case .remove(let removal) = record.body, mayUseReserve(removal) else { return .full }
    return nil
  }

  /// Whether the author of a removal is one of the most senior and has a say, or is the recovery key of the first, and
  /// has not made too many. The reserve is counted for each author: nobody can use up the room of another.
  private func mayUseReserve(_ removal: MembershipRecord.Removal) -> Bool {
    let made = entries.filter { entry in
      guard case .remove(let other) = entry.record.body else { return false }
      return other.author == removal.author && other.isByRecoveryKey == removal.isByRecoveryKey
    }
    guard made.count < Limits.membershipReserveRemovals, let author = place(of: removal.author),
      let key = founding(at: author)?.key, let resolution = resolution(of: key),
      let rank = resolution.rankOfFounding[author]
    else { return false }
    // Whether it was removed by juniors is no matter: a thief would otherwise remove all others, and then fill the set.
    return removal.isByRecoveryKey
      ? rank == 0 : rank < Limits.membershipReserveMembers && !resolution.places[rank].isBound
  }
}
