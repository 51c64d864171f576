/// How things stand, as far as that changes by more than what is written.
package struct ObservedStatus: Hashable, Sendable {
  package let now: Instant
  package let entitlements: [EntitlementAnswer]
  package let subscriptions: [SubscriptionAnswer]
  package let warnings: [String]

  package init(
    now: Instant, entitlements: [EntitlementAnswer], subscriptions: [SubscriptionAnswer], warnings: [String]
  ) {
    self.now = now
    self.entitlements = entitlements
    self.subscriptions = subscriptions
    self.warnings = warnings
  }

  /// What has happened since: entitlements whose time was up, subscriptions that stand differently, warnings.
  package func events(since earlier: ObservedStatus) -> [EventAnswer] {
    let before = Dictionary(earlier.entitlements.map { ($0.id, $0) }) { first, _ in first }
    var events: [EventAnswer] = []
    for entitlement in entitlements where !entitlement.active {
      guard let old = before[entitlement.id], old.active, let end = old.expires, end <= now else { continue }
      var event = EventAnswer(.entitlement, end)
      (event.entitlement, event.expires, event.change) = (entitlement.id, end, "ended")
      events.append(event)
    }
    let known = Set(earlier.subscriptions)
    for subscription in subscriptions where !known.contains(subscription) {
      var event = EventAnswer(.subscription, now)
      event.subscription = subscription
      events.append(event)
    }
    return events + warnings(warnings, before: earlier.warnings, "began")
      + warnings(earlier.warnings, before: warnings, "ended")
  }

  private func warnings(_ texts: [String], before: [String], _ change: String) -> [EventAnswer] {
    let known = Set(before)
    return texts.filter { !known.contains($0) }.map { text in
      var event = EventAnswer(.warning, now)
      (event.text, event.change) = (text, change)
      return event
    }
  }
}
