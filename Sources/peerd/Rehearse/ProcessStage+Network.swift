import PeerSync
import PeerSyncSimulation

/// Which devices of a story reach each other, and by which ways.
///
/// Devices tell nobody where they listen. Each dials others through a relay of its own, so that a single link can be cut.
struct RelayedNetwork {
  /// A device and whom it dials, by their numbers.
  struct Way: Hashable {
    let from: Int
    let to: Int
  }

  private(set) var relays: [Way: Relay] = [:]
  private var groups: [Set<Int>] = []
  /// Of links that are not open.
  private var conditions: [Set<Int>: Relay.Condition] = [:]
  private var offline: Set<Int> = []
  private var removed: Set<Int> = []
  /// The device that each copy was made of.
  private var originals: [Int: Int] = [:]
  /// Where devices listen.
  private var addresses: [Int: Address] = [:]
  private let loop = EventLoop()

  /// - Throws: ``SocketError`` when no port is left
  mutating func begin(_ device: Int) throws {
    for other in groups.joined().sorted() {
      for way in [Way(from: device, to: other), Way(from: other, to: device)] {
        relays[way] = try Relay(on: loop)
        relays[way]?.setTarget(addresses[way.to])
      }
    }
    groups.append([device])
  }

  /// Notes where a device listens now.
  mutating func set(_ address: Address?, of device: Int) {
    addresses[device] = address
    for (way, relay) in relays where way.to == device { relay.setTarget(address) }
  }

  mutating func join(_ device: Int, _ host: Int) {
    removed.subtract([device, host])
    let joining = groups.filter { $0.contains(device) || $0.contains(host) }
    groups = groups.filter { !joining.contains($0) } + [Set(joining.joined())]
  }

  /// Notes that a device is a copy of another one, and so of the same group, or removed from it.
  mutating func join(_ copy: Int, copyOf device: Int) {
    let isRemoved = removed.contains(device)
    join(copy, device)
    originals[copy] = original(of: device)
    if isRemoved { remove(device) }
  }

  private func original(of device: Int) -> Int { originals[device] ?? device }

  /// Notes that a device was removed, with all copies of it. It goes on dialling: so it hears of it.
  mutating func remove(_ device: Int) {
    let original = original(of: device)
    removed.formUnion(groups.joined().filter { self.original(of: $0) == original })
  }

  mutating func set(_ left: Int, _ right: Int, _ change: LinkChange) {
    let ways = [Way(from: left, to: right), Way(from: right, to: left)].compactMap { relays[$0] }
    guard let condition = Relay.Condition(change) else { return ways.forEach { $0.reset() } }
    conditions[[left, right]] = condition == .open ? nil : condition
    for relay in ways { relay.set(condition) }
  }

  mutating func set(_ device: Int, isOnline: Bool) {
    if isOnline { offline.remove(device) } else { offline.insert(device) }
  }

  func condition(_ left: Int, _ right: Int) -> Relay.Condition { conditions[[left, right]] ?? .open }

  /// Whether the network lets two devices meet, of one group or not.
  func canMeet(_ left: Int, _ right: Int) -> Bool {
    offline.isDisjoint(with: [left, right]) && ![.cut, .stalled].contains(condition(left, right))
  }

  /// Whether two devices belong to one group.
  func areTogether(_ left: Int, _ right: Int) -> Bool {
    groups.contains { $0.isSuperset(of: [left, right]) }
  }

  /// Whether a device was removed from its group, even though it may not have heard of it.
  func isRemoved(_ device: Int) -> Bool { removed.contains(device) }

  /// Whether two devices have to come to hold the same: both are members still.
  func areMembers(_ left: Int, _ right: Int) -> Bool {
    areTogether(left, right) && removed.isDisjoint(with: [left, right])
  }

  /// Whom a device dials: the others of its group.
  func peers(of device: Int) -> [Int] {
    (groups.first { $0.contains(device) } ?? []).subtracting([device]).sorted()
  }
}

extension ProcessStage {
  /// Lets something happen to a link. Connections over one that was cut have ended when this returns.
  func setLink(_ left: Int, _ right: Int, _ change: LinkChange) async throws {
    network.set(left, right, change)
    guard change == .cut else { return try await redial([left, right]) }
    // With a device that does not run nobody is connected.
    for (device, other) in [(left, right), (right, left)] where isRunning(device) && isRunning(other) {
      let id = "\(try await id(of: other))"
      _ = try await look(within: 10) {
        try await devices[device].status().peers.contains { $0.device == id && $0.connected }
      } until: {
        !$0
      }
    }
  }

  /// What was tried in vain may work now.
  private func redial(_ places: [Int]) async throws {
    for device in places where isRunning(device) && network.canMeet(device, device) {
      try await setOnline(true, at: device)
    }
  }

  private func setOnline(_ isOnline: Bool, at device: Int) async throws {
    let _: NetworkAnswer = try await devices[device].send(
      "PUT", "/v1/network", body: NetworkBody(online: isOnline))
  }

  func setOnline(_ isOnline: Bool, _ device: Int) async throws -> ScenarioReply {
    network.set(device, isOnline: isOnline)
    return try await reply {
      try await setOnline(isOnline, at: device)
      return .done
    }
  }

  func call(_ other: Int, from device: Int) throws {
    devices[device].calls.insert(other)
    try restart(devices[device])
  }

  func join(_ device: Int, to host: Int) async throws -> ScenarioReply {
    let way = RelayedNetwork.Way(from: device, to: host)
    guard let relay = network.relays[way] else {
      return .refused(ScenarioProblem("there is no way between them", "두 기기 사이에 길이 없습니다"))
    }
    let reply = try await reply {
      try await devices[device].process.join(devices[host].process, through: relay.address)
      return .done
    }
    guard case .done = reply else { return reply }
    network.join(device, host)
    try await connect(beyond: way)
    return .done
  }

  /// Has devices of two groups that have become one dial those whom they know of only by others.
  private func connect(beyond way: RelayedNetwork.Way) async throws {
    for place in devices.indices where network.areTogether(place, way.from) && isRunning(place) {
      let known = devices[place].dials.union(place == way.from ? [way.to] : [])
      let isReached = network.peers(of: place).allSatisfy { other in
        known.contains(other) || devices[other].dials.contains(place) || other == way.from && place == way.to
      }
      if !isReached { try restart(devices[place]) }
    }
  }

  /// Lets those who can reach each other meet, until nothing moves any more: until devices hold the same and have rebalanced rights,
  /// or nothing has changed for a while, as some of them may have been removed.
  func meet() async throws {
    let end = ContinuousClock.now + .seconds(20)
    var (before, quiet): ([String], ContinuousClock.Instant) = ([], .now)
    var patience = Duration.seconds(5)
    while ContinuousClock.now < end, ContinuousClock.now - quiet < patience {
      let statuses = try await statuses()
      let digests = statuses.map(\.answer.digest)
      if digests != before { (before, quiet) = (digests, .now) }
      let rest = statuses.allSatisfy(\.answer.credits.isEmpty) ? Duration.zero : Self.rebalancing
      if areSettled(statuses), ContinuousClock.now - quiet >= rest { return }
      // Those who have dialled each other are quicker from then on.
      if statuses.contains(where: { $0.answer.peers.contains { $0.connected } }) { patience = .seconds(2) }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Within which rights begin to be rebalanced between devices that hold the same, and to spare.
  private static let rebalancing = Duration.milliseconds(6 * Limits.rebalanceMilliseconds)

  /// Waits until the members of each group that reach each other are connected and hold the same.
  func settle() async throws -> Bool {
    try await look(within: 60) {
      areSettled(try await statuses())
    } until: {
      $0
    }
  }

  /// Whether there is nothing to wait for in ``settle()``.
  func isSettled() async throws -> Bool { areSettled(try await statuses()) }

  /// What a running device says of itself, with its number.
  private typealias Status = (place: Int, answer: StatusAnswer)

  private func statuses() async throws -> [Status] {
    var statuses: [Status] = []
    for place in devices.indices where isRunning(place) {
      statuses.append((place, try await devices[place].status()))
    }
    return statuses
  }

  private func areSettled(_ statuses: [Status]) -> Bool {
    statuses.allSatisfy { one in
      statuses.allSatisfy { other in
        one.place == other.place || !network.areMembers(one.place, other.place)
          || one.answer.isFenced || other.answer.isFenced
          || !network.canMeet(one.place, other.place) || areInSync(one.answer, other.answer)
      }
    }
  }

  private func areInSync(_ one: StatusAnswer, _ other: StatusAnswer) -> Bool {
    one.digest == other.digest
      && (one.device.id == other.device.id
        || one.peers.contains { $0.device == other.device.id && $0.connected && $0.inSync })
  }

  // MARK: Looking

  func digest(of device: Int) async throws -> String { try await devices[device].status().digest }

  func seen(_ answer: ScenarioAnswer, by device: Int) async throws -> String {
    let status = try await devices[device].status()
    if let word = answer.seen(in: status) { return word }
    let document: JSONValue = try await devices[device].send("GET", "/v1/export")
    let roots = Set([signer.rootHash, sandboxStore?.rootHash].compactMap(\.self))
    var ledger = try Ledger(exported: document, trusting: roots)
    let time = TimeReading(wall: status.time.now, evidence: nil)
    return answer.seen(in: &ledger, by: .nobody, at: time, isFenced: status.isFenced)
  }

  func look<Seen>(
    within seconds: Int, _ look: () async throws -> Seen, until isExpected: (Seen) -> Bool
  ) async throws -> Seen {
    let end = ContinuousClock.now + .seconds(seconds)
    var seen = try await look()
    while !isExpected(seen), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(50))
      seen = try await look()
    }
    return seen
  }
}

extension StatusAnswer {
  fileprivate var isFenced: Bool { warnings.contains(StatusAnswer.anotherCopy) }
}

extension ScenarioAnswer {
  /// What a daemon says of itself, in the words of ``expected``; nil for what it does not say: how things stand at another
  /// time than now, and proofs in one line. That is read from the registers that it exports.
  fileprivate func seen(in status: StatusAnswer) -> String? {
    switch self {
    case .time: status.time.source
    case .balance(let id, _):
      "balance \(status.credits.first { Name($0.id) == Name(id) }?.balance ?? 0)"
    case .available(let id, _):
      "available \(status.credits.first { Name($0.id) == Name(id) }?.available ?? 0)"
    case .debt(let id, _): "debt \(status.credits.first { Name($0.id) == Name(id) }?.debt ?? 0)"
    case .purchased: status.purchased.isEmpty ? "none" : status.purchased.joined(separator: ", ")
    case .active(let id, _, nil):
      "\(status.entitlements.first { Name($0.id) == Name(id) }?.active ?? false ? "active" : "inactive") now"
    case .until(let id, _):
      "until \(status.lines.first { Name($0.id) == Name(id) }?.expires?.short ?? "none")"
    case .fenced: ScenarioAnswer.fenced(status.isFenced).expected
    case .runs, .active, .days, .subscription, .why: nil
    }
  }
}

extension Relay.Condition {
  /// What a link is like after a change; nil: as before.
  fileprivate init?(_ change: LinkChange) {
    switch change {
    case .cut: self = .cut
    case .mended: self = .open
    case .stalled: self = .stalled
    case .delayed(let milliseconds): self = .delayed(milliseconds: Int(clamping: milliseconds))
    case .reset: return nil
    }
  }
}
