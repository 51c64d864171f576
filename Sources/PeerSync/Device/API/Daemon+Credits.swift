extension Daemon {
  /// Spends credits: at once from what this device holds rights to, or after asking peers for theirs, for 3 seconds at most.
  ///
  /// - Parameters:
  ///   - credit: its name in the catalogue
  ///   - amount: how many, 1 to ``Limits/creditTotal``
  ///   - id: names the spend: asking for it again changes nothing. Nil: another spend each time
  /// - Throws: a ``Problem`` when they cannot be spent here, which says who holds the rest; ``DaemonError/stopped`` before
  ///   ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public nonisolated func spend(
    _ credit: String, amount: Int64 = 1, id: String? = nil
  ) async throws -> SpendAnswer {
    guard (1...Limits.creditTotal).contains(amount) else {
      throw Problem(
        .invalidValue,
        Phrase(
          "an amount is from 1 to \(Limits.creditTotal), not \(amount)",
          "개수는 1에서 \(Limits.creditTotal)까지입니다. 지정한 값: \(amount)"))
    }
    let name = id ?? drawSpendId()
    guard (1...Limits.textBytes).contains(name.utf8.count) else {
      throw Problem(
        .invalidValue,
        Phrase(
          "the id of a spend has from 1 to \(Limits.textBytes) bytes",
          "사용 ID는 1~\(Limits.textBytes)바이트입니다"))
    }
    let spending = Spending(credit: credit, amount: amount, id: name)
    switch try await perform(.spend(spending)) {
    case .spent(let spent):
      return SpendAnswer(
        id: spent.id, spent: spent.amount, balance: spent.balance, changed: !spent.isRepeated)
    case .refused(.unknownCredit):
      throw Problem.unknownCredit(credit, known: try await credits().credits.map(\.id))
    case .refused(.notEnough(let shortage)): throw Problem(shortage, spending)
    case .refused(.busy):
      throw Problem(
        .busy,
        Phrase(
          "too many spends wait for rights of other devices: try again in a moment",
          "다른 기기의 크레딧을 기다리는 사용이 너무 많습니다. 잠시 뒤에 다시 시도하세요"))
    case .refused(let refusal): throw Problem(refusal)
    case .done, .expiration, .transaction, .invited, .dialledBack: throw Problem(.failed)
    }
  }

  /// The credits, with who holds rights to each.
  ///
  /// - Throws: ``StorageError`` when the disk has failed.
  public func credits() throws -> CreditsAnswer {
    try read { engine, now in
      let view = engine.view(at: now)
      return CreditsAnswer(credits: view.credits.map { engine.answer($0) })
    }
  }

  /// Takes over what earlier incarnations of this device hold: a device whose data directory was restored or copied begins
  /// a new one, which holds nothing.
  ///
  /// - Returns: the credit after it
  /// - Throws: a ``Problem`` for an unknown credit, while not all members are connected and in sync, when nothing is taken of what removed
  ///   devices hold because another device does that or one of them has to be removed again, when this device was
  ///   removed or has another copy at work, and when the ledger is full; ``DaemonError/stopped`` before ``start()`` and
  ///   after ``stop()``; ``StorageError`` when the disk has failed
  public func reclaim(_ credit: String) async throws -> CreditAnswer {
    try await take(credit, .reclaim(credit: credit))
  }

  /// Takes over what was bought on devices that nobody in the group has ever met, and that are lost. The most senior device does it. Should
  /// such a device turn up and join after all, it keeps them, and what was spent of them meanwhile is owed.
  ///
  /// - Returns: the credit after it
  /// - Throws: as ``reclaim(_:)``, but nothing for what removed devices hold
  public func reclaimLost(_ credit: String) async throws -> CreditAnswer {
    try await take(credit, .reclaimLost(credit: credit))
  }

  private func take(_ credit: String, _ request: Request) async throws -> CreditAnswer {
    switch try await perform(request) {
    case .refused(.unknownCredit): throw Problem.unknownCredit(credit, known: try credits().credits.map(\.id))
    case .refused(.notComplete(let absent)):
      throw Problem(.notComplete, try read { engine, _ in engine.explanation(ofAbsent: absent) })
    case .refused(.notCustodian(let custodian)):
      throw Problem(.notCustodian, try read { engine, _ in engine.explanation(ofCustodian: custodian) })
    case .refused(let refusal): throw Problem(refusal)
    case .done(changed: 0):
      // What removed devices hold is not lost.
      if case .reclaim = request,
        let problem = try read({ engine, _ in engine.whyNothingIsTaken(of: credit) })
      {
        throw problem
      }
    default: break
    }
    guard let answer = try credits().credits.first(where: { Name($0.id) == Name(credit) }) else {
      throw Problem(.failed)
    }
    return answer
  }
}

extension EngineView {
  fileprivate mutating func view(at now: Now) -> LedgerView {
    let time = time(at: now).now
    return ledger { $0.view(at: time) }
  }

  mutating func answer(_ view: CreditView) -> CreditAnswer {
    CreditAnswer(
      id: view.id, balance: view.balance, available: spendable(view.id), debt: view.debt,
      holders: holders(of: view.id).map(CreditHolderAnswer.init),
      fromLost: fromLost(of: view.id))
  }

  /// What was taken over from devices that were lost; what does not count comes last.
  private mutating func fromLost(of credit: String) -> [LostCreditsAnswer] {
    let counted = takenFromLost(of: credit).map { ($0.by, $0.amount, true, $0.isNamed) }
    return (counted + voidTakings(of: credit).map { ($0.by, $0.amount, false, false) }).map {
      taker, amount, counts, isNamed in
      LostCreditsAnswer(
        amount: amount, by: engine.device(of: taker)?.name ?? "a device not known here", counts: counts,
        named: isNamed ? true : nil)
    }
  }

  /// Who has used up what it never had [F58].
  package var doubtWarnings: [Phrase] {
    mutating get {
      // Who is alone can remove nobody. Of what others gave it before it was alone nothing may count any more.
      guard engine.group.members.count > 1 else { return [] }
      let doubts = ledger { ledger in
        ledger.creditsSold.map { credit in
          (credit, ledger.doubts(of: credit).map { ($0.holder, ledger.key(of: $0.holder), $0.amount) })
        }
      }
      let known = Set(engine.allDevices.map(\.key))
      return doubts.flatMap { credit, doubts -> [Phrase] in
        let isOutside = { (key: PublicKey?) in key.map { !known.contains($0) } ?? false }
        let ofKnown = doubts.filter { !isOutside($0.1) }.prefix(4).map { holder, key, amount -> Phrase in
          let isRemoved = engine.group.removed.contains { $0.device.key == key }
          return .overspent(name(of: holder, key), amount, of: credit, isRemoved: isRemoved)
        }
        let ofOutsiders = doubts.filter { isOutside($0.1) }.reduce(Int64(0)) { $0 &+ $1.2 }
        guard ofOutsiders > 0 else { return ofKnown }
        let namers = Problem.named(engine.namersOfOutsiders)
        return ofKnown + [.overspentUnknown(ofOutsiders, of: credit, namedBy: namers)]
      }
    }
  }

  /// What a person can do about rights that nobody may use: told as far as it can be done.
  package var creditWarnings: [Phrase] {
    mutating get {
      let takenBeyondAll = engine.takenBeyondAll.map(\.name)
      // Without a product that buys it a credit cannot be reclaimed.
      return ledger { $0.creditsSold }.flatMap { credit -> [Phrase] in
        let (earlier, outsiders) = (heldByEarlierLives(credit), heldByOutsiders(credit))
        let removed = heldByRemoved(credit)
        // While one has to be removed again first nothing is taken over.
        let waiting = takenBeyondAll.isEmpty ? removed : []
        return (earlier.isEmpty ? [] : [.earlierLivesHold(earlier, of: credit)])
          + (outsiders > 0 ? [.outsidersHold(outsiders, of: credit)] : [])
          + waiting.filter { engine.waitsToBeAsked(about: $0.removed.device.key) }.map { removed, amount in
            removed.isFinal
              ? .removedHeld(removed.device.name, amount, of: credit)
              : .removedMaySpend(removed.device.name, amount, of: credit)
          } + (removed.isEmpty ? [] : takenBeyondAll.map { .removeAgain($0, of: credit) })
      }
    }
  }
}

extension EngineView {
  /// What people call a holder of rights; nil: nobody.
  fileprivate func name(of holder: CreditHolder, _ key: PublicKey?) -> Phrase {
    guard holder != .nobody else { return .purchaseTakenTwice }
    guard key != engine.identity.key else { return .thisDevice }
    return .device(engine.allDevices.first { $0.key == key }?.name ?? holder.accountToken)
  }

  /// Why nothing was taken over of what removed devices hold; nil: they hold nothing, or nothing that a person could do would help.
  fileprivate mutating func whyNothingIsTaken(of credit: String) -> Problem? {
    guard !heldByRemoved(credit).isEmpty else { return nil }
    if let removed = engine.takenBeyondAll.first {
      return Problem(.notComplete, .removeAgain(removed.name, of: credit))
    }
    guard let custodian = engine.group.members.first, custodian.id != engine.identity.device else {
      return nil
    }
    return Problem(.notCustodian, explanation(ofCustodian: custodian.id))
  }

  fileprivate func explanation(ofCustodian custodian: DeviceID) -> Phrase {
    let name = engine.group.members.first { $0.id == custodian }?.name ?? "\(custodian)"
    return Phrase(
      "only the most senior device of the group takes over what is lost: do it on \(name)",
      "잃은 것은 그룹에서 가장 선임인 기기만 넘겨받습니다. ‘\(name)’ 기기에서 하세요")
  }

  fileprivate func explanation(ofAbsent absent: [DeviceID]) -> Phrase {
    let names = engine.group.members.filter { absent.contains($0.id) }.map(\.name).sorted()
    guard !names.isEmpty else {
      return Phrase(
        "the devices are comparing who belongs to the group: try again in a moment",
        "기기들이 그룹의 구성을 비교하고 있습니다. 잠시 뒤에 다시 시도하세요")
    }
    let list = names.joined(separator: ", ")
    return Phrase(
      "\(list) must be connected and in sync first: what they know may be spent already",
      "먼저 연결되어 동기화되어야 하는 기기: \(list). 거기에서 이미 썼을 수 있습니다")
  }
}

extension CreditHolderAnswer {
  fileprivate init(_ held: RightsHeld) {
    switch held.holder {
    case .itself: self.init(kind: "this", device: nil, name: nil, rights: held.rights)
    case .earlierLife: self.init(kind: "earlier", device: nil, name: nil, rights: held.rights)
    case .member(let id, let name, _):
      self.init(kind: "member", device: "\(id)", name: name, rights: held.rights)
    case .removed(let id, let name):
      self.init(kind: "removed", device: "\(id)", name: name, rights: held.rights)
    case .nobody: self.init(kind: "nobody", device: nil, name: nil, rights: held.rights)
    case .unknown: self.init(kind: "unknown", device: nil, name: nil, rights: held.rights)
    }
  }
}

extension RightsHeld {
  /// What an answer tells; nil for a kind that is not known here. Whether a member is connected it does not tell.
  package init?(_ answer: CreditHolderAnswer) {
    let (device, name) = (answer.device.flatMap { DeviceID($0) }, answer.name ?? "")
    let holder: Holder
    switch answer.kind {
    case "this": holder = .itself
    case "earlier": holder = .earlierLife
    case "member": holder = device.map { .member($0, name: name, isConnected: true) } ?? .unknown
    case "removed": holder = device.map { .removed($0, name: name) } ?? .unknown
    case "nobody": holder = .nobody
    case "unknown": holder = .unknown
    default: return nil
    }
    self.init(holder: holder, rights: answer.rights)
  }
}

extension Problem {
  fileprivate static func unknownCredit(_ id: String, known: [String]) -> Problem {
    let absence = Phrase("no credit '\(id)' is known here; ", "여기서 아는 ‘\(id)’ 크레딧이 없습니다. ")
    return Problem(.unknownCredit, absence + list(known))
  }

  /// Says how much there is, who holds the rest, and what to do.
  package init(_ shortage: Shortage, _ spending: Spending) {
    let start = Phrase(
      "this device can spend \(shortage.available) of '\(spending.credit)', not \(spending.amount)",
      "이 기기에서 쓸 수 있는 ‘\(spending.credit)’ 크레딧은 \(shortage.available)개입니다(\(spending.amount)개 필요)")
    guard !shortage.others.isEmpty else {
      let debt =
        shortage.balance < 0
        ? Phrase(
          ", and \(0 - shortage.balance) are owed (more were spent than there are)",
          ". 있는 것보다 많이 써서 채워야 할 것이 \(0 - shortage.balance)개 있습니다") : .same("")
      self.init(.notEnough, start + debt + Phrase(": buy more first", ". 먼저 더 구입하세요"))
      return
    }
    let (english, korean) = (Self.list(shortage, .english), Self.list(shortage, .korean))
    // What nobody in the group holds can come back only so.
    let lost =
      shortage.others.contains { $0.holder == .unknown }
      ? Phrase(
        ", or reclaim the credit from lost devices on the most senior one, if that device is lost for good",
        ". 그 기기를 완전히 잃어버렸으면 가장 선임인 기기에서 잃어버린 기기의 크레딧을 회수하세요") : .same("")
    self.init(
      .notEnough,
      start
        + Phrase(
          ": \(english); connect the devices and try again, or buy more",
          ". 그 밖에 \(korean). 기기를 연결해 다시 시도하거나 더 구입하세요") + lost)
  }

  /// Who else holds rights.
  private static func list(_ shortage: Shortage, _ language: SentenceLanguage) -> String {
    shortage.others.map { $0.told.text(in: language) }.joined(separator: ", ")
  }
}
