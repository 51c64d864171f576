// What has happened, and who made what is there.
extension Daemon {
  /// Most transactions, or things that have happened, in one answer.
  package static let mostListed = 10_000
  /// How many there are where nobody says.
  package static let usuallyListed = 1000

  /// The newest of all that has happened, as far as what is known now tells it, the newest last.
  ///
  /// - Parameters:
  ///   - since: what happened before is left out, and what nobody knows the time of
  ///   - limit: how many at most
  /// - Throws: a ``Problem`` for a limit that is no number from 1 to 10,000; ``StorageError`` when the disk has failed
  public func history(since: Instant? = nil, limit: Int? = nil) throws -> HistoryAnswer {
    let limit = try Self.checked(limit)
    return try read { engine, now in
      // What the time decides is counted anew first.
      _ = engine.time(at: now)
      let occurrences = engine.history(since: since, atMost: limit)
      let events = engine.ledger { ledger in occurrences.map { EventAnswer($0, ledger.product) } }
      return HistoryAnswer(events: events)
    }
  }

  /// A page of the transactions known, by purchase date, each with the device that made it.
  ///
  /// - Parameters:
  ///   - last: the id of the last one of the page before; nil: from the first
  ///   - limit: how many at most
  /// - Throws: a ``Problem`` for a limit that is no number from 1 to 10,000, or for an id that is not known here; ``StorageError``
  ///   when the disk has failed
  public func transactions(after last: String? = nil, limit: Int? = nil) throws -> TransactionsAnswer {
    let limit = try Self.checked(limit)
    return try read { engine, _ in
      var records = engine.ledger { $0.transactions() }[...]
      if let last {
        guard let place = records.firstIndex(where: { Name($0.reference) == Name(last) }) else {
          throw Problem(.unknownTransaction, "no transaction '\(last)' is known here: begin without `after`")
        }
        records = records[(place + 1)...]
      }
      let page = Array(records.prefix(limit))
      let makers = engine.makers(of: page)
      let answers = zip(page, makers).map { record, maker in
        TransactionAnswer(record, by: maker.map { EventAnswer.Named($0) })
      }
      return TransactionsAnswer(
        transactions: answers, next: records.count > limit ? page.last?.reference : nil)
    }
  }

  private static func checked(_ limit: Int?) throws -> Int {
    let limit = limit ?? usuallyListed
    guard (1...mostListed).contains(limit) else {
      throw Problem(.invalidValue, "limit is 1 to \(mostListed)")
    }
    return limit
  }
}
