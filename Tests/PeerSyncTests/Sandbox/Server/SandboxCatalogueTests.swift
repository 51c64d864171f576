import Foundation
import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer
import Testing

@Suite("What a sandbox store sells") struct SandboxCatalogueTests {
  private func read(_ text: String) throws -> SandboxCatalogue {
    try SandboxCatalogue([("a.storekit", Array(text.utf8))])
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

  /// The offers of a product's entry in Xcode's form.
  private func offers(_ entry: String) throws -> (offers: [SandboxOffer], warnings: [String]) {
    let catalogue = try read(
      """
      {"identifier": "A", "version": {"major": 5, "minor": 0}, "subscriptionGroups": [{"id": "g", "subscriptions": [
        {"productID": "gold", "type": "RecurringSubscription", "displayPrice": "9.99", "groupNumber": 1,
         "subscriptionGroupID": "g", "recurringSubscriptionPeriod": "P1M", \(entry)}]}]}
      """)
    return (
      try #require(catalogue.products.first).offers, catalogue.warnings.filter { $0.contains("unknown") }
    )
  }

  @Test("every list of offers of a .storekit file, as Xcode writes them in versions 2 and 5")
  func offersOfXcode() throws {
    let read = try offers(
      """
      "introductoryOffers": [{"billingPlanType": "BILLED_UPFRONT", "internalID": "1", "numberOfPeriods": 1,
                              "paymentMode": "free", "subscriptionPeriod": "P3M"}],
      "adHocOffers": [
        {"billingPlanType": "BILLED_UPFRONT", "displayPrice": "40.99", "internalID": "2", "numberOfPeriods": 1,
         "offerID": "year", "paymentMode": "payUpFront", "referenceName": "year discount", "subscriptionPeriod": "P1Y"},
        {"displayPrice": "10", "internalID": "3", "offerID": "some", "paymentMode": "payAsYouGo", "referenceName": "",
         "subscriptionPeriod": "P1M", "numberOfPeriods": 2}],
      "codeOffers": [
        {"eligibility": ["new", "expired", "existing"], "internalID": "4", "isStackable": true, "paymentMode": "free",
         "referenceName": "Winter Offer", "subscriptionPeriod": "P1W"},
        {"eligibility": ["expired"], "internalID": "5", "isStackable": false, "offerID": "", "paymentMode": "free",
         "referenceName": "", "referenceNamePretty": "Spring"}],
      "winbackOffers": [
        {"displayPrice": "1.99", "internalID": "6", "offerID": "back", "paymentMode": "payAsYouGo",
         "subscriptionPeriod": "P1M", "waitPeriod": "P2M", "priority": 1},
        {"displayPrice": "2.99", "internalID": "7", "offerID": "back2", "paymentMode": "payUpFront",
         "subscriptionPeriod": "P1M", "priority": 2}]
      """)
    func period(_ text: String) throws -> Period { try #require(Period(text)) }
    #expect(
      read.offers == [
        SandboxOffer(.introductory, mode: .freeTrial, period: try period("P3M")),
        SandboxOffer(.promotional, id: "year", mode: .payUpFront, period: try period("P1Y"), price: 40_990),
        SandboxOffer(
          .promotional, id: "some", mode: .payAsYouGo, period: try period("P1M"), periods: 2, price: 10_000),
        SandboxOffer(
          .code, id: "Winter Offer", mode: .freeTrial, period: try period("P1W"), isStackable: true),
        SandboxOffer(.code, id: "5", mode: .freeTrial, period: try period("P1M"), customers: [.expired]),
        SandboxOffer(
          .winBack, id: "back", mode: .payAsYouGo, period: try period("P1M"), price: 1990,
          wait: try period("P2M")),
        SandboxOffer(.winBack, id: "back2", mode: .payUpFront, period: try period("P1M"), price: 2990),
      ])
    #expect(
      read.warnings == [
        "a.storekit: subscriptionGroups[].subscriptions[].winbackOffers[].priority is unknown and ignored"
      ])
    #expect(try offers(#""adHocOffers": [], "codeOffers": null, "introductoryOffer": null"#).offers.isEmpty)
  }

  @Test(
    "a price that is left over in a free offer of a .storekit file means nothing, whatever it is",
    arguments: [#""0.99""#, #""""#, #""1000000000.001""#, "null", "3"])
  func leftOverPrices(price: String) throws {
    let free = #""paymentMode": "free", "subscriptionPeriod": "P1W", "displayPrice": \#(price)"#
    let week = try #require(Period("P1W"))
    let read = try offers(#""introductoryOffer": {\#(free)}, "adHocOffers": [{"offerID": "a", \#(free)}]"#)
    #expect(
      read.offers == [
        SandboxOffer(.introductory, mode: .freeTrial, period: week),
        SandboxOffer(.promotional, id: "a", mode: .freeTrial, period: week),
      ])
  }

  /// The offers of a product in peerd's own form.
  private func own(_ offers: String) throws -> [SandboxOffer] {
    let text =
      #"{"products": [{"id": "p", "type": "autoRenewableSubscription", "period": "P1M", "offers": [\#(offers)]}]}"#
    return try #require(SandboxCatalogue([("c.json", Array(text.utf8))]).products.first).offers
  }

  @Test("offers of peerd's own form, each with its kind; the last of an id counts")
  func offersOfPeerd() throws {
    let read = try own(
      """
      {"kind": "promotional", "id": "a", "paymentMode": "free"},
      {"kind": "code", "id": "b", "paymentMode": "free", "eligibility": ["new"], "isStackable": true},
      {"kind": "winBack", "id": "a", "paymentMode": "payUpFront", "displayPrice": "1.00", "numberOfPeriods": 2,
       "subscriptionPeriod": "P1W", "waitPeriod": "P1M", "eligibility": ["new"], "isStackable": true}
      """)
    #expect(read.map(\.id) == ["b", "a"] && read.map(\.kind) == [.code, .winBack])
    #expect(read.map(\.customers) == [[.new], [.expired]] && read.map(\.isStackable) == [true, false])
    #expect(read.last?.periods == 2 && read.last?.wait == Period("P1M") && read.last?.price == 1000)
  }

  @Test(
    "a wrong offer names its place",
    arguments: [
      (
        #"{"kind": "gift", "id": "a", "paymentMode": "free"}"#,
        ".kind: \"gift\" is not one of promotional, code, winBack"
      ),
      (#"{"id": "a", "paymentMode": "free"}"#, ".kind: is missing"),
      (#"{"kind": "code", "paymentMode": "free"}"#, ".id: is missing"),
      (
        #"{"kind": "code", "id": "a", "paymentMode": "oneTime"}"#,
        ": an object has no paymentMode of free, payAsYouGo, payUpFront"
      ),
      (
        #"{"kind": "code", "id": "a", "paymentMode": "free", "eligibility": ["all"]}"#,
        ".eligibility[0]: \"all\" is not one of new, existing, expired"
      ),
      (
        #"{"kind": "code", "id": "a", "paymentMode": "free", "numberOfPeriods": 101}"#,
        ".numberOfPeriods: 101 is not a whole number from 1 to 100"
      ),
      (
        #"{"kind": "code", "id": "a", "paymentMode": "free", "displayPrice": "3"}"#,
        ".displayPrice: \"3\" is a price, and what is free has none; leave it out"
      ),
      (
        #"{"kind": "code", "id": "a", "paymentMode": "payUpFront", "displayPrice": "1000000000.001"}"#,
        ".displayPrice: \"1000000000.001\" \(noPrice)"
      ),
      (
        #"{"kind": "code", "id": "a", "paymentMode": "payUpFront", "displayPrice": "4.9999"}"#,
        ".displayPrice: \"4.9999\" \(noPrice)"
      ),
      (
        #"{"kind": "code", "id": "a", "paymentMode": "payUpFront", "displayPrice": "9999999999999"}"#,
        ".displayPrice: \"9999999999999\" \(noPrice)"
      ),
    ])
  func wrongOffers(offer: String, problem: String) throws {
    do {
      _ = try own(offer)
      Issue.record("it was accepted")
    } catch let error as CatalogueError {
      #expect(error.description == "c.json: products[0].offers[0]" + problem)
    }
  }

  @Test("what is free may say that it costs nothing, and the highest price is one")
  func extremePrices() throws {
    let read = try own(
      """
      {"kind": "code", "id": "a", "paymentMode": "free", "displayPrice": "0.00"},
      {"kind": "code", "id": "b", "paymentMode": "payUpFront", "displayPrice": "1000000000"}
      """)
    #expect(read.map(\.price) == [0, Limits.sandboxPrice])
  }

  @Test(
    "a product's own price is bounded as well, in both kinds of file",
    arguments: [
      (#"{"products": [{"id": "p", "type": "consumable", "price": "1000000001"}]}"#, "products[0].price"),
      (
        """
        {"identifier": "A", "products": [{"productID": "p", "type": "Consumable", "displayPrice": "1000000001"}]}
        """, "products[0].displayPrice"
      ),
      (
        """
        {"identifier": "A", "nonRenewingSubscriptions": [
          {"productID": "p", "type": "NonRenewingSubscription", "displayPrice": "1000000001"}]}
        """, "nonRenewingSubscriptions[0].displayPrice"
      ),
    ])
  func highPrices(text: String, place: String) {
    let error = #expect(throws: CatalogueError.self) { try SandboxCatalogue([("c", Array(text.utf8))]) }
    #expect(
      error?.problem == place + ": \"1000000001\" \(noPrice)")
  }

  @Test("a product has so many offers and no more")
  func tooManyOffers() throws {
    func some(_ count: Int, of list: String) -> String {
      let offers = (0..<count).map { #"{"offerID": "\#(list)\#($0)", "paymentMode": "free"}"# }
      return #""\#(list)": [\#(offers.joined(separator: ","))]"#
    }
    let most = Limits.sandboxOffers
    #expect(try offers(some(most, of: "adHocOffers")).offers.count == most)
    #expect(throws: CatalogueError.self) { try offers(some(most + 1, of: "adHocOffers")) }
    #expect(throws: CatalogueError.self) {
      try offers(some(most, of: "adHocOffers") + "," + some(1, of: "winbackOffers"))
    }
  }

  @Test(
    "real .storekit files, with all of their offers",
    .enabled(if: ProcessInfo.processInfo.environment["PEERSYNC_STOREKIT_FILES"] != nil))
  func realFiles() throws {
    let directory = try #require(ProcessInfo.processInfo.environment["PEERSYNC_STOREKIT_FILES"])
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(".storekit")
    }
    #expect(!names.isEmpty)
    for name in names {
      let content = try #require(FileManager.default.contents(atPath: directory + "/" + name))
      let catalogue = try SandboxCatalogue([(name, Array(content))])
      let text = String(decoding: content, as: UTF8.self)
      #expect(catalogue.products.count == text.matches(of: /"productID"/).count, "\(name)")
      let modes = text.matches(of: /"paymentMode"/).count
      // Newer files say the introductory offer twice.
      let twice = text.contains("introductoryOffers") ? text.matches(of: /"introductoryOffer" : \{/).count : 0
      #expect(catalogue.products.flatMap(\.offers).count == modes - twice, "\(name)")
      #expect(
        catalogue.warnings.allSatisfy { !$0.contains("Offer") && !$0.contains("settings") },
        "\(name): \(catalogue.warnings)")
    }
  }

  @Test("how time runs, from the command line")
  func paces() {
    #expect(
      SandboxPace("real") == .scale(.real) && SandboxPace("1") == .scale(.real)
        && SandboxPace("manual") == .manual)
    #expect(SandboxPace("60") == .scale(.faster(60)) && SandboxPace("sandbox") == .scale(.sandbox))
    #expect(
      SandboxPace("\(Limits.sandboxSpeed + 1)") == nil && SandboxPace("0") == nil
        && SandboxPace("fast") == nil)
    #expect(SandboxStep(months: Limits.periodMonths + 1, days: 0, milliseconds: 0) == nil)
    #expect(SandboxStep(months: 0, days: 0, milliseconds: 0) == nil)
  }

  @Test("with --time-rate manual a month is a month, whatever the file says or was said before")
  func manual() throws {
    for before in [SandboxPace.scale(.sandbox), .scale(.faster(60)), .manual] {
      var sandboxStore = SandboxStore(terms: SandboxTerms(seed: 1), at: .epoch)
      sandboxStore.set(before)
      try read(storekit(settings: #""_timeRate": 13"#)).apply(to: &sandboxStore)
      #expect(sandboxStore.terms.scale == .sandbox && !sandboxStore.terms.isManual)
      sandboxStore.set(.manual)
      #expect(sandboxStore.terms.scale == .real && sandboxStore.terms.isManual)
    }
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

private let noPrice = "is not a price of a store: at most 1000000000.00, with at most three decimals"
