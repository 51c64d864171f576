import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Copies of devices in stories, and what each device knows by itself.
@Suite struct ScenarioCopyTests {
  /// A copy goes on as the device that it is: with its account, and looking for whom it looks for.
  @Test func aCopyBuysAndCallsLikeItsOriginal() async throws {
    let story = """
      product monthly autoRenewableSubscription period P1M entitlements club
      store
      devices Phone Tablet
      devices Mac
      account ann of Phone
      Phone calls Mac
      copy Phone as Twin
      Twin buys monthly in the store
      crash Twin
      crash Phone
      """
    let scenario = try Scenario(story, file: "x.txt")
    var runner = ScenarioRunner(scenario, seed: 1)
    for step in scenario.steps { try await runner.perform(step) }
    #expect(runner.stage.sandboxStore?.transactions.map(\.account) == ["ann"])
    let world = try await ScenarioRunner.run(scenario, seed: 1)
    #expect(world.peers(of: 3).count == 1 && world.peers(of: 3) == world.peers(of: 0))
  }

  /// A device that cannot tell that it was set back keeps its incarnation, and numbers its writes a second time.
  @Test(arguments: [("restore Phone", true), ("restore Phone unnoticed", false)])
  func whoNoticesBeginsAnew(_ restore: String, _ beginsAnew: Bool) async throws {
    let story = "devices Phone\nbackup Phone\nPhone grants x\n\(restore)\nPhone grants y"
    let scenario = try Scenario(story, file: "x.txt")
    var runner = ScenarioRunner(scenario, seed: 1)
    var replicas: [ReplicaID?] = []
    for step in scenario.steps {
      try await runner.perform(step)
      replicas.append(runner.stage.world.read(0) { $0.replica.id })
    }
    #expect((replicas.first != replicas.last) == beginsAnew)
    #expect(runner.stage.world.violations.isEmpty)
  }

  /// Where each device counts its own ids, what one can check of a purchase is not taken for what another can.
  @Test func whatOnlyOneDeviceCanCheckIsItsOwn() {
    var store = ScenarioStore()
    let holder = CreditHolder(ReplicaID(high: 1, low: 2))
    let keys = (0...1).map { ScenarioStore.Key(name: Name("jan"), device: $0) }
    var purchase = ScenarioPurchase(name: "jan", product: "p", quantity: 1, date: .epoch)
    for (key, isBound) in zip(keys, [true, false]) {
      purchase.isBound = isBound
      _ = store.sell(purchase, as: key, in: .xcode, to: holder)
    }
    #expect(keys.map { store.verification(of: $0) } == [holder.accountToken, nil])
  }

  /// Whether a device has another copy, no ledger knows: whoever asks says it.
  @Test(arguments: [true, false]) func whetherADeviceIsFencedIsAnswered(_ isFenced: Bool) {
    var ledger = Ledger(environment: .sandbox, bundleId: Scenario.bundleId)
    let seen = ScenarioAnswer.fenced(true).seen(
      in: &ledger, by: .nobody, at: TimeReading(wall: .epoch, evidence: nil), isFenced: isFenced)
    #expect(seen == (isFenced ? "fenced" : "unfenced"))
    #expect(ScenarioAnswer.fenced(true).accepts(seen) == isFenced)
  }
}
