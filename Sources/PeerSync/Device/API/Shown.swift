/// What a device shows its user, in a few words each: what a rehearsal prints after every step.
package struct Shown: Hashable, Sendable {
  /// Nothing more than what there is to say; empty for a device that has nothing.
  package let words: [String]

  /// What a daemon says of itself.
  package init(_ status: StatusAnswer) {
    self.init(
      lines: status.lines, subscriptions: status.subscriptions, entitlements: status.entitlements,
      purchased: status.purchased,
      credits: status.credits.map { ($0.id, $0.balance, $0.debt) })
  }

  /// What a simulated device would say.
  package init(_ view: LedgerView) {
    self.init(
      lines: view.lines.map(LineAnswer.init), subscriptions: view.subscriptions.map(SubscriptionAnswer.init),
      entitlements: view.entitlements.map(EntitlementAnswer.init), purchased: view.purchased,
      credits: view.credits.map { ($0.id, $0.balance, $0.debt) })
  }

  private init(
    lines: [LineAnswer], subscriptions: [SubscriptionAnswer], entitlements: [EntitlementAnswer],
    purchased: [String], credits: [(id: String, balance: Int64, debt: Int64)]
  ) {
    var words = lines.compactMap { line in
      line.expires.map { "\(line.id) until \($0.short)\(line.active ? "" : ", inactive now")" }
    }
    words += subscriptions.map { subscription in
      "\(subscription.productId) \(subscription.state)\(subscription.expires.map { " until \($0.short)" } ?? "")"
    }
    let covered = Set(lines.filter { $0.expires != nil }.map { Name($0.id) })
    words += entitlements.filter { $0.active && !covered.contains(Name($0.id)) }.map {
      "entitled to \($0.id)"
    }
    words += purchased.map { "owns \($0)" }
    words += credits.filter { $0.balance != 0 || $0.debt != 0 }.map { credit in
      "\(credit.balance) \(credit.id)" + (credit.debt > 0 ? ", \(credit.debt) owed" : "")
    }
    self.words = words
  }
}
