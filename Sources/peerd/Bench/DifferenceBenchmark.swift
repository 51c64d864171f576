import PeerSyncCore

/// `difference`: two replicas of 100,000 writes that differ in ten, and two that differ in nothing; engine to engine.
enum DifferenceBenchmark {
  private static let writes = 100_000

  static func run() throws -> [Figures] {
    try [10, 0].map { try run(differing: $0) }
  }

  private static func run(differing: Int) throws -> Figures {
    var figures = Figures(.difference)
    var pair = try EnginePair(
      shared: Workload.values(writes), onlyFirst: Workload.values(differing, seed: 99))
    let exchange = try pair.connect()
    figures.add("writes", writes)
    figures.add("differing", differing)
    figures.add("floorEncodedBytes", pair.encodedDifference)
    figures.add("bytesBothWays", exchange.bytes)
    figures.add("bytesBeyondFloorTimes1.2", Double(exchange.bytes) - 1.2 * Double(pair.encodedDifference))
    figures.add("roundTrips", exchange.roundTrips)
    figures.add("clockBytes", exchange.clockBytes)
    return figures
  }
}

/// Two engines that talk to each other directly, in rounds: what is said in one round is heard in the next.
private struct EnginePair {
  private var engines: [Engine]
  private let now = Now(wall: Instant(clamping: 1_800_000_000_000), monotonic: 0)
  private(set) var encodedDifference = 0

  /// What two devices said to each other after their welcome.
  struct Exchange {
    var bytes = 0
    /// Of the two questions what time it is, and their answers: they are asked once a session.
    var clockBytes = 0
    /// Half a round trip for each way until the last piece of data was there.
    var roundTrips = 0.0
  }

  init(shared: [LocalWrite], onlyFirst: [LocalWrite]) throws {
    let keys = (UInt64(0)..<2).map { SigningKey.simulated(seed: $0) }
    let devices = (UInt64(0)..<2).map { NewDevice.simulated(seed: $0, bundleId: Workload.bundleId) }
    let membership = try Membership.united(
      zip(keys, devices).map { ($0, $1.founding) }, .simulated)
    engines = zip(keys, devices).map { key, device in
      let alone = Engine(device, signer: key, .simulated, seed: 1)
      return Self.engine(device.identity, key, membership, alone.replica)
    }
    let request = Event.requested(RequestID(rawValue: 1), .write(shared))
    _ = engines[0].handle([request], now: now)
    let everything = engines[0].replica.everything
    var copy = engines[1].replica
    for proof in everything.proofs { copy.restore(proof) }
    for batch in everything.writes { batch.forEach { copy.restore($0) } }
    for claim in engines[0].replica.vector.entries { copy.restore(claim: claim) }
    guard copy.told == engines[0].replica.told else {
      throw BenchmarkError("the copy is another", "사본이 다릅니다")
    }
    engines[1] = Self.engine(engines[1].identity, keys[1], membership, copy)
    guard !onlyFirst.isEmpty else { return }
    let more = engines[0].handle([.requested(RequestID(rawValue: 2), .write(onlyFirst))], now: now)
    encodedDifference = more.durable.writes.reduce(0) { $0 + $1.bytes.count }
  }

  private static func engine(
    _ identity: Identity, _ key: SigningKey, _ membership: Membership, _ replica: Replica
  ) -> Engine {
    Engine(
      identity: identity, signer: key, cryptography: .simulated, membership: membership, replica: replica,
      seed: 1)
  }

  mutating func connect() throws -> Exchange {
    let address = Address(host: "peer", port: 1)
    let session = SessionID(rawValue: 1)
    let channels = engines.map { Channel.certificate($0.identity.key) }
    var inbox: [[Event]] = [
      [.opened(session, .dialled(address), channels[1])],
      [.opened(session, .accepted(from: address), channels[0])],
    ]
    var exchange = Exchange()
    // Ways since the first word after the welcome.
    var ways = 0
    while !inbox.allSatisfy(\.isEmpty) {
      let sent = inbox.indices.map { engines[$0].handle(inbox[$0], now: now).messages.map(\.1) }
      exchange.clockBytes += sent.joined().filter(\.isClock).reduce(0) { $0 + Frame.encode($1).count }
      let data = sent.joined().filter { !$0.isHandshake && !$0.isClock }
      exchange.bytes += data.reduce(0) { $0 + Frame.encode($1).count }
      if ways > 0 || !data.isEmpty { ways += 1 }
      if data.contains(where: \.isDelta) { exchange.roundTrips = Double(ways) / 2 }
      inbox = [sent[1], sent[0]].map { $0.map { Event.received(session, $0) } }
    }
    guard engines[0].replica.digest == engines[1].replica.digest else {
      throw BenchmarkError("the replicas differ", "복제본이 서로 다릅니다")
    }
    return exchange
  }
}

extension Message {
  fileprivate var isHandshake: Bool {
    switch self {
    case .hello, .welcome, .join, .admitted: true
    default: false
    }
  }

  fileprivate var isClock: Bool { if case .time = self { true } else { false } }

  fileprivate var isDelta: Bool {
    switch self {
    case .delta, .deltaEnd: true
    default: false
    }
  }
}
