import Foundation

/// `discover`: two devices with `--lan`, each on a machine of its own, and how soon they are in sync: they know where they are by
/// discovery alone, for before each start both machines get other addresses.
///
/// In sync is a device that is connected with the other one and knows that both hold the same, what was written last included.
struct DiscoverBenchmark {
  private static let rounds = 20
  private static let idleSeconds = 60.0

  private let network: BenchNetwork
  private let devices: [BenchDevice]
  /// Of the last addresses, and of the last value.
  private var subnet = 0
  private var value = 0

  static func run() async throws -> Figures {
    let directory = try TemporaryDirectory()
    let paths = ["a", "b"].map { directory.path + "/" + $0 }
    for path in paths { try DaemonUnderTest.create(in: path) }
    try DaemonUnderTest.unite(paths)
    var benchmark = DiscoverBenchmark(try BenchNetwork(), paths)
    return try await benchmark.measure()
  }

  private init(_ network: BenchNetwork, _ paths: [String]) {
    self.network = network
    devices = paths.enumerated().map { BenchDevice($1, on: $0, of: network) }
  }

  private mutating func measure() async throws -> Figures {
    var figures = Figures(.discover)
    try move()
    try network.announce()
    // Avahi never comes up when its address goes away while it does.
    try await settle()
    var (beside, both, moved, swapped): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<Self.rounds {
      both.append(try await startBoth())
      beside.append(try await startOne())
      moved.append(try await moveOne())
      swapped.append(try await moveBoth())
    }
    figures.add("rounds", Self.rounds)
    for (name, times) in [
      ("beside", beside), ("bothStart", both), ("oneMoved", moved), ("bothMoved", swapped),
    ] {
      figures.add(name + "P50Milliseconds", Percentiles(times).p50 * 1_000)
      figures.add(name + "P99Milliseconds", Percentiles(times).p99 * 1_000)
    }
    try await addIdle(to: &figures)
    return figures
  }

  /// Both start at the same moment, on machines that have been there for a while.
  private mutating func startBoth() async throws -> Double {
    for device in devices { device.stop() }
    try move()
    try await settle()
    let start = seconds()
    for device in devices { try device.start() }
    try await wait(for: devices[0])
    try await wait(for: devices[1])
    let time = seconds() - start
    try await settle()
    return time
  }

  /// One starts beside another one that is announced, and has written something meanwhile.
  private mutating func startOne() async throws -> Double {
    devices[1].stop()
    try move()
    try await settle()
    try await write(by: devices[0])
    let start = seconds()
    try devices[1].start()
    try await wait(for: devices[1])
    let time = seconds() - start
    try await settle()
    return time
  }

  /// One gets another address of the same network while both run.
  private mutating func moveOne() async throws -> Double {
    let start = seconds()
    try network.address(1, "10.9.\(subnet).100")
    return try await comeTogether(since: start)
  }

  /// Both get other addresses at once while they run, as when a router is replaced.
  private mutating func moveBoth() async throws -> Double {
    let start = seconds()
    try move()
    return try await comeTogether(since: start)
  }

  private mutating func comeTogether(since start: Double) async throws -> Double {
    try await write(by: devices[0])
    try await wait(for: devices[1])
    let time = seconds() - start
    try await settle()
    return time
  }

  private mutating func write(by device: BenchDevice) async throws {
    value += 1
    try await device.write(value)
  }

  private func wait(for device: BenchDevice) async throws {
    try await device.wait(for: value > 0 ? value : nil)
  }

  /// Gives both machines addresses of a network that nobody has seen.
  private mutating func move() throws {
    subnet += 1
    for index in devices.indices { try network.address(index, "10.9.\(subnet).\(index + 1)") }
  }

  /// Avahi announces a new address for a second or two. What is measured is the devices.
  private func settle() async throws { try await Task.sleep(for: .seconds(2)) }

  private func addIdle(to figures: inout Figures) async throws {
    // Tags of peers that were found stay in the record for up to a minute.
    try await Task.sleep(for: .seconds(65))
    let frames = try await sentBytes()
    // The question wakes the daemons, and is over a moment later.
    try await Task.sleep(for: .seconds(1))
    let before = try usages()
    try await Task.sleep(for: .seconds(Self.idleSeconds))
    let after = try usages()
    let framesAfter = try await sentBytes()
    let wakeUps = zip(before, after).reduce(0) { $0 + $1.1.process.wakeUps(since: $1.0.process) }
    let cable = zip(before, after).reduce(0.0) { $0 + $1.1.cable - $1.0.cable }
    // There is one connection.
    figures.add("idleBytesPerConnectionSecond", (framesAfter - frames) / Self.idleSeconds)
    figures.add("idleWakeUpsPerConnectionSecond", Double(wakeUps) / Self.idleSeconds)
    figures.add("idleBytesOnTheCablePerSecond", cable / Self.idleSeconds)
  }

  /// Bytes of frames that both have sent.
  private func sentBytes() async throws -> Double {
    var sum = 0.0
    for device in devices { sum += try await device.sentBytes() }
    return sum
  }

  /// What a device has used, and what has left its machine.
  private struct Usage {
    let process: ProcessUsage
    let cable: Double
  }

  private func usages() throws -> [Usage] {
    try devices.enumerated().map { Usage(process: $1.usage, cable: try network.sentBytes($0)) }
  }
}
