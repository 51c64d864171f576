import PeerSyncCore
import PeerSyncTesting

extension Testbed {
  /// Three devices, and something of each kind to buy.
  static let owls = Testbed(
    devices: ["Phone", "Tablet", "Mac"],
    products: [
      Product(
        id: "3months", type: .nonRenewingSubscription, line: "owls", period: Period("P3M"),
        entitlements: ["owls"]),
      Product(
        id: "6months", type: .nonRenewingSubscription, line: "owls", period: Period("P6M"),
        entitlements: ["owls"]),
      Product(id: "barn owl", type: .nonConsumable, entitlements: ["barn owl"]),
      Product(
        id: "club", type: .autoRenewableSubscription, period: Period("P1M"), entitlements: ["club"]),
      Product(id: "wishes", type: .consumable, entitlements: ["wishes"], credit: "wishes", amount: 5),
    ])

  /// The same, where nothing that happens by itself is left out.
  static let troubledOwls: Testbed = {
    var testbed = owls
    testbed.faults = .usual
    return testbed
  }()
}

extension Medium {
  /// Few seeds, and real daemons: what holds in one has to hold in the other.
  static let both: [Medium] = [.virtualTime(seeds: 1...10), .daemons]
}
