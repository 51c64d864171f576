import Foundation

/// `idle`: three daemons, each a process of its own, paired and with nothing to do for a minute.
enum IdleBenchmark {
  private static let duration = 60.0

  static func run() async throws -> Figures {
    var figures = Figures(.idle)
    let directory = try TemporaryDirectory()
    let devices = try ["a", "b", "c"].map {
      try DaemonProcess(directory.path + "/" + $0, options: ["--bundle-id", Workload.bundleId])
    }
    defer { for device in devices { device.stop() } }
    for device in devices { try device.start() }
    for device in devices.dropFirst() { try await device.join(devices[0]) }
    let end = ContinuousClock.now + .seconds(30)
    for device in devices {
      while try await device.status().peers.count(where: \.connected) < devices.count - 1 {
        guard ContinuousClock.now < end else {
          throw BenchmarkError(
            "the daemons are not all connected after half a minute", "30초가 지나도 데몬이 모두 연결되지 않았습니다")
        }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    // Pairing is over when the mesh stands; a moment later nothing is under way.
    try await Task.sleep(for: .seconds(2))
    let before = try await usages(devices)
    try await Task.sleep(for: .seconds(duration))
    let after = try await usages(devices)
    add(zip(before, after).map { ($0, $1) }, to: &figures)
    return figures
  }

  private static func usages(_ devices: [DaemonProcess]) async throws -> [DaemonUsage] {
    var usages: [DaemonUsage] = []
    for device in devices { usages.append(try await DaemonUsage(of: device)) }
    return usages
  }

  private static func add(_ usages: [(DaemonUsage, DaemonUsage)], to figures: inout Figures) {
    // Each connection is counted by both of its ends.
    let connections = Double(usages.count * (usages.count - 1)) / 2
    let daemons = Double(usages.count)
    let bytes = usages.reduce(0.0) { $0 + $1.1.sentBytes - $1.0.sentBytes }
    let processor = usages.reduce(0.0) { $0 + $1.1.process.processor - $1.0.process.processor }
    let wakeUps = usages.reduce(0) { $0 + $1.1.process.wakeUps(since: $1.0.process) }
    figures.add("seconds", duration)
    figures.add("connections", Int(connections))
    figures.add("bytesPerConnectionSecond", bytes / connections / duration)
    figures.add("percentOfACorePerDaemon", 100 * processor / daemons / duration)
    figures.add("wakeUpsPerConnectionSecond", Double(wakeUps) / connections / duration)
    figures.add("residentMiB", usages.map { Double($0.1.process.resident) / 1_048_576 }.max() ?? 0)
  }
}

/// What a daemon has used.
private struct DaemonUsage {
  let process: ProcessUsage
  /// Bytes of frames the daemon has sent.
  let sentBytes: Double

  init(of device: DaemonProcess) async throws {
    guard let id = device.id else { throw BenchmarkError("a daemon ended", "데몬이 끝났습니다") }
    // Looked at before the request, which itself wakes the daemon.
    process = ProcessUsage(of: id)
    let metrics = String(decoding: try await device.client().send("GET", "/metrics"), as: UTF8.self)
    let line = metrics.split(separator: "\n").first { $0.hasPrefix("peersync_sent_bytes_total ") }
    sentBytes = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
  }
}
