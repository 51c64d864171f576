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

  @Test("a daemon that waits for a store before it works stops at once")
  func starting() async throws {
    let device = try await PeerdProcess()
    let silent = try Socket.listening(on: Address(host: "127.0.0.1", port: 0))
    let url = "http://\(try #require(silent.localAddress))"
    let run = try Peerd.Lines(["run", "--data", device.data, "--store", url])
    // On one thread: the daemon waits for the store only so long, and others may be busy for longer.
    let took = await onThread {
      var asked = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&asked, 1, -1)
      let start = ContinuousClock.now
      kill(run.id, SIGTERM)
      run.waitUntilEnd()
      return ContinuousClock.now - start
    }
    #expect(try await run.end() == 0)
    #expect(took < .seconds(2) + .slack)
    try await device.start()
  }

  @Test("a rehearsal that is told to stop takes its daemons and its directory along")
  func rehearsal() async throws {
    let files = try TemporaryDirectory()
    let steps = String(repeating: "wait 1s\n", count: 1000) + "expect all same digest\n"
    let story = try files.write("devices Phone Tablet\n" + steps, to: "story.txt")
    let rehearsal = try Peerd.Lines(["rehearse", story])
    try await rehearsal.skip(to: "wait")
    var data: String?
    while data == nil {
      let child = try ProcessFacts.all.first { $0.isChild(of: rehearsal.id) }
      data = child?.arguments.drop { $0 != "--data" }.dropFirst().first
    }
    let directory = (try #require(data) as NSString).deletingLastPathComponent
    kill(rehearsal.id, SIGTERM)
    #expect(try await rehearsal.end() == 1)
    #expect(!FileManager.default.fileExists(atPath: directory))
    let left = try ProcessFacts.all.map(\.arguments).filter { $0.contains { $0.hasPrefix(directory) } }
    #expect(left == [])
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
    let known = try await device.client().transactions()
    #expect(Set(await load.ledger.transactions).isSubset(of: known.map(\.transactionId)))
  }
}
