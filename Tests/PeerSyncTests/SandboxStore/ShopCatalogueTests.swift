import Foundation
import PeerSync
import Testing

@Suite("What a sandbox store sells") struct ShopCatalogueTests {
  private func read(_ text: String) throws -> ShopCatalogue {
    try ShopCatalogue([("a.storekit", Array(text.utf8))])
  }

  private func storekit(settings: String) -> String {
    """
    {"identifier": "A", "version": {"major": 4, "minor": 0}, "nonRenewingSubscriptions": [], "settings": {\(settings)},
     "products": [{"productID": "owl", "type": "NonConsumable", "displayPrice": "2.99", "familyShareable": true}],
     "subscriptionGroups": [{"id": "g", "name": "G", "subscriptions": [
       {"productID": "gold", "type": "RecurringSubscription", "displayPrice": "9.99", "groupNumber": 1,
        "subscriptionGroupID": "g", "recurringSubscriptionPeriod": "P1M",
        "introductoryOffer": {"paymentMode": "payUpFront", "numberOfPeriods": 3, "subscriptionPeriod": "P1M",
                              "displayPrice": "4.99"}}]}]}
    """
  }

  @Test("products of a .storekit file, with rank, family sharing and introductory offer")
  func products() throws {
    let catalogue = try read(storekit(settings: #""_storefront": "DEU""#))
    let gold = try #require(catalogue.products.first { $0.id == "gold" })
    #expect(gold.price == 9990 && gold.group == "g" && gold.rank == 1 && gold.currency == "EUR")
    let offer = try #require(gold.introductory)
    #expect(offer.mode == .payUpFront && offer.periods == 3 && offer.price == 4990)
    #expect(catalogue.products.first { $0.id == "owl" }?.isFamilyShareable == true)
  }

  @Test("the settings of a .storekit file set the store up")
  func settings() throws {
    var shop = PeerSync.Shop(terms: ShopTerms(seed: 1), at: .epoch)
    let text = storekit(
      settings: """
        "_storefront": "DEU", "_timeRate": 13, "_billingGracePeriodEnabled": false, "_askToBuyEnabled": true,
        "_renewalBillingIssuesEnabled": true
        """)
    try read(text).apply(to: &shop)
    #expect(shop.terms.scale == .sandbox && shop.terms.storefront == "DEU" && !shop.terms.hasGrace)
    #expect(shop.terms.mood == .ask && shop.terms.isBillingFailing && shop.products.count == 2)
    #expect(try read(storekit(settings: #""_failTransactionsEnabled": true"#)).mood == .fail)
  }

  @Test("a time rate that nobody knows is said once, and changes nothing")
  func unknownRate() throws {
    let catalogue = try read(storekit(settings: #""_timeRate": 7"#))
    #expect(catalogue.scale == nil && catalogue.warnings.count { $0.contains("_timeRate") } == 1)
  }

  @Test("how time runs, from the command line")
  func paces() {
    #expect(
      ShopPace("real") == .scale(.real) && ShopPace("1") == .scale(.real) && ShopPace("manual") == .manual)
    #expect(ShopPace("60") == .scale(.faster(60)) && ShopPace("sandbox") == .scale(.sandbox))
    #expect(ShopPace("\(Limits.shopSpeed + 1)") == nil && ShopPace("0") == nil && ShopPace("fast") == nil)
    #expect(ShopStep(months: Limits.periodMonths + 1, days: 0, milliseconds: 0) == nil)
    #expect(ShopStep(months: 0, days: 0, milliseconds: 0) == nil)
  }

  @Test("URLs of this machine alone")
  func servers() {
    #expect(LocalServer("http://127.0.0.1:80/a?b=c")?.path == "/a?b=c")
    #expect(LocalServer("http://127.0.0.1:80")?.path == "/")
    for url in [
      "https://127.0.0.1:80", "http://192.0.2.1:80/", "http://127.0.0.1", "http://127.0.0.1:80/a b", "",
    ] {
      #expect(LocalServer(url) == nil, "\(url)")
    }
  }
}
