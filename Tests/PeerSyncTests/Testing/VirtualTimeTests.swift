import Foundation
import PeerSyncSimulation
import PeerSyncTesting
import Testing

/// What the test kit promises of virtual time.
@Suite struct VirtualTimeTests {
  @Test func theSameSeedGoesTheSameWay() async throws {
    var digests: [String] = []
    for seed: UInt64 in [1, 1, 2] {
      try await Testbed.troubledOwls.run(in: .virtualTime(seed: seed)) { group in
        for device in group.devices {
          try await device.buy("wishes")
          try await group.advance(by: .seconds(200))
        }
        try await group.heal()
        try await group.expectConverged()
        digests.append(try await group.devices[0].digest())
      }
    }
    #expect(digests[0] == digests[1] && digests[0] != digests[2])
  }

  /// What is asked of a device that a fault has brought down is asked again.
  @Test func faultsThatHappenByThemselvesAreOutlived() async throws {
    try await Testbed.troubledOwls.run(in: .virtualTime(seeds: 1...20)) { group in
      for round in 0..<4 {
        for device in group.devices {
          try await device.buy(["3months", "wishes"][round % 2])
          do { try await device.spend("wishes", 2) } catch is Refused {}
          try await group.advance(by: .seconds(120))
        }
      }
      try await group.heal()
      try await group.expectConverged()
      try #require(try await group.devices[0].transactions().count == 12)
    }
  }

  /// A partition that the test has made is not mended by the faults, which mend their own.
  @Test func aPartitionLasts() async throws {
    try await Testbed.troubledOwls.run(in: .virtualTime(seeds: 1...5)) { group in
      let (phone, tablet) = (group.devices[0], group.devices[1])
      try await group.partition([phone])
      try await phone.setValue("theme", to: "night")
      for _ in 0..<6 {
        try await group.advance(by: .seconds(600))
        try #require(try await tablet.value("theme") == nil)
      }
      try await group.heal()
      try await group.expectConverged()
      try #require(try await tablet.value("theme") == "night")
    }
  }

  /// Each planted fault is found, in some world.
  @Test(arguments: [
    (Sabotage.lossyDisk, Invariant.durability), (.lyingDisk, .durability), (.rot, .durability),
    (.unsavedClaim, .durability), (.wrongClaim, .claims), (.forgetfulLedger, .noLostRenewal),
    (.echo, .idempotence),
  ]) func whatIsBrokenIsFound(_ sabotage: Sabotage, _ invariant: Invariant) async throws {
    var testbed = Testbed.owls
    testbed.sabotage = sabotage
    let failure = await #expect(throws: TestFailure.self) {
      try await testbed.run(in: .virtualTime(seeds: 1...20)) { group in
        for device in group.devices {
          for _ in 0..<4 {
            try await group.partition([device])
            try await device.buy("3months")
            try await device.setValue("theme", to: device.name)
            try await group.reconnect()
            try await group.advance(by: .seconds(30))
          }
        }
        try await group.heal()
        try await group.expectConverged()
      }
    }
    #expect(failure?.kind == .broken(invariant), "\(failure?.description ?? "")")
    #expect(failure?.seed != nil)
  }

  @Test func everyPromiseOfTheSimulatorHasAName() {
    for promise in PeerSyncSimulation.Violation.Promise.allCases {
      #expect(Invariant(rawValue: promise.rawValue) != nil)
    }
    #expect(Invariant.allCases.count == PeerSyncSimulation.Violation.Promise.allCases.count)
  }

  @Test func mediaHaveNames() {
    #expect("\(Medium.daemons)" == "daemons")
    #expect("\(Medium.virtualTime(seeds: 1...1000))" == "virtual time, 1000 seeds")
    #expect("\(Medium.virtualTime(seed: 7))" == "virtual time, seed 7")
    #expect("\(Medium.virtualTime(freshSeeds: 3))" == "virtual time, 3 seeds")
  }

  /// The environment runs one seed alone, of a list of seeds and not of a single one.
  @Test func theEnvironmentChoosesTheSeed() async {
    await #expect(processExitsWith: .success) {
      setenv("PEERSYNC_SEED", "7", 1)
      var seeds: [UInt64?] = []
      try await Testbed.owls.run(in: .virtualTime(seeds: 1...3)) { seeds.append($0.seed) }
      try await Testbed.owls.run(in: .virtualTime(seed: 2)) { seeds.append($0.seed) }
      try #require(seeds == [7, 2])
      setenv("PEERSYNC_SEED", "seven", 1)
      await #expect(throws: TestFailure.self) {
        try await Testbed.owls.run(in: .virtualTime(seeds: 1...3)) { _ in }
      }
    }
  }
}
