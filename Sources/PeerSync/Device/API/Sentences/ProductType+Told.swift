// Kinds of products, for people.
extension ProductType {
  /// What kind of thing it is, in every language.
  package var told: Phrase {
    switch self {
    case .autoRenewableSubscription: Phrase("auto-renewable subscription", "자동 갱신 구독")
    case .nonRenewingSubscription: Phrase("non-renewing subscription", "비갱신 구독")
    case .nonConsumable: Phrase("non-consumable", "비소모성 항목")
    case .consumable: Phrase("consumable", "소모성 항목")
    }
  }
}
