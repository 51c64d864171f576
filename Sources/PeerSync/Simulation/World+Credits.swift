import PeerSyncCore

// Credits: what people spend, and the promise that it is never more than was bought (I4).
extension World {
  /// The credit of simulations.
  package static let credit = "owls"

  /// States what products buy, so that the spending of their credits is looked at.
  package func sell(_ products: [Product]) { sales.sell(products) }

  // MARK: What people do

  /// Someone spends, perhaps what was asked for before.
  func spend(_ index: Int) {
    let known = books.acknowledged(of: Self.credit)
    if chance(8) == 0, !known.isEmpty {
      let again = known[Int(chance(UInt64(known.count)))]
      return _ = request(.spend(again.spending), of: again.device)
    }
    counts.spendsAsked += 1
    let spending = Spending(
      credit: Self.credit, amount: 1 + Int64(chance(4)), id: "spend-\(counts.spendsAsked)")
    request(.spend(spending), of: index)
  }

  /// The credits of a purchase that says where it was made are safe wherever it is delivered. One that does not is for
  /// devices of one group: two that never met cannot know of each other.
  func mayDeliver(_ transaction: Transaction) -> Bool {
    !sales.isCredit(transaction.productId) || transaction.accountToken != nil
      || family.count == originals.count
  }

  // MARK: What must hold

  /// What has been spent and what could be spent at this moment, by devices that may know nothing of each other, is no more
  /// than was bought. Refunds take nothing off it: they may come after the spending. And what a device spends behind its cut,
  /// before it hears that it was removed, is not counted, nor what it gives then to those whom the others do not know.
  func checkSpending(_ index: Int) {
    for credit in sales.credits { books.note(available: available(index, credit), of: credit, on: index) }
    if counts.removals > 0, let group = devices[index].engine?.group {
      let removals = group.removed.map { ($0.device.key, VersionVector($0.cuts)) }
      let takenBack = group.removed.filter(\.isTakenBack).map(\.device.key)
      books.note(removals, takingBack: takenBack, among: group.members.map(\.key), by: index)
    }
    for credit in sales.credits {
      let spare = spareCredits(of: credit)
      guard spare < 0, spare + excusedCredits(of: credit) < 0 else { continue }
      report(
        .noOverspending,
        "\(books.spent(credit, author(of:))) of '\(credit)' were spent and \(spendable(credit)) can be, of "
          + "\(sales.amount(of: credit)) that were bought")
    }
  }

  /// The credits bought that were not spent and that no device can spend now.
  ///
  /// - Parameter device: one that does not count
  func spareCredits(of credit: String = World.credit, without device: Int? = nil) -> Int64 {
    sales.amount(of: credit) - books.spent(credit, author(of:)) - spendable(credit, without: device)
  }

  private func spendable(_ credit: String, without device: Int? = nil) -> Int64 {
    let outcasts = books.outcasts
    // Nearly always of nobody.
    if outcasts.isEmpty, device == nil { return books.spendable(credit, without: []) }
    return books.spendable(
      credit,
      without: Set(devices.indices.filter { $0 == device || outcasts.contains(devices[$0].identity.key) }))
  }

  /// What a device can spend now.
  package func available(_ index: Int, _ credit: String = World.credit) -> Int64 {
    look(index) { $0.available(credit) } ?? 0
  }

  /// What may be spent twice: gifts of devices that were removed, to whom nobody could tell it, what was taken over by who
  /// could not know better, and what is charged to whom a person has removed as a liar.
  package func excusedCredits(of credit: String = World.credit) -> Int64 {
    books.strayed(credit, author(of:)) + books.excused(credit) + books.charged(credit, author(of:))
  }

  /// What a device acknowledged to have spent it remembers.
  func checkAcknowledgedSpends(_ index: Int) {
    guard !isDoubtful(index) else { return }
    for credit in sales.credits {
      for (device, spending) in books.acknowledged(of: credit) where device == index {
        let known = devices[index].engine?.ledger { $0.spend(spending.id, of: credit) }
        if known?.amount != spending.amount {
          report(.durability, "device \(index) acknowledged a spend and forgot it")
        }
      }
    }
  }
}
