import PeerSyncTesting
import Testing

/// Schedules that are made up, and those that fail, made short.
@Suite(.noHang) struct ScheduleTests {
  @Test func theSameSeedMakesTheSameSchedule() {
    let testbed = Testbed.owls
    #expect(testbed.schedule(seed: 4) == testbed.schedule(seed: 4))
    #expect(testbed.schedule(seed: 4) != testbed.schedule(seed: 5))
    #expect(testbed.schedule(seed: 4, steps: 100).steps.count > 80)
  }

  /// Every kind of step comes, and what weighs nothing does not.
  @Test func weightsAreKept() {
    let kinds = { (weights: ScheduleWeights) in
      Set(
        Testbed.owls.schedule(seed: 1, steps: 600, weights: weights).steps.map {
          "\($0)".prefix { $0 != "(" }
        })
    }
    #expect(kinds(.usual).count == 16)
    var weights = ScheduleWeights()
    (weights.crash, weights.powerCut, weights.buy) = (0, 0, 0)
    #expect(
      kinds(.usual).subtracting(kinds(weights)) == [".crash", ".powerCut", ".buy", ".refund", ".start"])
  }

  @Test func itIsWrittenAsSwift() {
    let schedule = Schedule(
      seed: 7,
      [
        .buy("3months", as: "p1", on: "Phone"), .buy("3months", quantity: 2, as: "p2", on: "Phone"),
        .refund("p1", on: "Mac"), .spend("wishes", 3, on: "Mac"),
        .setExpiration("owls", days: 3, on: "Mac"), .setExpiration("owls", days: nil, on: "Mac"),
        .grant("owls", days: 1, on: "Mac"), .revoke("owls", on: "Mac"),
        .setValue("a \"b\"", to: "c", on: "Mac"), .offline("Mac"), .online("Mac"),
        .partition([["Phone", "Mac"], ["Tablet"]]), .reconnect, .crash("Mac"), .start("Mac"), .powerCut,
        .setClock("Mac", off: .seconds(-60)), .advance(.milliseconds(1500)),
      ])
    #expect(
      schedule.description == """
        Schedule(seed: 7, [
          .buy("3months", as: "p1", on: "Phone"),
          .buy("3months", quantity: 2, as: "p2", on: "Phone"),
          .refund("p1", on: "Mac"),
          .spend("wishes", 3, on: "Mac"),
          .setExpiration("owls", days: 3, on: "Mac"),
          .setExpiration("owls", days: nil, on: "Mac"),
          .grant("owls", days: 1, on: "Mac"),
          .revoke("owls", on: "Mac"),
          .setValue("a \\"b\\"", to: "c", on: "Mac"),
          .offline("Mac"),
          .online("Mac"),
          .partition([["Phone", "Mac"], ["Tablet"]]),
          .reconnect,
          .crash("Mac"),
          .start("Mac"),
          .powerCut,
          .setClock("Mac", off: .seconds(-60)),
          .advance(.milliseconds(1500)),
        ])
        """)
  }

  @Test func devicesConvergeUnderAnySchedule() async throws {
    try await Testbed.owls.explore(seeds: 1...20, steps: 40)
    try await Testbed.troubledOwls.explore(seeds: 1...8, steps: 40)
  }

  @Test func itRunsWithRealDaemons() async throws {
    let schedule = Schedule([
      .partition([["Phone"], ["Tablet", "Mac"]]), .buy("3months", as: "p1", on: "Phone"),
      .buy("6months", as: "p2", on: "Mac"), .buy("wishes", as: "p3", on: "Tablet"), .crash("Mac"),
      .refund("p2", on: "Mac"), .start("Mac"), .spend("wishes", 9, on: "Phone"), .refund("p1", on: "Phone"),
      .powerCut, .start("Phone"),
    ])
    try await Testbed.owls.run(schedule, withDaemons: true) { group in
      try #require(try await group["Tablet"].transactions().count == 3)
      try #require(try await group["Tablet"].view().lines.map(\.runs.count) == [1])
    }
  }

  // MARK: Making it short

  /// Fails when two things were bought of which one was refunded: three steps, and nothing else, say so.
  @Test(arguments: [1, 2, 3] as [UInt64]) func whatFailsIsMadeShort(seed: UInt64) async throws {
    let failure = await #expect(throws: TestFailure.self) {
      try await Testbed.owls.explore(seeds: seed...100, steps: 40) { group in
        let purchases = try await group.devices[0].transactions()
        try group.expect(
          purchases.count < 2 || !purchases.contains { $0.refund == .full }, "two, and one refunded")
      }
    }
    let schedule = try #require(failure?.schedule)
    #expect(failure?.kind == .expectation && failure?.detail == "two, and one refunded")
    let minimal: [[Schedule.Step]] = ["p1", "p2"].map {
      [
        .buy("3months", as: "p1", on: "Phone"), .buy("3months", as: "p2", on: "Phone"),
        .refund($0, on: "Phone"),
      ]
    }
    let early: [Schedule.Step] = [
      .buy("3months", as: "p1", on: "Phone"), .refund("p1", on: "Phone"),
      .buy("3months", as: "p2", on: "Phone"),
    ]
    #expect((minimal + [early]).contains(schedule.steps), "\(schedule)")
    let text = "\(try #require(failure))"
    #expect(text.contains("made 3 in ") && text.contains("\(schedule)"), "\(text)")
    // It fails again, from what was printed.
    await #expect(throws: TestFailure.self) {
      try await Testbed.owls.run(schedule) { group in
        try group.expect(try await group.devices[2].transactions().count < 2)
      }
    }
  }

  /// A fault of the program, found by a checker: the schedule is short, and fails again.
  @Test func aBrokenInvariantIsMadeShort() async throws {
    var testbed = Testbed.owls
    testbed.sabotage = .lossyDisk
    let failure = await #expect(throws: TestFailure.self) {
      try await testbed.explore(seeds: 1...20, steps: 30)
    }
    #expect(failure?.kind == .broken(.durability))
    let schedule = try #require(failure?.schedule)
    #expect(schedule.steps.count <= 3, "\(schedule)")
    let again = await #expect(throws: TestFailure.self) { try await testbed.run(schedule) }
    #expect(again?.detail == failure?.detail)
  }

  @Test func itIsTriedSoOftenAndNoMore() async throws {
    var runs = 0
    let failure = await #expect(throws: TestFailure.self) {
      try await Testbed.owls.explore(seeds: 1...1, steps: 40, attempts: 2) { group in
        runs += 1
        try group.expect(false)
      }
    }
    #expect(runs == 3)
    #expect("\(try #require(failure))".contains(" in 2 runs:"))
  }

  /// Nothing is needed to fail: nothing is left.
  @Test func whatAlwaysFailsNeedsNoStep() async throws {
    let failure = await #expect(throws: TestFailure.self) {
      try await Testbed.owls.explore(seeds: 1...1, steps: 10) { try $0.expect(false) }
    }
    #expect(failure?.schedule == Schedule(seed: 1, []))
  }
}
