import PeerSyncCore

// Credits: what people spend, and the promise that it is never more than was bought (I4).
extension World {
  /// The credit of simulations.
  static let credit = "owls"

  /// What one unit of a product buys.
  struct CreditAmount {
    let credit: String
    let amount: Int64
  }

  /// What is known of all spending, whatever devices have forgotten.
  struct Spendings {
    /// By credit.
    var books: [Name: CreditBook] = [:]
    /// Whom each device took for removed when it last ran.
    var removed: [Int: [MembershipGroup.Removed]] = [:]
    /// Who was a member where a device was first removed, by its key.
    var insiders: [PublicKey: [PublicKey]] = [:]
    /// How many spends people have asked for.
    var asked = 0

    subscript(credit: String) -> CreditBook { books[Name(credit)] ?? CreditBook() }

    /// Notes what a device can spend from now on: no more than this of any credit, until it runs again.
    mutating func setAvailable(_ available: Int64?, of device: Int) {
      for credit in books.keys { books[credit]?.available[device] = available }
    }
  }

  /// What is known of the spending of one credit.
  struct CreditBook {
    /// Where each replica's number stood, by the sequence of its write.
    var rows: [ReplicaID: [(sequence: UInt64, total: Int64)]] = [:]
    /// What each replica gave to another, in the same way.
    var gifts: [Gift: [(sequence: UInt64, total: Int64)]] = [:]
    /// What each device could spend at once when it last ran.
    var available: [Int: Int64] = [:]
    /// The spends that were acknowledged: by which device, and how many.
    var acknowledged: [String: (device: Int, amount: Int64)] = [:]
  }

  /// From whom to whom rights moved.
  struct Gift: Hashable {
    let giver: ReplicaID
    let receiver: ReplicaID
  }

  /// States what products buy, so that the spending of their credits is looked at.
  package func sell(_ products: [Product]) {
    for product in products {
      guard let credit = product.boughtCredit else { continue }
      creditAmounts[product.id] = CreditAmount(credit: credit, amount: Int64(product.amount ?? 1))
      if !credits.contains(where: { Name($0) == Name(credit) }) { credits.append(credit) }
    }
  }

  // MARK: What people do

  /// Someone spends, perhaps what was asked for before.
  func spend(_ index: Int) {
    let acknowledged = spendings[Self.credit].acknowledged
    if chance(8) == 0, !acknowledged.isEmpty {
      let known = acknowledged.sorted { $0.key < $1.key }[Int(chance(UInt64(acknowledged.count)))]
      let again = Spending(credit: Self.credit, amount: known.value.amount, id: known.key)
      return _ = request(.spend(again), of: known.value.device)
    }
    spendings.asked += 1
    let spending = Spending(
      credit: Self.credit, amount: 1 + Int64(chance(4)), id: "spend-\(spendings.asked)")
    request(.spend(spending), of: index)
  }

  /// The credits of a purchase that says where it was made are safe wherever it is delivered. One that does not is for
  /// devices of one group: two that never met cannot know of each other.
  func mayDeliver(_ transaction: Transaction) -> Bool {
    creditAmounts[transaction.productId] == nil || transaction.accountToken != nil
      || family.count == originals.count
  }

  // MARK: What must hold

  /// Notes how the numbers of a replica grow when they become durable.
  func noteSpending(_ durable: Durable, by replica: ReplicaID) {
    for write in durable.writes.flatMap(\.writes) where write.dot.replica == replica {
      // Of all others, which are left out below, it is a date: those beyond the year 6429 do not fit.
      let row = (write.dot.sequence, Int64(clamping: write.stamp.rawValue))
      switch try? RegisterKey(decoding: write.key[...]) {
      case .creditRow(let credit, replica): note(credit) { $0.rows[replica, default: []].append(row) }
      case .creditTransfer(let credit, replica, let receiver):
        note(credit) { $0.gifts[Gift(giver: replica, receiver: receiver), default: []].append(row) }
      default: continue
      }
    }
  }

  /// What has been spent and what could be spent at this moment, by devices that may know nothing of each other, is no more
  /// than was bought. Refunds take nothing off it: they may come after the spending. And what a device spends behind its cut,
  /// before it hears that it was removed, is not counted, nor what it gives then to those whom the others do not know.
  func checkSpending(_ index: Int) {
    for credit in credits {
      let available = available(index, credit)
      note(credit) { $0.available[index] = available }
    }
    if counts.removals > 0, let group = devices[index].engine?.group {
      spendings.removed[index] = group.removed
      for removed in group.removed where spendings.insiders[removed.device.key] == nil {
        spendings.insiders[removed.device.key] = group.members.map(\.key)
      }
    }
    guard isSpendingCertain else { return }
    for credit in credits {
      let spare = spareCredits(of: credit)
      guard spare < 0, spare + strayCredits(of: credit) < 0 else { continue }
      report(
        .noOverspending,
        "\(spentCredits(of: credit)) of '\(credit)' were spent and \(spendable(credit)) can be, of "
          + "\(creditsBought(of: credit)) that were bought")
    }
  }

  /// Changes what is known of a credit.
  func note(_ credit: String, _ change: (inout CreditBook) -> Void) {
    change(&spendings.books[Name(credit), default: CreditBook()])
  }

  /// The credits bought that were not spent and that no device can spend now.
  ///
  /// - Parameter device: one that does not count
  func spareCredits(of credit: String = World.credit, without device: Int? = nil) -> Int64 {
    creditsBought(of: credit) - spentCredits(of: credit) - spendable(credit, without: device)
  }

  private func spendable(_ credit: String, without device: Int? = nil) -> Int64 {
    let outcasts = outcasts
    return spendings[credit].available.filter { $0.key != device && !outcasts.contains($0.key) }.values
      .reduce(0, +)
  }

  private func spentCredits(of credit: String) -> Int64 {
    spendings[credit].rows.reduce(0) { $0 + spent(by: $1.key, $1.value) }
  }

  /// What a device can spend now.
  func available(_ index: Int, _ credit: String = World.credit) -> Int64 {
    devices[index].engine?.available(credit) ?? 0
  }

  /// A device that was removed and set back may have forgotten what nobody else has heard of.
  private var isSpendingCertain: Bool { counts.removals == 0 || counts.restores == 0 }

  /// What counts of what a replica spent: nothing beyond its cut.
  private func spent(by replica: ReplicaID, _ rows: [(sequence: UInt64, total: Int64)]) -> Int64 {
    guard let cut = cut(of: replica) else { return rows.last?.total ?? 0 }
    return rows.last { $0.sequence <= cut }?.total ?? 0
  }

  /// The last write that counts of a replica whose device was removed; nil: all count.
  private func cut(of replica: ReplicaID) -> UInt64? {
    let removals = spendings.removed.values.flatMap(\.self)
    guard !removals.isEmpty, let author = author(of: replica) else { return nil }
    return removals.filter { $0.device.key == author }.map { VersionVector($0.cuts)[replica] }.min()
  }

  /// What devices that were removed gave, beyond their cuts, to whom those who removed them did not know: nobody could tell
  /// them in time, so that they may spend what others took over meanwhile.
  private func strayCredits(of credit: String) -> Int64 {
    spendings[credit].gifts.reduce(0) { sum, gift in
      guard let cut = cut(of: gift.key.giver), let giver = author(of: gift.key.giver),
        let receiver = author(of: gift.key.receiver),
        spendings.insiders[giver]?.contains(receiver) == false
      else { return sum }
      let counted = gift.value.last { $0.sequence <= cut }?.total ?? 0
      return sum + (gift.value.last?.total ?? 0) - counted
    }
  }

  /// Devices that somebody has removed.
  private var outcasts: Set<Int> {
    let keys = Set(spendings.removed.values.flatMap { $0.map(\.device.key) })
    guard !keys.isEmpty else { return [] }
    return Set(devices.indices.filter { keys.contains(devices[$0].identity.key) })
  }

  private func creditsBought(of credit: String) -> Int64 {
    bought.reduce(0) { sum, transaction in
      guard let bought = creditAmounts[transaction.productId], Name(bought.credit) == Name(credit) else {
        return sum
      }
      return sum + bought.amount * Int64(transaction.quantity)
    }
  }

  /// What a device acknowledged to have spent it remembers.
  func checkAcknowledgedSpends(_ index: Int) {
    guard !isDoubtful(index) else { return }
    for credit in credits {
      for (id, spend) in spendings[credit].acknowledged.sorted(by: { $0.key < $1.key })
      where spend.device == index {
        let known = devices[index].engine?.ledger { $0.spend(id, of: credit) }
        if known?.amount != spend.amount {
          report(.durability, "device \(index) acknowledged a spend and forgot it")
        }
      }
    }
  }
}
