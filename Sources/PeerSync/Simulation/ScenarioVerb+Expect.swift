import PeerSyncCore

// What a scenario expects.
extension ScenarioVerb {
  static let expectUsage = """
    expect all same digest | expect DEVICE DEVICE differ | expect DEVICE|all LINE until TIME|none, \
    LINE runs START..END, …|none, LINE days N at TIME, ENTITLEMENT active|inactive now|at TIME, \
    CREDIT balance|available|debt N, purchased PRODUCT, …|none, time clock|store|peer, fenced|unfenced, why ENTITLEMENT TEXT, \
    subscription NAME at TIME WORDS, …
    """

  static func expect(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let who = try words.word("a device or `all`")
    let what = try words.word("what is expected")
    let device = who == "all" ? nil : who
    if device == nil, what == "same" {
      try words.require("digest")
      return .expect(.sameDigest)
    }
    switch what {
    case "purchased": return .expect(.answer(device, .purchased(try purchased(&words))))
    case "fenced", "unfenced": return .expect(.answer(device, .fenced(what == "fenced")))
    case "time":
      let source = try words.word("clock, store or peer")
      guard ["clock", "store", "peer"].contains(source) else {
        throw words.unexpected("clock, store or peer", source)
      }
      return .expect(.answer(device, .time(source: source)))
    case "subscription":
      let name = try words.word("a purchase")
      try words.require("at")
      let date = try words.time()
      return .expect(.answer(device, .subscription(name, at: date, try words.list("words of the answer"))))
    case "why":
      let entitlement = try words.word("an entitlement")
      return .expect(.answer(device, .why(entitlement: entitlement, try words.text("words of the proof"))))
    default:
      if let device, words.skip("differ") { return .expect(.differ(device, what)) }
      return .expect(.answer(device, try answer(of: what, &words)))
    }
  }

  /// What is expected of a line, an entitlement or a credit.
  private enum Property: String, CaseIterable {
    case until, runs, days, active, inactive, balance, available, debt

    static var names: String {
      allCases.dropLast().map(\.rawValue).joined(separator: ", ") + " or " + Property.debt.rawValue
    }
  }

  private static func answer(of name: String, _ words: inout ScenarioWords) throws(ScenarioError)
    -> ScenarioAnswer
  {
    let word = try words.word(Property.names)
    guard let property = Property(rawValue: word) else { throw words.unexpected(Property.names, word) }
    switch property {
    case .until: return .until(line: name, try words.timeOrNone())
    case .runs: return .runs(line: name, try runs(&words))
    case .days: return try days(of: name, &words)
    case .active, .inactive:
      if words.skip("now") { return .active(entitlement: name, property == .active, at: nil) }
      try words.require("at")
      return .active(entitlement: name, property == .active, at: try words.time())
    case .balance: return .balance(credit: name, try words.number("a balance", in: 0...Int64.max))
    case .available: return .available(credit: name, try words.number("a number", in: 0...Int64.max))
    case .debt: return .debt(credit: name, try words.number("a debt", in: 0...Int64.max))
    }
  }

  private static func days(of line: String, _ words: inout ScenarioWords) throws(ScenarioError)
    -> ScenarioAnswer
  {
    let days = try words.number("a number of days", in: 0...4_000_000)
    try words.require("at")
    return .days(line: line, Int(days), at: try words.time())
  }

  private static func purchased(_ words: inout ScenarioWords) throws(ScenarioError) -> [String] {
    try words.list("products divided by commas, or none").sortedUniqueNames()
  }

  private static func runs(_ words: inout ScenarioWords) throws(ScenarioError) -> [ScenarioInterval] {
    var runs: [ScenarioInterval] = []
    for text in try words.list("runs divided by commas, or none") {
      let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { Instant(String($0)) }
      guard ends.count == 2, let start = ends[0], let end = ends[1] else {
        throw words.unexpected("a run such as 2026-01-31..2026-04-30", text)
      }
      runs.append(ScenarioInterval(start: start, end: end))
    }
    return runs
  }
}
