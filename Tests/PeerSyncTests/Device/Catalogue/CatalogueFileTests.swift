import Glibc
import PeerSync
import Testing

/// A file in the form Xcode writes, with the fields that real ones have.
private func storeKitFile(major: Int = 5, extra: String = "") -> String {
  """
  {
    "appPolicies" : { "eula" : "", "policies" : [ { "locale" : "en_US", "policyText" : "", "policyURL" : "" } ] },
    "identifier" : "0A1B2C3D",
    "nonRenewingSubscriptions" : [
      { "displayPrice" : "29.99", "familyShareable" : false, "internalID" : "1", \(extra)
        "localizations" : [
          { "description" : "Ein Monat", "displayName" : "Monat", "locale" : "de_DE" },
          { "description" : "A month", "displayName" : "Month", "locale" : "en_US" } ],
        "productID" : "app.month", "referenceName" : "month", "type" : "NonRenewingSubscription" }
    ],
    "products" : [
      { "displayPrice" : "0.99", "familyShareable" : false, "internalID" : "2", "localizations" : [
          { "description" : "", "displayName" : "", "locale" : "en_US" } ],
        "productID" : "app.coins", "referenceName" : "Ten coins", "type" : "Consumable" },
      { "displayPrice" : "199", "familyShareable" : true, "internalID" : "3", "localizations" : [ ],
        "productID" : "app.level", "referenceName" : "Level", "type" : "NonConsumable" }
    ],
    "settings" : { "_locale" : "en_US", "_storefront" : "USA", "_timeRate" : 0, "_storeKitErrors" : [ ] },
    "subscriptionGroups" : [
      { "id" : "G1", "localizations" : [ ], "name" : "club", "subscriptions" : [
        { "adHocOffers" : [ ], "billingPlans" : [ { "isEnabled" : true } ], "codeOffers" : [ ], "displayPrice" : "4.99",
          "familyShareable" : true, "groupNumber" : 1, "internalID" : "4",
          "introductoryOffer" : { "numberOfPeriods" : 1, "paymentMode" : "free", "subscriptionPeriod" : "P1W" },
          "introductoryOffers" : [ ], "localizations" : [ ], "productID" : "app.club",
          "recurringSubscriptionPeriod" : "P1M", "referenceName" : "club", "subscriptionGroupID" : "G1",
          "type" : "RecurringSubscription", "winbackOffers" : [ ] } ] }
    ],
    "subscriptionOffersKeyPair" : { "id" : "5", "privateKey" : "x" },
    "version" : { "major" : \(major), "minor" : 0 }
  }
  """
}

private func read(_ text: String, name: String = "catalogue.json") throws -> CatalogueFile {
  try CatalogueFile(Array(text.utf8), name: name)
}

/// What is said about a file that is refused.
private func refusal(_ text: String) -> String {
  do {
    _ = try CatalogueFile(Array(text.utf8), name: "c.json")
    return "accepted"
  } catch { return error.description }
}

@Suite struct CatalogueFileTests {
  private let own = """
    {"version": 7, "products": [
      {"id": "three", "type": "nonRenewingSubscription", "line": "random", "period": "P3M", "entitlements": ["b", "a", "b"]},
      {"id": "five", "type": "consumable", "credit": "owls", "amount": 5, "price": "0.99", "currency": "USD"},
      {"id": "owl", "type": "nonConsumable", "entitlements": ["owl"], "displayName": "Owl \\u00e9\\ud83e\\udd89"}]}
    """

  @Test("F71: entries with a date, which say what the entry before says and they do not") func dates() throws
  {
    let store = try read(
      #"{"products": [{"id": "a", "type": "nonRenewingSubscription", "displayName": "A"}]}"#)
    let dated = try read(
      """
      {"products": [{"id": "a", "from": "2026-07-01", "period": "P4M"},
        {"id": "b", "type": "nonConsumable", "from": "2026-07-01T00:00:00.000Z"},
        {"id": "a", "line": "l", "period": "P3M"},
        {"id": "a", "from": "2026-08-01T02:00:00+02:00", "line": "m"}]}
      """)
    let catalogue = CatalogueFile.merging([dated, store]).catalogue
    #expect(catalogue.ids == ["a", "b"] && catalogue.products.count == 4)
    let entries = catalogue.entries(of: "a")
    #expect(entries.map(\.from) == [nil, Instant("2026-07-01"), Instant("2026-08-01")])
    #expect(entries.map(\.period) == [Period("P3M"), Period("P4M"), Period("P4M")])
    #expect(entries.map(\.line) == ["l", "l", "m"])
    #expect(entries.allSatisfy { $0.type == .nonRenewingSubscription && $0.displayName == "A" })
    let early = CatalogueFile.merging([dated]).warnings.filter { $0.contains("what it was before") }
    #expect(early.map { $0.prefix(2) } == ["b:"])
    let again = try CatalogueFile(PeerdFormat.document(of: catalogue), name: "again")
    #expect(again.catalogue == catalogue)
    #expect(refusal(#"{"products": [{"id": "a", "from": "2026-02-30"}]}"#).contains("is not a date such as"))
    let twice =
      #"{"products": [{"id": "a", "from": "2026-02-01"}, {"id": "a", "from": "2026-02-01T00:00:00Z"}]}"#
    #expect(refusal(twice).contains("names a a second time from 2026-02-01"))
    let many = (0...Limits.productEntries).map { #"{"id": "a", "from": "\#(1990 + $0)-01-01"}"# }
    #expect(
      refusal(#"{"products": [\#(many.joined(separator: ","))]}"#).contains(
        "the 32 entries that a product may have"))
  }

  @Test func peerdsOwnForm() throws {
    let file = try read(own)
    #expect(file.warnings.isEmpty)
    #expect(file.catalogue.version == 7)
    #expect(file.catalogue.products.map(\.id) == ["five", "owl", "three"])
    let three = try #require(file.catalogue["three"])
    #expect(three.period == Period("P3M") && three.line == "random" && three.entitlements == ["a", "b"])
    #expect(file.catalogue["five"]?.amount == 5 && file.catalogue["five"]?.price == "0.99")
    #expect(file.catalogue["owl"]?.displayName == "Owl é🦉")
    #expect(file.catalogue["four"] == nil)
  }

  @Test(arguments: 1...5) func xcodesForm(major: Int) throws {
    let file = try read(storeKitFile(major: major), name: "App.storekit")
    #expect(file.warnings.isEmpty)
    #expect(file.catalogue.products.map(\.id) == ["app.club", "app.coins", "app.level", "app.month"])
    let month = try #require(file.catalogue["app.month"])
    #expect(month.type == .nonRenewingSubscription && month.period == nil && month.line == nil)
    #expect(month.displayName == "Month" && month.text == "A month")
    #expect(month.price == "29.99" && month.currency == "USD")
    #expect(file.catalogue["app.coins"]?.displayName == "Ten coins")
    let club = try #require(file.catalogue["app.club"])
    #expect(club.type == .autoRenewableSubscription && club.period == Period("P1M"))
    #expect(club.subscriptionGroup == "G1")
    #expect(file.catalogue["app.level"]?.type == .nonConsumable)
  }

  @Test func theTwoFormsAddUpInEitherOrder() throws {
    let xcode = try read(storeKitFile(), name: "App.storekit")
    let peerd = try read(
      """
      {"products": [{"id": "app.month", "line": "l", "period": "P1M", "entitlements": ["e"]},
        {"id": "app.coins", "credit": "coins", "amount": 10}]}
      """)
    #expect(peerd.warnings.isEmpty)
    for files in [[xcode, peerd], [peerd, xcode]] {
      let merged = CatalogueFile.merging(files)
      let month = try #require(merged.catalogue["app.month"])
      #expect(month.type == .nonRenewingSubscription && month.price == "29.99")
      #expect(month.line == "l" && month.period == Period("P1M") && month.entitlements == ["e"])
      #expect(merged.catalogue["app.coins"]?.amount == 10)
      #expect(merged.warnings.isEmpty)
    }
    #expect(CatalogueFile.merging([xcode]).warnings.count == 2, "what grants nothing is told")
    #expect(CatalogueFile.merging([peerd]).warnings.allSatisfy { $0.contains("no file says its type") })
  }

  @Test func laterEntriesReplaceWhatTheyState() throws {
    let later = try read(#"{"version": 3, "products": [{"id": "three", "period": "P4M"}]}"#)
    let merged = CatalogueFile.merging([try read(own), later]).catalogue
    #expect(merged["three"]?.period == Period("P4M") && merged["three"]?.line == "random")
    #expect(merged.version == 7)
  }

  @Test func unknownFieldsAreToldOncePerPath() throws {
    let file = try read(
      #"{"note": 1, "products": [{"id": "a", "colour": 1, "x": 2}, {"id": "b", "colour": 2, "colour": 3}]}"#)
    #expect(
      file.warnings == [
        "catalogue.json: note is unknown and ignored",
        "catalogue.json: products[].colour is unknown and ignored",
        "catalogue.json: products[].x is unknown and ignored",
      ])
    let xcode = try read(storeKitFile(extra: #""sparkle" : [ ],"#), name: "App.storekit")
    #expect(xcode.warnings == ["App.storekit: nonRenewingSubscriptions[].sparkle is unknown and ignored"])
    #expect(
      try read(storeKitFile(major: 6), name: "a").warnings == [
        "a: version 6 is newer than 5 and read as that"
      ])
  }

  @Test("a file of version 1 is read as far as its keys are known, and the others are told")
  func versionOne() throws {
    let file = try read(
      """
      {"version": {"major": 1, "minor": 0}, "oldKey": 1, "settings": {}, "subscriptionGroups": [],
       "products": [{"productID": "owl", "type": "NonConsumable", "displayPrice": "0.99", "olderKey": []}]}
      """, name: "a")
    #expect(file.catalogue["owl"]?.price == "0.99")
    #expect(
      file.warnings == ["a: oldKey is unknown and ignored", "a: products[].olderKey is unknown and ignored"])
  }

  @Test("a billing plan that is dropped is told, of products and of offers; one that is off is not")
  func billingPlans() throws {
    func plan(_ type: String, _ more: String = "") -> String { #"{"billingPlanType": "\#(type)"\#(more)}"# }
    let file = try read(
      """
      {"identifier": "A", "version": {"major": 5, "minor": 0}, "subscriptionGroups": [{"id": "g", "subscriptions": [
        {"productID": "gold", "type": "RecurringSubscription", "displayPrice": "9.99",
         "recurringSubscriptionPeriod": "P1Y",
         "billingPlans": [\(plan("BILLED_UPFRONT")), \(plan("MONTHLY", #", "isEnabled": true, "displayPrice": "1""#)),
                          \(plan("MONTHLY", #", "isEnabled": false"#))],
         "introductoryOffer": \(plan("MONTHLY", #", "paymentMode": "free""#)),
         "adHocOffers": [\(plan("BILLED_UPFRONT", #", "offerID": "a", "paymentMode": "free""#))]}]}]}
      """, name: "a")
    let ignored =
      #"billingPlanType "MONTHLY" is not a way to pay that is known here, and ignored: each period is paid when it begins"#
    let place = "a: subscriptionGroups[0].subscriptions[0]"
    #expect(
      file.warnings == ["\(place).billingPlans[1].\(ignored)", "\(place).introductoryOffer.\(ignored)"])
  }

  @Test(arguments: [
    (
      #"{"products": [{"id": "a", "period": "3 months"}]}"#,
      #"products[0].period: "3 months" is not an ISO 8601 period such as P3M"#
    ),
    (
      #"{"products": [{"id": "a"}, {"id": "b", "type": "gift"}]}"#,
      #"products[1].type: "gift" is not one of consumable, nonConsumable, nonRenewingSubscription, autoRenewableSubscription"#
    ),
    (#"{"products": [{"type": "consumable"}]}"#, "products[0].id: is missing"),
    (#"{"products": [{"id": 7}]}"#, "products[0].id: 7 is not a string"),
    (#"{"products": [{"id": ""}]}"#, #"products[0].id: "" is empty"#),
    (
      #"{"products": [{"id": "a", "amount": 1.5}]}"#,
      "products[0].amount: 1.5 is not a whole number from 1 to 1000000000"
    ),
    (
      #"{"products": [{"id": "a", "amount": 1e999}]}"#,
      "products[0].amount: 1e999 is not a whole number from 1 to 1000000000"
    ),
    (
      #"{"products": [{"id": "a", "amount": 99999999999999999999999}]}"#,
      "products[0].amount: 99999999999999999999999 is not a whole number from 1 to 1000000000"
    ),
    (#"{"products": [{"id": "a", "entitlements": "e"}]}"#, #"products[0].entitlements: "e" is not an array"#),
    (
      #"{"products": [{"id": "a", "entitlements": ["e", 2]}]}"#,
      "products[0].entitlements[1]: 2 is not a string"
    ),
    (
      #"{"products": [{"id": "a", "price": "free"}]}"#,
      #"products[0].price: "free" is not a price such as "4.99""#
    ),
    (
      #"{"products": [{"id": "a", "price": "4.9999"}]}"#,
      #"products[0].price: "4.9999" is not a price of a store: at most 1000000000.00, with at most three decimals"#
    ),
    (
      #"{"identifier": "x", "products": [{"productID": "a", "type": "Consumable", "displayPrice": "1000000001"}]}"#,
      #"products[0].displayPrice: "1000000001" is not a price of a store: at most 1000000000.00, with at most three decimals"#
    ),
    (
      #"{"products": [{"id": "a", "currency": "usd"}]}"#,
      #"products[0].currency: "usd" is not an ISO 4217 currency code such as USD"#
    ),
    (#"{"products": [{"id": "a"}, {"id": "a"}]}"#, "products[1]: an object names a a second time"),
    (#"{"products": {}}"#, "products: an object is not an array"),
    (#"{"products": [3]}"#, "products[0]: 3 is not an object"),
    (#"{"version": -1, "products": []}"#, "version: -1 is not a whole number from 0 to 2147483648"),
    ("{}", "products: is missing"), ("[]", "the file: an array is not an object"),
    ("", "line 1: the text ends too early"),
    ("{\n\"products\": [}", "line 2: no JSON value"),
    (#"{"products": []} x"#, "line 1: more text after the end"),
    (
      #"{"identifier": "x", "version": {"major": 0}}"#,
      "version.major: 0 is not a whole number from 1 to \(Limits.products)"
    ),
    (
      #"{"identifier": "x", "products": [{"productID": "a", "type": "Gift"}]}"#,
      #"products[0].type: "Gift" is not one of Consumable, NonConsumable, NonRenewingSubscription, RecurringSubscription"#
    ),
    (#"{"identifier": "x", "products": [{"type": "Consumable"}]}"#, "products[0].productID: is missing"),
    (
      #"{"version": {"major": 5}, "subscriptionGroups": [{"subscriptions": [{"productID": "a", "type": "Consumable", "recurringSubscriptionPeriod": "P0D"}]}]}"#,
      #"subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod: "P0D" is not an ISO 8601 period such as P3M"#
    ),
  ])
  func aWrongValueNamesFilePlaceAndValue(text: String, problem: String) {
    #expect(refusal(text) == "c.json: \(problem)")
  }

  @Test(arguments: [
    "nul", "tru", "{\"a\"}", "{\"a\":1,}", "[1 2]", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"",
    "\"\\ud800\\u0041\"",
    "\"\\u12\"", "\"\n\"", "\"", "01", "-", "1.", "1e", ".5", "+1", "NaN", "{'a': 1}", "\u{0}", "\"\\",
  ])
  func whatIsNoJSONIsRefused(text: String) {
    #expect(refusal(text).hasPrefix("c.json: line "))
  }

  @Test func hostileFilesAreRefused() throws {
    for deep in [String(repeating: "[", count: 200_000), String(repeating: "{\"a\":", count: 200_000)] {
      #expect(refusal(deep) == "c.json: line 1: nested more than 64 deep")
    }
    let large = [UInt8](repeating: 0x20, count: Limits.catalogueBytes + 1)
    #expect(throws: CatalogueError.self) { try CatalogueFile(large, name: "large") }
    let many = (0...Limits.products).map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
    #expect(
      refusal(#"{"products": [\#(many)]}"#) == "c.json: products: an array has more than 10000 elements")
    #expect(throws: CatalogueError.self) { try CatalogueFile([0x22, 0xff, 0x22], name: "bytes") }
    func entitled(_ count: Int) -> String {
      let names = (0..<count).map { "\"e\($0)\"" }.joined(separator: ",")
      return refusal(#"{"products": [{"id": "a", "type": "consumable", "entitlements": [\#(names)]}]}"#)
    }
    #expect(entitled(Limits.entitlementsPerProduct) == "accepted")
    #expect(entitled(Limits.entitlementsPerProduct + 1).contains("an array has more than 64 elements"))
  }

  @Test(arguments: Seeds.all) func damagedFilesNeverTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("{}[]\",:\\u0123456789.eE-truefalsn ".utf8)
    for text in [own, storeKitFile()] {
      for _ in 0..<300 {
        var bytes = Array(text.utf8)
        for _ in 0..<random.pick(1...3) {
          let index = random.pick(0...(bytes.count - 1))
          if random.chance(2) { bytes[index] = random.pick(alphabet) } else { bytes.remove(at: index) }
        }
        _ = try? CatalogueFile(bytes[..<random.pick(0...bytes.count)], name: "damaged")
        _ = try? CatalogueFile(bytes, name: "damaged")
      }
    }
  }

  @Test func productsReadFromFilesCanBeReplicated() throws {
    for product in CatalogueFile.merging([try read(own), try read(storeKitFile())]).catalogue.products {
      let fact = Fact.product(product)
      #expect(try Fact(key: RegisterKey.product(id: product.id).encoded[...], value: fact.value[...]) == fact)
    }
  }

  /// The processor time of this thread for ten times as many products: no more than some ten times as much, where each that is added does
  /// not have all the others copied.
  @Test func manyProductsTakeTheirTimeEach() throws {
    func time(_ count: Int) throws -> UInt64 {
      let products = (0..<count).map {
        #"{"id": "p\#($0)", "type": "nonRenewingSubscription", "line": "l\#($0)", "period": "P1M", "entitlements": ["a", "b"]}"#
      }
      let text = #"{"products": [\#(products.joined(separator: ", "))]}"#
      let begin = threadTime()
      #expect(try read(text).catalogue.products.count == count)
      return threadTime() - begin
    }
    let few = try (0..<3).map { _ in try time(Limits.products / 10) }.min() ?? 0
    let many = try time(Limits.products)
    #expect(many < 25 * few, "\(many) ns, and \(few) ns for a tenth")
  }
}

/// Processor time of this thread.
private func threadTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
