import Foundation
import PeerSyncSimulation
import Testing

@Suite struct SimulationTests {
  private static let minutes: UInt64 = 60_000

  /// Fixed seeds, in two parts so that they run side by side, and fresh ones from a base that a failure prints. `make sim` looks
  /// at many more.
  static let parts: [ClosedRange<UInt64>] = isQuick ? [1...8, 9...16] : [1...100, 101...200]
  static let trusting: [ClosedRange<UInt64>] = isQuick ? [100...107] : [100...129, 200...229]
  static let copying: [ClosedRange<UInt64>] = isQuick ? [1...4] : [1...50]
  static let fresh: UInt64 = isQuick ? 4 : 40

  /// Without optimization, or with a sanitizer, a world takes too long to look at so many.
  private static let isQuick: Bool = {
    #if DEBUG
      true
    #else
      Sanitizer.isOn
    #endif
  }()

  /// Simulates one world. It does not yield in between: tests that talk over the network, each at its turn behind a dozen
  /// worlds, would be too late for its limits.
  @discardableResult private func run(
    _ seed: UInt64, _ rare: [RareFault] = [], devices: Int? = nil, minutes: UInt64 = 30
  ) -> World.Counts {
    let report = Simulation.run(
      SimulationOptions(
        seed: seed, devices: devices ?? 2 + Int(seed % 4), duration: minutes * Self.minutes, rare: rare))
    for violation in report.violations { Issue.record("\(violation); replay: \(report.options.command)") }
    #expect(report.counts.acknowledged > 0 && report.counts.checks > 0, "\(report.options.command)")
    return report.counts
  }

  @Test(arguments: parts) func fixedSeeds(seeds: ClosedRange<UInt64>) {
    for seed in seeds { run(seed) }
  }

  @Test(arguments: [[], [.removals], [.copies]] as [[RareFault]]) func freshSeeds(rare: [RareFault]) {
    let base = UInt64.random(in: 0 ... .max / 2)
    for seed in base..<(base + Self.fresh) { run(seed, rare) }
  }

  /// Devices are removed, by others and by recovery keys, while they and the others write, remove, join, and are apart.
  @Test(arguments: trusting) func removals(seeds: ClosedRange<UInt64>) {
    let removals = seeds.reduce(0) { $0 + run($1, [.removals]).removals }
    #expect(removals > seeds.count / 4)
  }

  /// A number of a credit came ahead of its turn, and its author was removed then.
  @Test func aSpendAheadOfItsTurnAndARemoval() { run(4_078_139_476_234_823_916, [.removals], devices: 2) }

  /// A device knows of a removal by which it is no member, and the one that invites it does not.
  @Test func whoTheInviterTakesForAMemberJoinsAnew() {
    run(5_565_623_710_621_570_730, [.removals], devices: 4)
  }

  /// Devices remove each other, and all those are removed whose addresses one of them knows.
  @Test func removalsCross() { run(1_446_980_890_202_517_527, [.removals], devices: 5) }

  /// A device is asked to take in a decision that is there already, and its author is removed with all that it has decided.
  @Test func anImportBringsNothingNew() {
    run(1_600_014_116, [.imports, .dishonesty], devices: 4, minutes: 60)
  }

  /// The same as ``removals(seeds:)``, while disks are set back to backups of any age.
  ///
  /// Fixed seeds alone: who pairs with whom after such a life is the simulation's guess, which now and then leaves a
  /// device out that could have come back.
  @Test(arguments: trusting) func removalsAndBackups(seeds: ClosedRange<UInt64>) {
    var (removals, restores) = (0, 0)
    for seed in seeds {
      let counts = run(seed, [.removals, .backups])
      removals += counts.removals
      restores += counts.restores
    }
    #expect(removals > seeds.count / 4 && restores > seeds.count)
  }

  /// Running devices are copied, and the copies run beside them for a while.
  @Test(arguments: copying) func copies(seeds: ClosedRange<UInt64>) {
    let copies = seeds.reduce(0) { $0 + run($1, [.copies]).copies }
    #expect(copies > seeds.count)
  }

  /// Each of the rare faults by itself: it happens, and nothing breaks.
  @Test(arguments: RareFault.allCases) func rareFault(fault: RareFault) {
    let seeds: ClosedRange<UInt64> = Self.isQuick ? 1...2 : 1...20
    let all = seeds.map { run($0, [fault]) }
    let happened = all.reduce(0) { $0 + ($1.rare[fault] ?? 0) + $1.removals + $1.restores + $1.copies }
    #expect(happened > 0 || Self.isQuick, "\(fault) in no world")
  }

  /// All of them at once, in groups of 2 to 7.
  @Test func allRareFaults() {
    for seed in (Self.isQuick ? 1...2 : 1...20) as ClosedRange<UInt64> {
      run(seed, RareFault.allCases, devices: 2 + Int(seed % 6), minutes: 60)
    }
  }

  /// Worlds in which something broke once: two disks that rotted, and one of which nobody claimed more, or each something else; a
  /// write of which a head alone was left; a copy that was given what its device took over; a spend that only a removed device
  /// remembers; a device that was set back, and joined another; one that took over what it did not know it had given, or what a copy still
  /// had; credits that were taken from a removed device, of which there were none, and passed on; credits taken from an earlier life that
  /// nobody else had met; a disk that had lost a commit of which the others had replaced a part; credits taken from a device of which another
  /// life held some; an address that a full queue kept from a peer; a void commit that waited for its turn and was claimed; one that a
  /// removed device had taken in before it heard; two that knew each other's copies alone; one of which all others knew the copy
  /// alone; one that was started anew while what its copy had sent was under way; a delta of which the end was lost; one
  /// that was removed and dialled in the end, as it does each hour; a liar that took over from an earlier life of a removed device, or what
  /// one held that nobody had met; one that was made up, a member again, for whom a damaged disk waited; one whom the
  /// damaged disk waited for, while the one that was to remove it had been put back and waited for that disk; a liar of which others had
  /// passed on what an earlier life had given, and nobody knew that life any more.
  @Test(
    arguments: [
      (910_000_102, 3, 36), (910_000_374, 3, 42), (910_000_473, 3, 44), (910_001_696, 3, 34),
      (910_002_024, 4, 36), (1_200_001_004, 4, 60), (1_200_001_458, 2, 60), (1_300_000_362, 2, 60),
      (1_300_000_057, 3, 20), (1_300_000_742, 4, 40), (1_400_000_206, 6, 60), (5_183, 5, 30), (102, 3, 40),
      (903_679, 5, 30), (904_607, 5, 30), (196, 3, 40), (29, 3, 40), (1_500_000_518, 4, 40),
      (1_600_002_737, 7, 40), (1_600_003_126, 6, 60), (1_600_003_214, 4, 40), (1_600_003_622, 4, 40),
      (1_600_004_469, 5, 60), (179_700_049_106, 4, 60), (179_700_049_507, 3, 60),
      (179_700_052_109, 7, 60), (179_700_060_393, 6, 60), (179_700_061_738, 7, 60),
      (179_700_061_875, 6, 60), (179_700_061_992, 7, 60),
      (2_049_944_844, 3, 120), (3_634_924_251, 5, 120),
    ] as [(UInt64, Int, UInt64)])
  func whatBrokeOnceHolds(seed: UInt64, devices: Int, minutes: UInt64) {
    run(seed, RareFault.allCases, devices: devices, minutes: minutes)
  }

  /// The others gave all that they had to a device that lacked millions, time and again.
  @Test func whatBrokeOnceOfALiarHolds() {
    let report = Simulation.run(
      SimulationOptions(
        seed: 90, devices: 5, duration: 40 * Self.minutes, rare: [.removals, .dishonesty, .reclaims]))
    #expect(report.violations.isEmpty, "\(report.violations); replay: \(report.options.command)")
  }

  /// The same, where disks are set back and people have credits taken over: a device forgot the group that it had given them to.
  @Test(arguments: [13, 127, 155] as [UInt64]) func whatBrokeOnceOfCreditsHolds(seed: UInt64) {
    let report = Simulation.run(
      SimulationOptions(seed: seed, devices: 2, duration: 30 * Self.minutes, rare: [.backups, .reclaims]))
    #expect(report.violations.isEmpty, "\(report.violations); replay: \(report.options.command)")
  }

  // MARK: A small world

  /// A decision spreads in every order; there is nothing beyond.
  @Test func aSmallWorldIsSearchedWhole() {
    var bounds = Explorer.Bounds()
    (bounds.spends, bounds.removals, bounds.crashes) = (0, 0, 0)
    var explorer = Explorer(bounds)
    let report = explorer.run()
    #expect(report.violation == nil && report.isWhole && report.states > 100, "\(report)")
  }

  @Test func aSmallWorldHoldsForAFewThousandStates() {
    var bounds = Explorer.Bounds()
    bounds.states = Self.isQuick ? 1_000 : 20_000
    var explorer = Explorer(bounds)
    let report = explorer.run()
    #expect(report.violation == nil && report.states >= bounds.states, "\(report)")
  }

  /// Which of two devices decided first makes no difference. There is one state at rest, three with a decision, six in which one other has
  /// heard of it, three with two decisions on one device, and three with one on each of two.
  @Test func aSmallWorldDoesNotTellWhoWasFirst() {
    var bounds = Explorer.Bounds()
    (bounds.spends, bounds.decisions, bounds.removals, bounds.crashes, bounds.depth) = (0, 2, 0, 0, 2)
    var explorer = Explorer(bounds)
    let report = explorer.run()
    #expect(report.states == 16 && report.depth == 2 && !report.isWhole, "\(report)")
  }

  /// The search finds a planted fault, by a path that a person can read.
  @Test(arguments: [Sabotage.lyingDisk, .lossyDisk]) func aSmallWorldShowsAPlantedFault(sabotage: Sabotage) {
    var explorer = Explorer(sabotage: sabotage)
    let report = explorer.run()
    #expect(report.violation?.promise == .durability && !report.path.isEmpty, "\(report)")
  }

  @Test func aLargerGroup() {
    let report = Simulation.run(SimulationOptions(seed: 7, devices: 12, duration: 10 * Self.minutes))
    #expect(report.violations.isEmpty, "\(report.violations)")
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func oneSeedIsOneHistory(seed: UInt64) {
    let options = SimulationOptions(seed: seed, devices: 4, duration: 20 * Self.minutes)
    let (first, second) = (Simulation.run(options), Simulation.run(options))
    #expect(first.traceHash == second.traceHash && first.digest == second.digest)
    #expect(first.counts == second.counts && first.convergence == second.convergence)
    var other = options
    other.seed += 100
    #expect(Simulation.run(other).traceHash != first.traceHash)
  }

  // MARK: The checkers can fail

  /// Each planted fault is found out in every world, by the checker that is there for it, at the step where it is
  /// planted. Now and then a world gives no occasion to plant it; then another one does.
  @Test(arguments: Sabotage.allCases, [1, 2, 3, 4, 5, 6] as [UInt64])
  func sabotageIsReported(sabotage: Sabotage, seed: UInt64) throws {
    let reports = stride(from: seed, to: seed + 30, by: 6).lazy.map { seed in
      var options = SimulationOptions(seed: seed, devices: 3, duration: 120 * Self.minutes)
      options.faults.sabotage = sabotage
      return Simulation.run(options)
    }
    let report = try #require(reports.first { $0.sabotaged != nil }, "\(sabotage) in no world of \(seed)")
    let planted = try #require(report.sabotaged, "\(sabotage) in no step of seed \(seed)")
    let violation = try #require(report.violations.first, "\(sabotage), seed \(seed)")
    #expect(violation.promise == sabotage.brokenPromise, "seed \(seed): \(violation)")
    // What rots behind every digest's back is found when everything is read, or when it is replaced.
    #expect(violation.time == planted || sabotage == .rot, "seed \(seed), at \(planted): \(violation)")
  }

  /// Faults do happen: a simulation in which nothing goes wrong shows nothing.
  @Test func thereAreFaults() {
    let report = Simulation.run(SimulationOptions(seed: 1, devices: 4, duration: 60 * Self.minutes))
    #expect(report.counts.crashes > 0 && report.counts.partitions > 0)
    #expect(report.counts.writes > 50 && report.registers > 20)
  }

  /// The first hour is rough all through; in a long world half of the rest is not, or no delta of many pieces would ever come whole.
  @Test func longWorldsHaveCalmQuarters() {
    let isRough = (0..<96).map { Faults().isRough(at: $0 * 15 * Self.minutes) }
    #expect(isRough[..<4].allSatisfy { $0 })
    #expect(zip(isRough[4...], isRough[5...]).allSatisfy { $0 != $1 })
  }
}

extension Sabotage {
  /// The promise that it breaks first.
  fileprivate var brokenPromise: PeerSyncSimulation.Violation.Promise {
    switch self {
    case .lyingDisk, .lossyDisk, .rot, .unsavedClaim: .durability
    case .wrongClaim: .claims
    case .forgetfulLedger: .noLostRenewal
    case .echo: .idempotence
    case .restoredRights: .noOverspending
    }
  }
}
