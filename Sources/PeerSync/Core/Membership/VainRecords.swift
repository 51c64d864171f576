/// Which records on offer are refused whoever has signed them, as far as that is certain beforehand: those of a branch that is full,
/// those of devices that were removed, and those that were refused before, unless something else on offer may name them. They
/// are not even verified: to refuse has to cost less than to ask.
struct VainRecords {
  typealias Offered = (record: MembershipRecord, hash: ContentHash)

  private var reasons: [ContentHash: Membership.Refusal] = [:]

  /// - Parameter before: what was refused, and why, since the set has changed last
  init(_ offered: [Offered], for set: Membership, refusedBefore before: [ContentHash: Membership.Refusal]) {
    let news = offered.filter { !set.contains($0.hash) }
    guard !news.isEmpty, set.count > 0 else { return }
    if set.count >= Limits.membershipRecords, !news.contains(where: \.record.isRemoval) {
      for item in news { reasons[item.hash] = .full }
    } else if news.allSatisfy({ before[$0.hash] != nil }) {
      for item in news { reasons[item.hash] = before[item.hash] }
    } else {
      judge(news, for: set, before)
    }
  }

  /// Why a record is refused; nil: that is to be found out.
  subscript(hash: ContentHash) -> Membership.Refusal? { reasons[hash] }

  private mutating func judge(
    _ news: [Offered], for set: Membership, _ before: [ContentHash: Membership.Refusal]
  ) {
    let room = RecordRoom(set, seenBy: set.resolution, held: set.entries.count)
    var naming: Set<Int> = []
    for (record, hash) in news {
      reasons[hash] = before[hash] ?? room.certainRefusal(of: record)
      if reasons[hash] == nil, let branch = room.branch(naming: record) { naming.insert(branch) }
    }
    for (record, hash) in news where reasons[hash] != nil {
      if !naming.subtracting([room.branch(of: record)]).isEmpty { reasons[hash] = nil }
    }
    judgeFoundings(among: news)
  }

  /// A founding comes in with what names it, and not otherwise.
  private mutating func judgeFoundings(among news: [Offered]) {
    var (wanted, unwanted) = (Set<ContentHash>(), [ContentHash: Membership.Refusal]())
    for (record, hash) in news {
      for parent in record.parents {
        if let reason = reasons[hash] { unwanted[parent] = reason } else { wanted.insert(parent) }
      }
    }
    for (record, hash) in news where reasons[hash] == nil && !wanted.contains(hash) {
      if case .found = record.body { reasons[hash] = unwanted[hash] ?? .stranger }
    }
  }
}
