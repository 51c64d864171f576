/// Catalogue files for tests.
enum Catalogues {
  /// The products of InsomniOwl: two non-renewing subscriptions of one line, a consumable, non-consumables.
  static let insomniOwl = """
    {"products": [
      {"id": "3monthsOfRandom", "type": "nonRenewingSubscription", "line": "random-owls", "period": "P3M",
       "entitlements": ["random-owls"], "price": "1.99", "currency": "USD"},
      {"id": "6monthsOfRandom", "type": "nonRenewingSubscription", "line": "random-owls", "period": "P6M",
       "entitlements": ["random-owls"], "price": "2.99", "currency": "USD"},
      {"id": "RandomOwls", "type": "consumable", "credit": "owls", "amount": 5, "entitlements": ["random-owls"]},
      {"id": "CarefreeOwl", "type": "nonConsumable", "entitlements": ["carefree-owl"]}]}
    """
}
