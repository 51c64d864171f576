import PeerSyncCore

/// What one device shows at a moment.
package struct ObservedDevice: Sendable {
  let name: String
  /// Nil: it is down.
  var known: Known?

  package struct Known: Sendable {
    let isOnline: Bool
    /// Whom it is connected with.
    let peers: [String]
    let digest: Digest
    let transactions: [Transaction]
    /// As of ``ObservedDevice/present``.
    let view: LedgerView
    let present: Instant

    package init(
      isOnline: Bool = true, peers: [String] = [], digest: Digest = Digest(), transactions: [Transaction],
      view: LedgerView, present: Instant
    ) {
      (self.isOnline, self.peers, self.digest) = (isOnline, peers, digest)
      (self.transactions, self.view, self.present) = (transactions, view, present)
    }
  }

  /// The instant that ``Known/view`` is about.
  var present: Instant? { known?.present }

  /// - Parameter known: nil: it is down
  package init(name: String, known: Known? = nil) {
    self.name = name
    self.known = known
  }

  /// - Parameter instant: what to ask about; nil: what the device takes for the present
  init(_ name: String, _ view: inout EngineView, _ now: Now, as instant: Instant?) {
    self.name = name
    let present = instant ?? view.time(at: now).now
    known = Known(
      isOnline: view.isOnline, peers: view.peers.filter(\.isConnected).map(\.name),
      digest: view.replica.digest,
      transactions: view.ledger { $0.transactions().map(\.transaction) },
      view: view.ledger { $0.view(at: present) }, present: present)
  }
}

extension [ObservedDevice] {
  /// Whether all run, are connected with each other, and hold the same.
  var isConverged: Bool {
    guard let first = first?.known else { return false }
    return allSatisfy { $0.known?.digest == first.digest && $0.known?.peers.count == count - 1 }
  }

  /// How the devices differ, for people: a line for each device, then one for each difference.
  var differences: String { (map(\.line) + missing + answers).map { "  " + $0 }.joined(separator: "\n") }

  /// Purchases that some know and others do not.
  private var missing: [String] {
    let all = compactMap(\.known).flatMap(\.transactions)
    var told: Set<String> = []
    let lines: [String] = all.filter { told.insert($0.transactionId).inserted }.compactMap { purchase in
      let lacking = filter { seen in
        guard let known = seen.known else { return false }
        return !known.transactions.contains { $0.transactionId == purchase.transactionId }
      }
      guard !lacking.isEmpty else { return nil }
      return "\(lacking.names) lack\(lacking.count == 1 ? "s" : "") \(purchase.productId), bought at "
        + "\(purchase.purchaseDate) as \(purchase.transactionId)"
    }
    return lines.count > 8 ? lines.prefix(8) + ["and \(lines.count - 8) more purchases differ"] : lines
  }

  /// Questions that devices answer in different ways.
  private var answers: [String] {
    differing("line") { $0.lines.map { ($0.id, "until \($0.expires?.description ?? "none")") } }
      + differing("entitlement") { $0.entitlements.map { ($0.id, $0.active ? "active" : "inactive") } }
      + differing("credit") { $0.credits.map { ($0.id, "balance \($0.balance)") } }
      + differing("purchased") { [("products", $0.purchased.joined(separator: " "))] }
  }

  private func differing(_ kind: String, _ answers: (LedgerView) -> [(id: String, answer: String)])
    -> [String]
  {
    let told = compactMap { seen in seen.known.map { (seen.name, answers($0.view)) } }
    var ids: [String] = []
    for id in told.flatMap({ $0.1.map(\.id) }) where !ids.contains(id) { ids.append(id) }
    return ids.compactMap { id in
      let each = told.map { name, answers in (name, answers.first { $0.id == id }?.answer ?? "unknown") }
      guard each.contains(where: { $0.1 != each.first?.1 }) else { return nil }
      return "\(kind) \(id): " + each.map { "\($0) \($1)" }.joined(separator: ", ")
    }
  }

  private var names: String { map(\.name).joined(separator: ", ") }
}

extension ObservedDevice {
  /// How it stands, in one line.
  fileprivate var line: String {
    guard let known else { return "\(name) is down" }
    let peers = known.peers.isEmpty ? "nobody" : known.peers.joined(separator: ", ")
    return "\(name) \(known.isOnline ? "" : "is offline, ")holds \(known.digest.description.prefix(8)), "
      + "connected with \(peers)"
  }
}
