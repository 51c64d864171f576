import PeerSyncTesting
import Testing

@Test(arguments: [Medium.virtualTime(seeds: 1...50), .daemons])
func aRefundTakesBackExactlyWhatWasBought(_ medium: Medium) async throws {
  try await owls.run(in: medium) { group in
    let (phone, tablet, mac) = try (group["Phone"], group["Tablet"], group["Mac"])
    let kept = try await phone.buy("3months")
    let returned = try await phone.buy("6months")
    try await group.expectConverged()
    try await group.partition([phone, mac], [tablet])
    try await tablet.refund(returned)
    try await group.heal()
    try await group.expectConverged()
    try #require(try await mac.expires("owls") == kept.purchaseDate.adding(months: 3, days: 0))
  }
}

@Test(arguments: [Medium.virtualTime(seeds: 1...50), .daemons])
func creditsAreNeverSpentTwice(_ medium: Medium) async throws {
  try await owls.run(in: medium) { group in
    let (phone, tablet, mac) = try (group["Phone"], group["Tablet"], group["Mac"])
    try await phone.buy("5wishes")
    try await group.expectConverged()
    try await group.partition([phone], [tablet], [mac])
    var spent: Int64 = 0
    for device in group.devices {
      do {
        try await device.spend("wishes", 3)
        spent += 3
      } catch is Refused {
        // Apart each spends what it has rights for, and no more.
      }
    }
    try await group.heal()
    try await group.expectConverged()
    try #require(try await mac.balance(of: "wishes") == 5 - spent)
  }
}

/// Messages are lost, links break, devices crash and clocks go wrong by themselves.
@Test func whateverHappensNothingIsLost() async throws {
  var troubled = owls
  troubled.faults = .usual
  try await troubled.run(in: .virtualTime(seeds: 1...20)) { group in
    for device in group.devices {
      try await device.buy("3months")
      try await group.advance(by: .seconds(300))
    }
    try await group.heal()
    try await group.expectConverged()
    try #require(try await group["Mac"].transactions().count == 3)
  }
}

/// What was once printed stays a test.
@Test(arguments: [false, true]) func aRefundWhileOneIsDown(withDaemons: Bool) async throws {
  let schedule = Schedule([
    .buy("3months", as: "p1", on: "Phone"),
    .crash("Mac"),
    .refund("p1", on: "Phone"),
    .start("Mac"),
  ])
  try await owls.run(schedule, withDaemons: withDaemons) { group in
    let runs = try await group["Mac"].view().lines.flatMap(\.runs)
    try group.expect(runs.isEmpty, "the Mac counts what was refunded")
  }
}

@Test func aStoryHolds() async throws {
  let story = try Story(
    """
    product 3months nonRenewingSubscription line owls period P3M
    devices Phone Tablet
    cut Phone Tablet
    Phone buys 3months at 2026-01-31 as first
    expect Phone Tablet differ
    mend Phone Tablet
    settle
    expect all owls until 2026-04-30
    """)
  try await story.run(seeds: 1...10)
}
