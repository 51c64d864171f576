import PeerSync
import PeerSyncSimulation

/// Which devices of a story reach each other.
///
/// Real devices on one machine cannot be cut off from each other one by one, only from all: by their aeroplane mode. Where a
/// story cuts single links, everybody is offline, and when the story settles the links that stand are opened one after
/// another, again and again until nothing moves any more.
struct CutNetwork {
  private var groups: [[String]] = []
  private var cuts: Set<Set<String>> = []
  private var offline: Set<String> = []

  mutating func begin(_ name: String) { groups.append([name]) }

  mutating func join(_ name: String, _ host: String) {
    let (joining, others) = (groups.filter { $0.contains(name) || $0.contains(host) }, groups)
    groups = others.filter { !joining.contains($0) } + [joining.flatMap(\.self)]
  }

  mutating func set(_ left: String, _ right: String, isCut: Bool) {
    if isCut { cuts.insert([left, right]) } else { cuts.remove([left, right]) }
  }

  mutating func set(_ name: String, online: Bool) {
    if online { offline.remove(name) } else { offline.insert(name) }
  }

  /// The devices that have to be offline. Nobody may be reached by this whom the story cuts off.
  var isolated: Set<String> { wholly ?? Set(groups.joined()) }

  /// Who is cut off from everybody, when that is all that the story cuts.
  private var wholly: Set<String>? {
    var isolated = offline
    for group in groups where group.count > 1 {
      isolated.formUnion(group.filter { name in group.allSatisfy { $0 == name || isCut(name, $0) } })
    }
    let isMet = cuts.allSatisfy { cut in
      !isolated.isDisjoint(with: cut) || !groups.contains { Set($0).isSuperset(of: cut) }
    }
    return isMet ? isolated : nil
  }

  private func isCut(_ left: String, _ right: String) -> Bool { cuts.contains([left, right]) }

  /// Sets of devices that are online together, one set after another, so that everybody meets everybody whom the story lets
  /// them meet.
  ///
  /// - Parameter names: the devices that run
  func meetings(among names: Set<String>) -> [Set<String>] {
    let awake = groups.map { $0.filter { names.contains($0) && !offline.contains($0) } }
    if let wholly { return [Set(awake.joined()).subtracting(wholly)] }
    return awake.flatMap { group in
      group.indices.flatMap { left in
        group.indices.filter { $0 > left && !isCut(group[left], group[$0]) }.map { [group[left], group[$0]] }
      }
    }
  }

  /// Whether a story lets two devices meet, of one group or not.
  func canMeet(_ left: String, _ right: String) -> Bool {
    offline.isDisjoint(with: [left, right]) && !isCut(left, right)
  }

  /// Whether two devices belong to one group.
  func areTogether(_ left: String, _ right: String) -> Bool {
    groups.contains { $0.contains(left) && $0.contains(right) }
  }
}

extension ProcessStage {
  func setLink(_ left: Int, _ right: Int, isCut: Bool) async throws {
    network.set(devices[left].name, devices[right].name, isCut: isCut)
    try await isolate()
  }

  func setOnline(_ isOnline: Bool, _ device: Int) async throws -> ScenarioReply {
    network.set(devices[device].name, online: isOnline)
    try await isolate()
    return .done
  }

  func call(_ other: Int, from device: Int) throws {
    devices[device].peers.append(devices[other].process.listen)
    try restart(devices[device])
  }

  func join(_ device: Int, to host: Int) async throws -> ScenarioReply {
    let (joiner, inviter) = (devices[device], devices[host])
    // Both may be offline only because other links are cut.
    if network.canMeet(joiner.name, inviter.name) { try await bringOnline([joiner.name, inviter.name]) }
    let reply = try await reply {
      try await joiner.process.join(inviter.process)
      return .done
    }
    guard case .done = reply else { return reply }
    network.join(joiner.name, inviter.name)
    try await isolate()
    return .done
  }

  /// Has those offline whom nobody may reach.
  func isolate() async throws { try await keepOffline(network.isolated) }

  /// Has just these devices online, of those that the story cuts off.
  func bringOnline(_ names: Set<String>) async throws {
    try await keepOffline(network.isolated.subtracting(names))
  }

  /// Lets those who can reach each other meet once, until nothing moves any more.
  func meet() async throws {
    let names = Set(runningDevices.map(\.name))
    for meeting in network.meetings(among: names) {
      try await keepOffline(names.subtracting(meeting))
      try await waitForRest(among: meeting)
    }
    try await isolate()
  }

  /// Waits until devices hold the same and have rebalanced rights, or nothing has changed for a while: some of them may have
  /// been removed.
  private func waitForRest(among online: Set<String>) async throws {
    let end = ContinuousClock.now + .seconds(20)
    var (before, quiet): ([String], ContinuousClock.Instant) = ([], .now)
    var patience = Duration.seconds(5)
    while ContinuousClock.now < end, ContinuousClock.now - quiet < patience {
      let statuses = try await statuses().filter { online.contains($0.device.name) }
      if statuses.map(\.digest) != before { (before, quiet) = (statuses.map(\.digest), .now) }
      let rest = statuses.allSatisfy(\.credits.isEmpty) ? Duration.zero : Self.rebalancing
      if statuses.allSatisfy({ isSettled($0, among: statuses) }), ContinuousClock.now - quiet >= rest {
        return
      }
      // Those who have dialled each other are quicker from then on.
      if statuses.contains(where: { $0.peers.contains { $0.connected } }) { patience = .seconds(2) }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Within which rights begin to be rebalanced between devices that hold the same, and to spare.
  private static let rebalancing = Duration.milliseconds(6 * Limits.rebalanceMilliseconds)

  /// Has just these devices offline.
  private func keepOffline(_ isolated: Set<String>) async throws {
    // First those that go: nobody is to meet whom the story has just cut off.
    for isOnline in [false, true] {
      for device in runningDevices where isolated.contains(device.name) != isOnline {
        guard try await device.status().online != isOnline else { continue }
        let _: NetworkAnswer = try await device.send(
          "PUT", "/v1/network", body: NetworkBody(online: isOnline))
      }
    }
  }

  func settle() async throws -> Bool {
    let names = Set(runningDevices.map(\.name))
    let meetings = network.meetings(among: names)
    var before: [String]?
    while true {
      for meeting in meetings {
        try await keepOffline(names.subtracting(meeting))
        guard try await agree(meeting) else { return false }
      }
      let digests = try await statuses().map(\.digest)
      if meetings.count < 2 || digests == before { break }
      before = digests
    }
    try await isolate()
    return true
  }

  /// Waits until the members of each group that are online are connected and hold the same.
  private func agree(_ online: Set<String>) async throws -> Bool {
    try await look(within: 60) {
      let statuses = try await statuses().filter { online.contains($0.device.name) }
      return statuses.allSatisfy { isSettled($0, among: statuses) }
    } until: {
      $0
    }
  }

  private func statuses() async throws -> [StatusAnswer] {
    var statuses: [StatusAnswer] = []
    for device in runningDevices { statuses.append(try await device.status()) }
    return statuses
  }

  private func isSettled(_ status: StatusAnswer, among others: [StatusAnswer]) -> Bool {
    let group = others.filter { network.areTogether($0.device.name, status.device.name) }
    return group.allSatisfy { other in
      other.digest == status.digest
        && (other.device.id == status.device.id
          || status.peers.contains { $0.device == other.device.id && $0.connected && $0.inSync })
    }
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
