import PeerSyncCore

/// What to simulate.
package struct SimulationOptions: Hashable, Sendable {
  /// Everything random follows from it.
  package var seed: UInt64
  /// How many devices, 1 to 64.
  package var devices: Int
  /// Virtual time during which people work and things fail, in milliseconds.
  package var duration: UInt64
  package var faults = Faults()
  /// Those of ``faults`` that are there because they were asked for.
  package let rare: [RareFault]

  package init(seed: UInt64, devices: Int, duration: UInt64, rare: [RareFault] = []) {
    self.seed = seed
    self.devices = devices
    self.duration = duration
    self.rare = rare
    faults.rare = RareFault.allCases.filter(rare.contains)
  }

  /// The command that runs just this again, unless ``faults`` were set by hand.
  package var command: String {
    let minutes = duration / 60_000
    let time = minutes % 60 == 0 ? "--hours \(minutes / 60)" : "--minutes \(minutes)"
    let faults = rare.isEmpty ? "" : " --faults " + rare.map(\.rawValue).joined(separator: ",")
    return "peerd simulate --seed \(seed) --devices \(devices) \(time)\(faults)"
  }
}

/// What a simulation found.
package struct SimulationReport: Sendable {
  package let options: SimulationOptions
  package let counts: World.Counts
  /// Virtual time from the last fault to convergence, in milliseconds.
  package let convergence: UInt64
  /// Registers on each device at the end.
  package let registers: Int
  package let digest: Digest
  /// Fingerprint of all that happened: the same for the same options in every process.
  package let traceHash: UInt64
  package let violations: [Violation]
  /// When ``Faults/sabotage`` was done, in virtual time.
  package let sabotaged: UInt64?
}

/// Runs a group of devices through faults, then heals everything and checks every promise.
package enum Simulation {
  /// Virtual time within which a healed world must converge, in milliseconds: one longest wait for redialling, one
  /// session that is dead and does not know it, and two beats.
  package static let healingLimit =
    Limits.redialMaximumMilliseconds + Limits.silenceMilliseconds + 2 * Limits.beatMilliseconds + 60_000

  package static func run(_ options: SimulationOptions) -> SimulationReport {
    let world = World(seed: options.seed, faults: options.faults)
    world.workEnd = options.duration
    world.populate(options.devices)
    world.queue.schedule(.work, at: 1)
    world.beginFaults()
    world.run(until: options.duration)
    let healed = world.time
    let converged = settle(world)
    return SimulationReport(
      options: options, counts: world.counts, convergence: converged - healed,
      registers: world.devices.first?.engine?.replica.count ?? 0,
      digest: world.devices.first?.engine?.replica.digest ?? Digest(), traceHash: world.traceHash,
      violations: world.violations, sabotaged: world.sabotaged)
  }

  /// - Returns: when the devices had converged
  private static func settle(_ world: World) -> UInt64 {
    guard world.violations.isEmpty else { return world.time }
    world.heal()
    world.run(until: world.time + 1_000)
    world.pairRest(within: healingLimit)
    TakingBackCheck(in: world)?.expel(within: healingLimit)
    world.removeWhoNeverComes()
    // Whom one of those had let in may be on its own again [E50].
    if world.violations.isEmpty { world.pairRest(within: healingLimit) }
    world.acceptTimes()
    if world.violations.isEmpty { world.converge(within: healingLimit) }
    let converged = world.time
    if world.violations.isEmpty { world.checkConverged() }
    if world.violations.isEmpty { world.checkQuiet() }
    return converged
  }
}
