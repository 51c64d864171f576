import PeerSyncCore

// The store's clock, and what falls due by it.
extension SandboxStore {
  /// What the store's clock shows while the wall clock shows `wall`.
  package func now(wall: Instant) -> Instant {
    terms.isManual ? time : max(time, wall.advanced(byMilliseconds: terms.lead))
  }

  /// Notes that somebody has set the store's clock on.
  package mutating func setClockOn(from earlier: Instant, to later: Instant) {
    guard later > earlier else { return }
    let lead = terms.lead.addingReportingOverflow(later.milliseconds - earlier.milliseconds)
    terms.lead = lead.overflow ? terms.lead : lead.partialValue
  }

  /// Lets everything happen that is due by then.
  package mutating func advance(to later: Instant) throws(SandboxRefusal) {
    var count = 0
    while let (deadline, index) = nextDue, deadline <= later {
      count += 1
      guard count <= Limits.sandboxDeadlines else { throw .tooFar }
      time = max(time, deadline)
      pass(index)
    }
    time = max(time, later)
  }

  /// When something is next due; nil: not until somebody does something.
  package var nextDeadline: Instant? { nextDue?.0 }

  private var nextDue: (Instant, Int)? {
    var next: (Instant, Int)?
    for (index, subscription) in subscriptions.enumerated() {
      guard let due = due(subscription) else { continue }
      if let known = next, known.0 <= due { continue }
      next = (due, index)
    }
    return next
  }
}
