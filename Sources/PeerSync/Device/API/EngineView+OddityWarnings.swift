// Who wrote what makes no sense, or keeps others from being heard, and what to do [F57].
extension EngineView {
  /// One sentence for each device and kind of oddity.
  package var oddityWarnings: [Phrase] {
    let unreadable = engine.oddities.unreadable.sorted { $0.key < $1.key }
    let names = Dictionary(grouping: unreadable) { name(of: $0.value) }.mapValues { $0.map { $0.key.told } }
    return names.sorted { Name($0.key) < Name($1.key) }.map { name, titles in
      .wroteOddly(name, titles)
    } + productWarnings + takingWarnings + lifeWarnings + roomWarnings
  }

  private var productWarnings: [Phrase] {
    engine.oddities.products.sorted { $0.key < $1.key }.compactMap { id, dispute -> Phrase? in
      // Whoever has put it right here knows.
      guard !isOwn(dispute.author) else { return nil }
      let name = name(of: dispute.author)
      let overruled = overruled(in: dispute)
      if !overruled.isEmpty {
        let others = Set(overruled.map { self.name(of: $0) }).sorted { Name($0) < Name($1) }
        return .otherType(name, id.text, than: others)
      }
      return dispute.isGreatest ? .greatestVersion(name, id.text) : nil
    }
  }

  /// Whose type of a product was changed by somebody who may be dishonest: not where this device states the same type, nor where
  /// who has the last word is senior to all that state another one.
  private func overruled(in dispute: Oddities.Dispute) -> [ReplicaID] {
    guard !dispute.agreeing.contains(where: isOwn) else { return [] }
    return dispute.others.filter {
      seniority(of: $0) <= seniority(of: dispute.author) && !isOneDevice($0, dispute.author)
    }
  }

  private func isOwn(_ replica: ReplicaID) -> Bool { engine.device(of: replica)?.key == engine.identity.key }

  private func isMember(_ replica: ReplicaID) -> Bool {
    engine.device(of: replica).map { engine.group.isMember($0.key) } ?? false
  }

  private func isOneDevice(_ one: ReplicaID, _ other: ReplicaID) -> Bool {
    engine.replica.incarnation(of: one)?.key == engine.replica.incarnation(of: other)?.key
  }

  /// The place among the members; behind them, of those that were removed.
  private func seniority(of replica: ReplicaID) -> Int {
    let key = engine.replica.incarnation(of: replica)?.key
    return engine.group.members.firstIndex { $0.key == key } ?? engine.group.members.count
  }

  private var takingWarnings: [Phrase] {
    // Of one that was removed there is nothing left to do.
    Set(engine.oddities.takings.values.filter { isMember($0) }.map { name(of: $0) })
      .sorted { Name($0) < Name($1) }
      .map { .takesOver($0) }
  }

  /// Devices that have been set back, or copied, so often that no other life of theirs is taken.
  private var lifeWarnings: [Phrase] {
    let outlived = engine.replica.outlived
    guard !outlived.isEmpty else { return [] }
    return engine.group.members.filter { outlived.contains($0.key) }.map { member -> Phrase in
      let isOwn = member.key == engine.identity.key
      return .outlived(isOwn ? nil : member.name, engine.replica.replicas(of: member.key).count)
    }
  }

  /// That nothing more is taken in, and who has written more than any device of a person does. Of one that was removed with all that it
  /// decided what is left leaves when it is removed so again.
  private var roomWarnings: [Phrase] {
    let fills = (engine.group.members + engine.group.removed.map(\.device)).compactMap { device -> Phrase? in
      let count = engine.replica.registerCount(of: device.key)
      guard count > Limits.registersOfOne else { return nil }
      return .fills(device.key == engine.identity.key ? nil : device.name, count, of: Limits.registers)
    }
    return (engine.replica.isFull ? [.ledgerFull] : []) + fills + branchWarnings
  }

  /// Who fills the ledger with devices that it has let in, each of which writes little.
  private var branchWarnings: [Phrase] {
    guard engine.replica.count > Limits.registers / 2,
      let (device, below, count) = engine.group.branch(
        with: Limits.registers / 2, counting: { engine.replica.registerCount(of: $0.key) })
    else { return [] }
    let isOwn = device.key == engine.identity.key
    return [.fillTogether(isOwn ? nil : device.name, below, count, of: Limits.registers)]
  }

  private func name(of replica: ReplicaID) -> String { engine.device(of: replica)?.name ?? "a device" }
}

extension RegisterID {
  /// What people call the register.
  fileprivate var told: Phrase {
    (try? RegisterKey(decoding: key[...]))?.told ?? Phrase("a register of an unknown kind", "알 수 없는 종류의 레지스터")
  }
}
