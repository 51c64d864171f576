import Foundation
import PeerSyncCore
import PeerSyncTesting
import Testing

/// What the test kit promises of both media.
@Suite(.noHang) struct TestbedTests {
  /// The devices by name.
  private func three(_ group: DeviceGroup) -> (TestDevice, TestDevice, TestDevice) {
    (group.devices[0], group.devices[1], group.devices[2])
  }

  @Test(arguments: Medium.both) func renewalsBoughtApartAddUp(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, mac) = three(group)
      try await group.partition([phone], [tablet], [mac])
      let bought = try await phone.buy("3months")
      try await tablet.buy("6months")
      try #require(try await mac.expires("owls") == nil)
      try await group.heal()
      try await group.expectConverged()
      let end = bought.purchaseDate.adding(months: 9, days: 0)
      for device in group.devices { try #require(try await device.expires("owls") == end) }
    }
  }

  @Test(arguments: Medium.both) func aRefundTakesBackWhatItWas(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, _) = three(group)
      let first = try await phone.buy("3months")
      let second = try await phone.buy("6months")
      try await group.expectConverged()
      try await group.partition([phone], [tablet])
      try await tablet.refund(second)
      try await group.reconnect()
      try await group.expectConverged()
      try #require(
        try await phone.expires("owls") == first.purchaseDate.adding(months: 3, days: 0))
    }
  }

  @Test(arguments: Medium.both) func creditsAreSpentOnce(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, mac) = three(group)
      try await phone.buy("wishes")
      try await group.expectConverged()
      try await group.partition([phone], [tablet], [mac])
      var spent: Int64 = 0
      for device in group.devices {
        do {
          try await device.spend("wishes", 3)
          spent += 3
        } catch let refused as Refused {
          try #require(refused.problem.code == .notEnough && refused.device == device.name)
        }
      }
      try await group.heal()
      try await group.expectConverged()
      try #require(spent <= 5)
      for device in group.devices { try #require(try await device.balance(of: "wishes") == 5 - spent) }
      try await mac.spend("wishes", 5 - spent)
      let refused = await #expect(throws: Refused.self) { try await phone.spend("wishes") }
      try #require(refused?.problem.code == .notEnough)
    }
  }

  @Test(arguments: Medium.both) func whatWasAcknowledgedSurvives(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, mac) = three(group)
      try await group.partition([phone], [tablet], [mac])
      for device in group.devices { try await device.buy("3months") }
      try await phone.setValue("theme", to: "night")
      try await tablet.grant("club")
      try await mac.buy("barn owl")
      try await group.powerCut()
      await #expect(throws: TestFailure.self) { try await phone.view() }
      for device in group.devices { try await device.start() }
      try #require(try await phone.value("theme") == "night")
      try await phone.restart()
      try await group.reconnect()
      try await group.expectConverged()
      try #require(try await mac.value("theme") == "night")
      try #require(try await phone.isActive("club"))
      try #require(try await phone.view().purchased == ["barn owl"])
      try #require(try await phone.transactions().count == 4)
    }
  }

  @Test(arguments: Medium.both) func timePasses(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, _) = three(group)
      let bought = try await phone.buy("3months")
      let subscribed = try await phone.buy("club")
      try #require(subscribed.expiresDate == subscribed.purchaseDate.adding(months: 1, days: 0))
      try await group.advance(by: .seconds(40 * 86_400))
      try await group.expectConverged()
      try #require(try await tablet.now() >= bought.purchaseDate.advanced(byMilliseconds: 40 * 86_400_000))
      try #require(try await tablet.isActive("owls"))
      try #require(try await tablet.subscriptions().map(\.state) == [.expired])
      try await group.advance(by: .seconds(60 * 86_400))
      try #require(try await !tablet.isActive("owls"))
    }
  }

  @Test(arguments: Medium.both) func aClockThatIsWrongHarmsNobody(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, mac) = three(group)
      try await phone.setClock(off: .seconds(2 * 365 * 86_400))
      try await phone.setValue("theme", to: "night")
      try await mac.setValue("theme", to: "day")
      try await group.heal()
      try await group.expectConverged()
      let theme = try await tablet.value("theme")
      for device in group.devices { try #require(try await device.value("theme") == theme) }
      try await tablet.setValue("theme", to: "dusk")
      try await group.expectConverged()
      try #require(try await phone.value("theme") == "dusk")
    }
  }

  @Test(arguments: Medium.both) func whatIsExpectedInTimeIsWaitedFor(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, mac) = three(group)
      try await mac.setOnline(false)
      try await phone.setExpiration(of: "owls", to: Instant("2031-01-01"))
      try await group.wait(for: "the date on the tablet") {
        try await tablet.expires("owls") == Instant("2031-01-01")
      }
      let failure = await #expect(throws: TestFailure.self) {
        try await group.wait(for: "the date on the Mac", within: .milliseconds(300)) {
          try await mac.expires("owls") != nil
        }
      }
      let text = "\(try #require(failure))"
      try #require(text.contains("the date on the Mac") && text.contains("Mac is offline"), "\(text)")
      try #require(text.contains("line owls: Phone until 2031-01-01"), "\(text)")
    }
  }

  // MARK: What fails

  @Test(arguments: Medium.both) func whatDoesNotConvergeIsTold(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, mac) = three(group)
      try await group.partition([phone], [tablet, mac])
      let bought = try await phone.buy("3months")
      try await mac.crash()
      let failure = await #expect(throws: TestFailure.self) {
        try await group.expectConverged(within: .milliseconds(300))
      }
      let text = "\(try #require(failure))"
      try #require(failure?.kind == .notConverged)
      try #require(text.contains("Tablet lacks 3months, bought at \(bought.purchaseDate)"), "\(text)")
      try #require(text.contains("Mac is down"), "\(text)")
      try #require(text.contains("line owls: Phone until "), "\(text)")
      try await group.heal()
      try await group.expectConverged()
    }
  }

  @Test(arguments: Medium.both) func slipsAreTold(_ medium: Medium) async throws {
    try await Testbed.owls.run(in: medium) { group in
      let (phone, tablet, mac) = three(group)
      #expect(throws: TestFailure.self) { try group["Fone"] }
      try #require(try group["Tablet"].name == "Tablet")
      await #expect(throws: TestFailure.self) { try await phone.expires("owl") }
      await #expect(throws: TestFailure.self) { try await group.partition([phone], [phone, tablet]) }
      await #expect(throws: TestFailure.self) { try await group.advance(by: .seconds(-1)) }
      try await mac.crash()
      await #expect(throws: TestFailure.self) { try await mac.buy("3months") }
      let refused = await #expect(throws: Refused.self) { try await phone.buy("4months") }
      try #require(refused?.problem.code == .unknownProduct)
      try #require("\(try #require(refused))".hasPrefix("Phone refuses: "))
    }
  }

  @Test func aFailureTellsItsSeed() async throws {
    let failure = await #expect(throws: TestFailure.self) {
      try await Testbed.owls.run(in: .virtualTime(seeds: 1...5)) { group in
        try group.expect(group.seed != 3, "three is too much")
      }
    }
    #expect(failure?.seed == 3 && failure?.kind == .expectation)
    #expect("\(try #require(failure))".hasPrefix("seed 3: three is too much\nTo see it again, "))
    let thrown = await #expect(throws: TestFailure.self) {
      try await Testbed.owls.run(in: .virtualTime(seed: 9)) { _ in throw CancellationError() }
    }
    #expect(thrown?.seed == 9 && thrown?.kind == .thrown)
  }

  /// Swift Testing has recorded it already, with its values.
  @Test func whatIsRequiredIsToldInShort() async {
    var failure: TestFailure?
    await withKnownIssue {
      failure = try await #require(throws: TestFailure.self) {
        try await Testbed.owls.run(in: .virtualTime(seed: 5)) { try #require($0.seed == 4) }
      }
    }
    #expect(failure?.kind == .expectation && failure?.seed == 5)
    #expect(failure?.detail == "what is required does not hold: see the issue before this one")
  }

  @Test func testbedsThatMakeNoSenseAreRefused() async {
    for devices in [[], ["Phone", "Phone"]] {
      await #expect(throws: TestFailure.self) {
        try await Testbed(devices: devices, products: []).run(in: .virtualTime(seed: 1)) { _ in }
      }
    }
    var four = Testbed.owls
    four.devices.append("Watch")
    await #expect(throws: TestFailure.self) {
      try await four.run(in: .daemons) { group in
        try await group.partition([group["Phone"], group["Mac"]], [group["Tablet"], group["Watch"]])
      }
    }
  }

  @Test func daemonsLeaveNothingBehind() async throws {
    var directories: [String] = []
    await #expect(throws: CancellationError.self) {
      try await Testbed.owls.run(in: .daemons) { group in
        let directory = try #require(group.directory)
        directories.append(directory)
        try #require(FileManager.default.fileExists(atPath: directory))
        throw CancellationError()
      }
    }
    #expect(directories.count == 1)
    for directory in directories { #expect(!FileManager.default.fileExists(atPath: directory)) }
  }
}
