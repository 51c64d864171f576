import Foundation
import PeerSync
import PeerSyncCore

/// A minute in which everything goes wrong on a network of five devices, at random; then everything is put right.
///
/// Clients of each device go on buying, spending, taking back, deciding and reading.
final class Storm {
  /// How many there are; PEERSYNC_STORM in the environment says otherwise.
  static let runs = ProcessInfo.processInfo.environment["PEERSYNC_STORM"].flatMap { Int($0) } ?? 2
  private static let duration = Duration.seconds(60)

  /// What can happen to a device.
  private enum Fault: CaseIterable {
    case mute, unplug, lose, move, partition, kill, step, stop
  }

  private let home: Home
  private var random: RandomState
  private var addresses: [Int] = []
  /// What has been done, for whoever has to find out what broke.
  private(set) var journal: [String] = []

  init(_ home: Home, _ random: RandomState) {
    self.home = home
    self.random = random
    addresses = home.devices.indices.map { $0 + 1 }
  }

  /// A line for each device, which nothing is bought for: its dates alone decide.
  static var catalogue: String {
    let lines = PeerdGroup.names.map {
      "{\"id\": \"time-\($0)\", \"type\": \"nonRenewingSubscription\", \"line\": \"line-\($0)\", \"period\": \"P1M\"}"
    }
    let credits = "{\"id\": \"RandomOwls\", \"type\": \"consumable\", \"credit\": \"owls\", \"amount\": 5}"
    return "{\"products\": [\((lines + [credits]).joined(separator: ", "))]}"
  }

  /// Lets faults come and go for a minute.
  func rage() async throws {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < Self.duration {
      let index = random.pick(0...(home.devices.count - 1))
      let fault = random.pick(Fault.allCases)
      journal.append("\(ContinuousClock.now - start) \(home.devices[index].name) \(fault)")
      try await bring(fault, to: index)
      await pause(500...1_500)
      // Half of what is cut stays cut for a while.
      if random.pick(0...1) == 0 { try calm(random.pick(0...(home.devices.count - 1))) }
    }
  }

  private func bring(_ fault: Fault, to index: Int) async throws {
    let device = home.devices[index]
    switch fault {
    case .mute: try home.network.filter(index, "drop")
    case .unplug: try home.network.unplug(index)
    case .lose: try home.network.filter(index, "numgen random mod 100 < \(random.pick(5...40)) drop")
    case .move:
      addresses[index] += 10
      try home.network.address(index, "10.7.0.\(addresses[index] % 250 + 1)/24")
    case .partition: try home.network.plug(index, into: 2)
    case .kill: try await restart(device, [])
    case .step: try await restart(device, ["--clock-offset", "\(random.pick(-4...4) * 50)s"])
    case .stop:
      guard let pid = device.pid else { return }
      Glibc.kill(pid, SIGSTOP)
      await pause(500...2_000)
      Glibc.kill(pid, SIGCONT)
    }
  }

  private func restart(_ device: PeerdProcess, _ options: [String]) async throws {
    device.kill()
    try await device.startLocally(options: options)
  }

  /// Puts the link of a device right.
  private func calm(_ index: Int) throws {
    try home.network.filter(index, nil)
    try home.network.plug(index, into: 1)
  }

  /// Puts everything right: links, and clocks, for which devices are killed once more.
  func heal() async throws {
    for (index, device) in home.devices.enumerated() {
      try calm(index)
      try await restart(device, [])
    }
  }

  private func pause(_ milliseconds: ClosedRange<Int>) async {
    // A storm is made of time: there is nothing to wait for.
    try? await Task.sleep(for: .milliseconds(random.pick(milliseconds)))
  }
}
