import PeerSync

/// What has become different between two answers, in sentences.
struct StatusChange {
  let before: StatusAnswer
  let after: StatusAnswer
  let names: ProductNames
  let console: Console

  /// One sentence a line; nothing where nothing that people own has changed.
  var text: String {
    (changedLines.map(sentence) + subscriptions + entitlements + credits).map { Style.harmless($0) + "\n" }
      .joined()
  }

  private var now: Instant { after.time.now }

  /// Lines that end elsewhere than before.
  private var changedLines: [LineAnswer] {
    let earlier = Dictionary(before.lines.map { ($0.id, $0) }) { first, _ in first }
    return after.lines.filter { line in last(line) != earlier[line.id].flatMap(last) }
  }

  private func sentence(_ line: LineAnswer) -> String {
    let was = before.lines.first { $0.id == line.id }.flatMap(last).map { console.date($0) }
    guard let end = last(line) else { return console.words(.noCover(line.id)) }
    let date = console.date(end, from: now)
    return console.words(
      end > now ? .lasts(line.id, until: date, before: was) : .ended(line.id, date, before: was))
  }

  /// The end of the last run, should it have begun or not.
  private func last(_ line: LineAnswer) -> Instant? { line.runs.last?.end ?? line.expires }

  /// What is said of a subscription now and was not before.
  private var subscriptions: [String] {
    after.subscriptions.flatMap { subscription -> [String] in
      let earlier = before.subscriptions.first {
        $0.originalTransactionId == subscription.originalTransactionId
      }
      let known = Set(earlier.map { console.outlook($0, names: names) } ?? [])
      let stays = subscription.productId == earlier?.productId && subscription.nextChange == nil
      let dropped = stays ? earlier?.nextChange.map { console.words(.becomesNoMore(names[$0.to])) } : nil
      return console.outlook(subscription, names: names).filter { !known.contains($0) }
        + [dropped].compactMap(\.self)
    }
  }

  /// Those that hold now and did not, or the other way round, and those that last longer or shorter than before. Of what a line of
  /// the same name says already, the end is left out.
  private var entitlements: [String] {
    let said = Set(changedLines.map(\.id))
    let earlier = Dictionary(before.entitlements.map { ($0.id, $0) }) { first, _ in first }
    return after.entitlements.compactMap { entitlement in
      let was = earlier[entitlement.id]
      let isNew = (was?.active ?? false) != entitlement.active
      let end = said.contains(entitlement.id) || !entitlement.active ? nil : end(of: entitlement)
      guard isNew || (end != nil && end != was.flatMap(self.end)) else { return nil }
      return console.words(
        .isNow(
          entitlement.id, console.active(entitlement.active), until: end.map { console.date($0, from: now) }))
    }
  }

  private func end(of entitlement: EntitlementAnswer) -> Instant? {
    entitlement.presentEnd ?? entitlement.expires
  }

  private var credits: [String] {
    after.credits.flatMap { credit -> [String] in
      let was = before.credits.first { $0.id == credit.id }
      let left =
        credit.balance == was?.balance ?? 0
        ? nil : console.words(.left(credit.id, credit.balance, before: was?.balance ?? 0))
      let debt = credit.debt == was?.debt ?? 0 ? nil : self.debt(of: credit)
      return [left, debt].compactMap(\.self)
    }
  }

  /// What was spent and is refunded.
  private func debt(of credit: CreditAnswer) -> String {
    console.words(credit.debt == 0 ? .nothingOwed(credit.id) : .owed(credit.id, credit.debt))
  }
}
