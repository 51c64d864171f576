import PeerSyncCore

/// One word that begins a step, or follows the device that takes it, and how the rest of the line is read.
struct ScenarioVerb: Sendable {
  let usage: String
  let parse: @Sendable (inout ScenarioWords) throws(ScenarioError) -> ScenarioStep

  /// Lines that begin with their verb.
  static let ofScenario: [String: ScenarioVerb] = [
    "environment": ScenarioVerb(usage: "environment production|sandbox|xcode", parse: environment),
    "catalogue": ScenarioVerb(usage: "catalogue insomniowl", parse: catalogue),
    "product": ScenarioVerb(
      usage:
        "product ID TYPE [line LINE] [period PERIOD] [entitlements ID,ID] [credit ID] [amount N] [level N] "
        + "[group ID] [price PRICE]",
      parse: product),
    "offer": ScenarioVerb(usage: offerUsage, parse: offer),
    "store": ScenarioVerb(usage: "store [VERB …]", parse: store),
    "account": ScenarioVerb(usage: "account ID of DEVICE…", parse: account),
    "devices": ScenarioVerb(usage: "devices NAME…", parse: devices),
    "offline": ScenarioVerb(usage: "offline DEVICE", parse: offline),
    "online": ScenarioVerb(usage: "online DEVICE", parse: online),
    "crash": ScenarioVerb(usage: "crash DEVICE", parse: crash),
    "start": ScenarioVerb(usage: "start DEVICE", parse: start),
    "clock": ScenarioVerb(usage: "clock DEVICE +DURATION|-DURATION", parse: clock),
    "backup": ScenarioVerb(
      usage: "backup DEVICE", parse: { w throws(ScenarioError) in .backup(try w.word("a device")) }),
    "restore": ScenarioVerb(
      usage: "restore DEVICE [unnoticed]",
      parse: { w throws(ScenarioError) in
        .restore(try w.word("a device"), isNoticed: !w.skip("unnoticed"))
      }),
    "copy": ScenarioVerb(usage: "copy DEVICE as NAME", parse: copy),
    "wait": ScenarioVerb(usage: "wait DURATION", parse: wait),
    "settle": ScenarioVerb(usage: "settle", parse: { _ in .settle }),
    "expect": ScenarioVerb(usage: expectUsage, parse: expect),
  ].merging(ofLinks) { first, _ in first }

  /// Lines that begin with a device.
  static let ofDevice: [String: ScenarioVerb] = [
    "joins": ScenarioVerb(usage: "DEVICE joins DEVICE", parse: joins),
    "calls": ScenarioVerb(
      usage: "DEVICE calls DEVICE",
      parse: { w throws(ScenarioError) in .calls(w.subject, try w.word("a device")) }),
    "learns": ScenarioVerb(usage: "DEVICE learns PRODUCT", parse: learns),
    "buys": ScenarioVerb(
      usage:
        "DEVICE buys PRODUCT [xN] at TIME as NAME [until TIME] [original NAME] [in ENVIRONMENT] [unverified] "
        + "[unmarked] [bound] [shared] [offer PAYMENT] | DEVICE buys PRODUCT [xN] in the store [with OFFER] "
        + "[as NAME] [pending|cancelled|failed] | DEVICE buys PRODUCT [xN] itself [at TIME] as NAME",
      parse: buys),
    "restores": ScenarioVerb(
      usage: "DEVICE restores [N from the store N from peers]", parse: restores),
    "agrees": ScenarioVerb(usage: "DEVICE agrees to NAME", parse: agrees),
    "refuses": ScenarioVerb(usage: "DEVICE refuses NAME", parse: refuses),
    "gets": ScenarioVerb(usage: "DEVICE gets NAME [as bought]", parse: gets),
    "refunds": ScenarioVerb(
      usage: "DEVICE refunds NAME at TIME [keeping P%] | DEVICE refunds NAME itself", parse: refunds),
    "unshared": ScenarioVerb(usage: "DEVICE unshared NAME at TIME", parse: unshared),
    "upgraded": ScenarioVerb(usage: "DEVICE upgraded NAME at TIME", parse: upgraded),
    "hears": ScenarioVerb(usage: hearsUsage, parse: hears),
    "reverses": ScenarioVerb(usage: "DEVICE reverses NAME at TIME", parse: reverses),
    "spends": ScenarioVerb(
      usage: "DEVICE spends CREDIT N as ID [refused [none|WHO HOLDS THE REST]]", parse: spends),
    "reclaims": ScenarioVerb(usage: "DEVICE reclaims CREDIT [from lost]", parse: reclaims),
    "accepts": ScenarioVerb(
      usage: "DEVICE accepts its clock",
      parse: { w throws(ScenarioError) in
        try w.require("its")
        try w.require("clock")
        return .accepts(w.subject)
      }),
    "removes": ScenarioVerb(
      usage: "DEVICE removes DEVICE [with its key] [taking back all|the last DURATION]", parse: removes),
    "sets": ScenarioVerb(usage: "DEVICE sets LINE to TIME|none", parse: sets),
    "grants": ScenarioVerb(usage: "DEVICE grants ENTITLEMENT [until TIME]", parse: grants),
    "revokes": ScenarioVerb(usage: "DEVICE revokes ENTITLEMENT", parse: revokes),
  ]

  /// Reads a line that is not empty.
  static func step(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let first = try words.word("a verb or a device")
    if let verb = ofScenario[first] { return try verb.read(&words) }
    words.subject = first
    guard let second = try? words.word("a verb") else {
      throw words.failure(
        "no verb `\(first)`: a line begins with a device or one of \(names(ofScenario))",
        "‘\(first)’ 명령이 없습니다. 줄은 기기나 다음 가운데 하나로 시작합니다: ‘\(names(ofScenario))’")
    }
    guard let verb = ofDevice[second] else {
      throw words.failure(
        "no verb `\(second)`: after a device comes one of \(names(ofDevice))",
        "‘\(second)’ 명령이 없습니다. 기기 뒤에는 다음 가운데 하나를 씁니다: ‘\(names(ofDevice))’")
    }
    return try verb.read(&words)
  }

  func read(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    words.usage = usage
    let step = try parse(&words)
    try words.requireEnd()
    return step
  }

  static func names(_ table: [String: ScenarioVerb]) -> String {
    table.keys.sorted().joined(separator: ", ")
  }
}

// MARK: - What there is

extension ScenarioVerb {
  private static func environment(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .environment(try readEnvironment(&words))
  }

  private static func readEnvironment(_ words: inout ScenarioWords) throws(ScenarioError) -> Environment {
    let word = try words.word("an environment")
    guard let environment = Environment(rawValue: word) else {
      throw words.unexpected("production, sandbox or xcode", word)
    }
    return environment
  }

  private static func catalogue(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let name = try words.word("a catalogue")
    guard name == "insomniowl" else { throw words.unexpected("insomniowl", name) }
    return .products(Scenario.insomniOwl)
  }

  private static func product(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let id = try words.word("a product id")
    let name = try words.word("a type")
    guard let type = ProductType(rawValue: name) else {
      throw words.unexpected("one of " + ProductType.allCases.map(\.rawValue).joined(separator: ", "), name)
    }
    var product = Product(id: id, type: type)
    product.line = try words.option("line", "a line")
    product.period = try period(&words)
    product.entitlements = try entitlements(&words)
    product.credit = try words.option("credit", "a credit")
    if words.skip("amount") {
      product.amount = Int(try words.number("an amount", in: 1...Int64(Limits.creditAmount)))
    }
    if words.skip("level") {
      product.level = Int(try words.number("a level", in: 1...Int64(Limits.products)))
    }
    product.subscriptionGroup = try words.option("group", "a group")
    if words.skip("price") { product.price = Price.text(try words.price()) }
    if words.skip("from") { product.from = try words.time() }
    return .products([product])
  }

  private static func period(_ words: inout ScenarioWords) throws(ScenarioError) -> Period? {
    words.skip("period") ? try words.period() : nil
  }

  private static func entitlements(_ words: inout ScenarioWords) throws(ScenarioError) -> [String] {
    guard let text = try words.option("entitlements", "entitlements") else { return [] }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.count <= Limits.entitlementsPerProduct, names.allSatisfy({ !$0.isEmpty }) else {
      throw words.unexpected("up to \(Limits.entitlementsPerProduct) entitlements divided by commas", text)
    }
    return names.sortedUniqueNames()
  }

  private static func devices(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    var names: [String] = []
    repeat { names.append(try newDevice(&words)) } while !words.isEmpty
    return .devices(names)
  }

  private static func newDevice(_ words: inout ScenarioWords) throws(ScenarioError) -> String {
    let name = try words.word("a device")
    guard ofScenario[name] == nil, name != "all" else {
      throw words.failure(
        "`\(name)` is a word of scenarios and cannot name a device",
        "‘\(name)’ 낱말은 스토리에서 따로 쓰여 기기 이름으로 쓸 수 없습니다")
    }
    return name
  }
}

// MARK: - What happens to devices

extension ScenarioVerb {
  private static func offline(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .offline(try words.word("a device"))
  }

  private static func online(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .online(try words.word("a device"))
  }

  private static func crash(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .crash(try words.word("a device"))
  }

  private static func start(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .start(try words.word("a device"))
  }

  private static func clock(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .clock(try words.word("a device"), offset: try words.offset(atMost: 36_525))
  }

  private static func copy(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let device = try words.word("a device")
    try words.require("as")
    return .copy(device, name: try newDevice(&words))
  }

  private static func wait(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .wait(try words.duration(atMost: 30))
  }
}

// MARK: - What devices do

extension ScenarioVerb {
  private static func joins(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .joins(words.subject, host: try words.word("a device"))
  }

  private static func learns(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .learns(words.subject, product: try words.word("a product"))
  }

  private static func buys(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let product = try words.word("a product")
    let quantity = try words.quantity()
    if words.skip("in") { return try order(product, quantity, &words) }
    if words.skip("itself") { return try buysItself(product, quantity, &words) }
    try words.require("at")
    let date = try words.time()
    try words.require("as")
    let name = try words.word("a name")
    var purchase = ScenarioPurchase(name: name, product: product, quantity: quantity, date: date)
    purchase.until = try words.optionalTime("until")
    purchase.original = try words.option("original", "a name")
    if words.skip("in") { purchase.environment = try readEnvironment(&words) }
    purchase.isUnverified = words.skip("unverified")
    purchase.isUnmarked = words.skip("unmarked")
    purchase.isBound = words.skip("bound")
    purchase.isShared = words.skip("shared")
    if words.skip("offer") { purchase.offer = try payment(&words) }
    return .buys(words.subject, purchase)
  }

  private static func buysItself(
    _ product: String, _ quantity: Int, _ words: inout ScenarioWords
  ) throws(ScenarioError) -> ScenarioStep {
    let date = try words.optionalTime("at")
    try words.require("as")
    let order = PurchaseOrder(product, quantity: quantity, at: date)
    return .buysItself(words.subject, order, as: try words.word("a name"))
  }

  private static func gets(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let name = try words.word("a purchase")
    guard words.skip("as") else { return .gets(words.subject, purchase: name, asBought: false) }
    try words.require("bought")
    return .gets(words.subject, purchase: name, asBought: true)
  }

  private static func refunds(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let name = try words.word("a purchase")
    if words.skip("itself") { return .refundsItself(words.subject, purchase: name) }
    try words.require("at")
    let date = try words.time()
    let keeping = words.skip("keeping") ? try words.percentage() : nil
    return .refunds(words.subject, purchase: name, at: date, keeping: keeping)
  }

  private static func reverses(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let name = try words.word("a purchase")
    try words.require("at")
    return .reverses(words.subject, purchase: name, at: try words.time())
  }

  private static func spends(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let credit = try words.word("a credit")
    let amount = try words.number("an amount", in: 1...Limits.creditTotal)
    try words.require("as")
    let spending = Spending(credit: credit, amount: amount, id: try words.word("an id"))
    guard words.skip("refused") else { return .spends(words.subject, spending, refused: nil) }
    let holders = words.isEmpty ? nil : try words.list("who holds the rest, or none")
    return .spends(words.subject, spending, refused: ScenarioRefusal(holders: holders))
  }

  private static func reclaims(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let credit = try words.word("a credit")
    let fromLost = words.skip("from")
    if fromLost { try words.require("lost") }
    return .reclaims(words.subject, credit: credit, fromLost: fromLost)
  }

  private static func removes(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let other = try words.word("a device")
    let byKey = words.skip("with")
    if byKey { for word in ["its", "key"] { try words.require(word) } }
    guard words.skip("taking") else { return .removes(words.subject, other, byRecoveryKey: byKey, .nothing) }
    try words.require("back")
    if words.skip("all") { return .removes(words.subject, other, byRecoveryKey: byKey, .everything) }
    for word in ["the", "last"] { try words.require(word) }
    return .removes(
      words.subject, other, byRecoveryKey: byKey, .last(Int64(clamping: try words.duration(atMost: 30))))
  }

  private static func sets(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let line = try words.word("a line")
    try words.require("to")
    return .sets(words.subject, line: line, to: try words.timeOrNone())
  }

  private static func grants(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .grants(
      words.subject, entitlement: try words.word("an entitlement"), until: try words.optionalTime("until"))
  }

  private static func revokes(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .revokes(words.subject, entitlement: try words.word("an entitlement"))
  }
}
