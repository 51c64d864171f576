import PeerSyncCore

/// What must be so once a dishonest member is removed with all that it has decided: views are as if it had never been a member,
/// but for what the store signed and for credits within its rights (I10).
struct TakingBackCheck {
  private let world: World
  /// Its key.
  private let key: PublicKey

  /// Nil where nobody was dishonest.
  init?(in world: World) {
    guard let dishonest = world.rare.dishonest, !world.rare.forged.isEmpty else { return nil }
    self.world = world
    key = world.devices[dishonest].identity.key
  }

  /// Has the others remove it with all that it has decided, as people would once they notice.
  func expel(within limit: UInt64) {
    let end = world.time + limit
    while isMember, world.time < end, world.violations.isEmpty {
      DishonestMember(in: world)?.expel(true)
      world.run(until: world.time + Limits.beatMilliseconds)
    }
  }

  /// Whether one of the others takes it for a member.
  private var isMember: Bool {
    world.originals.contains { index in
      world.devices[index].identity.key != key && world.devices[index].engine?.group.isMember(key) == true
    }
  }

  /// Looks at a device that has removed it.
  func check(_ index: Int, _ engine: Engine) {
    guard let removed = engine.group.removed.first(where: { $0.device.key == key }), removed.counted.isEmpty,
      let view = world.view(of: index)
    else { return }
    let held = world.devices[index].disk.registers.counted(engine.ledgerCache.counting)
    let others = held.filter { write in
      RegisterKind.isSignedByStore(write.key) || engine.replica.incarnation(of: write.dot.replica)?.key != key
    }
    let lives = engine.ledgerCache.counting.lives(naming: held)
    var ledger = world.checked.ledger(of: others, world.devices[index].identity, lives)
    let expected = ledger.view(at: world.viewTime)
    let isSame =
      view.lines == expected.lines && view.subscriptions == expected.subscriptions
      && view.purchased == expected.purchased && entitlements(view, expected) == entitlements(expected, view)
    if !isSame { world.report(.takingAway, "device \(index) still counts what a removed member decided") }
    let unforged = held.filter { !world.rare.forged.contains($0.dot.replica) }
    ledger = world.checked.ledger(of: unforged, world.devices[index].identity, lives)
    for credit in ledger.creditsHeld { check(credit, index, engine, &ledger) }
  }

  /// Which entitlements a view has in common with another, but for those of credits: what spends them is looked at by itself.
  private func entitlements(_ view: LedgerView, _ other: LedgerView) -> [EntitlementView] {
    let ofCredits = (view.entitlements + other.entitlements).filter { $0.because.contains("of credit") }.map(
      \.id)
    return view.entitlements.filter { !ofCredits.contains($0.id) }
  }

  /// From which lives of a device it has made up to have taken credits over, and how many in all.
  private struct Taken {
    var lives: Set<ReplicaID> = []
    var amount: Int64 = 0
  }

  /// What it has made up to have taken over from other devices, by their keys, as far as that counts: from those that were removed.
  private func taken(of credit: String, _ engine: Engine) -> [PublicKey: Taken] {
    let counting = engine.ledgerCache.counting
    var taken: [PublicKey: Taken] = [:]
    for life in world.rare.forged.sorted() {
      for source in engine.replica.knownReplicas where source.1 != key {
        let register = RegisterID(
          key: RegisterKey.creditTaking(credit: credit, from: source.0, by: life).encoded, author: life)
        guard let write = engine.replica.registers[register],
          write.withView({ counting.includes(undecided: $0) })
        else { continue }
        taken[source.1, default: Taken()].lives.insert(source.0)
        taken[source.1]?.amount += min(Int64(clamping: write.stamp.rawValue), Limits.creditTotal)
      }
    }
    return taken
  }

  /// What a device holds, or held before refunds: the lives from which something is taken over, and all of which something counts. What one
  /// of them lacks the others pay first, so that what is taken over from one of them beyond what it holds is taken from these.
  private func held(
    _ credit: String, by device: PublicKey, _ taken: Set<ReplicaID>, _ engine: Engine, _ ledger: Ledger
  ) -> Int64 {
    let lives = engine.replica.replicas(of: device).filter {
      taken.contains($0) || engine.replica.vector[$0] > 0
    }
    return lives.map { CreditHolder($0) }.reduce(0) { sum, life in
      sum + ledger.rights(credit, of: life) + ledger.refunded(credit, of: life)
    }
  }

  /// What it made up has cost the others at most what the member had, what they had of it, and what it had before refunds: that it
  /// may have spent in time, which makes a debt. What devices that were removed held, or held before refunds, it may take over like any
  /// other member. What it
  /// holds itself is no use to anybody.
  private func check(_ credit: String, _ index: Int, _ engine: Engine, _ ledger: inout Ledger) {
    // Of a life that it lived before it lied the device may know by what others have passed on alone.
    let known = engine.replica.replicas(of: key)
    let earlier = world.history.keys.filter { $0.value == key && !known.contains($0.key) }.map(\.key).sorted()
    let lives = (known + earlier).map { CreditHolder($0) }
    let own = lives.reduce(Int64(0)) { sum, life in
      sum + max(0, ledger.rights(credit, of: life)) + ledger.given(credit, by: life)
        + ledger.refunded(credit, of: life)
    }
    let taken = taken(of: credit, engine).reduce(Int64(0)) { sum, taking in
      let (device, taken) = taking
      return sum + min(taken.amount, max(0, held(credit, by: device, taken.lives, engine, ledger)))
    }
    func spendable(_ ledger: inout Ledger) -> Int64 {
      let others = ledger.shares(of: credit).map(\.holder).filter { !lives.contains($0) }
      return others.reduce(0) { $0 + ledger.available(credit, to: $1) }
    }
    let before = spendable(&ledger)
    let left = world.read(index) { $0.ledger { spendable(&$0) } } ?? 0
    guard left < before - own - taken else { return }
    world.report(
      .takingAway,
      "on device \(index) the others have \(left) of '\(credit)' left, of \(before) without a removed member that had \(own) and took \(taken)"
    )
  }
}
