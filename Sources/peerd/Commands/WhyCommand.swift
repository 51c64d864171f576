import PeerSync
import PeerSyncControl

/// `peerd why`: shows the proof of an entitlement.
enum WhyCommand {
  static func run(_ entitlement: String, _ client: ControlClient, _ console: Console) async throws {
    let why: WhyAnswer = try await client.send("GET", "/v1/entitlements/\(entitlement.asPathPart)/why")
    let names = console.json ? ProductNames() : try await ProductNames(client)
    try console.print(why) { WhyText(why: why, names: names, console: console).text }
  }
}

extension WhyAnswer {
  /// The line of which somebody has taken all cover away by hand, where that came after everything else had ended.
  package var setToNone: (line: LineProofAnswer, written: Instant)? {
    guard !entitlement.active else { return nil }
    let taken = lines.compactMap { line -> (line: LineProofAnswer, written: Instant)? in
      guard line.expires == nil, let register = line.register, register.expires == nil else { return nil }
      return register.written.map { (line, $0) }
    }
    guard let last = taken.max(by: { $0.written < $1.written }) else { return nil }
    return entitlement.expires.map { last.written < $0 } ?? false ? nil : last
  }
}

/// The proof of an entitlement, for people.
private struct WhyText {
  let why: WhyAnswer
  let names: ProductNames
  let console: Console

  private var now: Instant { why.time.now }
  private var end: Instant? { why.entitlement.presentEnd ?? why.entitlement.expires }

  var text: String {
    let id = console.style.bold(Style.harmless(why.entitlement.id))
    let head = console.words(.isActive(id, console.active(why.entitlement.active)))
    let proofs = console.time(why.time) + "\n" + details
    if let none = why.setToNone {
      let words = Phrase.setToNone(none.line.id, console.date(none.written), by: author(of: none.line))
      return "\(head): \(console.words(words))\n\(proofs)"
    }
    let expires = end.map { end in
      let date = console.date(end, from: now)
      return console.words(end <= now ? .ended(date) : .expires(date)) + "\n"
    }
    return "\(head): \(console.because(why.entitlement, names))\n\(expires ?? "")\(proofs)"
  }

  /// All that was looked at.
  private var details: String {
    why.lines.map(line).joined() + console.sentences(why.subscriptions, names: names)
      + proofs(.purchasesTitle, why.purchases) + credits + grants
      + proofs(.unknownPurchasesTitle, why.unknown)
  }

  private func line(_ line: WhyAnswer.LineProofAnswer) -> String {
    let register = line.register.map { register in
      console.words(
        .explicitDate(
          written: console.date(register.written), by: author(of: line), for: register.covers.count,
          register.expires.map { console.date($0) })) + "\n" + refunds(under: line)
    }
    return proofs(title(of: line), line.steps) + (register ?? "")
  }

  /// That refunds change nothing where the explicit date stands in for what was refunded.
  private func refunds(under line: WhyAnswer.LineProofAnswer) -> String {
    let count = line.steps.count {
      $0.how.kind == Counted.Kind.covered.rawValue && $0.transaction.revocationDate != nil
    }
    return count == 0 ? "" : console.words(.refundsChangeNothing(count)) + "\n"
  }

  private func author(of line: WhyAnswer.LineProofAnswer) -> String? {
    line.writtenBy.map { Style.harmless($0.name) }
  }

  /// With when it ends, unless that stands above already.
  private func title(of line: WhyAnswer.LineProofAnswer) -> Phrase {
    let own = line.runs.last { $0.start <= now }?.end ?? line.expires
    let date = own.flatMap { own -> Phrase? in
      guard own != end else { return nil }
      return own <= now ? .ended(console.date(own)) : .expires(console.date(own))
    }
    let next = line.runs.first { $0.start > now }.map { Phrase.thenFrom(console.date.day($0.start)) }
    return [date, next].compactMap(\.self).reduce(.lineTitle(line.id)) { $0 + .same(", ") + $1 }
  }

  private func proofs(_ title: Phrase, _ proofs: [WhyAnswer.TransactionProofAnswer]) -> String {
    var table = console.table(
      .whole(.purchased), .name(.product, .useful), .whole(.units, .extra), .whole(.counted),
      .whole(.adds, .useful), .whole(.runEnds, .extra), .whole(.transaction), .text(.saidBy, .extra))
    for proof in proofs {
      let transaction = proof.transaction
      table.add([
        console.date(transaction.purchaseDate), names[transaction.productId], "\(transaction.quantity)",
        counted(proof), console.words(contribution(proof)), console.date(proof.end),
        transaction.transactionId, voucher(transaction),
      ])
    }
    return console.section(title, table, isEmpty: proofs.isEmpty)
  }

  private func counted(_ proof: WhyAnswer.TransactionProofAnswer) -> String {
    guard let kind = Counted.Kind(rawValue: proof.how.kind) else { return proof.counted }
    let entry = proof.entryFrom.map { Phrase.byEntry(from: console.date($0)) } ?? .same("")
    return console.words(
      .counted(kind, proof.how.amount ?? 0, until: proof.how.until.map { console.date($0) } ?? "–") + entry)
  }

  /// Nothing where it is counted in words already.
  private func contribution(_ proof: WhyAnswer.TransactionProofAnswer) -> Phrase {
    let isSaid = [.credits, .prorated].contains(Counted.Kind(rawValue: proof.how.kind))
    return isSaid ? .same("–") : .contribution(proof.contribution)
  }

  /// Who says that a transaction is real.
  private func voucher(_ transaction: TransactionAnswer) -> String {
    switch Verification(rawValue: transaction.verification) {
    case .verified: console.words(.appleSaid)
    case .simulated: console.words(.sandboxSaid)
    case .unverified, nil: console.words(.nobodySaid(transaction.told))
    }
  }

  private var credits: String {
    var table = console.table(.name(.credit), .whole(.balance))
    for credit in why.credits { table.add([credit.id, "\(credit.balance)"]) }
    let lost = why.credits.flatMap { credit in
      credit.fromLost.map {
        console.words(
          .takenOver(
            $0.amount, of: Style.harmless(credit.id), by: Style.harmless($0.by), counts: $0.counts,
            isNamed: $0.named ?? false))
          + "\n"
      }
    }
    return console.section(.givingCreditsTitle, table, isEmpty: why.credits.isEmpty) + lost.joined()
  }

  private var grants: String {
    var table = console.table(.text(.grant), .whole(.until), .whole(.stands))
    for grant in why.grants {
      // One that has ended was not taken back, and gives nothing all the same.
      let isOver = grant.until.map { $0 <= now } ?? false
      table.add([grant.id, console.date(grant.until), console.yes(grant.stands && !isOver)])
    }
    return console.section(.grantsTitle, table, isEmpty: why.grants.isEmpty)
  }
}
