// From what the ledger and the engine say to what the control API says.

extension LineAnswer {
  init(_ view: LineView) {
    self.init(
      id: view.id, active: view.active, expires: view.expires, daysRemaining: view.daysRemaining,
      runs: view.runs.map(LineAnswer.Run.init))
  }
}

extension LineAnswer.Run {
  init(_ run: PeerSync.Run) { self.init(start: run.start, end: run.end, transactions: run.transactions) }
}

extension EntitlementAnswer {
  init(_ view: EntitlementView) {
    self.init(
      id: view.id, active: view.active, expires: view.expires, presentEnd: view.presentEnd,
      because: view.because, reasons: view.reasons.map(ReasonAnswer.init))
  }
}

extension ReasonAnswer {
  init(_ reason: Reason) { self.init(kind: reason.kind.rawValue, id: reason.id, left: reason.left) }
}

extension TransactionAnswer {
  init(_ record: TransactionRecord, by device: EventAnswer.Named? = nil) {
    let transaction = record.transaction
    self.init(
      transactionId: record.reference, originalTransactionId: transaction.originalTransactionId,
      productId: transaction.productId, purchaseDate: transaction.purchaseDate,
      quantity: transaction.quantity,
      signedDate: transaction.signedDate, environment: transaction.environment.rawValue,
      revocationDate: transaction.revocationDate, expiresDate: transaction.expiresDate,
      verification: transaction.verification.rawValue, reason: record.rejection?.description,
      reasonInKorean: record.rejection?.told.text(in: .korean), price: transaction.price.map(Price.text),
      currency: transaction.currency, device: device)
  }
}

extension ProductAnswer {
  /// - Parameter entries: all that count of the product
  init(_ offer: Offer, _ entries: [Product] = []) {
    let product = offer.product
    self.init(
      id: product.id, type: product.type?.rawValue, displayName: product.displayName, line: product.line,
      period: product.period?.description, credit: product.credit, amount: product.amount,
      entitlements: product.entitlements ?? [], price: product.price, currency: product.currency,
      action: offer.action.rawValue, expiresIfBought: offer.expires,
      from: product.from, entries: entries.count > 1 ? entries.map(Entry.init) : [])
  }
}

extension ProductAnswer.Entry {
  init(_ entry: Product) {
    self.init(
      from: entry.from, type: entry.type?.rawValue, line: entry.line, period: entry.period?.description,
      credit: entry.credit, amount: entry.amount, entitlements: entry.entitlements ?? [])
  }
}

extension PeerAnswer {
  init(_ peer: PeerState) {
    self.init(
      device: peer.device.description, name: peer.name, address: peer.address?.description,
      connected: peer.isConnected, dialledBy: peer.hasDialled.map { $0 ? "peer" : "this" },
      inSync: peer.isInSync, lastSeen: peer.lastSeen,
      clockSkew: peer.clockSkew, program: peer.program)
  }
}

extension WhyAnswer {
  /// - Parameter author: the device that wrote the explicit date of a line
  init(
    _ why: Why, credits: [CreditAnswer], at time: TimeAnswer, author: (String) -> MembershipGroup.Device?
  ) {
    self.init(
      entitlement: EntitlementAnswer(why.entitlement), time: time,
      lines: why.lines.map { LineProofAnswer($0, by: $0.register == nil ? nil : author($0.line)) },
      subscriptions: why.subscriptions.map(SubscriptionAnswer.init),
      purchases: why.purchases.map(TransactionProofAnswer.init), credits: credits,
      grants: why.grants.map { GrantAnswer($0, of: why.entitlement.id) },
      unknown: why.unknown.map(TransactionProofAnswer.init))
  }
}

extension WhyAnswer.LineProofAnswer {
  init(_ proof: LineProof, by author: MembershipGroup.Device?) {
    self.init(
      id: proof.line, expires: proof.expires,
      register: proof.register.map { ExpirationAnswer($0, line: proof.line, written: proof.written) },
      writtenBy: author.map { EventAnswer.Named($0) },
      steps: proof.steps.map(WhyAnswer.TransactionProofAnswer.init), runs: proof.runs.map(LineAnswer.Run.init)
    )
  }
}

extension WhyAnswer.TransactionProofAnswer {
  init(_ proof: TransactionProof) {
    self.init(
      transaction: TransactionAnswer(proof.record), counted: proof.counted.description,
      contribution: proof.contribution, end: proof.end, how: WhyAnswer.HowCountedAnswer(proof.counted),
      entryFrom: proof.entryFrom)
  }
}

extension WhyAnswer.HowCountedAnswer {
  init(_ counted: Counted) {
    self.init(kind: counted.kind.rawValue, amount: counted.amount, until: counted.until)
  }
}

extension ExpirationAnswer {
  init(_ register: ExpirationRegister, line: String, written: Instant?) {
    self.init(line: line, expires: register.expires, covers: register.covers, written: written)
  }
}

extension GrantAnswer {
  init(_ proof: GrantProof, of entitlement: String) {
    self.init(entitlement: entitlement, id: proof.id, until: proof.grant.until, stands: proof.stands)
  }
}
