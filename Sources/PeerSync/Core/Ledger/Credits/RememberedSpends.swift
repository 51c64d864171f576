/// The last spends of each life, by their ids: whoever is asked for one of them again answers as before.
///
/// A spend answers only as far as its life has paid for it: otherwise a member could take the ids that others will use, and whoever
/// asks for them would be told that it is done.
struct RememberedSpends: Sendable {
  /// Where a life remembers one of its last spends.
  struct Slot: Hashable, Comparable, Sendable {
    let replica: ReplicaID
    let number: UInt16

    static func < (left: Slot, right: Slot) -> Bool {
      (left.replica, left.number) < (right.replica, right.number)
    }
  }

  /// A spend, and how much its life had spent with it.
  struct Remembered: Sendable {
    let spend: CreditSpend
    let total: Int64

    /// How much its life had spent before; less than nothing where that cannot be.
    var before: Int64 { total - spend.amount }
  }

  /// What the slots of each holder hold.
  private var remembered: [CreditHolder: [Slot: Remembered]] = [:]
  /// The slots that hold a spend of an id: more than one when devices that were apart spent under one id.
  private var slots: [Name: Set<Slot>] = [:]
  /// The slot of each replica's last spend.
  private var lastSlots: [ReplicaID: Slot] = [:]

  /// Takes a spend in; of two in one slot that with the greater total.
  ///
  /// - Returns: whether it counts, and what stood there
  mutating func insert(_ spend: Remembered, at slot: Slot) -> (isHeld: Bool, former: Remembered?) {
    let held = self[slot]
    if let held {
      guard held.total <= spend.total else { return (false, held) }
      let name = Name(held.spend.id)
      slots[name]?.remove(slot)
      if slots[name]?.isEmpty == true { slots[name] = nil }
    }
    remembered[CreditHolder(slot.replica), default: [:]][slot] = spend
    slots[Name(spend.spend.id), default: []].insert(slot)
    if last(of: slot.replica).map({ $0.total <= spend.total }) ?? true { lastSlots[slot.replica] = slot }
    return (true, held)
  }

  private subscript(slot: Slot) -> Remembered? { remembered[CreditHolder(slot.replica)]?[slot] }

  /// What the slots of a holder hold.
  func all(of holder: CreditHolder) -> [Remembered] {
    (remembered[holder] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }

  /// What the slots of a holder hold under an id.
  func all(under id: Name, of holder: CreditHolder) -> [Remembered] {
    let (slots, own) = (slots[id] ?? [], remembered[holder] ?? [:])
    // A member may have made either of them long.
    let found =
      slots.count < own.count
      ? slots.filter { CreditHolder($0.replica) == holder } : Set(own.keys.filter(slots.contains))
    return found.sorted().compactMap { own[$0] }
  }

  /// Whether one of some replicas remembers a spend.
  func holds(_ id: Name, byOneOf replicas: [ReplicaID]) -> Bool {
    slots[id]?.contains { replicas.contains($0.replica) } ?? false
  }

  /// What answers under an id; of several that of the first replica.
  ///
  /// - Parameter paid: how much a holder has paid for what it has spent; nil where somebody pays for all that is remembered of it
  func spend(under id: Name, paid: (CreditHolder) -> Int64?) -> CreditSpend? {
    let slots = (slots[id] ?? []).sorted()
    var apart: [CreditHolder: Set<Slot>] = [:]
    let slot = slots.first { slot in
      let holder = CreditHolder(slot.replica)
      guard let paid = paid(holder) else { return true }
      guard let spend = self[slot], spend.before >= 0, spend.total <= paid else { return false }
      if slots.count == 1 { return isApart(spend, at: slot, of: holder) }
      // A member may have many slots under one id: their life is gone through once for all of them.
      let slotsApart = apart[holder] ?? slotsApart(of: holder)
      apart[holder] = slotsApart
      return slotsApart.contains(slot)
    }
    return slot.flatMap { self[$0]?.spend }
  }

  /// Whether a spend shares nothing with the others of its holder: what was paid once answers for one of them.
  private func isApart(_ spend: Remembered, at slot: Slot, of holder: CreditHolder) -> Bool {
    (remembered[holder] ?? [:]).allSatisfy { place, other in
      place == slot || other.total <= spend.before || spend.total <= other.before
    }
  }

  /// The slots of a holder whose spends share nothing with its others.
  private func slotsApart(of holder: CreditHolder) -> Set<Slot> {
    let spends = (remembered[holder] ?? [:])
      .sorted { ($0.value.before, $0.value.total) < ($1.value.before, $1.value.total) }
    var (apart, end) = (Set<Slot>(), Int64.min)
    for (place, (slot, spend)) in spends.enumerated() {
      let next = place + 1 < spends.count ? spends[place + 1].value.before : .max
      if spend.before >= end, spend.total <= next { apart.insert(slot) }
      end = max(end, spend.total)
    }
    return apart
  }

  /// The slot for the next spend of a replica.
  func nextSlot(of replica: ReplicaID) -> UInt16 {
    lastSlots[replica].map { ($0.number + 1) % Limits.rememberedSpends } ?? 0
  }

  /// The last spend of a replica.
  func last(of replica: ReplicaID) -> Remembered? { lastSlots[replica].flatMap { self[$0] } }
}

extension RememberedSpends.Remembered {
  /// As a spend of a life that was cut.
  var ofCutLife: CreditState.CutLife.Spend {
    CreditState.CutLife.Spend(amount: spend.amount, before: max(before, 0))
  }
}
