/// `reunion`: a hundred peers that each wrote something while they were apart come back to one at the same moment.
enum ReunionBenchmark {
  private static let peers = 100

  static func run() async throws -> Figures {
    let directory = try TemporaryDirectory()
    let paths = (0...peers).map { "\(directory.path)/\($0)" }
    for path in paths { try DaemonUnderTest.create(in: path) }
    try DaemonUnderTest.unite(paths)
    let hub = try await DaemonUnderTest(of: paths[0])
    var others: [DaemonUnderTest] = []
    for path in paths.dropFirst() {
      let peer = try await DaemonUnderTest(of: path, peers: [hub.address], isOnline: false)
      try await peer.buy(others.count)
      others.append(peer)
    }
    let seconds = try await reunite(hub, others)
    for device in others + [hub] { await device.stop() }
    var figures = Figures(.reunion)
    figures.add("peers", peers)
    figures.add("secondsUntilAllAgree", seconds)
    figures.add("millisecondsAPeer", seconds * 1_000 / Double(peers))
    return figures
  }

  private static func reunite(_ hub: DaemonUnderTest, _ others: [DaemonUnderTest]) async throws -> Double {
    let start = seconds()
    for device in others { _ = try await device.daemon.perform(.setOnline(true)) }
    for device in others + [hub] { try await wait(for: device) }
    return seconds() - start
  }

  /// Waits until a device knows what each peer wrote.
  private static func wait(for device: DaemonUnderTest) async throws {
    for await _ in await device.daemon.revisions() {
      let known = try await device.daemon.read { engine, _ in engine.replica.vector.entries.count }
      if known >= peers { return }
    }
  }
}
