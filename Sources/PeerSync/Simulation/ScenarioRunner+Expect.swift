import PeerSyncCore

// Whether things are as a scenario expects.
extension ScenarioRunner {
  /// How long what comes by itself may take, in seconds, where devices take their time: rights that are rebalanced and removals,
  /// and copies that take notice of each other.
  private static var patience: Int { 5 }
  private static var longPatience: Int { 60 }

  func check(_ expectation: ScenarioExpectation) async throws {
    switch expectation {
    case .sameDigest: try await checkSameDigest()
    case .differ(let left, let right): try await checkDiffer(left, right)
    case .answer(let name?, let answer): try await check(answer, of: running(name), name)
    case .answer(nil, let answer):
      for (device, name) in runningDevices { try await check(answer, of: device, name) }
    }
  }

  func digests() async throws -> [(name: String, digest: String)] {
    var digests: [(name: String, digest: String)] = []
    for (device, name) in runningDevices { digests.append((name, try await stage.digest(of: device))) }
    return digests
  }

  /// What each device holds, in a few digits.
  func standing(_ digests: [(name: String, digest: String)]) -> String {
    digests.map { "\($0.name) at \($0.digest.prefix(8))" }.joined(separator: ", ")
  }

  private func checkSameDigest() async throws {
    let isOne = { (digests: [(name: String, digest: String)]) in Set(digests.map(\.digest)).count <= 1 }
    let digests = try await stage.look(within: Self.patience, digests, until: isOne)
    guard isOne(digests) else {
      throw ScenarioProblem(
        "expected all devices to have one digest, saw \(standing(digests))",
        "모든 기기의 다이제스트가 같아야 하는데 다릅니다: ‘\(standing(digests))’")
    }
  }

  private func checkDiffer(_ left: String, _ right: String) async throws {
    let ends = (try running(left), try running(right))
    let digests = (try await stage.digest(of: ends.0), try await stage.digest(of: ends.1))
    guard digests.0 != digests.1 else {
      let seen = try await self.digests()
      throw ScenarioProblem(
        "expected \(left) and \(right) to differ, saw \(standing(seen))",
        "‘\(left)’ 기기와 ‘\(right)’ 기기가 달라야 하는데 같습니다: ‘\(standing(seen))’")
    }
  }

  private func check(_ answer: ScenarioAnswer, of device: Int, _ name: String) async throws {
    let asked = answer.naming(customers)
    let seen = try await stage.look(within: answer == .fenced(true) ? Self.longPatience : Self.patience) {
      try await stage.seen(asked, by: device)
    } until: {
      answer.accepts($0)
    }
    guard answer.accepts(seen) else {
      throw ScenarioProblem.expected("\(name): \(answer.subject) \(answer.expected)", saw: seen)
    }
  }
}

extension ScenarioAnswer {
  /// The line, entitlement or credit it is about.
  package var id: String? {
    switch self {
    case .until(let line, _), .runs(let line, _), .days(let line, _, _): line
    case .active(let entitlement, _, _), .why(let entitlement, _): entitlement
    case .balance(let credit, _), .available(let credit, _), .debt(let credit, _): credit
    case .purchased, .time, .subscription, .fenced: nil
    }
  }

  /// The same, with the store's id in the place of the name of what was bought in the sandbox store.
  func naming(_ customers: ScenarioCustomers) -> ScenarioAnswer {
    guard case .subscription(let name, let instant, let words) = self,
      let id = customers.transaction(name)
    else { return self }
    return .subscription(String(id), at: instant, words)
  }

  package var subject: String {
    switch self {
    case .why(let entitlement, _): "why \(entitlement)"
    case .time: "time"
    case .fenced: "is"
    case .subscription(let name, let instant, _): "subscription \(name) at \(instant.short)"
    case .until(let id, _), .runs(let id, _), .days(let id, _, _), .active(let id, _, _), .balance(let id, _),
      .available(let id, _), .debt(let id, _):
      id
    case .purchased: "purchased"
    }
  }

  package var expected: String {
    switch self {
    case .until(_, let expires): text(ofExpiry: expires)
    case .runs(_, let runs): text(of: runs)
    case .days(_, let days, let now): "\(days) days at \(now.short)"
    case .active(_, let active, let instant): text(ofState: active, at: instant)
    case .time(let source): source
    case .fenced(let isFenced): isFenced ? "fenced" : "unfenced"
    case .balance(_, let balance): "balance \(balance)"
    case .available(_, let available): "available \(available)"
    case .debt(_, let debt): "debt \(debt)"
    case .purchased(let products): text(of: products)
    case .why(_, let text): text
    case .subscription(_, _, let words): words.joined(separator: ", ")
    }
  }

  package func accepts(_ seen: String) -> Bool {
    if case .why(_, let text) = self {
      return seen.split(separator: text, maxSplits: 1, omittingEmptySubsequences: false).count > 1
    }
    if case .subscription(_, _, let words) = self {
      let parts = seen.split(separator: ",").map { $0.drop { $0 == " " } }
      return words.allSatisfy { word in parts.contains { $0 == word } }
    }
    return seen == expected
  }

  /// What a ledger answers, in the words of ``expected``.
  ///
  /// - Parameter isFenced: whether its device has another copy, which is not of the ledger
  package func seen(
    in ledger: inout Ledger, by holder: CreditHolder, at time: TimeReading, isFenced: Bool
  ) -> String {
    let now = time.now
    return switch self {
    case .until(let line, _): text(ofExpiry: ledger.line(line, at: now)?.expires)
    case .runs(let line, _):
      text(
        of: (ledger.line(line, at: now)?.runs ?? []).map { ScenarioInterval(start: $0.start, end: $0.end) })
    case .days(let line, _, let now): "\(ledger.line(line, at: now)?.daysRemaining ?? 0) days at \(now.short)"
    case .active(let id, _, let instant):
      text(ofState: ledger.isActive(id, at: instant ?? now), at: instant)
    case .time: time.voucher?.source ?? "clock"
    case .fenced: ScenarioAnswer.fenced(isFenced).expected
    case .balance(let id, _): "balance \(ledger.credit(id, at: now)?.balance ?? 0)"
    case .available(let id, _): "available \(ledger.available(id, to: holder))"
    case .debt(let id, _): "debt \(ledger.credit(id, at: now)?.debt ?? 0)"
    case .purchased: text(of: ledger.view(at: now).purchased)
    case .why(let entitlement, _): ledger.why(entitlement, at: now)?.text ?? "no such entitlement"
    case .subscription(let name, let instant, _):
      subscription(name, in: &ledger, at: instant)?.words ?? "no such subscription"
    }
  }

  /// The subscription that a purchase began or renewed.
  private func subscription(_ name: String, in ledger: inout Ledger, at now: Instant) -> SubscriptionView? {
    let original = ledger.transaction(name)?.transaction.originalTransactionId ?? name
    return ledger.view(at: now).subscriptions
      .first { $0.originalTransactionId.split(separator: "@").first.map(String.init) == original }
  }

  private func text(ofState active: Bool, at instant: Instant?) -> String {
    "\(active ? "active" : "inactive") \(instant.map { "at \($0.short)" } ?? "now")"
  }

  private func text(ofExpiry expires: Instant?) -> String { "until \(expires?.short ?? "none")" }

  private func text(of list: [some CustomStringConvertible]) -> String {
    list.isEmpty ? "none" : list.map(\.description).joined(separator: ", ")
  }
}

extension Ledger {
  fileprivate mutating func credit(_ id: String, at now: Instant) -> CreditView? {
    view(at: now).credits.first { Name($0.id) == Name(id) }
  }

  fileprivate mutating func line(_ id: String, at now: Instant) -> LineView? {
    view(at: now).lines.first { Name($0.id) == Name(id) }
  }

  fileprivate mutating func isActive(_ id: String, at now: Instant) -> Bool {
    view(at: now).entitlements.first { Name($0.id) == Name(id) }?.active ?? false
  }
}

extension Why {
  /// The proof in one line.
  fileprivate var text: String {
    let state = "\(entitlement.active ? "active" : "inactive") because \(entitlement.because)"
    let registers = lines.compactMap { $0.register }.map { "explicit date \($0.expires?.short ?? "none")" }
    let steps = (lines.flatMap(\.steps) + purchases + unknown).map(\.text)
    let decisions = grants.map { "grant \($0.id): \($0.stands ? "stands" : "taken back")" }
    return ([state] + registers + steps + decisions).joined(separator: "; ")
  }
}

extension SubscriptionView {
  /// How it stands in one line of words divided by commas.
  fileprivate var words: String {
    let texts: [String?] = [
      state.rawValue, productId, expires.map { "until \($0.short)" } ?? "never ran",
      accessUntil.map { "access to \($0.short)" },
      renewal.willRenew.map { $0 ? "renews" : "renews not" } ?? "renews?",
      reason.map { "because \($0.rawValue)" }, renewal.nextProductId.map { "next \($0)" },
      renewal.nextBilling.map { "billed \($0.short)" }, renewal.priceConsent.map { "price \($0.rawValue)" },
      retryUntil.map { "retried to \($0.short)" }, renewal.nextChange.map { "to come \($0.words)" },
      lastChange.map { "came \($0.words)" }, offer?.payment?.rawValue,
      offer.map { "\($0.words) now" }, renewal.nextOffer.map { "\($0.words) next" },
      isFamilyShared ? "shared" : nil,
      revocation.map { "\($0.type.rawValue) \($0.date.short)" }, "\(paidDays) days paid",
    ]
    return texts.compactMap(\.self).joined(separator: ", ")
  }
}

extension ProductChange {
  fileprivate var words: String { "\(kind?.rawValue ?? "change") \(from)>\(to)" }
}

extension StoreOffer {
  /// `winBack comeback`.
  fileprivate var words: String { [kind.rawValue, id].compactMap(\.self).joined(separator: " ") }
}

extension TransactionProof {
  fileprivate var text: String {
    let result = contribution.isEmpty ? "" : " \(contribution)"
    return "\(record.transaction.transactionId) \(counted)\(result)\(end.map { " to \($0.short)" } ?? "")"
  }
}
