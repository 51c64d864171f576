import PeerSyncCore
import PeerSyncSandbox

// What happens in the sandbox store: what `peerd store` can make happen, in the words of stories.
extension ScenarioVerb {
  /// The words behind `store`.
  static let ofStore: [String: ScenarioVerb] = [
    "advances": ScenarioVerb(usage: "store advances PERIOD|DURATION", parse: advances),
    "lets": ScenarioVerb(
      usage: "store lets purchases succeed|ask|cancel|fail [of ACCOUNT] [once]", parse: lets),
    "approves": ScenarioVerb(usage: "store approves [NAME] [failed]", parse: approves),
    "declines": ScenarioVerb(
      usage: "store declines [NAME]",
      parse: { w throws(ScenarioError) in try demand(.decline, w.isEmpty ? nil : w.word("a purchase")) }),
    "refunds": ScenarioVerb(usage: "store refunds NAME [keeping P%]", parse: refundsInStore),
    "reverses": ScenarioVerb(
      usage: "store reverses NAME",
      parse: { w throws(ScenarioError) in try demand(.reverseRefund, w.word("a purchase")) }),
    "turns": ScenarioVerb(usage: "store turns on|off NAME", parse: turns),
    "raises": ScenarioVerb(usage: "store raises PRODUCT to PRICE [with consent]", parse: raises),
    "fails": ScenarioVerb(
      usage: "store fails billing [of ACCOUNT]",
      parse: { w throws(ScenarioError) in try billing(.failBilling, &w) }),
    "fixes": ScenarioVerb(
      usage: "store fixes billing [of ACCOUNT]",
      parse: { w throws(ScenarioError) in try billing(.fixBilling, &w) }),
    "gives": ScenarioVerb(usage: "store gives grace|no grace", parse: gives),
    "shares": ScenarioVerb(usage: "store shares FAMILY with ACCOUNT", parse: shares),
    "unshares": ScenarioVerb(
      usage: "store unshares ACCOUNT",
      parse: { w throws(ScenarioError) in try demand(.unshare, w.word("an account")) }),
    "withdraws": ScenarioVerb(
      usage: "store withdraws PRODUCT",
      parse: { w throws(ScenarioError) in try demand(.withdraw, w.word("a product")) }),
    "redeems": ScenarioVerb(
      usage: "store redeems CODE [of ACCOUNT] [pending|cancelled|failed]", parse: redeems),
    "offers": ScenarioVerb(
      usage: "store offers PRODUCT",
      parse: { w throws(ScenarioError) in try demand(.offer, w.word("a product")) }),
  ]

  static func store(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    guard !words.isEmpty else { return .store }
    let word = try words.word("a verb")
    guard let verb = ofStore[word] else {
      throw words.failure(
        "no verb `\(word)`: after `store` comes one of \(names(ofStore)), or nothing",
        "‘\(word)’ 명령이 없습니다. `store` 뒤에는 다음 가운데 하나를 쓰거나 아무것도 쓰지 않습니다: ‘\(names(ofStore))’")
    }
    return try verb.read(&words)
  }

  static func account(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let account = try words.word("an account")
    try words.require("of")
    var devices: [String] = []
    repeat { devices.append(try words.word("a device")) } while !words.isEmpty
    return .account(account, devices: devices)
  }

  // MARK: Devices

  /// What follows `DEVICE buys PRODUCT [xN] in`.
  static func order(_ product: String, _ quantity: Int, _ words: inout ScenarioWords) throws(ScenarioError)
    -> ScenarioStep
  {
    try words.require("the")
    try words.require("store")
    var order = ScenarioOrder(product: product, quantity: quantity)
    order.offer = try words.option("with", "an offer")
    order.name = try words.option("as", "a name")
    order.outcome = try outcome(&words)
    return .orders(words.subject, order)
  }

  /// What must come of a purchase; the end of the line: it must go through.
  private static func outcome(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioOrder.Outcome {
    guard !words.isEmpty else { return .purchased }
    let word = try words.word("an outcome")
    guard let outcome = ScenarioOrder.Outcome(rawValue: word), outcome != .purchased else {
      throw words.unexpected("pending, cancelled or failed", word)
    }
    return outcome
  }

  static func agrees(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    try words.require("to")
    return .demands(SandboxDemand(.agree, subject: try words.word("a purchase")), by: words.subject)
  }

  static func refuses(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    .demands(SandboxDemand(.refuse, subject: try words.word("a purchase")), by: words.subject)
  }

  static func restores(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    guard !words.isEmpty else { return .restores(words.subject, nil) }
    let fromStore = try words.number("a number", in: 0...Int64(Limits.sandboxTransactions))
    try words.require("from")
    try words.require("the")
    try words.require("store")
    let fromPeers = try words.number("a number", in: 0...Int64(Limits.sandboxTransactions))
    try words.require("from")
    try words.require("peers")
    return .restores(
      words.subject, ScenarioRestored(fromStore: Int(fromStore), fromPeers: Int(fromPeers)))
  }

  // MARK: The store

  private static func demand(_ verb: SandboxVerb, _ subject: String?) -> ScenarioStep {
    .demands(SandboxDemand(verb, subject: subject), by: nil)
  }

  private static func advances(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    var demand = SandboxDemand(.advance)
    demand.step = try words.clockStep()
    return .demands(demand, by: nil)
  }

  private static func lets(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    try words.require("purchases")
    let word = try words.word("an outcome")
    guard SandboxMood(rawValue: word) != nil else {
      throw words.unexpected("succeed, ask, cancel or fail", word)
    }
    var demand = SandboxDemand(.purchases, subject: word)
    demand.account = try words.option("of", "an account")
    demand.flag = words.skip("once")
    return .demands(demand, by: nil)
  }

  /// The store's refunds are in whole per cent.
  private static func refundsInStore(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    var demand = SandboxDemand(.refund, subject: try words.word("a purchase"))
    if words.skip("keeping") {
      let word = try words.word("a percentage")
      guard word.last == "%", let kept = Int(word.dropLast()), (0...99).contains(kept) else {
        throw words.unexpected("a whole percentage of 0% to 99%", word)
      }
      demand.percent = 100 - kept
    }
    return .demands(demand, by: nil)
  }

  private static func turns(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let word = try words.word("on or off")
    guard word == "on" || word == "off" else { throw words.unexpected("on or off", word) }
    return demand(word == "on" ? .turnOn : .turnOff, try words.word("a purchase"))
  }

  private static func raises(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    var demand = SandboxDemand(.raisePrice, subject: try words.word("a product"))
    try words.require("to")
    let price = try words.word("a price")
    guard Price.milliunits(price) != nil else { throw words.unexpected("a price such as 4.99", price) }
    demand.value = price
    if words.skip("with") {
      try words.require("consent")
      demand.flag = true
    }
    return .demands(demand, by: nil)
  }

  private static func redeems(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    var demand = SandboxDemand(.redeem, subject: try words.word("a code"))
    demand.account = try words.option("of", "an account")
    return .demands(demand, by: nil, outcome: try outcome(&words))
  }

  private static func approves(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    if words.skip("failed") { return .demands(SandboxDemand(.approve), by: nil, outcome: .failed) }
    let demand = SandboxDemand(.approve, subject: words.isEmpty ? nil : try words.word("a purchase"))
    return .demands(demand, by: nil, outcome: words.skip("failed") ? .failed : .purchased)
  }

  private static func billing(_ verb: SandboxVerb, _ words: inout ScenarioWords) throws(ScenarioError)
    -> ScenarioStep
  {
    try words.require("billing")
    return demand(verb, try words.option("of", "an account"))
  }

  private static func gives(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let isOff = words.skip("no")
    try words.require("grace")
    return demand(.grace, isOff ? "off" : "on")
  }

  private static func shares(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    var demand = SandboxDemand(.share, subject: try words.word("a family"))
    try words.require("with")
    demand.value = try words.word("an account")
    return .demands(demand, by: nil)
  }
}

extension ScenarioWords {
  /// By how much the store's clock is set on: a period of the calendar, or a duration.
  fileprivate mutating func clockStep() throws(ScenarioError) -> SandboxStep {
    var rest = self
    let word = try rest.word("a period or a duration")
    let step =
      if let period = Period(word) {
        SandboxStep(months: period.months, days: period.days, milliseconds: 0)
      } else {
        (try? duration(atMost: Int64(Limits.periodDays))).flatMap {
          SandboxStep(months: 0, days: 0, milliseconds: Int64(clamping: $0))
        }
      }
    guard let step else { throw unexpected("a period or a duration such as P1M, 2h or 3d", word) }
    self = rest
    return step
  }
}
