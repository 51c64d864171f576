import PeerSyncCore
import Testing

/// Whatever members state, in worlds that are made up of what they can do: once those who lied are removed with all that they had decided,
/// the others have what was bought, less what was spent of it.
@Suite struct DishonestWorldTests {
  @Test("F57, F58: liars make nothing, and keep nothing", arguments: Seeds.all, [false, true])
  func liarsAreRemoved(seed: UInt64, isRaised: Bool) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<(isRaised ? 40 : 20) {
      var world = DishonestWorld(SeededGenerator(seed: random.next()))
      let comment: Comment = "PEERSYNC_SEED=\(seed), \(round)"
      world.run(isRaised: isRaised)
      var hasEnded = world.settle()
      #expect(world.short.isEmpty, comment)
      // What is bought from then on is not used up.
      for device in world.honest.prefix(2) {
        world.buy(1_000_000, device)
        hasEnded = world.settle() && hasEnded
      }
      #expect(hasEnded, comment)
      #expect(world.short.isEmpty, comment)
      let have = world.available + world.spent
      #expect(have <= world.bought, comment)
      #expect(world.available >= 2_000_000 || !isRaised, comment)
      #expect(have >= world.bought - world.spentByLiars, comment)
    }
  }
}
