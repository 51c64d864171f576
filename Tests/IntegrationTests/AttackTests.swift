import Foundation
import PeerSync
import Testing

/// Each limit under attack from many addresses: a good peer syncs within seconds all along, memory and descriptors stay
/// bounded, and nothing spins.
@Suite("Attacks", .paced, .noHang)
struct AttackTests {
  /// Addresses of this machine that are nobody's: 127.0.0.2 and so on.
  private static func source(_ number: Int) -> String { "127.0.\(number / 250).\(number % 250 + 2)" }

  /// What is in `bytes` from each of so many addresses, so many times over, each connection as soon as the one before it
  /// has ended.
  private func attack(
    _ address: String, from sources: Int, times: Int, _ bytes: @escaping @Sendable (Int) -> [UInt8]
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for source in 0..<sources {
        group.addTask {
          for time in 0..<times where !Task.isCancelled {
            guard let connection = try? RawConnection(to: address, from: Self.source(source)) else {
              continue
            }
            connection.send(bytes(time))
            _ = try await connection.readToEnd()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Buys on one device and waits until the other has heard of it.
  private func sync(_ from: PeerdProcess, _ to: PeerdProcess) async throws {
    // No credits: devices rebalance those, and the digest goes on.
    let _: TransactionResult = try await from.json("buy", "3monthsOfRandom")
    let digest = try await from.status().digest
    let waited = try await to.run("wait", "--digest", digest, "--timeout", "5")
    #expect(waited.status == 0, "\(waited.errors) \(to.log.suffix(2_000))")
  }

  /// The peer's processor time and memory stay small while `body` runs.
  private func expectModest(
    _ device: PeerdProcess, kiB: Int = 16 * 1024, processorSeconds: Double = 6,
    _ body: () async throws -> Void
  ) async throws {
    let facts = ProcessFacts(pid: try #require(device.pid))
    let (memory, time) = (try facts.residentKiB, try facts.processorSeconds)
    try await body()
    guard !Sanitizer.isOn else { return }
    #expect(try facts.residentKiB < memory + kiB)
    #expect(try facts.processorSeconds < time + processorSeconds)
  }

  @Test("half-open connections from everywhere: a connected peer syncs, and one that comes back is let in")
  func halfOpen() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let address = try #require(phone.ready?.listen)
    let facts = ProcessFacts(pid: try #require(phone.pid))
    let descriptors = try facts.descriptors
    try await expectModest(phone) {
      let flood = Task { try await attack(address, from: 60, times: 40) { _ in [0, 0] } }
      // The doors are full.
      while try facts.descriptors < descriptors + Limits.startups / 2 { try await sync(tablet, phone) }
      try await sync(phone, tablet)
      let start = ContinuousClock.now
      try await tablet.killAndRestart()
      try await tablet.waitInSync(with: 1)
      #expect(ContinuousClock.now - start < .seconds(5) + .slack)
      // Beside the connections there are a few files.
      #expect(try facts.descriptors < descriptors + Limits.startups + 10)
      flood.cancel()
      _ = await flood.result
    }
    try await group.agree()
  }

  /// From where members come is known until a device stops.
  @Test("half-open connections from a member's own address, right after a start: it comes in")
  func halfOpenAfterAStart() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    tablet.kill()
    try await phone.killAndRestart(isMoving: false)
    let address = try #require(phone.ready?.listen)
    let source = "127.0.0.1"
    let facts = ProcessFacts(pid: try #require(phone.pid))
    let descriptors = try facts.descriptors
    // As many wait as may at any time, and another comes with each look at the status.
    let crowd = Task {
      var waiting = try (0..<45).map { _ in try RawConnection(to: address, from: source) }
      while !Task.isCancelled {
        waiting.append(try RawConnection(to: address, from: source))
        waiting.removeFirst()
        _ = try await phone.status()
      }
    }
    while try facts.descriptors < descriptors + Limits.startupsPerSource { _ = try await phone.status() }
    let start = ContinuousClock.now
    try await tablet.start(listen: nil)
    try await tablet.waitInSync(with: 1)
    #expect(ContinuousClock.now - start < .seconds(5) + .slack)
    crowd.cancel()
    _ = await crowd.result
    try await group.agree()
  }

  @Test("of a crowd at the door few stay, and those no longer than a handshake may take")
  func crowd() async throws {
    let phone = try await PeerdProcess()
    try await phone.start()
    let address = try #require(phone.ready?.listen)
    // Before the first: on a busy machine connecting takes time as well.
    let start = ContinuousClock.now
    let crowd = try (0..<200).map { try RawConnection(to: address, from: Self.source($0 % 100)) }
    let lasted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for connection in crowd {
        group.addTask {
          let answer = try await connection.readToEnd()
          #expect(answer == [] || answer == Frame.encode(.close(.handshakeTimeout)))
          return ContinuousClock.now - start > .seconds(4)
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    // At most `Limits.startups`, if the machine is not so busy that even good-byes take long.
    #expect((Limits.startups / 2...crowd.count / 2).contains(lasted))
    #expect(ContinuousClock.now - start < .seconds(15) + .slack)
  }

  @Test("bytes that trickle win no time")
  func trickle() async throws {
    let group = try await PeerdGroup(2)
    let address = try #require(group[0].ready?.listen)
    let slow = try (0..<12).map { try RawConnection(to: address, from: Self.source($0)) }
    for connection in slow { connection.send([0, 0, 1, 0, 1]) }
    let start = ContinuousClock.now
    let ends = Task {
      for connection in slow { _ = try await connection.readToEnd() }
      return ContinuousClock.now - start
    }
    while ContinuousClock.now - start < .seconds(4) {
      for connection in slow { connection.send([1]) }
      try await sync(group[1], group[0])
    }
    #expect(try await ends.value < .seconds(8) + .slack)
  }

  @Test("garbage from everywhere: it is cut at once, and the log does not grow with it")
  func garbage() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let address = try #require(phone.ready?.listen)
    let nothing = ToldVector(VersionVector(), fingerprints: [])
    let large = Frame.encode(.vector(nothing)) + [UInt8](repeating: 0, count: 300_000)
    let summary = Frame.encode(.summary(Summary(isProbe: true, vectorHash: 0, digest: Digest())))
    let garbage: [[UInt8]] = [
      [UInt8](repeating: 0xff, count: 100_000), large, [0, 3, 0xff, 0xff, 5], summary,
      [0, 0, 0x40, 0, 5] + [UInt8](repeating: 1, count: 100_000),
    ]
    try await expectModest(phone) {
      async let flood: Void = attack(address, from: 20, times: 25) { garbage[$0 % garbage.count] }
      for _ in 0..<3 { try await sync(tablet, phone) }
      try await flood
      try await sync(phone, tablet)
    }
    #expect(phone.log.split(separator: "\n").count < 200)
  }

  @Test("few descriptors, all wanted at both doors: peers sync, requests are answered, nothing spins")
  func descriptors() async throws {
    let (phone, tablet) = (try await PeerdProcess(), try await PeerdProcess("Tablet", catalogue: nil))
    try await phone.start(descriptors: 64)
    try await tablet.start()
    try await tablet.join(phone)
    // It joins on one connection, and then comes as a member on another.
    try await tablet.waitInSync(with: 1)
    let address = try #require(phone.ready?.listen)
    let api = try #require(phone.ready?.http.dropFirst("http://".count))
    try await expectModest(phone, processorSeconds: 4) {
      let peers = try (0..<100).map { try RawConnection(to: address, from: Self.source($0)) }
      let clients = try (0..<100).map { _ in try RawConnection(to: String(api)) }
      for _ in 0..<3 { try await sync(tablet, phone) }
      #expect(try ProcessFacts(pid: try #require(phone.pid)).descriptors < 64)
      withExtendedLifetime((peers, clients)) {}
    }
    // As many again, which found the doors closed, are gone: the next peer comes in.
    try await tablet.killAndRestart()
    try await tablet.waitInSync(with: 1)
  }

  @Test("connections to the control API that say nothing, or never end: requests are answered, peers sync")
  func controlAPI() async throws {
    let group = try await PeerdGroup(2)
    let api = try #require(group[0].ready?.http.dropFirst("http://".count))
    try await expectModest(group[0]) {
      for beginning in ["", "GET /v1/sta", "GET /v1/status HTTP/1.1\r\nHost: \(api)\r\nX: "] {
        let crowd = try (0..<150).map { _ in try RawConnection(to: String(api)) }
        for connection in crowd { connection.send(Array(beginning.utf8)) }
        let start = ContinuousClock.now
        try await sync(group[1], group[0])
        _ = try await group[0].status()
        #expect(ContinuousClock.now - start < .seconds(5) + .slack)
        withExtendedLifetime(crowd) {}
      }
    }
  }
}
