extension Ledger {
  /// Takes in a register of a credit. Its stamp is how much it stands at.
  mutating func apply(_ entry: CreditEntry, of credit: Name, stamp: Stamp) {
    credits[credit, default: CreditState()].apply(entry, total: stamp.rawValue)
    cachedView = nil
  }

  /// Whether some product buys a credit.
  package mutating func knowsCredit(_ credit: String) -> Bool {
    let credits = currentPlan().credits
    let index = credits.partitionPoint { $0 >= Name(credit) }
    return index < credits.count && credits[index] == Name(credit)
  }

  /// The credits that have numbers here, in byte order.
  package var creditsHeld: [String] { credits.keys.sorted().map(\.text) }

  /// Who holds rights to a credit, in the order of the holders.
  package func shares(of credit: String) -> [CreditShare] { creditView(Name(credit)).shares }

  /// What a holder may spend or give away of a credit.
  package func available(_ credit: String, to holder: CreditHolder) -> Int64 {
    credits[Name(credit)]?.available(to: holder, lives) ?? 0
  }

  /// What a holder holds of a credit.
  package func rights(_ credit: String, of holder: CreditHolder) -> Int64 {
    credits[Name(credit)]?.rights(of: holder) ?? 0
  }

  /// What is left of a credit on all holders together; less than nothing is a debt.
  package func balance(_ credit: String) -> Int64 { credits[Name(credit)]?.balance(lives) ?? 0 }

  /// A spend of a credit that is remembered under an id.
  package func spend(_ id: String, of credit: String) -> CreditSpend? { credits[Name(credit)]?.spend(id) }

  /// Who has spent or given away what it never had, as far as is known here, and how much.
  package func doubts(of credit: String) -> [(holder: CreditHolder, amount: Int64)] {
    credits[Name(credit)]?.doubts(lives) ?? []
  }

  /// What was taken over from devices that were lost, by whom.
  package func lost(of credit: String) -> [(from: ReplicaID, by: ReplicaID, amount: Int64)] {
    credits[Name(credit)]?.lost ?? []
  }

  func state(of credit: String) -> CreditState { credits[Name(credit)] ?? CreditState() }
}
