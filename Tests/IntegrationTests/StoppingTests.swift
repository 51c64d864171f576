import Foundation
import PeerSync
import Testing

@Suite("Stopping", .paced, .noHang)
struct StoppingTests {
  @Test(
    "a signal stops within 2 s with status 0, watched and connected, and the next start finds everything",
    arguments: [SIGTERM, SIGINT])
  func stop(signal: Int32) async throws {
    let group = try await PeerdGroup(3)
    let device = group[0]
    let result: TransactionResult = try await device.json("buy", "3monthsOfRandom", "--at", "2026-01-31")
    let before = try await group.agree()
    let watches = try (1...3).map { _ in try Peerd.Lines(["watch", "--json", "--data", device.data]) }
    for watch in watches { #expect(try await !watch.next().isEmpty) }
    async let wait = device.run("wait", "--peers", "9", "--timeout", "60")
    let stopped = try await device.stop(signal)
    #expect(stopped.status == 0 && stopped.time < .seconds(2) + .slack, "\(stopped)")
    #expect(!FileManager.default.fileExists(atPath: device.data + "/api.json"))
    #expect(try await device.run("status").status == 3)
    #expect(try await wait.status == 3)
    for watch in watches { #expect(try await watch.end() == 3) }
    // The peers have heard at once.
    for peer in [group[1], group[2]] {
      try await peer.wait(for: "the good-bye", within: .seconds(5)) { $0.peers.count { $0.connected } == 1 }
    }
    try await device.start()
    let after = try await group.agree()
    #expect(after.digest == before.digest)
    #expect(after.lines.first?.runs.first?.transactions == [result.transaction.transactionId])
  }

  @Test("connected daemons that are stopped at one moment end in time, again and again")
  func together() async throws {
    let group = try await PeerdGroup(2)
    for _ in 0..<10 {
      try await group.agree()
      async let first = group[0].stop()
      async let second = group[1].stop()
      for stopped in try await [first, second] {
        #expect(stopped.status == 0 && stopped.time < .seconds(2) + .slack, "\(stopped)")
      }
      try await group[0].start()
      try await group[1].start(peers: [try #require(group[0].ready?.listen)])
    }
  }

  @Test("a daemon under load stops in time, and what it acknowledged is there")
  func load() async throws {
    let device = try await PeerdProcess()
    try await device.start()
    let load = Load(on: device, clients: 4)
    await load.ledger.reach(20)
    let stopped = try await device.stop()
    #expect(stopped.status == 0 && stopped.time < .seconds(2) + .slack, "\(stopped)")
    await load.finish()
    try await device.start()
    let known: TransactionsAnswer = try await device.client().send("GET", "/v1/transactions")
    #expect(Set(await load.ledger.transactions).isSubset(of: known.transactions.map(\.transactionId)))
  }
}
