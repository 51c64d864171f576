import PeerSyncCore
import PeerSyncSandbox
import PeerSyncSimulation
import Testing

/// Stories that use the sandbox store: how their lines are read, and what is said when they do not hold.
@Suite struct ScenarioStoreTests {
  private func problem(_ line: String) -> String {
    do {
      _ = try Scenario(line, file: "x.txt")
      return "no error"
    } catch { return error.bare }
  }

  private func demand(_ verb: SandboxVerb, _ subject: String? = nil, by device: String? = nil) -> ScenarioStep
  {
    .demands(SandboxDemand(verb, subject: subject), by: device)
  }

  @Test func purchasesAreRead() throws {
    let text = """
      store
      account ann@example.com of Phone Tablet
      Phone buys p in the store
      Phone buys p x3 in the store as n pending
      Phone buys p in the store failed
      Phone buys p in the store with x as n
      Phone restores
      Phone restores 2 from the store 1 from peers
      Phone agrees to n
      Phone refuses n
      product p autoRenewableSubscription period P1M level 2 group plans
      """
    var (named, failed) = (ScenarioOrder(product: "p", quantity: 3), ScenarioOrder(product: "p"))
    (named.name, named.outcome) = ("n", .pending)
    failed.outcome = .failed
    var reduced = ScenarioOrder(product: "p")
    (reduced.offer, reduced.name) = ("x", "n")
    var product = Product(id: "p", type: .autoRenewableSubscription, period: Period("P1M"))
    (product.level, product.subscriptionGroup) = (2, "plans")
    #expect(
      try Scenario(text, file: "x.txt").steps.map(\.step) == [
        .store, .account("ann@example.com", devices: ["Phone", "Tablet"]),
        .orders("Phone", ScenarioOrder(product: "p")), .orders("Phone", named), .orders("Phone", failed),
        .orders("Phone", reduced),
        .restores("Phone", nil), .restores("Phone", ScenarioRestored(fromStore: 2, fromPeers: 1)),
        demand(.agree, "n", by: "Phone"), demand(.refuse, "n", by: "Phone"), .products([product]),
      ])
  }

  @Test func whatHappensInTheStoreIsRead() throws {
    let text = """
      store advances P1M10D
      store advances 2h
      store lets purchases ask
      store lets purchases fail of ann@example.com once
      store approves
      store declines n
      store refunds n
      store refunds n keeping 30%
      store reverses n
      store turns off n
      store turns on n
      store raises p to 4.99
      store raises p to 4.99 with consent
      store fails billing
      store fixes billing of ann@example.com
      store gives no grace
      store gives grace
      store shares owls with ann@example.com
      store unshares ann@example.com
      store withdraws p
      store offers p
      store redeems x
      store redeems x of ann@example.com
      store redeems x pending
      store approves n
      store approves n failed
      store approves failed
      """
    func step(_ verb: SandboxVerb, _ subject: String? = nil, _ change: (inout SandboxDemand) -> Void)
      -> ScenarioStep
    {
      var demand = SandboxDemand(verb, subject: subject)
      change(&demand)
      return .demands(demand, by: nil)
    }
    let ann = "ann@example.com"
    #expect(
      try Scenario(text, file: "x.txt").steps.map(\.step) == [
        step(.advance) { $0.step = SandboxStep(months: 1, days: 10, milliseconds: 0) },
        step(.advance) { $0.step = SandboxStep(months: 0, days: 0, milliseconds: 7_200_000) },
        step(.purchases, "ask") { $0.flag = false },
        step(.purchases, "fail") { ($0.account, $0.flag) = (ann, true) },
        demand(.approve), demand(.decline, "n"), demand(.refund, "n"),
        step(.refund, "n") { $0.percent = 70 }, demand(.reverseRefund, "n"), demand(.turnOff, "n"),
        demand(.turnOn, "n"), step(.raisePrice, "p") { $0.value = "4.99" },
        step(.raisePrice, "p") { ($0.value, $0.flag) = ("4.99", true) }, demand(.failBilling),
        demand(.fixBilling, ann), demand(.grace, "off"), demand(.grace, "on"),
        step(.share, "owls") { $0.value = ann }, demand(.unshare, ann), demand(.withdraw, "p"),
        demand(.offer, "p"), demand(.redeem, "x"), step(.redeem, "x") { $0.account = ann },
        .demands(SandboxDemand(.redeem, subject: "x"), by: nil, outcome: .pending), demand(.approve, "n"),
        .demands(SandboxDemand(.approve, subject: "n"), by: nil, outcome: .failed),
        .demands(SandboxDemand(.approve), by: nil, outcome: .failed),
      ])
  }

  @Test func offersAreRead() throws {
    let text = """
      offer introductory of p FREE_TRIAL
      offer promotional of p as x PAY_AS_YOU_GO periods 3 price 0.49
      offer code of p as y PAY_UP_FRONT for new,expired
      offer winBack of p as z FREE_TRIAL after P2M
      """
    var offers = [
      ScenarioOffer(.introductory, of: "p", id: nil, .freeTrial),
      ScenarioOffer(.promotional, of: "p", id: "x", .payAsYouGo),
      ScenarioOffer(.code, of: "p", id: "y", .payUpFront),
      ScenarioOffer(.winBack, of: "p", id: "z", .freeTrial),
    ]
    (offers[1].periods, offers[1].price, offers[2].customers) = (3, 490, [.new, .expired])
    offers[3].wait = Period("P2M")
    #expect(try Scenario(text, file: "x.txt").steps.map(\.step) == offers.map { .offer($0) })
  }

  @Test(arguments: [
    ("store sells", "no verb `sells`: after `store` comes one of advances, approves, declines, fails,"),
    ("store advances", "expected a period or a duration, saw the end of the line"),
    ("store advances soon", "expected a period or a duration such as P1M, 2h or 3d, saw `soon`"),
    ("store advances 0s", "expected a period or a duration such as P1M, 2h or 3d, saw `0s`"),
    ("store advances 999999d", "expected a period or a duration such as P1M, 2h or 3d, saw"),
    ("store advances P1M again", "expected the end of the line, saw `again`"),
    ("store lets go", "expected `purchases`, saw `go`"),
    ("store lets purchases wait", "expected succeed, ask, cancel or fail, saw `wait`"),
    ("store lets purchases ask of", "expected an account, saw the end of the line"),
    ("store refunds", "expected a purchase, saw the end of the line"),
    ("store refunds n keeping 33.3%", "expected a whole percentage of 0% to 99%, saw `33.3%`"),
    ("store refunds n keeping 100%", "expected a whole percentage of 0% to 99%, saw `100%`"),
    ("store turns round n", "expected on or off, saw `round`"),
    ("store raises p to much", "expected a price such as 4.99, saw `much`"),
    ("store raises p to 4.99 with joy", "expected `consent`, saw `joy`"),
    ("store fails n", "expected `billing`, saw `n`"),
    ("store gives up", "expected `grace`, saw `up`"),
    ("store shares owls", "expected `with`, saw the end of the line"),
    ("store redeems", "expected a code, saw the end of the line"),
    ("store redeems x purchased", "expected pending, cancelled or failed, saw `purchased`"),
    ("store approves n pending", "expected the end of the line, saw `pending`"),
    ("offer gift of p", "expected one of introductory, promotional, code, winBack,"),
    ("offer other of p", "expected introductory, promotional, code or winBack, saw `other`"),
    ("offer code of p FREE_TRIAL", "expected `as`: it is asked for by an id"),
    ("offer introductory of p as x FREE_TRIAL", "nobody asks for it: expected no `as`"),
    ("offer code of p as x FREE", "expected one of FREE_TRIAL, PAY_AS_YOU_GO,"),
    ("offer code of p as x ONE_TIME", "a subscription is not paid once"),
    ("offer code of p as x FREE_TRIAL periods 101", "expected periods of 1 to 100, saw `101`"),
    (
      "offer code of p as x PAY_UP_FRONT price free",
      "expected a price such as 4.99, at most 1000000000.00, saw `free`"
    ),
    (
      "offer code of p as x PAY_UP_FRONT price 1000000000.001",
      "expected a price such as 4.99, at most 1000000000.00, saw `1000000000.001`"
    ),
    ("offer code of p as x FREE_TRIAL price 3", "a free trial has no price"),
    ("offer code of p as x FREE_TRIAL for ,", "expected new, existing or expired, saw ``"),
    ("offer code of p as x FREE_TRIAL for new,", "expected new, existing or expired, saw ``"),
    ("offer code of p as x FREE_TRIAL for us", "expected new, existing or expired, saw `us`"),
    ("offer winBack of p as x FREE_TRIAL for new", "whom it is for follows from its kind"),
    ("offer code of p as x FREE_TRIAL after P1M", "only who was away can be waited for"),
    ("offer winBack of p as x FREE_TRIAL after 3d", "expected a period such as P3M or P10D, saw `3d`"),
    ("Phone buys p in the store with", "expected an offer, saw the end of the line"),
    ("account ann", "expected `of`, saw the end of the line"),
    ("account ann of", "expected a device, saw the end of the line"),
    ("devices store", "`store` is a word of scenarios and cannot name a device"),
    ("Phone buys p in sandbox", "expected `the`, saw `sandbox`"),
    ("Phone buys p in the store happily", "expected pending, cancelled or failed, saw `happily`"),
    ("Phone buys p in the store purchased", "expected pending, cancelled or failed, saw `purchased`"),
    ("Phone restores all", "expected a number of 0 to 100000, saw `all`"),
    ("Phone restores 1 from the store 1", "expected `from`, saw the end of the line"),
    ("Phone agrees n", "expected `to`, saw `n`"),
  ])
  func whatIsNoStepIsAnError(_ line: String, _ expected: String) {
    #expect(problem(line).hasPrefix(expected), "\(problem(line))")
  }

  // MARK: Running

  private static let beginning = """
    product monthly autoRenewableSubscription period P1M entitlements club
    product five consumable credit owls amount 5
    store
    devices Phone Tablet

    """

  private func failure(_ text: String) async throws -> String {
    do {
      try await ScenarioRunner.run(try Scenario(Self.beginning + text, file: "x.txt"), seed: 1)
      return "no error"
    } catch { return error.description }
  }

  @Test(arguments: [
    ("offer code of q as x FREE_TRIAL", "x.txt:1: no product `q`: `product` or `catalogue` states it"),
    (
      "product q consumable\noffer code of q as x FREE_TRIAL",
      "x.txt:2: `q` is not an auto-renewable subscription with a period"
    ),
    (
      "product q autoRenewableSubscription period P1M\noffer code of q as x FREE_TRIAL\n"
        + "offer winBack of q as x FREE_TRIAL",
      "x.txt:3: `q` has an offer `x` already"
    ),
    (
      "product q autoRenewableSubscription period P1M\nstore\noffer introductory of q FREE_TRIAL",
      "x.txt:3: offers come before the store"
    ),
  ])
  func offersThatCannotBeAreNamed(_ story: String, _ expected: String) async throws {
    let scenario = try Scenario(story, file: "x.txt")
    let error = await #expect(throws: ScenarioError.self) { try await ScenarioRunner.run(scenario, seed: 1) }
    #expect(error?.description == expected)
  }

  @Test(arguments: [
    ("store", "x.txt:5: the store comes before the devices"),
    ("environment xcode", "x.txt:5: the environment comes before the store"),
    ("account ann of Mac", "x.txt:5: no device `Mac`: `devices` names them"),
    ("Phone buys pony in the store", "x.txt:5: the store refuses: the store sells no 'pony'"),
    ("crash Phone\nPhone buys five in the store", "x.txt:6: Phone is not running: `start Phone` comes first"),
    (
      "Phone buys five in the store as n\nTablet buys five in the store as n",
      "x.txt:6: there is a purchase `n` already"
    ),
    (
      "Phone buys five at 2026-01-01 as n\nTablet buys five in the store as n",
      "x.txt:6: there is a purchase `n` already"
    ),
    (
      "Phone buys five in the store as n\nTablet buys five at 2026-01-01 as n",
      "x.txt:6: there is a purchase `n` already"
    ),
    ("Phone buys five in the store pending", "x.txt:5: expected the purchase to be pending, saw purchased"),
    (
      "store lets purchases ask\nPhone buys five in the store",
      "x.txt:6: expected the purchase to be purchased, saw pending"
    ),
    ("store refunds n", "x.txt:5: no purchase `n`: `buys … in the store as` names it"),
    (
      "store approves",
      "x.txt:5: the store refuses: nothing waits for approval; let purchases"
    ),
    ("Phone buys five in the store as n\nstore approves n", "x.txt:6: `n` does not wait for approval"),
    (
      "store lets purchases ask\nPhone buys five in the store as n pending\nstore refunds n",
      "x.txt:7: `n` was not bought yet"
    ),
    (
      "Phone buys five in the store as n\nstore turns off n",
      "x.txt:6: the store refuses: transaction 2000000001000000 is of no auto-renewable subscription;"
    ),
    (
      "Phone buys five in the store as n\nPhone gets n",
      "x.txt:6: `n` was bought in the store: lines that begin with `store` are about it"
    ),
    (
      "store lets purchases ask\nPhone buys five in the store as n pending\nstore fails billing\nstore approves n",
      "x.txt:8: expected the purchase to be purchased, saw failed"
    ),
    (
      "store lets purchases ask\nPhone buys five in the store as n pending\nstore approves failed",
      "x.txt:7: expected the purchase to be failed, saw purchased"
    ),
    (
      "store lets purchases ask\nPhone buys five in the store as n pending\nstore fails billing\n"
        + "store approves n failed\nexpect all owls balance 0\nstore approves n",
      "x.txt:10: `n` does not wait for approval"
    ),
    ("store fails billing of ann", "x.txt:5: no account `ann`: `account` names it"),
    (
      "account ann of Phone\nstore fails billing", "x.txt:6: several accounts are in use: add `of ACCOUNT`"
    ),
    (
      "Phone buys five in the store\nPhone restores 1 from the store 0 from peers",
      "x.txt:6: expected Phone to restore 1 from the store 0 from peers, saw 0 from the store 0 from peers"
    ),
    (
      "Phone buys monthly in the store as plan\nexpect all subscription plan at 2026-01-01 expired",
      "x.txt:6: expected Phone: subscription plan at 2026-01-01 expired, saw subscribed, monthly, until"
    ),
  ])
  func whatDoesNotHoldIsAnError(_ text: String, _ expected: String) async throws {
    let seen = try await failure(text)
    #expect(seen.hasPrefix(expected), "\(seen)")
  }

  @Test func aStoryWithoutAStoreSaysSo() async throws {
    for line in [
      "Phone buys owl in the store", "store advances P1M", "account ann of Phone", "Phone restores",
    ] {
      let scenario = try Scenario("devices Phone\n\(line)\n", file: "x.txt")
      let error = await #expect(throws: ScenarioError.self) {
        try await ScenarioRunner.run(scenario, seed: 1)
      }
      #expect(error?.bare == "there is no store: `store` comes before the devices" && error?.line == 2)
    }
    let scenario = try Scenario("environment xcode\nstore\n", file: "x.txt")
    await #expect(throws: ScenarioError.self) { try await ScenarioRunner.run(scenario, seed: 1) }
  }

  /// What a device that was away has not taken in is not finished; once it has, it is.
  @Test func onlyWhatIsDurableIsFinished() async throws {
    let story = """
      store lets purchases ask
      Phone buys five in the store as n pending
      crash Phone
      crash Tablet
      store approves n
      start Tablet
      """
    let scenario = try Scenario(Self.beginning + story, file: "x.txt")
    var runner = ScenarioRunner(scenario, seed: 1)
    var finished: [Bool?] = []
    for step in scenario.steps {
      try await runner.perform(step)
      finished.append(runner.stage.sandboxStore?.transactions.first?.isFinished)
    }
    #expect(finished.suffix(3) == [nil, false, true])
  }

  /// What a backup does not know of, the store tells once more.
  @Test func aDeviceThatWasSetBackHearsEverythingAgain() async throws {
    let story = """
      cut Phone Tablet
      backup Phone
      Phone buys monthly in the store
      restore Phone
      expect Phone club active now
      """
    #expect(try await failure(story) == "no error")
  }

  /// Clocks follow the store, however wrong they are, and are never set back.
  @Test func clocksFollowTheStore() async throws {
    let story = """
      clock Phone -10d
      clock Tablet +10d
      store advances P1M
      """
    let scenario = try Scenario(Self.beginning + story, file: "x.txt")
    let world = try await ScenarioRunner.run(scenario, seed: 1)
    #expect(world.trueTime == instant("2026-02-01"))
    #expect(world.now(0).wall == instant("2026-02-01"))
    #expect(world.now(1).wall == instant("2026-02-11"))
  }

  @Test func theSameSeedGoesTheSameWay() async throws {
    let story = "Phone buys monthly in the store\nstore advances P3M\nsettle\n"
    let scenario = try Scenario(Self.beginning + story, file: "x.txt")
    var runs: [UInt64] = []
    for seed: UInt64 in [1, 1, 2] {
      runs.append(try await ScenarioRunner.run(scenario, seed: seed).traceHash)
    }
    #expect(runs[0] == runs[1] && runs[0] != runs[2])
  }

  /// Words that mean something, thrown together: read or refused, and never a trap.
  @Test func anyTextIsReadOrRefused() async {
    let words = [
      "store", "store", "advances", "P1M", "2h", "lets", "purchases", "ask", "fail", "once", "approves",
      "declines", "refunds", "n", "keeping", "50%", "reverses", "turns", "on", "off", "raises", "monthly",
      "to", "4.99", "with", "consent", "fails", "fixes", "billing", "of", "ann", "gives", "no", "grace",
      "shares", "owls", "unshares", "withdraws", "offers", "Phone", "Tablet", "buys", "five", "x2", "in",
      "the", "as", "pending", "restores", "1", "from", "peers", "agrees", "refuses", "account", "\n", "🦉",
    ]
    let lines = [
      "store advances P1M", "store fails billing", "store fixes billing", "store refunds n",
      "store refunds p",
      "store reverses n", "store turns off n", "store turns on n", "store approves", "store declines p",
      "store lets purchases ask", "store lets purchases succeed", "store raises monthly to 4.99 with consent",
      "Phone agrees to n", "Phone refuses n", "account ann of Tablet", "store shares owls with ann",
      "store unshares ann", "crash Tablet", "start Tablet", "Tablet buys five in the store",
      "store gives grace", "store redeems x", "offer code of monthly as x FREE_TRIAL",
      "Phone buys monthly in the store as n", "Phone buys five in the store as p pending",
      "clock Phone -3d", "Tablet restores", "store withdraws monthly", "store offers monthly",
    ]
    var random = RandomState(seed: 11)
    func some(_ list: [String], _ count: Int, _ separator: String) -> String {
      (0..<count).map { _ in list[Int(random.next() % UInt64(list.count))] }.joined(separator: separator)
    }
    var ran = 0
    for round in 0..<2_000 {
      let isLines = round % 10 == 0
      let text = isLines ? some(lines, 6, "\n") : some(words, Int(random.next() % 9), " ")
      guard let scenario = try? Scenario(Self.beginning + text, file: "x.txt") else { continue }
      ran += 1
      if isLines { _ = try? await ScenarioRunner.run(scenario, seed: 1) }
    }
    #expect(ran >= 200)
  }
}
