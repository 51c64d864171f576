import PeerSync

/// Which devices of a story reach each other.
///
/// Real devices on one machine cannot be cut off from each other one by one, only from all: by their aeroplane mode. So a
/// story's cuts are made when they come to that, and otherwise the story needs the simulation.
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

  /// The devices that have to be offline; nil when that would cut more than the story says.
  var isolated: Set<String>? {
    var isolated = offline
    for group in groups {
      for name in group where group.count > 1 && group.allSatisfy({ $0 == name || isCut(name, $0) }) {
        isolated.insert(name)
      }
    }
    let isMet = cuts.allSatisfy { cut in
      !isolated.isDisjoint(with: cut) || !groups.contains { Set($0).isSuperset(of: cut) }
    }
    return isMet ? isolated : nil
  }

  private func isCut(_ left: String, _ right: String) -> Bool { cuts.contains([left, right]) }

  /// Groups of those that can reach each other.
  func reachable(among names: Set<String>) -> [Set<String>] {
    let isolated = isolated ?? []
    return groups.map { Set($0).intersection(names).subtracting(isolated) }
  }
}

extension ProcessStage {
  func setLink(_ left: String, _ right: String, isCut: Bool) async throws {
    _ = (try device(left), try device(right))
    guard left != right else { throw failure("a link has two ends, not \(left) twice") }
    network.set(left, right, isCut: isCut)
    // More cuts may follow that make it possible: whoever needs the network asks again.
    if network.isolated != nil { try await applyNetwork() }
  }

  func setOnline(_ online: Bool, _ name: String) async throws {
    _ = try running(name)
    network.set(name, online: online)
    try await applyNetwork()
  }

  private func applyNetwork() async throws {
    guard let isolated = network.isolated else { throw unreachable }
    for device in runningDevices {
      let wanted = !isolated.contains(device.name)
      guard try await device.process.status().online != wanted else { continue }
      let _: NetworkAnswer = try await device.process.client().send(
        "PUT", "/v1/network", body: NetworkBody(online: wanted))
    }
  }

  private var unreachable: ScenarioError {
    failure(
      "real processes are cut off from all others or from none, and this story cuts single links: play it with --simulated"
    )
  }

  /// Waits until devices of one group that are online are connected and hold the same.
  func settle() async throws {
    guard network.isolated != nil else { throw unreachable }
    try await applyNetwork()
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let statuses = try await statuses()
      let groups = network.reachable(among: Set(statuses.map(\.device.name)))
      if groups.allSatisfy({ isSettled(statuses, $0) }) { return }
      guard ContinuousClock.now < end else {
        throw failure("expected devices that can reach each other to agree, saw \(standing(statuses))")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func statuses() async throws -> [StatusAnswer] {
    var statuses: [StatusAnswer] = []
    for device in runningDevices { statuses.append(try await device.process.status()) }
    return statuses
  }

  private func isSettled(_ statuses: [StatusAnswer], _ group: Set<String>) -> Bool {
    let members = statuses.filter { group.contains($0.device.name) }
    return Set(members.map(\.digest)).count <= 1
      && members.allSatisfy { member in
        member.peers.allSatisfy { !group.contains($0.name) || $0.connected && $0.inSync }
      }
  }

  private func standing(_ statuses: [StatusAnswer]) -> String {
    statuses.map { "\($0.device.name) at \($0.digest.prefix(8))" }.joined(separator: ", ")
  }

  // MARK: Expectations

  func check(_ expectation: ScenarioExpectation) async throws {
    guard network.isolated != nil else { throw unreachable }
    let statuses = try await statuses()
    switch expectation {
    case .sameDigest:
      guard Set(statuses.map(\.digest)).count <= 1 else {
        throw failure("expected all devices to have one digest, saw \(standing(statuses))")
      }
    case .differ(let left, let right):
      _ = (try running(left), try running(right))
      let digests = statuses.filter { [left, right].contains($0.device.name) }.map(\.digest)
      guard Set(digests).count == 2 else {
        throw failure("expected \(left) and \(right) to differ, saw \(standing(statuses))")
      }
    case .answer(let name?, let answer): try await check(answer, of: running(name))
    case .answer(nil, let answer): for device in runningDevices { try await check(answer, of: device) }
    }
  }

  private func check(_ answer: ScenarioAnswer, of device: Device) async throws {
    let status = try await device.process.status()
    let seen: String
    if let word = answer.seen(in: status) { seen = word } else {
      let document: JSONDocument = try await device.process.client().send("GET", "/v1/export")
      seen = try shop.seen(answer, in: document, at: status.time.now)
    }
    guard answer.accepts(seen) else {
      throw failure("expected \(device.name): \(answer.subject) \(answer.expected), saw \(seen)")
    }
  }
}

extension ScenarioAnswer {
  /// What a daemon says of itself, in the words of ``expected``; nil for what it does not say: how things stand at another
  /// time than now, and proofs in one line. That is read from the registers that it exports.
  fileprivate func seen(in status: StatusAnswer) -> String? {
    switch self {
    case .time: status.time.source
    case .balance(let id, _):
      "balance \(status.credits.first { Name($0.id) == Name(id) }?.balance ?? 0)"
    case .purchased: status.purchased.isEmpty ? "none" : status.purchased.joined(separator: ", ")
    case .active(let id, _, nil):
      "\(status.entitlements.first { Name($0.id) == Name(id) }?.active ?? false ? "active" : "inactive") now"
    case .until(let id, _):
      "until \(status.lines.first { Name($0.id) == Name(id) }?.expires?.short ?? "none")"
    case .runs, .active, .days, .subscription, .why: nil
    }
  }
}
