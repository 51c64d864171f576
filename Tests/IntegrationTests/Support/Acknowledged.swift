import PeerSync

/// The transactions that clients saw acknowledged, counted as they come.
actor Acknowledged {
  private(set) var transactions: [String] = []
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  private var isOver = false

  func note(_ transaction: String) {
    transactions.append(transaction)
    resume { $0 <= transactions.count }
  }

  /// No more will come: nobody waits any longer.
  func end() {
    isOver = true
    resume { _ in true }
  }

  /// Waits until so many have been noted.
  func reach(_ count: Int) async {
    await withCheckedContinuation { continuation in
      waiters.append((count, continuation))
      resume { $0 <= transactions.count || isOver }
    }
  }

  private func resume(_ isDue: (Int) -> Bool) {
    for waiter in waiters where isDue(waiter.count) { waiter.continuation.resume() }
    waiters.removeAll { isDue($0.count) }
  }
}

/// Clients that buy on a device one after another, until its daemon goes away.
struct Load: Sendable {
  let ledger = Acknowledged()
  private let task: Task<Void, Never>

  /// - Parameter clients: so many over HTTP, and one that runs commands
  init(on device: PeerdProcess, clients: Int) {
    let ledger = ledger
    task = Task {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<clients { group.addTask { await Load.request(device, ledger) } }
        group.addTask { await Load.command(device, ledger) }
      }
      await ledger.end()
    }
  }

  /// Waits until every client has given up, which they do once the daemon is gone.
  func finish() async { await task.value }

  /// Acknowledged means HTTP 2xx.
  private static func request(_ device: PeerdProcess, _ ledger: Acknowledged) async {
    guard let client = try? device.client() else { return }
    let body = PurchaseBody(productId: "RandomOwls", quantity: 1, at: nil)
    while let result: TransactionResult = try? await client.send("POST", "/v1/purchases", body: body) {
      await ledger.note(result.transaction.transactionId)
    }
  }

  /// Acknowledged means exit status 0.
  private static func command(_ device: PeerdProcess, _ ledger: Acknowledged) async {
    while let result: TransactionResult = try? await device.json("buy", "3monthsOfRandom") {
      await ledger.note(result.transaction.transactionId)
    }
  }
}
