extension Ledger {
  /// The proof of an entitlement at an instant; nil for one that no product and no standing grant names.
  public mutating func why(_ entitlement: String, at now: Instant) -> Why? {
    let name = Name(entitlement)
    guard let sources = currentPlan().sources(of: name),
      let answer = view(at: now).entitlements.first(where: { Name($0.id) == name })
    else { return nil }
    var lines: [LineProof] = []
    for line in sources.lines { lines.append(proof(ofLine: line)) }
    var credits: [CreditView] = []
    for credit in sources.credits { credits.append(creditView(credit)) }
    let subscriptions = view(at: now).subscriptions.filter { view in
      sources.subscriptions.contains { $0.product == Name(view.productId) && $0.holds(view.periodStart) }
    }
    return Why(
      entitlement: answer, lines: lines, subscriptions: subscriptions,
      purchases: otherProofs(of: name),
      credits: credits, grants: grantProofs(of: name), unknown: unknownProofs())
  }

  private mutating func proof(ofLine line: Name) -> LineProof {
    let fold = lines[line, default: LineState()].folded()
    let register = lines[line]?.register
    let own = zip(lines[line]?.purchases ?? [], fold.steps).compactMap(proof)
    let foreign = foreignProofs(of: line)
    return LineProof(
      line: line.text, register: register?.value,
      written: register.map { Instant(clamping: Int64($0.stamp.milliseconds)) },
      steps: (own + foreign).inOrder(),
      runs: fold.runs, expires: fold.expires)
  }

  private func proof(_ purchase: Purchase, _ step: Fold.Step) -> TransactionProof? {
    guard let record = transaction(purchase.reference) else { return nil }
    let contribution =
      switch step.counted {
      case .startedRun, .joinedRun: span(months: purchase.months, days: purchase.days)
      case .prorated(let days): span(months: 0, days: days)
      default: ""
      }
    return TransactionProof(
      record: record, counted: step.counted, contribution: contribution, end: step.end,
      entryFrom: product(of: record.transaction)?.from)
  }

  /// Of a line: transactions of other environments and apps.
  private func foreignProofs(of line: Name) -> [TransactionProof] {
    transactions { $0.stackingLine.map(Name.init) == line }.filter { !isOwn($0.key) }
      .compactMap { proof($0.key, .environmentMismatch) }
  }

  /// The transactions whose entry of the catalogue is such a one, in no order that means anything.
  private func transactions(where isMeant: (Product) -> Bool) -> [(key: TransactionKey, product: Product)] {
    products.filter { $0.value.timeline.steps.contains { isMeant($0.value) } }.flatMap { name, _ in
      (byProduct[name] ?? []).compactMap { key in
        snapshots[key].flatMap { product(of: $0.value) }.flatMap { isMeant($0) ? (key, $0) : nil }
      }
    }
  }

  private func proof(_ key: TransactionKey, _ counted: Counted) -> TransactionProof? {
    guard let snapshot = snapshots[key] else { return nil }
    var contribution = ""
    if case .credits(let count) = counted { contribution = "+\(count) credits" }
    return TransactionProof(
      record: TransactionRecord(
        transaction: snapshot.value, device: key.device, rejection: snapshot.rejection),
      counted: counted,
      contribution: contribution, end: nil, entryFrom: product(of: snapshot.value)?.from)
  }

  /// Transactions that give an entitlement by other means than a line; those without a type are told apart.
  private func otherProofs(of entitlement: Name) -> [TransactionProof] {
    transactions { product in
      product.stackingLine == nil && (product.entitlements ?? []).contains { Name($0) == entitlement }
    }
    .filter { key, product in product.type != nil || !isOwn(key) }
    .compactMap { key, product in
      snapshots[key].flatMap { proof(key, counted(key, $0.value, product)) }
    }
    .inOrder()
  }

  /// How a transaction outside every line counts.
  private func counted(_ key: TransactionKey, _ transaction: Transaction, _ product: Product) -> Counted {
    guard isOwn(key) else { return .environmentMismatch }
    guard transaction.isAccepted else { return .unverified }
    if product.boughtCredit != nil {
      let credits = creditsBought(by: transaction, of: product)
      return credits == 0 && transaction.refund != .none ? .revoked : .credits(credits)
    }
    guard transaction.refund == .none else { return .revoked }
    switch product.type {
    case .nonConsumable: return owned[Name(product.id)]?.isOwned ?? false ? .owned : .revoked
    case .autoRenewableSubscription where transaction.isUpgraded: return .upgraded
    case .autoRenewableSubscription:
      return transaction.expiresDate.map(Counted.subscription) ?? .unknownProduct
    case .consumable, .nonRenewingSubscription, nil: return .unknownProduct
    }
  }

  private func grantProofs(of entitlement: Name) -> [GrantProof] {
    (grants[entitlement] ?? [:]).sorted { $0.key < $1.key }.map { id, held in
      let stands = held.value.present && !isRevoked(held.value.transactionId)
      return GrantProof(id: id.text, grant: held.value, stands: stands)
    }
  }

  private func unknownProofs() -> [TransactionProof] {
    byProduct.filter { !(products[$0.key]?.isKnown ?? false) }.flatMap(\.value)
      .filter { key in isOwn(key) && snapshots[key].flatMap { product(of: $0.value) }?.type == nil }
      .compactMap { proof($0, .unknownProduct) }.inOrder()
  }
}

extension Array where Element == TransactionProof {
  /// In the order of the fold; of one instant and id, by environment and app.
  fileprivate func inOrder() -> [TransactionProof] {
    sorted { left, right in
      if left.record.precedes(right.record) { return true }
      if right.record.precedes(left.record) { return false }
      return (left.record.transaction.environment.code, Name(left.record.transaction.bundleId))
        < (right.record.transaction.environment.code, Name(right.record.transaction.bundleId))
    }
  }
}

/// Months and days as a person reads them.
private func span(months: Int, days: Int) -> String {
  let parts = [(months, "month"), (days, "day")].filter { $0.0 > 0 }
  return parts.isEmpty ? "" : "+" + parts.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: " ")
}
