extension Ledger {
  /// Takes in a register of a credit. Its stamp is how much it stands at.
  mutating func apply(_ entry: CreditEntry, of credit: Name, stamp: Stamp) {
    credits[credit, default: CreditState(lives: lives)].apply(entry, total: stamp.rawValue)
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

  /// Those of them that some product buys, in byte order: of others nobody has any, however many names a member makes up.
  package var creditsSold: [String] {
    mutating get { currentPlan().credits.filter { credits[$0] != nil }.map(\.text) }
  }

  /// Says which holders of credits are lives of one device.
  package mutating func know(_ lives: DeviceLives) {
    guard lives != self.lives else { return }
    self.lives = lives
    // Each in its place: a member may have made up names of credits by the hundred thousand.
    var place = credits.startIndex
    while place != credits.endIndex {
      credits.values[place].lives = lives
      credits.formIndex(after: &place)
    }
    cachedView = nil
  }

  /// Whose life a holder of credits is; nil: of none that counts or is named.
  package func key(of holder: CreditHolder) -> PublicKey? { lives.key(of: holder) }

  /// Who holds rights to a credit, in the order of the holders: all together hold what was bought less what was spent.
  /// Those that nobody knows are one, and so are those that never were members: each stands under the first of them.
  package mutating func shares(of credit: String) -> [CreditShare] { credits[Name(credit)]?.shares ?? [] }

  /// Who may spend how much of a credit, in the order of the holders.
  package mutating func spendable(_ credit: String) -> [CreditShare] {
    credits[Name(credit)]?.spendable ?? []
  }

  /// What a holder may spend or give away of a credit.
  package mutating func available(_ credit: String, to holder: CreditHolder) -> Int64 {
    credits[Name(credit)]?.available(to: holder) ?? 0
  }

  /// What a holder pays of what another one lacks of a credit: see ``CreditState/paid(by:for:)``.
  package mutating func paid(_ credit: String, by holder: CreditHolder, for lacking: CreditHolder) -> Int64 {
    credits[Name(credit)]?.paid(by: holder, for: lacking) ?? 0
  }

  /// What the custodian can take over of a credit from a holder that was removed: see ``CreditState/reclaimable(from:)``.
  mutating func reclaimable(_ credit: String, from holder: CreditHolder) -> Reclaimable {
    credits[Name(credit)]?.reclaimable(from: holder) ?? Reclaimable(holder: holder, rights: 0, owed: 0)
  }

  /// The same of all holders, in their order: see ``CreditState/reclaimable``.
  package mutating func reclaimable(_ credit: String) -> [Reclaimable] {
    credits[Name(credit)]?.reclaimable ?? []
  }

  /// How much more somebody could spend of a credit if it were given so much: see ``CreditState/gain(of:from:to:)``.
  package mutating func gain(
    of amount: Int64, _ credit: String, from giver: ReplicaID, to receiver: ReplicaID
  )
    -> (receiver: Int64, both: Int64)
  {
    credits[Name(credit)]?.gain(of: amount, from: giver, to: receiver) ?? (amount, 0)
  }

  /// What a holder holds of a credit.
  package func rights(_ credit: String, of holder: CreditHolder) -> Int64 {
    credits[Name(credit)]?.rights(of: holder) ?? 0
  }

  /// What all holders together may spend of a credit; where that is nothing, less than nothing by what is owed.
  package mutating func balance(_ credit: String) -> Int64 { credits[Name(credit)]?.balance ?? 0 }

  /// The numbers of a holder of a credit.
  package func holding(of credit: String, by holder: CreditHolder) -> CreditState.Holding {
    credits[Name(credit)]?.holdings[holder] ?? CreditState.Holding()
  }

  /// How much of a credit a replica has taken over from another, ever.
  func taken(_ credit: String, from replica: ReplicaID, by taker: ReplicaID) -> Int64 {
    credits[Name(credit)]?.taken(from: replica, by: taker) ?? 0
  }

  /// What a holder has given away of a credit, ever, or others have taken over from it.
  package func given(_ credit: String, by holder: CreditHolder) -> Int64 {
    credits[Name(credit)]?.holdings[holder]?.given ?? 0
  }

  /// What refunds have taken off the purchases of a credit by a holder.
  package func refunded(_ credit: String, of holder: CreditHolder) -> Int64 {
    credits[Name(credit)]?.holdings[holder]?.refunded ?? 0
  }

  /// A spend of a credit that is remembered under an id.
  package func spend(_ id: String, of credit: String) -> CreditSpend? { credits[Name(credit)]?.spend(id) }

  /// Who has spent or given away what it never had, as far as is known here, and how much. While no product buys the credit it is not
  /// known what anybody had.
  package mutating func doubts(of credit: String) -> [(holder: CreditHolder, amount: Int64)] {
    knowsCredit(credit) ? credits[Name(credit)]?.doubts ?? [] : []
  }

  /// Which credits are sold, and which were bought, as far as is known here. No number of a credit is asked for it.
  var sold: SoldCredits {
    mutating get {
      let bought = creditsIssued.filter { credits[$0]?.isBought == true }
      return SoldCredits(known: Set(currentPlan().credits), bought: bought)
    }
  }

  /// What was taken over from devices that are lost, by whom, in all.
  package mutating func lost(of credit: String) -> [(by: ReplicaID, amount: Int64)] {
    credits[Name(credit)]?.lost ?? []
  }

  /// Whether there are numbers of a credit here.
  func hasNumbers(of credit: String) -> Bool { credits[Name(credit)] != nil }

  func state(of credit: String) -> CreditState { credits[Name(credit)] ?? CreditState() }
}

/// Which credits people can have.
struct SoldCredits {
  /// Those that some product buys.
  let known: Set<Name>
  /// Those of which something was bought.
  let bought: Set<Name>
}
