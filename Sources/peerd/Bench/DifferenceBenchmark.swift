import PeerSync

/// `difference`: two replicas of 100,000 writes that differ in ten, and two that differ in nothing; engine to engine.
enum DifferenceBenchmark {
  private static let writes = 100_000

  static func run() throws -> [Figures] {
    try [10, 0].map { try run(differing: $0) }
  }

  private static func run(differing: Int) throws -> Figures {
    var figures = Figures(.difference)
    var pair = EnginePair(shared: Workload.values(writes), onlyFirst: Workload.values(differing, seed: 99))
    let exchange = try pair.connect()
    figures.add("writes", writes)
    figures.add("differing", differing)
    figures.add("floorEncodedBytes", pair.encodedDifference)
    figures.add("bytesBothWays", exchange.bytes)
    figures.add("bytesBeyondFloorTimes1.2", Double(exchange.bytes) - 1.2 * Double(pair.encodedDifference))
    figures.add("roundTrips", exchange.roundTrips)
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
    /// Half a round trip for each way until the last piece of data was there.
    var roundTrips = 0.0
  }

  init(shared: [LocalWrite], onlyFirst: [LocalWrite]) {
    engines = (UInt64(0)..<2).map { index in
      let signer = SigningKey.simulated(seed: index)
      let incarnation = Incarnation(key: signer.publicKey, nonce: Nonce(high: 1, low: index))
      let identity = Identity(
        device: DeviceID(high: 1, low: index), replica: incarnation.replica(.simulated),
        group: GroupID(high: 1, low: 1),
        name: "bench", environment: .sandbox, bundleId: Workload.bundleId)
      var replica = Replica(id: identity.replica, cryptography: .simulated)
      replica.restore(.incarnation(incarnation, replica: identity.replica))
      return Engine(identity: identity, replica: replica, signer: signer, seed: index)
    }
    let request = Event.requested(RequestID(rawValue: 1), .write(shared))
    let effects = engines[0].handle([request], now: now)
    var copy = engines[1].replica
    for proof in effects.durable.proofs { copy.restore(proof) }
    for batch in effects.durable.writes { batch.forEach { copy.restore($0) } }
    for claim in effects.durable.claims { copy.restore(claim: claim) }
    engines[1] = Engine(
      identity: engines[1].identity, replica: copy, signer: .simulated(seed: 1), seed: 1)
    guard !onlyFirst.isEmpty else { return }
    let more = engines[0].handle([.requested(RequestID(rawValue: 2), .write(onlyFirst))], now: now)
    encodedDifference = more.durable.writes.reduce(0) { $0 + $1.bytes.count }
  }

  mutating func connect() throws -> Exchange {
    let address = Address(host: "peer", port: 1)
    let session = SessionID(rawValue: 1)
    let channel = Channel.certificate(SigningKey.simulated(seed: 1).publicKey)
    var inbox: [[Event]] = [
      [.opened(session, .dialled(address), channel)], [.opened(session, .accepted(from: address), channel)],
    ]
    var exchange = Exchange()
    // Ways since the first word after the welcome.
    var ways = 0
    while !inbox.allSatisfy(\.isEmpty) {
      let sent = inbox.indices.map { engines[$0].handle(inbox[$0], now: now).messages.map(\.1) }
      let data = sent.joined().filter { !$0.isHandshake }
      exchange.bytes += data.reduce(0) { $0 + Frame.encode($1).count }
      if ways > 0 || !data.isEmpty { ways += 1 }
      if data.contains(where: \.isDelta) { exchange.roundTrips = Double(ways) / 2 }
      inbox = [sent[1], sent[0]].map { $0.map { Event.received(session, $0) } }
    }
    guard engines[0].replica.digest == engines[1].replica.digest else {
      throw BenchmarkError("the replicas differ")
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

  fileprivate var isDelta: Bool {
    switch self {
    case .delta, .deltaEnd: true
    default: false
    }
  }
}
