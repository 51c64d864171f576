import PeerSync
import Testing

/// A home full of devices, all of which come up in the same second: the power was away.
@Suite("Many members", .paced, .noHang)
struct ManyMembersTests {
  private static let count = 20

  @Test("twenty daemons that come up in the same second are in sync within 10 s")
  func comeUp() async throws {
    var devices: [PeerdProcess] = []
    for index in 0..<Self.count {
      let device = try await PeerdProcess(
        "Device \(index)", catalogue: index == 0 ? Catalogues.insomniOwl : nil)
      try await device.start()
      if let first = devices.first { try await device.join(first) }
      devices.append(device)
    }
    for device in devices { try await device.waitInSync(with: Self.count - 1) }
    for device in devices { device.kill() }
    let (start, watch) = (ContinuousClock.now, Stopwatch(devices))
    try await each(devices) { device in
      try await device.start(listen: device.ready?.listen)
      // Each knows something that no other does.
      try await device.set(device.name.replacing(" ", with: "-"), "here")
    }
    let up = ContinuousClock.now - start
    try await each(devices) { device in
      try await device.wait(for: "all others to be in sync") { status in
        status.peers.count == Self.count - 1 && status.peers.allSatisfy { $0.connected && $0.inSync }
      }
    }
    var digests: Set<String> = []
    repeat {
      digests = []
      for device in devices { digests.insert(try await device.status().digest) }
    } while digests.count > 1 && ContinuousClock.now - start < .seconds(60)
    print("twenty daemons were up after \(up)")
    #expect(digests.count == 1)
    watch.expect(within: .seconds(10), "twenty daemons in sync")
  }

  private func each(
    _ devices: [PeerdProcess], _ body: @escaping @Sendable (PeerdProcess) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for device in devices { group.addTask { try await body(device) } }
      try await group.waitForAll()
    }
  }
}
