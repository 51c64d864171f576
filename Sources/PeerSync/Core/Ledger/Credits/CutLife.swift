extension CreditState {
  /// A life of a device whose writes were cut. Its own number may be lost with the cut: what it spent are the spends that are
  /// remembered of it, those named by later lives among them, and what lies before the first of all.
  struct CutLife {
    /// A spend of it: how much, and how much the life had spent before.
    struct Spend: Equatable {
      var amount: Int64
      var before: Int64
    }

    /// Those that later lives name, by their ids. Several lives may name one, each before it heard of the other: it counts once.
    private(set) var named: [Name: Spend] = [:]
    /// The same, as each life names it.
    private var namings: [Name: [ReplicaID: Spend]] = [:]
    /// Those and the ones that are remembered.
    private var all: [Name: Spend] = [:]
    private var sum: Int64 = 0
    /// Them by what lies before each, and some that are not among them any more.
    private var order = MinHeap<Start>()

    /// Where a spend begins.
    private struct Start: Comparable {
      let before: Int64
      let id: Name

      static func < (left: Start, right: Start) -> Bool { left.before < right.before }
    }
    /// The first of the lives that name them: they are charged to it.
    private(set) var carrier: ReplicaID
    /// How much is charged, beyond what the life's own number says.
    private(set) var charged: Int64 = 0

    init(carrier: ReplicaID) { self.carrier = carrier }

    /// How much it has spent. Before the first of all lies what is not among them.
    mutating func total() -> Int64 {
      while let first = order.first, all[first.id]?.before != first.before { order.removeFirst() }
      return (order.first?.before ?? 0) &+ sum
    }

    /// Takes in what a later life names in the place of what that one has named of it before.
    ///
    /// - Parameter others: what is remembered of it
    mutating func name(_ spend: Spend, _ id: Name, by carrier: ReplicaID, beside others: () -> [Spend]) {
      let former = namings[id, default: [:]].updateValue(spend, forKey: carrier)
      if former == nil || former == spend {
        named[id] = merged(named[id], spend)
        remember(spend, id)
      } else {
        named[id] = (namings[id] ?? [:]).values.reduce(nil) { merged($0, $1) }
        forget(id, but: others())
      }
    }

    mutating func remember(_ spend: Spend, _ id: Name) {
      set(merged(all[id], spend), id)
    }

    mutating func charge(_ amount: Int64, to carrier: ReplicaID) {
      (charged, self.carrier) = (amount, carrier)
    }

    /// Forgets what is remembered of a spend beyond what is named of it, and beside what is given here.
    mutating func forget(_ id: Name, but others: [Spend]) {
      set(others.reduce(named[id]) { merged($0, $1) }, id)
    }

    private mutating func set(_ spend: Spend?, _ id: Name) {
      sum &+= (spend?.amount ?? 0) &- (all[id]?.amount ?? 0)
      all[id] = spend
      guard let spend else { return }
      order.insert(Start(before: spend.before, id: id))
      if order.count > 2 * all.count + 64 {
        order = MinHeap(all.map { Start(before: $0.value.before, id: $0.key) })
      }
    }

    private func merged(_ held: Spend?, _ spend: Spend) -> Spend {
      guard let held else { return spend }
      return Spend(amount: max(held.amount, spend.amount), before: min(held.before, spend.before))
    }
  }
}
