import PeerSync
import PeerSyncControl

/// `peerd why`: shows the proof of an entitlement.
enum WhyCommand {
  static func run(_ entitlement: String, _ client: ControlClient, _ console: Console) async throws {
    let why: WhyAnswer = try await client.send("GET", "/v1/entitlements/\(entitlement.asPathPart)/why")
    let names = console.json ? ProductNames() : try await ProductNames(client)
    try console.print(why) { text(why, names, console) }
  }

  private static func text(_ why: WhyAnswer, _ names: ProductNames, _ console: Console) -> String {
    let entitlement = why.entitlement
    return """
      \(console.style.bold(Table.harmless(entitlement.id))) is \(console.style.active(entitlement.active)): \(entitlement.because)
      expires \(console.date(entitlement.presentEnd ?? entitlement.expires, from: why.time.now))
      \(console.time(why.time))

      """ + why.lines.map { line($0, at: why.time.now, console) }.joined()
        + console.sentences(why.subscriptions, names: names)
        + proofs("Purchases that give it for good, by credits or as subscriptions", why.purchases, console)
        + credits(why.credits, console) + grants(why.grants, console)
        + proofs("Purchases of products that no catalogue knows", why.unknown, console)
  }

  private static func line(
    _ line: WhyAnswer.LineProofAnswer, at now: Instant, _ console: Console
  ) -> String {
    let register = line.register.map {
      "an explicit date, written \(console.date($0.written)), stands in for \($0.covers.count) purchases: "
        + "\($0.expires == nil ? "no cover" : console.date($0.expires))\n"
    }
    let later = line.runs.first { $0.start > now }.map { ", then from \(console.date.day($0.start))" } ?? ""
    let end = line.runs.last { $0.start <= now }?.end ?? line.expires
    let verb = end.map { $0 <= now } ?? false ? "ended" : "expires"
    return proofs("Line \(line.id), \(verb) \(console.date(end))\(later)", line.steps, console)
      + (register ?? "")
  }

  private static func proofs(
    _ title: String, _ proofs: [WhyAnswer.TransactionProofAnswer], _ console: Console
  ) -> String {
    var table = console.table(
      .whole("PURCHASED"), "PRODUCT", .whole("UNITS", .extra), .text("COUNTED", .useful), .whole("ADDS"),
      .whole("RUN ENDS", .useful), .whole("TRANSACTION"), .text("SAID BY", .extra))
    for proof in proofs {
      let transaction = proof.transaction
      table.add([
        console.date(transaction.purchaseDate), transaction.productId, "\(transaction.quantity)",
        proof.counted,
        proof.contribution, console.date(proof.end), transaction.transactionId, voucher(transaction),
      ])
    }
    return console.section(title, table, isEmpty: proofs.isEmpty)
  }

  /// Who says that a transaction is real.
  private static func voucher(_ transaction: TransactionAnswer) -> String {
    switch Verification(rawValue: transaction.verification) {
    case .verified: "Apple"
    case .simulated: "a sandbox store"
    case .unverified, nil: "nobody" + (transaction.reason.map { ": \($0)" } ?? "")
    }
  }

  private static func credits(_ credits: [CreditAnswer], _ console: Console) -> String {
    var table = console.table("CREDIT", "BALANCE")
    for credit in credits { table.add([credit.id, "\(credit.balance)"]) }
    let lost = credits.flatMap { credit in
      credit.fromLost.map {
        "\($0.amount) of \(Table.harmless(credit.id)) were taken over for good from a device that was lost, by \(Table.harmless($0.by))\n"
      }
    }
    return console.section("Credits that give it while any are left", table, isEmpty: credits.isEmpty)
      + lost.joined()
  }

  private static func grants(_ grants: [GrantAnswer], _ console: Console) -> String {
    var table = console.table("GRANT", "UNTIL", "STANDS")
    for grant in grants { table.add([grant.id, console.date(grant.until), grant.stands ? "yes" : "no"]) }
    return console.section("Grants", table, isEmpty: grants.isEmpty)
  }
}
