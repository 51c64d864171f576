// What has happened, as the registers and the records held now tell it.
extension EngineView {
  /// The newest of all that is known to have happened and still counts, the newest last.
  ///
  /// What an author has decided anew under a key has taken the place of what it decided before; of spends the last of each device
  /// are remembered.
  ///
  /// - Parameters:
  ///   - since: what happened before that is left out, and what nobody knows the time of
  ///   - now: the present
  ///   - limit: how many at most
  package mutating func history(
    since: Instant? = nil, at now: Instant, atMost limit: Int
  ) -> [Occurrence] {
    let records = ledger { $0.transactions() }
    var newest = NewestOccurrences(atMost: limit, since: since)
    for record in records { occurrences(of: record).forEach { newest.add($0) } }
    let counting = engine.holdings.ledgerCache.counting
    engine.holdings.replica.registers.forEach { write in
      guard let kind = write.key.first.flatMap({ RegisterKind(rawValue: $0) }), !kind.isSignedByStore,
        counting.includes(undecided: write) || isToldTaking(write),
        !kind.isDecision
          || counting.includes(write, isDecidedAnew: { engine.holdings.replica.registers[$0] != nil })
      else { return }
      if let occurrence = occurrence(of: write) { newest.add(occurrence.heard(by: now)) }
    }
    membershipOccurrences().forEach { newest.add($0.heard(by: now)) }
    if let accepted = engine.timekeeper.trusted.accepted {
      newest.add(Occurrence(.accepted, .stated(accepted), by: engine.ownDevice))
    }
    let buyers = Buyers(engine)
    return newest.sorted.map { withAuthor($0, buyers) }
  }

  /// What a register that has just been written says has happened, but for what was sold; nil: nothing that a person would see.
  ///
  /// - Parameter dot: names the write. One that was replaced since says nothing
  package mutating func occurrence(at key: [UInt8], _ dot: Dot) -> Occurrence? {
    var found: Occurrence?
    engine.holdings.replica.registers.forEach(under: key) { write in
      if write.replica == dot.replica, write.sequence == dot.sequence {
        found = occurrence(of: write)
      }
    }
    return found
  }

  // MARK: Registers

  /// The device that wrote what counts in a register of a decision; nil: nothing does, or it is not known here.
  package mutating func author(of key: RegisterKey) -> MembershipGroup.Device? {
    // Works out what counts.
    ledger { _ in }
    let counting = engine.holdings.ledgerCache.counting
    let standing = engine.holdings.replica.registers.standing(under: key.encoded, counting) { write in
      (try? Fact(key: key, value: Array(write.value)[...])) != nil
    }
    return standing.flatMap { engine.device(of: $0.dot.replica) }
  }

  /// What a decision or a register of a credit says.
  private func occurrence(of write: borrowing WriteView) -> Occurrence? {
    guard let key = try? RegisterKey(decoding: Array(write.key)[...]),
      let fact = try? Fact(key: key, value: Array(write.value)[...])
    else { return nil }
    let dot = Dot(replica: write.replica, sequence: write.sequence)
    var author = write.replica
    let what: Occurrence.What
    switch fact {
    case .grant(let entitlement, _, let grant): what = .granted(entitlement: entitlement, grant)
    case .expiration(let line, let register): what = .dated(line: line, register)
    case .product(let product, _): what = .stated(product)
    case .other(.value(let name), let value): what = .set(key: name, value: value)
    case .other(.deviceName, let value): what = .renamed(String(decoding: value, as: UTF8.self))
    case .credit(let credit, .spend(_, _, let spend)): what = .spent(spend, of: credit)
    case .credit(let credit, .spentAgain(let life, let spend, _)):
      what = .spent(spend, of: credit)
      author = life
    case .credit(let credit, .lost), .credit(let credit, .taken), .credit(let credit, .takenAgain):
      guard isToldTaking(write) else { return nil }
      let isKnown = RegisterKey.taking(write).map { engine.device(of: $0.by) != nil } ?? true
      if isKnown, let taker = RegisterKey.taking(write)?.by { author = taker }
      what = .reclaimed(
        Int64(clamping: write.stamp.rawValue), of: credit,
        counts: engine.holdings.ledgerCache.counting.includes(undecided: write), isNamed: !isKnown)
    case .credit, .transaction, .other: return nil
    }
    let time: Occurrence.Time =
      key.kind.isDecision && write.stamp > .adopted
      ? .stated(Instant(clamping: Int64(clamping: write.stamp.milliseconds)))
      : engine.holdings.history.heard(dot).map { .learned(by: $0) } ?? .unknown(after: nil)
    var device = engine.device(of: author)
    // Whoever names what does not count did not do it.
    if case .reclaimed(_, _, counts: false, isNamed: true) = what { device = nil }
    return Occurrence(what, time, by: device, order: Array(write.key))
  }

  /// What was taken over from devices that were lost, as far as was known, and are not: it moves nothing. Sorted by what registers are found by.
  package mutating func voidTakings(of credit: String) -> [(by: ReplicaID, amount: Int64)] {
    // Works out which those are.
    ledger { _ in }
    return engine.oddities.takings.keys.sorted().compactMap { register in
      let (name, taker): (String, ReplicaID)
      switch try? RegisterKey(decoding: register.key[...]) {
      case .creditLost(let credit, _, let by), .creditTaking(let credit, _, let by):
        (name, taker) = (credit, by)
      default: return nil
      }
      guard Name(name) == Name(credit) else { return nil }
      var amount: Int64?
      engine.holdings.replica.registers.forEach(under: register.key) { write in
        if isToldTaking(write) { amount = Int64(clamping: write.stamp.rawValue) }
      }
      return amount.map { (taker, $0) }
    }
  }

  /// How much was taken over from devices that are lost, and moves it: by whom, or by devices that never were members, of which one that names
  /// them is told: a member may have made up any number of them. Sorted by that one.
  package mutating func takenFromLost(of credit: String) -> [(by: ReplicaID, amount: Int64, isNamed: Bool)] {
    var (taken, named) = ([ReplicaID: Int64](), [ReplicaID: Int64]())
    for (taker, amount) in ledger({ $0.lost(of: credit) }) {
      if engine.device(of: taker) == nil, let namer = engine.ledgerCache.namers[CreditHolder(taker)] {
        named[namer, default: 0] &+= amount
      } else {
        taken[taker, default: 0] &+= amount
      }
    }
    let all = taken.map { ($0.key, $0.value, false) } + named.map { ($0.key, $0.value, true) }
    return all.sorted { $0.0 == $1.0 ? $1.2 : $0.0 < $1.0 }
  }

  /// Whether people are told of a taking: it is from a device that is lost. Of one from a member they are as well, for the credits may be
  /// spent: the device was lost as far as was known, or somebody lies.
  private func isToldTaking(_ write: borrowing WriteView) -> Bool {
    guard let taking = RegisterKey.taking(write), let takings = engine.holdings.ledgerCache.counting.takings
    else { return false }
    return taking.reason == .lost || takings.isFromLost(taking)
      || taking.reason == .left && takings.isFromMember(taking) && !takings.allow(taking)
  }

  // MARK: Members

  /// Who came and who was removed. No record says when; this device notes when it came.
  package func membershipOccurrences() -> [Occurrence] {
    let group = engine.group
    let devices = engine.allDevices
    let joined = devices.map { device in
      let host = device.host.flatMap { host in devices.first { $0.founding == host } }
      // Of one hour: who let others in had come before them.
      let depth = UInt8(clamping: hosts(of: device, in: devices))
      return Occurrence(
        .joined(device), learned(device, by: host), by: host, order: [0, depth] + device.id.description.utf8)
    }
    let removed = group.removed.map { removed in
      let author = removed.records.first.flatMap { engine.roster.records[$0] }?.remover
      let after = removed.cuts.compactMap { engine.holdings.history.hour(of: $0) }.max()
      let heard = removed.records.compactMap { engine.holdings.history.heard($0) }.min()
      return Occurrence(
        .removed(removed.device), heard.map { .learned(by: $0) } ?? .unknown(after: after),
        by: devices.first { $0.founding == author }, order: [1] + removed.device.id.description.utf8)
    }
    return joined + removed
  }

  /// How many have let one another in, from the one that founded the group to a device.
  private func hosts(of device: MembershipGroup.Device, in devices: [MembershipGroup.Device]) -> Int {
    var (count, last) = (0, device)
    while let host = last.host, count < devices.count,
      let next = devices.first(where: { $0.founding == host })
    {
      (count, last) = (count + 1, next)
    }
    return count
  }

  /// When this device first heard something of another one; of this one itself, of the member that took it in.
  private func learned(
    _ device: MembershipGroup.Device, by host: MembershipGroup.Device?
  ) -> Occurrence.Time {
    let met = device.key == engine.identity.key ? host ?? device : device
    if let heard = engine.holdings.history.heard(met.founding) { return .learned(by: heard) }
    let first = engine.holdings.replica.replicas(of: met.key).compactMap {
      engine.holdings.history.heard(Dot(replica: $0, sequence: 1))
    }.min()
    return first.map { .learned(by: $0) } ?? .unknown(after: nil)
  }
}

extension MembershipRecord {
  /// The founding of the device that removes; nil where a recovery key does: whoever has that may be anybody.
  fileprivate var remover: ContentHash? {
    if case .remove(let removal) = body, !removal.isByRecoveryKey { removal.author } else { nil }
  }
}
