// Explicit dates for lines, entitlements that no purchase explains, values of the app, and what the device is called.
extension Holdings {
  /// Writes an explicit date for a line. It stands in for every purchase of the line known here; all others, known elsewhere
  /// or made later, are counted on top.
  package mutating func setExpiration(
    of line: String, to expires: Instant?, at moment: Moment, _ effects: inout Effects
  ) -> Answer {
    guard ledger({ $0.knowsLine(line) }) else {
      return .refused(.unknownLine(line, known: ledger { $0.view(at: moment.wall).lines.map(\.id) }))
    }
    let register = ExpirationRegister(expires: expires, covers: ledger { $0.transactionIds(ofLine: line) })
    guard register.isWithinLimits else { return .refused(.tooManyPurchases) }
    let write = LocalWrite(key: RegisterKey.expiration(line: line).encoded, value: register.encoded)
    let answer = self.write([write], at: moment, &effects)
    return answer.refusal == nil ? .expiration(register, written: moment.wall) : answer
  }

  package mutating func grant(
    _ entitlement: String, id: String, until: Instant?, at moment: Moment, _ effects: inout Effects
  ) -> Answer {
    let key = RegisterKey.grant(entitlement: entitlement, id: id)
    guard key.isWithinLimits else { return .refused(.tooLarge) }
    return write([LocalWrite(key: key.encoded, value: Grant(until: until).encoded)], at: moment, &effects)
  }

  /// Takes back every grant of an entitlement that stands. Taking it back again changes nothing; purchases are untouched.
  package mutating func revoke(_ entitlement: String, at moment: Moment, _ effects: inout Effects) -> Answer {
    let standing = ledger { $0.grants(of: entitlement) }
    let manual = RegisterKey.grant(entitlement: entitlement, id: Grant.manual)
    guard !standing.isEmpty || self.standing(manual) != nil else {
      return .refused(.unknownGrant(entitlement, known: ledger { $0.grantedEntitlements }))
    }
    let writes = standing.map { id, _ in
      LocalWrite(
        key: RegisterKey.grant(entitlement: entitlement, id: id).encoded, value: Grant(present: false).encoded
      )
    }
    return write(writes, at: moment, &effects)
  }

  package mutating func setValue(
    _ key: String, to value: [UInt8], at moment: Moment, _ effects: inout Effects
  )
    -> Answer
  {
    let key = RegisterKey.value(key: key)
    guard key.isWithinLimits else { return .refused(.tooLarge) }
    return write([LocalWrite(key: key.encoded, value: value)], at: moment, &effects)
  }

  /// Calls this device something else, on every device of the group. The founding of a device has its first name; later ones stand in
  /// a register of which the device is the author, so that nobody names another one.
  mutating func rename(to name: String, at moment: Moment, _ effects: inout Effects) -> Answer {
    guard let name = DeviceName(name) else { return .refused(.notName) }
    return write(
      [LocalWrite(key: RegisterKey.deviceName.encoded, value: name.encoded)], at: moment, &effects)
  }

  /// What the devices call themselves: of several lives of one the greatest decision that counts.
  func statedNames() -> [PublicKey: String] {
    let (key, counting) = (RegisterKey.deviceName.encoded, ledgerCache.counting)
    var stated: [PublicKey: Write] = [:]
    for (author, device) in replica.knownReplicas {
      guard let write = replica.registers[RegisterID(key: key, author: author)],
        write.withView({ counting.includes($0, isDecidedAnew: { replica.registers[$0] != nil }) })
      else { continue }
      let isGreater =
        stated[device].map { held in
          held.withView { DecisionRank($0) } < write.withView { DecisionRank($0) }
        } ?? true
      if isGreater { stated[device] = write }
    }
    return stated.compactMapValues { DeviceName(decoding: $0.value)?.text }
  }
}

extension Grant {
  /// The id of grants that people make: one for each entitlement, so that granting and taking back meet in it.
  public static let manual = "manual"
}
