import Foundation
import PeerSync
import Testing

/// Attacks over TLS: by members, which get beyond the handshake, and by strangers, which cost one. Meanwhile a good peer
/// syncs within seconds, and memory stays bounded.
@Suite("Attacks of members", .paced, .noHang)
struct MemberAttackTests {
  /// Buys on one device and waits until the other has heard of it.
  private func sync(_ from: PeerdProcess, _ to: PeerdProcess) async throws {
    let _: TransactionResult = try await from.json("buy", "3monthsOfRandom")
    let digest = try await from.status().digest
    let waited = try await to.run("wait", "--digest", digest, "--timeout", Sanitizer.isOn ? "30" : "5")
    #expect(waited.status == 0, "\(waited.errors) \(to.log.suffix(2_000))")
  }

  /// Memory stays small, and good peers are served, while something goes on.
  private func expectGood(
    _ phone: PeerdProcess, _ tablet: PeerdProcess, _ attack: @escaping @Sendable () async throws -> Void
  ) async throws {
    let facts = ProcessFacts(pid: try #require(phone.pid))
    let memory = try facts.residentKiB
    async let result: Void = attack()
    for _ in 0..<4 {
      try await sync(tablet, phone)
      try await sync(phone, tablet)
    }
    try await result
    try await sync(tablet, phone)
    #expect(try Sanitizer.isOn || facts.residentKiB < memory + 24 * 1024)
  }

  @Test("members that do not read, stop in the middle of a frame, or ask without an end")
  func members() async throws {
    let group = try await PeerdGroup(5)
    let (phone, tablet) = (group[0], group[1])
    let client = try phone.client()
    // More than the system holds for who does not read.
    for number in 0..<280 {
      let value = ValueBody(value: String(repeating: "\(number % 10)", count: 30_000))
      let _: JSONValue = try await client.send("PUT", "/v1/values/large-\(number)", body: value)
    }
    try await sync(phone, tablet)
    let slow = try await StolenMember(group[2])
    let half = try await StolenMember(group[3])
    let asker = try await StolenMember(group[4])
    let address = try #require(phone.ready?.listen)
    try await expectGood(phone, tablet) {
      async let reading: Void = neverRead(slow, address, phone)
      async let stopping: Void = onThread { try stopInAFrame(half, address) }
      async let asking: Void = onThread { try askOn(asker, address) }
      _ = try await (reading, stopping, asking)
    }
  }

  @Test("handshakes of unknown devices from everywhere")
  func strangers() async throws {
    let group = try await PeerdGroup(2)
    let address = try #require(group[0].ready?.listen)
    try await expectGood(group[0], group[1]) {
      let met = try await withThrowingTaskGroup(of: Int.self) { tasks in
        for source in 2..<22 {
          tasks.addTask {
            try await onThread { try shakeHands(address, from: "127.0.2.\(source)", times: 15) }
          }
        }
        return try await tasks.reduce(0, +)
      }
      #expect(met > 0, "nobody came as far as a handshake")
    }
    try await group.agree()
  }
}

/// Asks for everything many times over, and reads nothing of it: it is cut.
private func neverRead(_ member: StolenMember, _ address: String, _ phone: PeerdProcess) async throws {
  let connection = try await onThread {
    let connection = try member.session(with: address, receiveBytes: 4096)
    // Fewer than are too many.
    let nothing = ToldVector(VersionVector(), fingerprints: [])
    for _ in 0..<(Limits.questions / 2) where !connection.send(.vector(nothing)) { break }
    return connection
  }
  let name = member.name
  try await phone.wait(for: "\(name)") { $0.peers.contains { $0.name == name && $0.connected } }
  try await phone.wait(
    for: "the end of who does not read", within: .milliseconds(3 * Limits.paceMilliseconds) + .slack
  ) { $0.peers.contains { $0.name == name && !$0.connected } }
  withExtendedLifetime(connection) {}
}

/// Half a frame, whose other half never comes: it is cut.
private func stopInAFrame(_ member: StolenMember, _ address: String) throws {
  let connection = try member.session(with: address)
  connection.send([0, 0, 0x10, 0, 5, 1, 2, 3])
  let start = ContinuousClock.now
  while try connection.next() != nil {}
  let time = ContinuousClock.now - start
  #expect(time < .milliseconds(2 * Limits.paceMilliseconds) + .slack)
  #expect(time > .milliseconds(Limits.paceMilliseconds / 2), "it was cut for something else")
}

/// Questions without an end: each session is ended for them.
private func askOn(_ member: StolenMember, _ address: String) throws {
  let probe = Message.summary(Summary(isProbe: true, vectorHash: 1, digest: Digest(high: 1, low: 1)))
  let flood = (0..<2 * Limits.questions).flatMap { _ in Frame.encode(probe) }
  for bootID in UInt64(1)...5 {
    let connection = try member.session(with: address, bootID: bootID)
    connection.send(flood)
    var last: Message?
    while let message = try connection.next() { last = message }
    // What comes behind the end may reset the connection before the reason was read.
    #expect(last == .close(.busy) || last?.type != .close, "\(String(describing: last))")
  }
}

/// A device that nobody knows, again and again: it hears nothing.
///
/// - Returns: how often it was let begin
private func shakeHands(_ address: String, from source: String, times: Int) throws -> Int {
  var met = 0
  for _ in 0..<times {
    guard let connection = try? MemberConnection(to: address, key: .generate(), from: source) else {
      continue
    }
    if connection.isEstablished { met += 1 }
    #expect(try connection.next() == nil)
  }
  return met
}
