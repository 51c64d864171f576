import PeerSyncCore

// What the story's store sells and tells on dates that the story gives.
extension ScenarioRunner {
  mutating func buy(_ name: String, _ purchase: ScenarioPurchase) async throws {
    let device = try running(name)
    try requireUntaken(purchase.name, on: device)
    let transaction = store.sell(
      purchase, as: key(purchase.name, device), in: purchase.environment ?? environment,
      to: try await stage.holder(of: device))
    stage.noteSold(transaction)
    try await deliver(transaction, to: device)
  }

  /// Buys as `peerd buy` does where there is no store but the device's own.
  mutating func buy(_ order: PurchaseOrder, as purchase: String, on name: String) async throws {
    let device = try running(name)
    guard !hasStore else {
      throw ScenarioProblem(
        "there is a store: `\(name) buys \(order.product) in the store`",
        "스토어가 있습니다. `\(name) buys \(order.product) in the store` 줄을 쓰세요")
    }
    try requireUntaken(purchase, on: device)
    let reply = try await stage.ask(.purchase(order), of: device)
    try require(reply, of: name)
    if case .transaction(let id) = reply { ownPurchases[purchase] = id }
  }

  func refund(_ purchase: String, on name: String) async throws {
    guard let id = ownPurchases[purchase] else {
      throw ScenarioProblem(
        "no purchase `\(purchase)`: `buys … itself` names it",
        "‘\(purchase)’ 구입이 없습니다. `buys … itself` 줄로 정하세요"
      )
    }
    try await ask(.refund(transaction: id), of: name)
  }

  func deliver(_ purchase: String, to name: String, asBought: Bool) async throws {
    let device = try running(name)
    let snapshots = try snapshots(of: purchase, on: device)
    guard let snapshot = asBought ? snapshots.first : snapshots.last else { return }
    try await deliver(snapshot, to: device)
  }

  mutating func change(
    _ purchase: String, of name: String, at date: Instant, _ body: (inout Transaction) -> Void
  ) async throws {
    let device = try running(name)
    guard var snapshot = try snapshots(of: purchase, on: device).last else { return }
    snapshot.signedDate = date
    body(&snapshot)
    store.add(snapshot, to: key(purchase, device))
    try await deliver(snapshot, to: device)
  }

  /// Whether it counts there is for the story to expect.
  private func deliver(_ snapshot: Transaction, to device: Int) async throws {
    let verification = store.verification(of: key(snapshot.transactionId, device))
    let item = try stage.sign(
      snapshot.payload(verification: verification), isForged: snapshot.verification == .unverified)
    guard snapshot.environment == environment else {
      // No device takes it in: it comes like what another program has exported.
      let subject = StoreSubject(snapshot, device: try await stage.id(of: device))
      let writes = StoreItem.writes(
        of: item, about: subject, rank: snapshot.rank, stamp: snapshot.stamp, stage.cryptography)
      return try await ask(.write(writes), of: devices[device])
    }
    _ = try await stage.hand(item, to: device)
  }

  /// What the store tells of a subscription, by itself or in a notification.
  func tell(_ news: ScenarioNews, to name: String) async throws {
    let device = try running(name)
    guard let transaction = try snapshots(of: news.purchase, on: device).last else { return }
    let info = news.renewal.map { RenewalInfo(news, $0, transaction) }
    guard let type = news.type else {
      guard let info else { return }
      _ = try await stage.hand(stage.sign(info.payload, isForged: news.isUnverified), to: device)
      return
    }
    let payload = try StoreNews.notification(
      type, transaction, info, signed: news.date, sign: stage.sign(_:isForged:))
    if let reason = try await stage.hand(stage.sign(payload, isForged: false), to: device) {
      throw ScenarioProblem(
        "expected what the store signs to count, saw: \(reason)", "스토어가 서명한 것이 계산되지 않습니다: ‘\(reason)’")
    }
  }

  private func snapshots(of purchase: String, on device: Int) throws(ScenarioProblem) -> [Transaction] {
    guard let snapshots = store[key(purchase, device)] else {
      guard customers.knows(purchase) else {
        throw ScenarioProblem(
          "no purchase `\(purchase)`: `buys` names it", "‘\(purchase)’ 구입이 없습니다. `buys` 줄로 정하세요")
      }
      throw ScenarioProblem(
        "`\(purchase)` was bought in the store: lines that begin with `store` are about it",
        "‘\(purchase)’ 상품은 스토어에서 구입했습니다. `store` 낱말로 시작하는 줄을 쓰세요")
    }
    return snapshots
  }

  func requireUntaken(_ purchase: String, on device: Int) throws(ScenarioProblem) {
    guard store[key(purchase, device)] == nil, ownPurchases[purchase] == nil, !customers.knows(purchase)
    else {
      throw ScenarioProblem("there is a purchase `\(purchase)` already", "‘\(purchase)’ 구입이 이미 있습니다")
    }
  }

  private func key(_ purchase: String, _ device: Int) -> ScenarioStore.Key {
    ScenarioStore.Key(name: Name(purchase), device: environment == .xcode ? device : nil)
  }
}
