import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What devices may take too much of credits, as they could not know better, and nothing else.
@Suite struct TakingReviewTests {
  /// Two devices: the first one has bought ten credits. They are not paired yet.
  private func world() throws -> World {
    let world = World(seed: 1, faults: .none)
    let product = Product(id: "ten", type: .consumable, credit: "owls", amount: 10)
    world.sell([product])
    for name in ["Phone", "Tablet"] {
      let device = world.addDevice(name: name, bundleId: World.bundleId)
      world.start(device)
      try #require(world.perform(.addProducts([product], version: 0), on: device) != nil)
    }
    try #require(world.purchase(PurchaseOrder("ten", at: world.trueTime), on: 0) != nil)
    return world
  }

  private func pair(_ world: World) throws {
    try #require(world.join(0, to: 1) != nil)
    world.run(until: world.time + 10_000)
    try #require(world.settle(within: 60_000))
  }

  private func spend(_ amount: Int64, _ id: String, on device: Int, in world: World) {
    _ = world.perform(.spend(Spending(credit: "owls", amount: amount, id: id)), on: device)
  }

  /// A device that was set back to before it was paired has forgotten what it spent and gave since. So has everybody whom it knows.
  @Test func whoForgotItsGroupCannotKnow() throws {
    let world = try world()
    world.backUp(0)
    try pair(world)
    spend(1, "a", on: 0, in: world)
    let given = world.available(1)
    try #require(given > 0)
    world.setBack(0)
    world.crash(1)
    let answer = world.perform(.reclaim(credit: "owls"), on: 0)
    #expect(answer == .done(changed: 1) && world.available(0) == 10)
    #expect(world.excusedCredits() == given + 1 && world.violations.isEmpty)
    // It is not taken a second time, and what is spent of it does not count twice.
    spend(10, "b", on: 0, in: world)
    #expect(world.excusedCredits() == given + 1 && world.violations.isEmpty)
  }

  /// Whoever asks those who know takes just what is left.
  @Test func whoCanAskKnows() throws {
    let world = try world()
    try pair(world)
    world.backUp(0)
    spend(1, "a", on: 0, in: world)
    let before = world.available(0)
    try #require(world.settle(within: 60_000))
    world.setBack(0)
    world.run(until: world.time + 60_000)
    try #require(world.settle(within: 60_000))
    _ = world.perform(.reclaim(credit: "owls"), on: 0)
    #expect(world.available(0) + world.available(1) == 9 && before > 0)
    #expect(world.excusedCredits() == 0 && world.violations.isEmpty)
  }

  /// A copy out of reach goes on spending what its device takes over.
  @Test func aCopyThatRunsKeepsWhatItHas() throws {
    let world = try world()
    let copy = world.copy(0)
    world.run(until: world.time + 1_000)
    let answer = world.perform(.reclaim(credit: "owls"), on: copy)
    #expect(answer == .done(changed: 1) && world.available(copy) == 10 && world.available(0) == 10)
    #expect(world.excusedCredits() == 10 && world.violations.isEmpty)
  }
}
