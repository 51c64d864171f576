import PeerSyncCore
import PeerSyncSimulation
import TestSupport
import Testing

/// What is not a scenario is refused with its line, and what does not hold with what was seen.
@Suite struct ScenarioParserTests {
  /// The error of the last line of a text, without the file and its usage.
  private func problem(_ text: String) -> String {
    do {
      _ = try Scenario(text, file: "x.txt")
      return "no error"
    } catch {
      #expect(error.file == "x.txt")
      #expect(error.line == text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count)
      return error.bare
    }
  }

  @Test func stepsAreReadLineByLine() throws {
    let text = """
      # a comment

      devices Phone  Tablet # two of them\r
      Phone buys three x2 at 2026-01-31 as jan until 2026-03-01 original first in xcode unverified
      Phone refunds jan at 2026-02-01T12:00:00Z keeping 33.3%
      clock Phone -2h
      expect all line runs 2026-01-31..2026-04-30, 2026-05-01..2026-06-01
      """
    var purchase = ScenarioPurchase(name: "jan", product: "three", quantity: 2, date: instant("2026-01-31"))
    purchase.until = instant("2026-03-01")
    purchase.original = "first"
    purchase.environment = .xcode
    purchase.isUnverified = true
    let runs = [("2026-01-31", "2026-04-30"), ("2026-05-01", "2026-06-01")].map {
      ScenarioInterval(start: instant($0.0), end: instant($0.1))
    }
    let steps = try Scenario(text, file: "x.txt").steps
    #expect(steps.map(\.line) == [3, 4, 5, 6, 7])
    #expect(
      steps.map(\.step) == [
        .devices(["Phone", "Tablet"]), .buys("Phone", purchase),
        .refunds("Phone", purchase: "jan", at: instant("2026-02-01T12:00:00Z"), keeping: 33_300),
        .clock("Phone", offset: -7_200_000), .expect(.answer(nil, .runs(line: "line", runs))),
      ])
    #expect(try Scenario("", file: "x.txt").steps.isEmpty)
  }

  @Test func purchasesByThemselvesAreRead() throws {
    let text = """
      Phone buys m x2 itself at 2026-01-31 as jan
      Phone buys m itself as feb
      Tablet refunds jan itself
      """
    #expect(
      try Scenario(text, file: "x.txt").steps.map(\.step) == [
        .buysItself("Phone", PurchaseOrder("m", quantity: 2, at: instant("2026-01-31")), as: "jan"),
        .buysItself("Phone", PurchaseOrder("m"), as: "feb"), .refundsItself("Tablet", purchase: "jan"),
      ])
    #expect(throws: ScenarioError.self) { try Scenario("Phone buys m itself", file: "x.txt") }
  }

  @Test func subscriptionsAreRead() throws {
    let text = """
      Phone buys m at 2026-01-31 as jan bound shared offer FREE_TRIAL
      Phone unshared jan at 2026-02-01
      Phone upgraded jan at 2026-02-01
      Phone hears TEST of jan at 2026-02-01
      Phone hears DID_RENEW/BILLING_RECOVERY of jan at 2026-02-01 renews off as y due 2026-03-01 retrying \
      grace 2026-03-17 price pending ended other unverified
      expect all subscription jan at 2026-02-01 revoked, 0 days paid
      """
    let date = instant("2026-02-01")
    var purchase = ScenarioPurchase(name: "jan", product: "m", quantity: 1, date: instant("2026-01-31"))
    (purchase.isBound, purchase.isShared, purchase.offer) = (true, true, .freeTrial)
    var news = ScenarioNews(type: "DID_RENEW/BILLING_RECOVERY", purchase: "jan", date: date)
    var renewal = ScenarioRenewal(renews: false)
    (renewal.product, renewal.due, renewal.isRetrying) = ("y", instant("2026-03-01"), true)
    (renewal.grace, renewal.consent, renewal.ended) = (instant("2026-03-17"), .pending, .other)
    (news.renewal, news.isUnverified) = (renewal, true)
    #expect(
      try Scenario(text, file: "x.txt").steps.map(\.step) == [
        .buys("Phone", purchase), .unshared("Phone", purchase: "jan", at: date),
        .upgraded("Phone", purchase: "jan", at: date),
        .hears("Phone", ScenarioNews(type: "TEST", purchase: "jan", date: date)), .hears("Phone", news),
        .expect(.answer(nil, .subscription("jan", at: date, ["revoked", "0 days paid"]))),
      ])
  }

  @Test(arguments: [
    (
      "buy",
      "no verb `buy`: a line begins with a device or one of account, backup, catalogue, clock, copy, crash, cut,"
    ),
    (
      "\nPhone sells x",
      "no verb `sells`: after a device comes one of accepts, agrees, buys, calls, gets, grants, hears, joins, learns,"
    ),
    ("cut Phone", "expected a second device, saw the end of the line"),
    ("settle now", "expected the end of the line, saw `now`"),
    ("environment moon", "expected production, sandbox or xcode, saw `moon`"),
    ("catalogue other", "expected insomniowl, saw `other`"),
    (
      "product p toy",
      "expected one of consumable, nonConsumable, nonRenewingSubscription, autoRenewableSubscription, saw `toy`"
    ),
    ("product p consumable period P", "expected a period such as P3M or P10D, saw `P`"),
    (
      "product p consumable entitlements a,,b", "expected up to 64 entitlements divided by commas, saw `a,,b`"
    ),
    ("product p consumable amount 0", "expected an amount of 1 to 1000000000, saw `0`"),
    ("devices", "expected a device, saw the end of the line"),
    ("devices Phone all", "`all` is a word of scenarios and cannot name a device"),
    ("devices cut", "`cut` is a word of scenarios and cannot name a device"),
    ("copy Phone", "expected `as`, saw the end of the line"),
    ("copy Phone as all", "`all` is a word of scenarios and cannot name a device"),
    ("Phone calls", "expected a device, saw the end of the line"),
    ("clock Phone 5s", "expected an offset such as +10min or -2d, at most 36525d, saw `5s`"),
    ("wait 5", "expected a duration such as 500ms, 90s, 5min, 2h or 3d, at most 30d, saw `5`"),
    ("wait 31d", "expected a duration such as 500ms, 90s, 5min, 2h or 3d, at most 30d, saw `31d`"),
    (
      "wait 99999999999999999999d",
      "expected a duration such as 500ms, 90s, 5min, 2h or 3d, at most 30d, saw `99999999999999999999d`"
    ),
    ("Phone buys p x0 at 2026-01-31 as n", "expected a quantity of x1 to x1000, saw `x0`"),
    ("Phone buys p on 2026-01-31", "expected `at`, saw `on`"),
    ("Phone buys p at today as n", "expected a time such as 2026-01-31 or 2026-01-31T12:00:00Z, saw `today`"),
    (
      "Phone buys p at 2026-02-30 as n",
      "expected a time such as 2026-01-31 or 2026-01-31T12:00:00Z, saw `2026-02-30`"
    ),
    ("Phone gets n as sold", "expected `bought`, saw `sold`"),
    (
      "Phone refunds n at 2026-01-31 keeping 100.001%",
      "expected a percentage such as 50% or 33.333%, saw `100.001%`"
    ),
    ("Phone refunds n at 2026-01-31 keeping 5", "expected a percentage such as 50% or 33.333%, saw `5`"),
    (
      "Phone refunds n at 2026-01-31 keeping 1.2345%",
      "expected a percentage such as 50% or 33.333%, saw `1.2345%`"
    ),
    ("expect", "expected a device or `all`, saw the end of the line"),
    ("expect Phone", "expected what is expected, saw the end of the line"),
    ("expect all same thing", "expected `digest`, saw `thing`"),
    (
      "expect all line",
      "expected until, runs, days, active, inactive, balance, available or debt, saw the end"
    ),
    (
      "expect all line ends",
      "expected until, runs, days, active, inactive, balance, available or debt, saw `ends`"
    ),
    ("expect all line runs 2026-01-31", "expected a run such as 2026-01-31..2026-04-30, saw `2026-01-31`"),
    (
      "expect all line runs 2026-01-31..x",
      "expected a run such as 2026-01-31..2026-04-30, saw `2026-01-31..x`"
    ),
    ("expect all line days -1 at 2026-01-31", "expected a number of days of 0 to 4000000, saw `-1`"),
    ("expect all owls balance many", "expected a balance of 0 to 9223372036854775807, saw `many`"),
    ("expect all purchased a,,b", "expected products divided by commas, or none, saw `a,,b`"),
    ("expect all why club", "expected words of the proof, saw the end of the line"),
    ("expect all subscription jan at 2026-01-31", "expected words of the answer, saw the end of the line"),
    ("Phone hears of jan at 2026-01-31", "expected `renews`"),
    ("Phone hears of jan at 2026-01-31 renews maybe", "expected on or off, saw `maybe`"),
    ("Phone hears NEWS of jan at 2026-01-31", "expected a type such as DID_RENEW or EXPIRED/VOLUNTARY, saw"),
    ("Phone hears EXPIRED/X of jan at 2026-01-31", "expected a type such as DID_RENEW or EXPIRED/VOLUNTARY"),
    ("Phone hears of jan at 2026-01-31 renews on price x", "expected one of pending, accepted, saw `x`"),
    ("Phone hears of jan at 2026-01-31 renews on ended x", "expected one of turnedOff, billingError,"),
    ("Phone buys m at 2026-01-31 as j offer FREE", "expected one of FREE_TRIAL, PAY_AS_YOU_GO,"),
    ("product m consumable level 0", "expected a level of 1 to 10000, saw `0`"),
    (String(repeating: "x", count: 256), "a word is longer than 255 bytes"),
  ])
  func whatIsNoStepIsAnError(_ text: String, _ expected: String) {
    #expect(problem(text).hasPrefix(expected), "\(problem(text))")
  }

  @Test func aSlipShowsHowTheLineIsWritten() throws {
    let error = try #require(throws: ScenarioError.self) { try Scenario("cut Phone", file: "x.txt") }
    #expect(
      error.description
        == "x.txt:1: expected a second device, saw the end of the line; usage: cut DEVICE DEVICE")
  }

  // MARK: Running

  private func failure(_ text: String) async throws -> String {
    let scenario = try Scenario("catalogue insomniowl\ndevices Phone Tablet\n" + text, file: "x.txt")
    do {
      try await ScenarioRunner.run(scenario, seed: 1)
      return "no error"
    } catch { return error.description }
  }

  @Test(arguments: [
    ("cut Phone Mac", "x.txt:3: no device `Mac`: `devices` names them"),
    ("restore Phone", "x.txt:3: there is no backup of Phone: `backup Phone` comes first"),
    ("copy Mac as Twin", "x.txt:3: no device `Mac`: `devices` names them"),
    ("copy Phone as Tablet", "x.txt:3: there is a device `Tablet` already"),
    ("crash Phone\ncopy Phone as Twin", "x.txt:4: Phone is not running: `start Phone` comes first"),
    ("Phone calls Mac", "x.txt:3: no device `Mac`: `devices` names them"),
    ("expect all fenced", "x.txt:3: expected Phone: is fenced, saw unfenced"),
    ("cut Phone Phone", "x.txt:3: a link has two ends, not Phone twice"),
    ("devices Phone", "x.txt:3: there is a device `Phone` already"),
    ("environment xcode", "x.txt:3: the environment comes before the devices"),
    ("start Phone", "x.txt:3: Phone is running already"),
    ("crash Phone\ncrash Phone", "x.txt:4: Phone is not running: `start Phone` comes first"),
    ("crash Phone\nPhone gets x", "x.txt:4: Phone is not running: `start Phone` comes first"),
    ("Phone gets x", "x.txt:3: no purchase `x`: `buys` names it"),
    ("Phone learns x", "x.txt:3: no product `x`: `product` or `catalogue` states it"),
    (
      "Phone buys NightOwl at 2026-01-31 as x\nTablet buys NightOwl at 2026-01-31 as x",
      "x.txt:4: there is a purchase `x` already"
    ),
    ("expect Mac purchased none", "x.txt:3: no device `Mac`: `devices` names them"),
    (
      "expect Phone Tablet differ",
      "x.txt:3: expected Phone and Tablet to differ, saw Phone at 0, Tablet at 0"
    ),
    (
      "expect all random-owls until 2026-01-31",
      "x.txt:3: expected Phone: random-owls until 2026-01-31, saw until none"
    ),
    (
      "expect all random-owls runs 2026-01-31..2026-02-01",
      "x.txt:3: expected Phone: random-owls 2026-01-31..2026-02-01, saw none"
    ),
    (
      "expect Tablet random-owls active at 2026-01-31",
      "x.txt:3: expected Tablet: random-owls active at 2026-01-31, saw inactive at 2026-01-31"
    ),
    (
      "expect Tablet random-owls days 1 at 2026-01-31",
      "x.txt:3: expected Tablet: random-owls 1 days at 2026-01-31, saw 0 days at 2026-01-31"
    ),
    ("expect Tablet owls balance 5", "x.txt:3: expected Tablet: owls balance 5, saw balance 0"),
    ("expect Tablet purchased NightOwl", "x.txt:3: expected Tablet: purchased NightOwl, saw none"),
    (
      "expect Tablet why random-owls spring",
      "x.txt:3: expected Tablet: why random-owls spring, saw inactive because nothing bought or granted gives it now"
    ),
  ])
  func whatDoesNotHoldIsAnError(_ text: String, _ expected: String) async throws {
    let seen = try await failure(text).replacing(#/ at [0-9a-f]{8}/#, with: " at 0")
    #expect(seen == expected)
  }

  @Test func devicesThatDifferAreNamed() async throws {
    let seen = try await failure("cut Phone Tablet\nPhone grants club\nexpect all same digest")
    #expect(seen.hasPrefix("x.txt:5: expected all devices to have one digest, saw Phone at "))
  }

  @Test func devicesThatCannotSettleAreNamed() async throws {
    // A grant stamped a day ahead is held back for longer than anyone waits.
    let seen = try await failure("clock Tablet +1d\nTablet grants club\nsettle")
    #expect(seen.hasPrefix("x.txt:5: expected devices that can reach each other to agree, saw Phone at "))
  }

  /// What would hold whatever happens.
  @Test(arguments: [
    ("", "x.txt:1: the story expects nothing: end it with a line such as `expect all same digest`"),
    ("devices A\n\nA grants x\n\n", "x.txt:3: the story expects nothing"),
    ("devices A\nA buys p at 2026-01-01 as n\nproduct p consumable", "x.txt:2: no product `p`"),
    ("devices A\nA buys p in the store", "x.txt:2: no product `p`"),
    ("devices A\nA learns p", "x.txt:2: no product `p`"),
    ("product q consumable\nA hears of n at 2026-01-01 renews on as p", "x.txt:2: no product `p`"),
    ("expect all purchased p", "x.txt:1: no product `p`"),
    ("expect all owl until none", "x.txt:1: no line, entitlement or credit `owl`: no step before names it"),
  ])
  func aStoryWithoutSenseIsAnError(_ text: String, _ expected: String) throws {
    let story = try Scenario(text, file: "x.txt")
    let error = #expect(throws: ScenarioError.self) { try story.requireSense() }
    #expect(error?.description.hasPrefix(expected) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    "product p consumable line l entitlements e credit c\ndevices A\nA buys p at 2026-01-01 as n\nexpect A e active now",
    "devices A\nA spends c 1 as x refused", "devices A\nA restores 0 from the store 0 from peers",
    "devices A\nA grants e\nexpect A e active now", "devices A\nA revokes e\nexpect A why e x",
    "devices A\nA sets l to none\nexpect A l until none",
  ])
  func whatIsNamedAndExpectedMakesSense(_ text: String) throws {
    try Scenario(text, file: "x.txt").requireSense()
  }

  // MARK: Any text

  /// Words that mean something, thrown together, and bytes that do not: read or refused, and never a trap.
  @Test func anyTextIsReadOrRefused() async {
    let words = [
      "devices", "Phone", "Tablet", "all", "cut", "mend", "offline", "crash", "start", "clock", "+10min",
      "wait", "5s",
      "settle", "expect", "same", "digest", "differ", "buys", "NightOwl", "x2", "at", "2026-01-31", "as", "n",
      "gets",
      "refunds", "keeping", "50%", "reverses", "sets", "to", "none", "grants", "revokes", "joins", "learns",
      "until",
      "runs", "2026-01-31..2026-02-28", ",", "why", "catalogue", "insomniowl", "\n", "\r\n", "#", "\u{0}",
      "é", "..", "hears", "of", "renews", "on", "off", "due", "grace", "ended", "subscription", "unshared",
      "%", "-", "+", "x", "9999999999999999999999", "random-owls", "active", "days", "1", "🦉",
    ]
    var random = RandomState(seed: 7)
    var ran = 0
    for _ in 0..<3_000 {
      let count = Int(random.next() % 12)
      let text = (0..<count).map { _ in words[Int(random.next() % UInt64(words.count))] }.joined(
        separator: " ")
      guard let scenario = try? Scenario(text, file: "x.txt") else { continue }
      ran += 1
      if ran < 300 { _ = try? await ScenarioRunner.run(scenario, seed: 1) }
    }
    #expect(ran > 50)
  }
}

extension ScenarioParserTests {
  @Test(
    "what a line lacks is told in Korean as well",
    arguments: [
      ("cut Phone", "x.txt:1: 필요한 것: 두 번째 기기, 실제: 줄의 끝"),
      ("Phone buys", "x.txt:1: 필요한 것: 상품, 실제: 줄의 끝"),
      ("Phone buys p at 2026 as p1", "필요한 것: 시각(예: 2026-01-31, 2026-01-31T12:00:00Z), 실제: ‘2026’"),
      ("Phone buys p x0 as p1 at 2026-01-01", "필요한 것: 수량(x1~x1000), 실제: ‘x0’"),
      ("environment moon", "필요한 것: ‘production, sandbox, xcode’ 가운데 하나, 실제: ‘moon’"),
    ])
  func inKorean(line: String, told: String) {
    do throws(ScenarioError) { _ = try Scenario("devices Phone\n" + line, file: "x.txt") } catch {
      return #expect(error.inKorean.contains(told.replacing("x.txt:1", with: "x.txt:2")), "\(error.inKorean)")
    }
    Issue.record("\(line) is a line")
  }
}

extension ScenarioError {
  /// What is wrong without its usage. In Korean it says so as well.
  var bare: String {
    #expect(problem.inKorean.hasHangul && !problem.inKorean.isEnglish, "\(inKorean)")
    return problem.description.split(separator: "; usage: ").first.map(String.init) ?? ""
  }
}
