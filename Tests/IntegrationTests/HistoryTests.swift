import PeerSync
import Testing

@Suite("peerd history and transactions", .paced, .noHang)
struct HistoryTests {
  @Test("both devices say alike who bought, who refunded and who took whom in")
  func group() async throws {
    let group = try await PeerdGroup(2)
    let bought: PurchaseResult = try await group[1].json("buy", "6monthsOfRandom")
    let id = try #require(bought.transaction?.transactionId)
    try await group.agree()
    let _: TransactionResult = try await group[0].json("refund", id)
    try await group.agree()
    for device in group.devices {
      let listed: TransactionsAnswer = try await device.json("transactions")
      #expect(listed.transactions.map(\.device?.name) == ["Tablet"], "\(device.name)")
      let history: HistoryAnswer = try await device.json("history")
      let purchase = history.events.first { $0.type == .purchase }
      #expect(purchase?.device?.name == "Tablet" && purchase?.transactionId == id)
      #expect(history.events.first { $0.type == .refund }?.device?.name == "Phone")
      let joined = history.events.first { $0.type == .membership && $0.subject?.name == "Tablet" }
      #expect(joined?.device?.name == "Phone")
      let text = try await device.run("history").output
      #expect(text.contains("Tablet bought") && text.contains("Phone refunded"))
      #expect(text.contains("Phone took Tablet into the group"))
      let table = try await device.run("transactions").output
      #expect(table.contains("Tablet") && table.contains("refunded"))
    }
    let _: DevicesAnswer = try await group[0].json("remove", "Tablet")
    let history: HistoryAnswer = try await group[0].json("history")
    let removed = history.events.first { $0.change == "removed" }
    #expect(removed?.subject?.name == "Tablet" && removed?.device?.name == "Phone")
    #expect(removed?.time != nil && removed?.learned == true)
  }
}
