// Entitlements that no purchase explains.
extension Engine {
  mutating func grant(
    _ entitlement: String, id: String, until: Instant?, now: Now, _ effects: inout Effects
  ) -> Answer {
    let key = RegisterKey.grant(entitlement: entitlement, id: id)
    guard key.isWithinLimits else { return .refused(.tooLarge) }
    return write([LocalWrite(key: key.encoded, value: Grant(until: until).encoded)], now: now, &effects)
  }

  /// Takes back every grant of an entitlement that stands. Taking it back again changes nothing; purchases are untouched.
  mutating func revoke(_ entitlement: String, now: Now, _ effects: inout Effects) -> Answer {
    let standing = ledger { $0.grants(of: entitlement) }
    let manual = RegisterKey.grant(entitlement: entitlement, id: Grant.manual)
    guard !standing.isEmpty || self.standing(manual) != nil else {
      return .refused(.unknownGrant(entitlement))
    }
    let writes = standing.map { id, _ in
      LocalWrite(
        key: RegisterKey.grant(entitlement: entitlement, id: id).encoded, value: Grant(present: false).encoded
      )
    }
    return write(writes, now: now, &effects)
  }
}

extension Grant {
  /// The id of grants that people make: one for each entitlement, so that granting and taking back meet in it.
  public static let manual = "manual"
}
