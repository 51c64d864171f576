// What this device writes under its own name.
extension Holdings {
  /// Makes writes of this device's own: all of them, or none when one cannot be made.
  package mutating func write(_ writes: [LocalWrite], at moment: Moment, _ effects: inout Effects) -> Answer {
    if isFenced, !writes.allSatisfy({ RegisterKind.isSignedByStore($0.key) }) { return .refused(.cloned) }
    for write in writes {
      if let refusal = refusal(of: write, at: moment) { return .refused(refusal) }
    }
    let bytes = writes.reduce(0) { $0 + $1.key.count + $1.value.count }
    guard replica.hasRoom(forWrites: writes.count, bytes: bytes) else { return .refused(.full) }
    var won = WriteBatch()
    for write in writes { make(write, at: moment, &won) }
    publish(won, &effects)
    return .done(changed: won.count)
  }

  private func refusal(of write: LocalWrite, at moment: Moment) -> Refusal? {
    guard !write.key.isEmpty, write.key.count <= Limits.keyBytes, write.value.count <= Limits.valueBytes
    else { return .tooLarge }
    guard write.fitsKey(replica.cryptography) else { return .misfit }
    // The numbers of a credit follow from what is spent and given, and from nothing else.
    guard write.key.first != RegisterKind.credit.rawValue else { return .misfit }
    if RegisterKind.isDecision(write.key), let stamp = write.stamp, stamp > moment.ceiling {
      return .tooFarAhead(stamp.time)
    }
    return nil
  }

  private mutating func make(_ write: LocalWrite, at moment: Moment, _ won: inout WriteBatch) {
    // What comes with its stamp was decided once: nothing that was decided later yields to it.
    if write.stamp != nil, RegisterKind.isDecision(write.key), isOutdone(write) { return }
    guard let stamp = write.stamp ?? (try? clock.tick(now: moment.wall)) else { return }
    let whole = joined((write.key, stamp, write.value))
    // Of a product it is known only now, with this device's other entries, whether that is what stands here already.
    if write.stamp != nil, let own = ownRegister(write.key), own.stamp == whole.stamp,
      own.value == whole.value
    {
      return
    }
    guard let made = replica.write(key: write.key, stamp: whole.stamp, value: whole.value) else { return }
    won.append(made)
    if RegisterKind.isDecision(write.key) { hold(whole.stamp, at: moment.present) }
  }

  /// Whether a decision that comes with its stamp would not stand, or stands.
  private mutating func isOutdone(_ write: LocalWrite) -> Bool {
    if write.key.first == RegisterKind.product.rawValue, let stamp = write.stamp,
      let isOutdone = isOutdone(product: write.value, stamp)
    {
      return isOutdone
    }
    let rank = DecisionRank(key: write.key, stamp: write.stamp ?? Stamp(rawValue: 0), value: write.value)
    let standing = replica.registers.standing(under: write.key, ledgerCache.counting)
    // On a device that was removed what it decides does not count, and stands in its register all the same.
    return [standing, ownRegister(write.key)].compactMap(\.self).contains {
      !($0.withView { DecisionRank($0) } < rank)
    }
  }

  /// What this device has decided last under a key, whether it counts or not.
  private func ownRegister(_ key: [UInt8]) -> Write? {
    replica.registers[RegisterID(key: key, author: replica.id)]
  }

  /// Makes own writes durable, and the next commit.
  package mutating func publish(_ won: WriteBatch, _ effects: inout Effects) {
    guard !won.isEmpty else { return }
    outbox.add(won)
    effects.durable.append(.written(won))
    claimOwn(&effects)
    effects.changed = true
    ledgerCache.note(won)
  }

  /// Makes durable how far this device's own writes are claimed.
  private func claimOwn(_ effects: inout Effects) {
    let dot = Dot(replica: replica.id, sequence: replica.vector[replica.id])
    // Own writes of before may be missing here: then nothing is claimed yet.
    if dot.sequence > 0 { effects.durable.append(.claimed([dot])) }
  }

  /// Makes writes again under this device's own dots, with the stamps and values that they had: of decisions those that it has
  /// not decided otherwise since.
  ///
  /// - Returns: how many won their registers
  @discardableResult package mutating func writeAgain(_ writes: [Write], _ effects: inout Effects) -> Int {
    var won = WriteBatch()
    for write in writes.sorted(by: { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }) {
      if let own = ownRegister(write.key), RegisterKind.isDecision(write.key),
        !own.withView({ write.outranks($0) })
      {
        continue
      }
      let whole = joined((write.key, write.stamp, write.value))
      guard let made = replica.write(key: write.key, stamp: whole.stamp, value: whole.value) else { continue }
      won.append(made)
      // Should the stamp be wrong, it is this life's to correct.
      if RegisterKind.isDecision(write.key) { holdAnyway(write.stamp) }
    }
    publish(won, &effects)
    return won.count
  }

  /// Writes registers of a credit that stand at a number from now on. At 0 they say who writes, and nothing else.
  ///
  /// - Returns: whether there was room
  @discardableResult package mutating func write(
    _ entries: [CreditEntry], total: Int64, of credit: String, _ effects: inout Effects
  ) -> Bool {
    let writes = entries.map { (key: $0.key(of: credit).encoded, value: $0.value) }
    let bytes = writes.reduce(0) { $0 + $1.key.count + $1.value.count }
    guard (0...Limits.creditTotal).contains(total), replica.hasRoom(forWrites: writes.count, bytes: bytes)
    else { return false }
    var won = WriteBatch()
    for write in writes {
      let made = replica.write(key: write.key, stamp: Stamp(rawValue: UInt64(total)), value: write.value)
      if let made { won.append(made) }
    }
    publish(won, &effects)
    return true
  }
}
