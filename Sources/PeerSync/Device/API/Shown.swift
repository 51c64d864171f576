/// What a device shows its user, in a few words each: what a rehearsal prints after every step.
package struct Shown: Hashable, Sendable {
  /// Nothing more than what there is to say; empty for a device that has nothing.
  package let told: [Phrase]

  /// The same in English.
  package var words: [String] { told.map { $0.text(in: .english) } }

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
    var told = lines.compactMap { line in
      line.expires.map { expires in
        Phrase(
          "\(line.id) until \(expires.short)\(line.active ? "" : ", inactive now")",
          "‘\(line.id)’ 이용 기한 \(expires.short)\(line.active ? "" : ", 지금은 이용 불가")")
      }
    }
    told += subscriptions.map { subscription in
      let end = subscription.expires?.short
      let state = Phrase(subscription.state, Self.korean(subscription.state))
      return Phrase("\(subscription.productId) ", "‘\(subscription.productId)’ 구독: ") + state
        + Phrase(end.map { " until \($0)" } ?? "", end.map { ", 기한 \($0)" } ?? "")
    }
    let covered = Set(lines.filter { $0.expires != nil }.map { Name($0.id) })
    told += entitlements.filter { $0.active && !covered.contains(Name($0.id)) }.map {
      Phrase("entitled to \($0.id)", "‘\($0.id)’ 권한 있음")
    }
    told += purchased.map { Phrase("owns \($0)", "‘\($0)’ 상품 있음") }
    told += credits.filter { $0.balance != 0 || $0.debt != 0 }.map { credit in
      Phrase("\(credit.balance) \(credit.id)", "‘\(credit.id)’ 크레딧 \(credit.balance)개")
        + (credit.debt > 0 ? Phrase(", \(credit.debt) owed", ", 채울 것 \(credit.debt)개") : .same(""))
    }
    self.told = told
  }

  private static func korean(_ state: String) -> String {
    switch SubscriptionState(rawValue: state) {
    case .subscribed: "구독 중"
    case .inGracePeriod: "유예 기간"
    case .inBillingRetry: "결제 재시도"
    case .expired: "만료됨"
    case .revoked: "취소됨"
    case nil: state
    }
  }
}
