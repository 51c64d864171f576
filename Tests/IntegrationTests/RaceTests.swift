import PeerSync
import Testing

@Suite("Races", .paced, .noHang)
struct RaceTests {
  @Test("purchases and refunds that race on all devices come out alike and complete")
  func race() async throws {
    let group = try await PeerdGroup(3)
    var targets: [String] = []
    for _ in 1...8 {
      let result: TransactionResult = try await group[0].json("buy", "RandomOwls", "--quantity", "2")
      targets.append(result.transaction.transactionId)
    }
    try await group.agree()
    let bought = try await withThrowingTaskGroup(of: [String].self) { tasks in
      for (number, device) in group.devices.enumerated() {
        for _ in 1...3 { tasks.addTask { try await buy(12, on: device) } }
        // Each is taken back on two devices at the same time.
        let refunds = targets.enumerated().filter { $0.offset % 3 != number }.map(\.element)
        tasks.addTask { try await refund(refunds, on: device) }
        tasks.addTask { try await command(device) }
      }
      return try await tasks.reduce(into: []) { $0 += $1 }
    }
    let status = try await group.agree()
    #expect(status.credits.first?.balance == Int64(5 * bought.count))
    for device in group.devices {
      let known = try await device.client().transactions()
      #expect(Set(known.map(\.transactionId)) == Set(bought).union(targets))
      let refunded = known.filter { $0.revocationDate != nil }.map(\.transactionId)
      #expect(Set(refunded) == Set(targets))
    }
  }

  private func buy(_ count: Int, on device: PeerdProcess) async throws -> [String] {
    let client = try device.client()
    var bought: [String] = []
    for _ in 0..<count {
      let body = PurchaseBody(productId: "RandomOwls", quantity: 1, at: nil)
      let result: TransactionResult = try await client.send("POST", "/v1/purchases", body: body)
      bought.append(result.transaction.transactionId)
    }
    return bought
  }

  private func refund(_ transactions: [String], on device: PeerdProcess) async throws -> [String] {
    let client = try device.client()
    for transaction in transactions {
      let _: TransactionResult = try await client.send(
        "POST", "/v1/refunds", body: RefundBody(transactionId: transaction))
    }
    return []
  }

  private func command(_ device: PeerdProcess) async throws -> [String] {
    var bought: [String] = []
    for _ in 1...3 {
      let result: TransactionResult = try await device.json("buy", "RandomOwls")
      bought.append(result.transaction.transactionId)
    }
    return bought
  }
}
