import PeerSync
import Testing

/// kill -9 at random moments, with a ledger of what was acknowledged.
@Suite("Crashes", .paced, .noHang)
struct CrashTests {
  @Test("what a device alone acknowledged is there after kill -9 under load")
  func alone() async throws {
    let seed = Seed.make(for: "crashes alone")
    var generator = seed.generator
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    var acknowledged: Set<String> = []
    for crash in 1...10 {
      let load = Load(on: device, clients: 4)
      await load.ledger.reach(generator.pick(1...60))
      device.kill()
      await load.finish()
      acknowledged.formUnion(await load.ledger.transactions)
      try await device.start(listen: nil)
      #expect(try await lost(acknowledged, on: device).isEmpty, "crash \(crash), \(seed)")
    }
  }

  @Test("what devices acknowledged is on all of them after kill -9 of one or another under load")
  func connected() async throws {
    let seed = Seed.make(for: "crashes in a group")
    var generator = seed.generator
    let group = try await PeerdGroup(3)
    var acknowledged: Set<String> = []
    for crash in 1...6 {
      let victim = generator.pick(group.devices)
      let loads = group.devices.map { Load(on: $0, clients: 2) }
      for load in loads { await load.ledger.reach(generator.pick(1...25)) }
      victim.kill()
      // The others are stopped in an orderly way, so that their clients end too.
      for device in group.devices where device !== victim { try await device.stop() }
      for load in loads {
        await load.finish()
        acknowledged.formUnion(await load.ledger.transactions)
      }
      for device in group.devices { try await device.start(listen: device.ready?.listen) }
      try await group.agree("crash \(crash), \(seed)")
      for device in group.devices {
        #expect(try await lost(acknowledged, on: device).isEmpty, "\(device.name), crash \(crash), \(seed)")
      }
    }
  }

  /// The acknowledged transactions that a device does not know.
  private func lost(_ acknowledged: Set<String>, on device: PeerdProcess) async throws -> Set<String> {
    let known = try await device.client().transactions()
    return acknowledged.subtracting(known.map(\.transactionId))
  }
}
