// What a removal takes back, as people read it.
extension TakenBackAnswer {
  init(_ engine: Engine, of key: PublicKey, _ takingBack: TakingBack, now: Now) throws(Problem) {
    let taken: TakenBack
    do throws(Refusal) { taken = try engine.takenBack(of: key, takingBack, now: now) } catch {
      throw Problem(error)
    }
    self.init(
      count: taken.count,
      decisions: taken.changes.compactMap { change in
        guard let register = try? RegisterKey(decoding: change.key[...]), let name = register.decision else {
          return nil
        }
        var decision = TakenDecisionAnswer(
          kind: name.kind, id: name.id, said: register.words(for: change.value))
        decision.stands = change.then.map { register.words(for: $0.value) }
        decision.by = change.then.flatMap { engine.device(of: $0.author)?.name }
        return decision
      }, replaced: taken.replaced)
  }
}

extension RegisterKey {
  /// What a decision is about; nil for what no device decides.
  package var decision: (kind: String, id: String)? {
    switch self {
    case .expiration(let line): ("expiration", line)
    case .grant(let entitlement, _): ("grant", entitlement)
    case .product(let id): ("product", id)
    case .value(let key): ("value", key)
    case .deviceName: ("deviceName", "its own")
    case .transaction, .renewalInfo, .creditRow, .creditTransfer, .creditTaking, .creditLost, .creditSpend,
      .creditSpendAgain, .creditTransferAgain, .creditRowAgain, .creditTakingAgain, .storePart:
      nil
    }
  }

  /// What a decision under this key says. Values of the app are the app's: their length is told.
  fileprivate func words(for value: [UInt8]) -> String {
    switch try? Fact(key: self, value: value[...]) {
    case .expiration(_, let register): register.expires.map { "until \($0)" } ?? "none"
    case .grant(_, _, let grant):
      grant.present ? grant.until.map { "granted until \($0)" } ?? "granted" : "revoked"
    case .product(let product, let version):
      "version \(version), \(product.type?.rawValue ?? "of no type")"
        + (product.line.map { " of line \($0)" } ?? "")
    case .other(.deviceName, let value): String(decoding: value, as: UTF8.self)
    case .other: "\(value.count) byte\(value.count == 1 ? "" : "s")"
    case .transaction, .credit, nil: "what is not understood here"
    }
  }
}
