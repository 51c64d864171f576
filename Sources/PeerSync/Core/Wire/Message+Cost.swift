extension Message {
  /// About what it takes to handle it, in signatures to be checked: 1 where it carries none. It bounds how much is handled at once, so
  /// that many small messages hold nobody up.
  package var cost: Int {
    switch self {
    case .delta(let chunk): max(chunk.commits.count, 1)
    case .items(let items): max(items.commits.count, 1)
    // What a record means for the others is worked out anew.
    case .records(let part): max(part.records.count * 8, 1)
    case .forks(let forks): max(forks.count * 2, 1)
    case .ranges(let ranges): max(ranges.count, 1)
    // Answered with all the records that it does not name.
    case .recordHashes: 256
    // Worked out from all numbers of a credit.
    case .rightsWanted: 64
    case .hello, .welcome, .summary, .vector, .commit, .deltaEnd, .addresses, .join,
      .introduction, .consent, .admitted,
      .close, .time, .heldBack, .dialBack, .dialledBack, .rightsGiven:
      1
    }
  }
}
