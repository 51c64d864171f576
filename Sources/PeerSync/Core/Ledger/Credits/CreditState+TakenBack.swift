// What devices that were removed with all that they had decided say that they have passed on counts as far as it had come to them
// (``TakenBackDevices``).
extension CreditState {
  /// What devices have, and what has passed between them.
  struct Passed {
    var books: [CreditHolder: Book]
    var gifts: CreditAccounts.Passed
    /// Who pays first for what was not there is in front.
    var takers: ShortfallTrace.Takers

    /// What a device has in all.
    struct Book {
      var rights: Int64 = 0
      /// What was bought for it, before refunds.
      var bought: Int64 = 0
      /// What refunds have taken off that.
      var refunded: Int64 = 0
      var spent: Int64 = 0
      /// Where it was removed with all that it had decided: what it has spent of what came to it from others.
      var spentOfOthers: Int64 = 0
      /// What it gave others of what it did not have; less than nothing: what others gave it so.
      var pretended: Int64 = 0
    }

    /// What a device of less than no rights lacks, and what of that refunds explain.
    func lack(of device: CreditHolder) -> (lack: ShortfallTrace.Lack, refunded: Int64) {
      guard let book = books[device] else { return (ShortfallTrace.Lack(device: device, given: 0), 0) }
      let takers = takers[device] ?? []
      let taken = takers.reduce(Int64(0)) { $0 &+ $1.value }
      let given = max(0 &- book.rights &- taken, 0)
      let refunded = min(given, max(book.refunded, 0))
      var lack = ShortfallTrace.Lack(device: device, given: given - refunded)
      lack.blame(takers, for: 0 &- book.rights &- given, refunded: max(book.refunded, 0) - refunded)
      return (lack, refunded)
    }

    /// Has what some devices have passed on, and taken over, count as far as it was there.
    fileprivate mutating func apply(_ truth: TakenBackDevices, of takenBack: Set<CreditHolder>) {
      for (giver, given) in truth.gifts {
        for (receiver, amount) in given {
          let void = (gifts[giver]?[receiver] ?? 0) - amount
          gifts[giver]?[receiver] = amount
          books[receiver]?.rights &-= void
          guard !takenBack.contains(receiver) else { continue }
          books[giver]?.pretended &+= void
          books[receiver]?.pretended &-= void
        }
      }
      for (source, taken) in truth.takings {
        takers[source] = (takers[source] ?? []).map { taker, amount in
          guard let counting = taken[taker] else { return (taker, amount) }
          books[source]?.rights &+= amount - counting
          books[taker]?.rights &-= amount - counting
          return (taker, counting)
        }.filter { $0.value > 0 }
      }
      for device in takenBack {
        let refunded = max(books[device]?.refunded ?? 0, 0)
        books[device]?.spentOfOthers = truth.spent[device] ?? 0
        // A refund takes back what it has left; the rest of it all owe.
        books[device]?.rights = (truth.left[device] ?? 0) - refunded
      }
    }
  }

  /// Has what devices that were removed with all that they had decided pass on count as far as it had come to them, so that they lack nothing
  /// but what refunds explain.
  ///
  /// - Returns: these, and with them those that nobody knows
  func takeBack(_ passed: inout Passed) -> Set<CreditHolder> {
    guard passed.books.keys.contains(where: lives.isTakenBack) else { return [] }
    let takenBack = Set(passed.books.keys.filter { lives.isTakenBack($0) || !lives.hasBelonged($0) })
    func others(_ amounts: CreditAccounts.Passed) -> CreditAccounts.Passed {
      amounts.filter { !takenBack.contains($0.key) }
    }
    let givenByOthers = others(passed.gifts)
    var accounts: [CreditHolder: TakenBackDevices.Account] = [:]
    for device in takenBack {
      guard let book = passed.books[device] else { continue }
      accounts[device] = TakenBackDevices.Account(
        bought: book.bought, received: givenByOthers.reduce(0) { $0 &+ ($1.value[device] ?? 0) },
        spent: book.spent, rights: book.rights &+ book.refunded)
    }
    var sources: [CreditHolder: Int64] = [:]
    for (source, takers) in passed.takers where !takenBack.contains(source) {
      guard takers.contains(where: { takenBack.contains($0.key) }), let book = passed.books[source] else {
        continue
      }
      // What it has but for what they say.
      let taken = takers.reduce(Int64(0)) { takenBack.contains($1.key) ? $0 &+ $1.value : $0 }
      let given = passed.gifts.reduce(Int64(0)) {
        takenBack.contains($1.key) ? $0 &+ ($1.value[source] ?? 0) : $0
      }
      sources[source] = max(book.rights &+ book.refunded &+ taken &- given, 0)
    }
    let truth = TakenBackDevices(
      accounts, takingFrom: sources, gifts: passed.gifts, takings: passed.takers,
      isMember: lives.isMember, isCustodian: lives.isCustodian)
    passed.apply(truth, of: takenBack)
    return takenBack
  }
}
