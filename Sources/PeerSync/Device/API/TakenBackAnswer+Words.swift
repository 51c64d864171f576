// What a removal takes back, as people read it.
extension TakenBackAnswer {
  init(_ taken: TakenBack, heldBack: Bool, knownTo engine: Engine) {
    self.init(
      count: taken.count,
      decisions: taken.changes.compactMap { change in
        guard let register = try? RegisterKey(decoding: change.key[...]), let name = register.decision else {
          return nil
        }
        let said = register.words(for: change.value)
        var decision = TakenDecisionAnswer(
          kind: name.kind, id: name.id, said: said.text(in: .english),
          saidInKorean: said.text(in: .korean))
        let stands = change.then.map { register.words(for: $0.value) }
        decision.stands = stands?.text(in: .english)
        decision.standsInKorean = stands?.text(in: .korean)
        decision.by = change.then.flatMap { engine.device(of: $0.author)?.name }
        return decision
      }, replaced: taken.replaced, heldBack: heldBack,
      membersAgain: taken.membersAgain.map { device, isLetIn in
        MemberAgainAnswer(id: device.id.description, name: device.name, letIn: isLetIn)
      },
      membersOut: taken.membersOut.map { RemovedDeviceAnswer(id: $0.id.description, name: $0.name) })
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
  fileprivate func words(for value: [UInt8]) -> Phrase {
    switch try? Fact(key: self, value: value[...]) {
    case .expiration(_, let register):
      register.expires.map { Phrase("until \($0)", "기한 \($0)") } ?? Phrase("none", "없음")
    case .grant(_, _, let grant):
      grant.present
        ? grant.until.map { Phrase("granted until \($0)", "부여, 기한 \($0)") } ?? Phrase("granted", "부여")
        : Phrase("revoked", "부여 취소")
    case .product(let product, let version):
      Phrase("version \(version), ", "버전 \(version), ")
        + (product.type.map(\.told) ?? Phrase("of no type", "종류 없음"))
        + (product.line.map { Phrase(" of line \($0)", ", ‘\($0)’ 이용 기간") } ?? .same(""))
    case .other(.deviceName, let value): .same(String(decoding: value, as: UTF8.self))
    case .other: Phrase("\(value.count) byte\(value.count == 1 ? "" : "s")", "\(value.count)바이트")
    case .transaction, .credit, nil: Phrase("what is not understood here", "여기서 이해할 수 없는 것")
    }
  }
}
