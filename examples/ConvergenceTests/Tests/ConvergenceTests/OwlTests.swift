import PeerSyncTesting
import Testing

let owls = Testbed(
  devices: ["Phone", "Tablet", "Mac"],
  products: [
    Product(id: "3months", type: .nonRenewingSubscription, line: "owls", period: Period("P3M")),
    Product(id: "6months", type: .nonRenewingSubscription, line: "owls", period: Period("P6M")),
    Product(id: "5wishes", type: .consumable, credit: "wishes", amount: 5),
  ])

/// The same test for each of fifty seeds in virtual time, and once more with real daemons.
@Test(arguments: [Medium.virtualTime(seeds: 1...50), .daemons])
func renewalsBoughtApartAddUp(_ medium: Medium) async throws {
  try await owls.run(in: medium) { group in
    let (phone, tablet, mac) = try (group["Phone"], group["Tablet"], group["Mac"])
    try await group.partition([phone], [tablet], [mac])
    let bought = try await phone.buy("3months")
    try await tablet.buy("6months")
    try await group.heal()
    try await group.expectConverged()
    try #require(try await mac.expires("owls") == bought.purchaseDate.adding(months: 9, days: 0))
  }
}

/// Forty steps that nobody thought of, for each seed. One that fails is printed as short as it gets.
@Test func everyPurchaseCountsOnce() async throws {
  var weights = ScheduleWeights()
  weights.setExpiration = 0
  try await owls.explore(seeds: 1...20, steps: 40, weights: weights) { group in
    let mac = try group["Mac"]
    let standing = try await mac.transactions().filter { $0.refund == .none && $0.productId != "5wishes" }
    let counted = try await mac.view().lines.flatMap(\.runs).flatMap(\.transactions)
    try group.expect(counted.sorted() == standing.map(\.transactionId).sorted(), "\(counted)")
  }
}
