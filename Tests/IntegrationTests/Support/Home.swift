import Foundation
import PeerSync
import Testing

/// Devices of one group on a network of their own.
struct Home {
  let network: TestNetwork
  let devices: [PeerdProcess]

  /// Devices that are there.
  init(network: TestNetwork, devices: [PeerdProcess]) { (self.network, self.devices) = (network, devices) }

  /// Makes devices that listen everywhere, starts them and pairs them with the first, which has the address 10.7.0.1.
  init(_ count: Int, bridges: Int = 1) async throws {
    network = try TestNetwork(count, bridges: bridges)
    var devices: [PeerdProcess] = []
    for (index, name) in PeerdGroup.names.prefix(count).enumerated() {
      try network.address(index, "10.7.0.\(index + 1)/24")
      let device = try await PeerdProcess(
        name, catalogue: index == 0 ? Catalogues.insomniOwl : nil, namespace: network[index])
      try await device.start(listen: "0.0.0.0:7400")
      if let first = devices.first { try await device.join(first) }
      devices.append(device)
    }
    self.devices = devices
    try await meet()
  }

  /// Makes devices on a network where all are announced, and pairs them with the first by codes alone.
  init(discovering count: Int, bridges: Int = 1, catalogue: String = Catalogues.insomniOwl) async throws {
    let network = try TestNetwork(count, bridges: bridges)
    for index in 0..<count { try network.address(index, "10.7.0.\(index + 1)/24") }
    try network.announce()
    try await self.init(network: network, discovering: count, catalogue: catalogue)
  }

  /// Makes devices on a network where all are announced already.
  init(network: TestNetwork, discovering count: Int, catalogue: String = Catalogues.insomniOwl) async throws {
    self.network = network
    var devices: [PeerdProcess] = []
    for (index, name) in PeerdGroup.names.prefix(count).enumerated() {
      let device = try await PeerdProcess(
        name, catalogue: index == 0 ? catalogue : nil, namespace: network[index],
        bus: network.bus(index))
      try await device.startLocally()
      if let first = devices.first {
        let invitation: InvitationAnswer = try await first.json("invite")
        let _: MembershipAnswer = try await device.json("join", invitation.code)
      }
      devices.append(device)
    }
    self.devices = devices
  }

  /// Waits until every device is connected with every other.
  func meet() async throws {
    for device in devices {
      let waited = try await device.run("wait", "--peers", "\(devices.count - 1)", "--timeout", "30")
      #expect(waited.status == 0, "\(device.name): \(waited.errors)\n\(device.log)")
    }
  }

  /// Measures what they take for something that they promise.
  func stopwatch() -> Stopwatch { Stopwatch(devices) }

  /// Buys something on each device that can be bought again and again, and waits until all of them know all of it.
  func agree() async throws {
    for device in devices { let _: TransactionResult = try await device.json("buy", "3monthsOfRandom") }
    _ = try await comeTogether(since: .now)
  }

  /// Waits until all devices hold the same.
  func comeTogether(since start: ContinuousClock.Instant) async throws -> Duration {
    try await until("they hold the same") {
      let digests = try await statuses().map(\.digest)
      return Set(digests).count == 1
    }
    return .now - start
  }

  func statuses() async throws -> [StatusAnswer] {
    var statuses: [StatusAnswer] = []
    for device in devices { statuses.append(try await device.status()) }
    return statuses
  }

  /// Waits until something holds that each look asks real daemons about.
  ///
  /// - Returns: how long that took
  @discardableResult func until(
    _ what: String, within limit: Duration = .seconds(60), _ holds: () async throws -> Bool
  ) async throws -> Duration {
    let start = ContinuousClock.now
    while try await !holds() {
      guard ContinuousClock.now - start < limit else {
        let logs = devices.map { "\($0.name):\n\($0.log)" }.joined(separator: "\n")
        throw TestNetwork.Failure(description: "waited \(limit) until \(what)\n\(logs)")
      }
    }
    return .now - start
  }
}
