import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct RecoveryTests {
  private let other = Author(2)

  private func batch(_ author: Author, _ values: [String], at passed: Int64 = 0) throws -> SignedBatch {
    var machines = try Machines(author, with: [Author(1)])
    for value in values {
      _ = machines.holdings.setValue(
        "key", to: Array(value.utf8), at: Machines.moment(passed), &machines.effects)
      machines.holdings.seal()
    }
    return .joined(machines.holdings.takeSealed().map(\.batch))
  }

  private func apply(_ cuts: [ReplicaID: UInt64], _ recovery: Recovery, _ machines: inout Machines) {
    recovery.apply(cuts, machines.roster, &machines.holdings, &machines.network, &machines.effects)
  }

  @Test func whatIsCutLeavesAndEverybodyComparesAnew() throws {
    var (machines, recovery) = (try Machines(), Recovery())
    _ = machines.holdings.merge(
      try batch(other, ["one"]), at: Machines.moment().present, &machines.effects)
    machines.connect(Author(3), as: 1)
    #expect(machines.holdings.value("key") == Array("one".utf8))
    apply([other.replica: 1], recovery, &machines)
    #expect(machines.holdings.value("key") != nil && machines.effects.closings.isEmpty)
    apply([other.replica: 0], recovery, &machines)
    machines.holdings.count(in: machines.roster)
    #expect(machines.holdings.value("key") == nil)
    #expect(machines.effects.notices.contains(.voided(registers: 1, kept: 0)))
    #expect(machines.asked() == [1])
    // Saying it again changes nothing.
    let changes = machines.effects.durable.changes.count
    apply([other.replica: 0], recovery, &machines)
    #expect(machines.effects.durable.changes.count == changes && machines.asked().isEmpty)
    #expect(machines.effects.closings.isEmpty)
  }

  @Test func evidenceOfAForkIsTakenOnceAndPassedOn() throws {
    var (machines, recovery) = (try Machines(), Recovery())
    machines.connect(Author(3), as: 1)
    let left = try batch(other, ["one"])
    let right = try batch(other, ["two"])
    _ = machines.holdings.merge(left, at: Machines.moment().present, &machines.effects)
    let outcome = machines.holdings.merge(right, at: Machines.moment().present, &machines.effects)
    #expect(outcome.forks.count == 1)
    for _ in 0..<2 {
      recovery.learn(
        outcome.forks, from: nil, machines.roster, &machines.holdings, &machines.network, &machines.effects)
      machines.network.tellNewForks(of: machines.holdings.replica, now: Machines.now(), &machines.effects)
    }
    let told = machines.effects.messages.filter { if case .forks = $0.1 { true } else { false } }
    #expect(told.count == 1)
    #expect(machines.effects.notices.count { $0 == .forked(other.replica, other.device) } == 1)
    // What is void of a member waits for it here.
    #expect(recovery.setAside.parts.map(\.replica) == [other.replica])
  }

  @Test func aSetBackEndsOnce() throws {
    var (recovery, effects) = (Recovery(setBack: Instant(clamping: Machines.wall)), Effects())
    recovery.endSetBack(&effects)
    recovery.endSetBack(&effects)
    #expect(recovery.setBack == nil && effects.notices == [.caughtUp])
    #expect(effects.durable.changes.count == 1)
  }

  /// Only a device that has forgotten how far another had come asks the rest.
  @Test func whoHasForgottenAsksBeforeRemoving() throws {
    let machines = try Machines()
    let own = machines.identity.device
    let asked = [nil, Instant(clamping: Machines.wall)].map { setBack in
      Recovery(setBack: setBack).members(
        toAskBeforeRemoving: other.device, by: own, in: machines.roster.group)
    }
    #expect(asked == [[], [Author(3).device]])
  }
}
