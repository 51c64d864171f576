import PeerSync
import Testing

/// Garbage and half-open connections to the port where peers are listened for.
@Suite("Hostile connections", .paced, .noHang)
struct HostileConnectionTests {
  /// What a connection does before it waits for the daemon to end it.
  private struct Rudeness {
    let name: String
    let bytes: [UInt8]
    /// Whether the first bytes tell that no peer is there.
    let isObvious: Bool
  }

  private func rudenesses(_ generator: inout RandomState) -> [Rudeness] {
    let noise = [0xff] + (0..<5000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let tlsHello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] + [UInt8](repeating: 7, count: 500)
    let hello = Frame.encode(.hello(Self.strangersHello))
    return [
      Rudeness(name: "noise", bytes: noise, isObvious: true),
      Rudeness(name: "HTTP", bytes: Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), isObvious: true),
      Rudeness(name: "half a hello of TLS", bytes: tlsHello, isObvious: false),
      Rudeness(name: "a long record", bytes: [0x16, 3, 1, 0xff, 0xff] + noise, isObvious: true),
      Rudeness(name: "an alert", bytes: [0x15, 3, 3, 0, 2, 2, 40], isObvious: true),
      Rudeness(name: "data before a hello", bytes: [0x17, 3, 3, 0, 5, 1, 2, 3, 4, 5], isObvious: true),
      Rudeness(name: "a hello in the clear", bytes: hello, isObvious: true),
      Rudeness(name: "the header of a record", bytes: [0x16, 3, 1, 2, 0], isObvious: false),
    ]
  }

  private static let strangersHello = Hello(
    versions: ProtocolVersion.supported, replica: .random(), bootID: 1, environment: .sandbox,
    bundleId: "com.example.app", name: "Stranger", listening: nil)

  @Test(
    "a daemon under them goes on, keeps its peers, ends them in time, and takes no memory or files for good")
  func flood() async throws {
    let seed = Seed.make(for: "hostile connections")
    var generator = seed.generator
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let address = try #require(phone.ready?.listen)
    let facts = ProcessFacts(pid: try #require(phone.pid))
    // Once of everything, so that what is opened the first time and then kept is open when it is counted.
    try await round(address, rudenesses(&generator), silent: 5, seed)
    try await serve(tablet, phone)
    let (memory, descriptors, files) = (try facts.residentKiB, try facts.descriptors, try facts.files)
    async let rude: Void = round(address, rudenesses(&generator), silent: 50, seed)
    // Meanwhile, good peers are served.
    for _ in 1...9 { try await serve(tablet, phone) }
    try await rude
    // The last closings are on their way: each request gives the daemon its turn. Its own connection may be open still.
    let end = ContinuousClock.now + .slack
    while try facts.descriptors > descriptors + 1, ContinuousClock.now < end { _ = try await phone.status() }
    let left = try facts.files
    #expect(left.count <= descriptors + 1, "\(files) became \(left), \(seed)")
    #expect(try Sanitizer.isOn || facts.residentKiB < memory + 8 * 1024, "\(seed)")
    // Each extended the one before.
    #expect(try await group.agree().lines.first?.runs.first?.transactions.count == 10)
  }

  /// What one device buys, the other hears of.
  private func serve(_ buyer: PeerdProcess, _ other: PeerdProcess) async throws {
    let _: TransactionResult = try await buyer.json("buy", "3monthsOfRandom")
    let digest = try await buyer.status().digest
    #expect(try await other.run("wait", "--digest", digest, "--timeout", "5").status == 0)
    _ = try await other.status()
  }

  /// All of them at once, beside connections that say nothing and some that break off.
  private func round(_ address: String, _ rudenesses: [Rudeness], silent: Int, _ seed: Seed) async throws {
    let start = ContinuousClock.now
    let isCrowd = silent > Limits.startups
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      var sources = (2...250).map { "127.0.1.\($0)" }.makeIterator()
      for rudeness in rudenesses {
        let connection = try RawConnection(to: address, from: sources.next() ?? "127.0.1.1")
        connection.send(rudeness.bytes)
        tasks.addTask { try await expectEnd(connection, rudeness, isCrowd, since: start, seed) }
      }
      for number in 0..<silent {
        let connection = try RawConnection(to: address, from: sources.next() ?? "127.0.1.1")
        let silence = Rudeness(name: "silence \(number)", bytes: [], isObvious: false)
        tasks.addTask { try await expectEnd(connection, silence, isCrowd, since: start, seed) }
      }
      for rudeness in rudenesses {
        let connection = try RawConnection(to: address, from: sources.next() ?? "127.0.1.1")
        connection.send(Array(rudeness.bytes.prefix(3)))
        connection.reset()
      }
      try await tasks.waitForAll()
    }
  }

  /// - Parameter isCrowd: whether there are so many that some are turned away at once
  private func expectEnd(
    _ connection: RawConnection, _ rudeness: Rudeness, _ isCrowd: Bool, since start: ContinuousClock.Instant,
    _ seed: Seed
  ) async throws {
    let answer = try await connection.readToEnd()
    let time = ContinuousClock.now - start
    // An alert and nothing else: whose device this is stays unknown.
    #expect(answer.map(isAtMostAlert) == true, "\(rudeness.name): \(answer ?? []), \(seed)")
    let limit = Duration.milliseconds(Limits.handshakeMilliseconds)
    #expect(time < limit + .slack, "\(rudeness.name), \(seed)")
    // Many at once: those that were not let in hear nothing, and at once.
    let isRefused = answer?.isEmpty == true
    let isEarly = !rudeness.isObvious && !isRefused && time < .seconds(4)
    #expect(!isEarly, "\(rudeness.name) ended too early, \(seed)")
  }

  private func isAtMostAlert(_ bytes: [UInt8]) -> Bool {
    bytes.isEmpty || bytes.count == 7 && bytes.starts(with: [21, 3, 3, 0, 2, 2])
  }

  @Test("E54: a stranger with a well-formed hello in the clear learns nothing")
  func stranger() async throws {
    let phone = try await PeerdProcess()
    try await phone.start()
    let connection = try RawConnection(to: try #require(phone.ready?.listen))
    connection.send(Frame.encode(.hello(Self.strangersHello)))
    #expect(try await connection.readToEnd().map(isAtMostAlert) == true)
  }
}
