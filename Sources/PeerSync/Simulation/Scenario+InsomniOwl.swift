import PeerSyncCore

extension Scenario {
  /// The app that scenarios are about.
  package static let bundleId = "com.back40.InsomniOwl"

  /// The products of InsomniOwl: random owls for a time or by the piece, and owls to keep.
  static let insomniOwl: [Product] =
    [random("3monthsOfRandom", months: 3), random("6monthsOfRandom", months: 6)]
    + [
      "CarefreeOwl", "CouchOwl", "CryingOwl", "GoodJobOwl", "GoodNightOwl", "InLoveOwl", "LonelyOwl",
      "NightOwl",
      "ShyOwl",
    ].map { Product(id: $0, type: .nonConsumable, entitlements: [$0]) }
    + [
      Product(
        id: "RandomOwls", type: .consumable, entitlements: ["random-owls"], credit: "owls", amount: 5)
    ]

  private static func random(_ id: String, months: Int) -> Product {
    Product(
      id: id, type: .nonRenewingSubscription, line: "random-owls", period: Period(months: months, days: 0),
      entitlements: ["random-owls"])
  }
}
