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
