import PeerSyncCore
import PeerSyncSandbox
import PeerSyncSandboxServer
import Testing

@Suite("What the settings of .storekit files do to a sandbox store") struct SandboxSettingsTests {
  private func file(_ settings: String, selling product: String = "owl") -> (name: String, content: [UInt8]) {
    let text = """
      {"identifier": "A", "version": {"major": 4, "minor": 0}, "settings": {\(settings)}, "products": [
        {"productID": "\(product)", "type": "NonConsumable", "displayPrice": "2.99", "referenceName": "An owl",
         "localizations": [
           {"locale": "en_US", "displayName": "Owl", "description": ""},
           {"locale": "ko", "displayName": "올빼미", "description": ""}]}]}
      """
    return ("a.storekit", Array(text.utf8))
  }

  private func read(_ settings: String...) throws -> SandboxCatalogue {
    try SandboxCatalogue(settings.enumerated().map { file($1, selling: "owl \($0)") })
  }

  /// What is said of settings alone.
  private func warnings(_ settings: String) throws -> [String] {
    try read(settings).warnings.filter { $0.contains("settings") }
  }

  private func newSandboxStore() -> SandboxStore { SandboxStore(terms: SandboxTerms(seed: 1), at: .epoch) }

  /// Starts a store, or starts it again, with a file.
  private func start(_ sandboxStore: inout SandboxStore, _ settings: String...) throws {
    try SandboxCatalogue(settings.enumerated().map { file($1, selling: "owl \($0)") }).apply(
      to: &sandboxStore)
  }

  @Test("every setting sets the store up")
  func all() throws {
    var sandboxStore = newSandboxStore()
    try start(
      &sandboxStore,
      """
      "_storefront": "DEU", "_timeRate": 13, "_billingGracePeriodEnabled": false, "_askToBuyEnabled": true,
      "_renewalBillingIssuesEnabled": true
      """)
    #expect(
      sandboxStore.terms.scale == .sandbox && sandboxStore.terms.storefront == "DEU"
        && !sandboxStore.terms.hasGrace)
    #expect(
      sandboxStore.terms.mood == .ask && sandboxStore.terms.isBillingFailing
        && sandboxStore.products.count == 1)
  }

  @Test("purchases fail or wait as the file says; a mood set by hand stays where no file states one")
  func moods() throws {
    var sandboxStore = newSandboxStore()
    let steps: [(settings: String, mood: SandboxMood)] = [
      (#""_failTransactionsEnabled": true"#, .fail), (#""_failTransactionsEnabled": false"#, .succeed),
      (#""_askToBuyEnabled": true"#, .ask), (#""_locale": "ko""#, .ask),
      (#""_askToBuyEnabled": false"#, .succeed),
      (#""_askToBuyEnabled": true, "_failTransactionsEnabled": true"#, .fail),
      (#""_askToBuyEnabled": true, "_failTransactionsEnabled": false"#, .ask),
    ]
    for (settings, mood) in steps {
      try start(&sandboxStore, settings)
      #expect(sandboxStore.terms.mood == mood, "\(settings)")
    }
    _ = try sandboxStore.handle(.setMood(.cancel, account: nil, isOnce: true), now: sandboxStore.time)
    try start(&sandboxStore, #""_storefront": "DEU""#)
    #expect(sandboxStore.terms.mood == .ask && sandboxStore.terms.moodOnce == .cancel)
    try start(&sandboxStore, #""_failTransactionsEnabled": true"#)
    #expect(sandboxStore.terms.mood == .fail && sandboxStore.terms.moodOnce == nil)
  }

  @Test("renewals fail until a file states otherwise, or the payment of an account is fixed")
  func renewals() throws {
    var sandboxStore = newSandboxStore()
    try start(&sandboxStore, #""_billingIssuesEnabled": true"#)
    #expect(sandboxStore.terms.isBillingFailing)
    try start(&sandboxStore, #""_locale": "ko""#)
    #expect(sandboxStore.terms.isBillingFailing)
    try start(&sandboxStore, #""_billingIssuesEnabled": true, "_renewalBillingIssuesEnabled": false"#)
    #expect(!sandboxStore.terms.isBillingFailing)
  }

  @Test("a later file adds to an earlier one: what it does not state stays")
  func secondFile() throws {
    var sandboxStore = newSandboxStore()
    try start(
      &sandboxStore,
      """
      "_storefront": "DEU", "_timeRate": 13, "_billingGracePeriodEnabled": false, "_failTransactionsEnabled": true,
      "_renewalBillingIssuesEnabled": true
      """, #""_askToBuyEnabled": false, "_timeRate": 7"#)
    #expect(
      sandboxStore.terms.scale == .sandbox && sandboxStore.terms.storefront == "DEU"
        && !sandboxStore.terms.hasGrace)
    #expect(
      sandboxStore.terms.mood == .fail && sandboxStore.terms.isBillingFailing
        && sandboxStore.products.count == 2)
    try start(&sandboxStore, #""_storefront": "DEU""#, #""_storefront": "KOR""#)
    #expect(sandboxStore.terms.storefront == "KOR")
  }

  @Test(
    "prices are in the currency of the storefront",
    arguments: [("TUR", "TRY"), ("DEU", "EUR"), ("USA", "USD"), ("KOR", "KRW")])
  func currencies(storefront: String, currency: String) throws {
    let catalogue = try read(#""_storefront": "\#(storefront)""#)
    #expect(catalogue.products.map(\.currency) == [currency])
    #expect(try warnings(#""_storefront": "\#(storefront)""#).isEmpty)
  }

  @Test("where the currency is not known, prices are in dollars and the store says so")
  func unknownCurrency() throws {
    #expect(try read(#""_storefront": "XYZ""#).products.map(\.currency) == ["USD"])
    #expect(
      try warnings(#""_storefront": "XYZ""#) == [
        "a.storekit: the currency of settings._storefront \"XYZ\" is not known, and prices are in USD"
      ])
  }

  @Test("prices that no file gives a currency to are in that of the storefront")
  func ownFiles() throws {
    let own = #"{"products": [{"id": "tea", "type": "consumable", "price": "1.50"}]}"#
    let catalogue = try SandboxCatalogue([("c.json", Array(own.utf8)), file(#""_storefront": "DEU""#)])
    #expect(catalogue.products.map(\.currency) == ["EUR", "EUR"])
    #expect(try SandboxCatalogue([("c.json", Array(own.utf8))]).products.map(\.currency) == ["USD"])
  }

  @Test("products are called what the locale of the file calls them")
  func locales() throws {
    #expect(try read(#""_locale": "ko""#).products.map(\.name) == ["올빼미"])
    #expect(try read(#""_locale": "en_US""#).products.map(\.name) == ["Owl"])
    let nameless = #"{"products": [{"id": "tea", "type": "consumable"}]}"#
    #expect(try SandboxCatalogue([("c.json", Array(nameless.utf8))]).products.map(\.name) == [nil])
  }

  @Test("an enabled error of purchases has them fail, other enabled ones are told")
  func errors() throws {
    func errors(_ purchase: Bool, _ other: Bool) -> String {
      """
      "_storeKitErrors": [
        {"current": null, "enabled": \(other), "name": "Load Products"},
        {"current": {"index": 0, "type": "generic"}, "enabled": \(purchase), "name": "Purchase"}]
      """
    }
    #expect(try read(errors(true, false)).settings.mood == .fail)
    #expect(try read(errors(false, true)).settings.mood == .succeed)
    #expect(try read(errors(true, false), #""_storeKitErrors": []"#).settings.mood == .succeed)
    #expect(try warnings(errors(true, false)).isEmpty)
    #expect(
      try warnings(errors(false, true)) == [
        "a.storekit: settings._storeKitErrors[0].name \"Load Products\" does not fail here: only purchases can"
      ])
    let many = (0...Limits.storeKitErrors).map { _ in "{}" }.joined(separator: ",")
    #expect(
      try warnings(#""_storeKitErrors": [\#(many)]"#) == [
        "a.storekit: settings._storeKitErrors an array is not an array of up to 100 errors, and ignored"
      ])
  }

  @Test("unknown keys are told, and values of another form, each once; what Xcode keeps for itself is not")
  func warned() throws {
    #expect(
      try warnings(
        """
        "_applicationInternalID": "1", "_compatibilityTimeRate": {"3": 6}, "_developerTeamID": "T",
        "_disableDialogs": false, "_lastSynchronizedDate": 719987420.052496, "_storeKitError": 0
        """
      ).isEmpty)
    #expect(
      try warnings(#""_sparkle": true, "_sparkle": false, "_timeRate": 13"#) == [
        "a.storekit: settings._sparkle is unknown and ignored"
      ])
    #expect(
      try warnings(
        #""_timeRate": 7, "_storefront": "usa", "_askToBuyEnabled": 1, "_billingGracePeriodEnabled": "no""#)
        == [
          "a.storekit: settings._timeRate 7 is not a time rate that is known here; time runs as without it: say how when you start the store",
          "a.storekit: settings._storefront \"usa\" is not a code of a country such as USA, and ignored",
          "a.storekit: settings._billingGracePeriodEnabled \"no\" is neither true nor false, and ignored",
          "a.storekit: settings._askToBuyEnabled 1 is neither true nor false, and ignored",
        ])
    let settings = try read(#""_timeRate": 7, "_storefront": "usa", "_askToBuyEnabled": 1"#).settings
    #expect(settings.scale == nil && settings.storefront == nil && settings.mood == nil)
  }

  @Test("an unknown time rate is told, and the one for older versions counts where there is one")
  func compatibleRates() throws {
    let instead =
      "a.storekit: settings._timeRate 16 is not a time rate that is known here; _compatibilityTimeRate counts instead, unless the store was started with another rate"
    for older in ["13", #"{"3": 13}"#, #"{"2": 6, "4": 99, "3": 13, "x": 6}"#] {
      let settings = #""_compatibilityTimeRate": \#(older), "_timeRate": 16"#
      #expect(try read(settings).settings.scale == .sandbox, "\(older)")
      #expect(try warnings(settings) == [instead])
      #expect(try read(#""_compatibilityTimeRate": \#(older)"#).settings.scale == .sandbox)
      #expect(try warnings(#""_compatibilityTimeRate": \#(older)"#).isEmpty)
      // A rate that is known needs no other.
      #expect(try read(#""_compatibilityTimeRate": \#(older), "_timeRate": 0"#).settings.scale == .real)
    }
    #expect(try read(#""_compatibilityTimeRate": {"3": 99}, "_timeRate": 16"#).settings.scale == nil)
    #expect(
      try warnings(#""_compatibilityTimeRate": {"3": 99}"#) == [
        "a.storekit: settings._compatibilityTimeRate an object has no time rate that is known here, and ignored"
      ])
  }

  @Test("settings that are not an object change nothing")
  func noObject() throws {
    let text = #"{"identifier": "A", "settings": [], "products": []}"#
    let catalogue = try SandboxCatalogue([("a.storekit", Array(text.utf8))])
    #expect(catalogue.settings.mood == nil && catalogue.warnings.isEmpty)
  }
}
