import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A home full of devices, all of which come up in the same second: the power was away.
@Suite struct ManyMembersTests {
  /// Without optimization a world of fifty takes too long.
  private static let count: Int = {
    #if DEBUG
      20
    #else
      Sanitizer.isOn ? 20 : 50
    #endif
  }()
  private static let limit: UInt64 = 10_000

  @Test func membersThatComeUpInTheSameSecondAreInStepWithinTenSeconds() throws {
    let world = World(seed: .random(in: 0 ... .max), faults: .none)
    for index in 0..<Self.count {
      _ = world.addDevice(name: "Device \(index)", bundleId: "app")
      world.start(index)
      if index > 0 { #expect(world.join(index, to: 0) != nil) }
    }
    try #require(inSync(world) != nil, "they never met")
    for index in 0..<Self.count { world.crash(index) }
    world.run(until: world.time + 60_000)
    let start = world.time
    for index in 0..<Self.count {
      world.run(until: start + world.draw() % 1_000)
      world.start(index)
      // Each knows something that no other does.
      world.request(.setValue(key: "key \(index)", [1]), of: index)
    }
    let time = try #require(inSync(world), "they are not in sync")
    #expect(time - start < Self.limit)
    print("\(Self.count) devices were in sync after \(time - start) ms")
    #expect(world.violations.isEmpty, "\(world.violations)")
  }

  /// Runs until all hold the same and each is connected with all others.
  ///
  /// - Returns: when that was; nil when it takes too long
  private func inSync(_ world: World) -> UInt64? {
    let end = world.time + 120_000
    while world.time < end, world.violations.isEmpty {
      world.run(until: world.time + 100)
      let views = (0..<Self.count).map { index in
        world.read(index) { ($0.replica.digest, $0.peers.count { $0.isConnected }) }
      }
      let digests = Set(views.map { $0?.0 })
      if digests.count == 1, views.allSatisfy({ $0?.1 == Self.count - 1 }) { return world.time }
    }
    return nil
  }
}
