extension Effects {
  /// Adds the effects of a later call of the engine, so that one transaction covers both.
  package mutating func append(_ later: Effects) {
    durable.append(later.durable)
    messages += later.messages
    closings += later.closings
    members = later.members ?? members
    dials += later.dials
    answers += later.answers
    drafts += later.drafts
    notices += later.notices
    changed = changed || later.changed
  }
}
