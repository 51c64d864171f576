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
    if [host, joiner].contains(where: { knowsOfRemoval(of: $0.key, by: [$0.key], ancestors) }) {
      return .authorRemoved
    }
    return isSigned(record, by: [host.key, joiner.key]) ? nil : .signature
  }

  private func refusal(
    of removal: MembershipRecord.Removal, _ record: MembershipRecord, _ ancestors: RecordSet
  ) -> Refusal? {
    guard let author = known(removal.author, ancestors) else { return .malformed }
    guard removal.isByRecoveryKey else { return refusal(ofAuthor: removal.author, record, ancestors) }
    return isSigned(record, by: [author.recoveryKey]) ? nil : .signature
  }

  private func refusal(
    ofAuthor hash: ContentHash, _ record: MembershipRecord, _ ancestors: RecordSet
  ) -> Refusal? {
    guard let author = known(hash, ancestors) else { return .malformed }
    if knowsOfRemoval(of: author.key, by: [author.key], ancestors) { return .authorRemoved }
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
}
