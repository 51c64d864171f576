extension Effects {
  /// Adds the effects of a later call of the engine, so that one transaction covers both.
  mutating func append(_ later: Effects) {
    durable.append(later.durable)
    messages += later.messages
    closings += later.closings
    dials += later.dials
    answers += later.answers
    notices += later.notices
    changed = changed || later.changed
  }
}

extension Durable {
  fileprivate mutating func append(_ later: Durable) {
    writes += later.writes
    claims += later.claims
    group = later.group ?? group
    addresses += later.addresses
    isOnline = later.isOnline ?? isOnline
  }
}
