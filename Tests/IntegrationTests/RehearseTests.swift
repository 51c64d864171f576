import Foundation
import Testing

@Suite("peerd rehearse", .paced, .noHang)
struct RehearseTests {
  private static let stories = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/stories")

  private static func path(_ story: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: stories.path)
    let name = try #require(
      names.first { $0.hasPrefix(story + "-") || $0 == story + ".txt" }, "no story \(story)")
    return stories.appendingPathComponent(name).path
  }

  private func rehearse(_ arguments: String..., input: String = "") async throws -> Peerd.Outcome {
    try await rehearse(arguments: arguments, input: input)
  }

  private func rehearse(arguments: [String], input: String) async throws -> Peerd.Outcome {
    try await Peerd.run(["rehearse"] + arguments, input: input)
  }

  /// One of each kind: renewals apart, refunds, credits, copies and backups, clocks, joining, removals, strangers.
  @Test(
    "real processes play the stories of the promise",
    arguments: [
      "A1", "A3", "A8", "A9", "A10", "B22", "B23", "B24", "B25", "C27", "C30", "C32", "C35", "C36", "C38",
      "C41", "D42", "D43", "D44-rights-of-a-removed-device", "D44-a-founder-comes-back",
      "D44-rights-of-a-silent-device", "D45", "E46",
      "E47", "E48", "E49", "E50-removed-and-not-heard", "E50-taken-in-by-a-removed-device",
      "E51-joining", "E51-forgotten-by-its-host", "E54",
      "F68-wrong-alike-and-a-third", "F68-wrong-alike-and-alone", "F68-removed-and-wrong-alike",
      "F68-order-while-wrong-alike",
      "F70", "F55-take-all-back", "F55-take-back-the-last-hours", "F55-removal-that-is-overruled",
      "F56", "F59-reclaim-from-lost", "F62", "F63-host-dies", "F63-host-stolen", "F66",
      "F69-clock-behind-alone", "F69-decided-while-behind", "F69-two-behind-together",
    ])
  func realProcesses(story: String) async throws {
    let outcome = try await rehearse(Self.path(story))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("played by real processes"))
    #expect(outcome.output.hasSuffix(" steps\n") && outcome.output.contains("the story holds"))
  }

  @Test(
    "real processes play the stories of the sandbox store",
    arguments: [
      "C39", "offers-in-the-store", "subscription-in-the-store", "two-accounts-one-group",
      "restored-from-store-and-peers",
    ])
  func realStore(story: String) async throws {
    let outcome = try await rehearse(Self.path(story))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasSuffix(" steps\n") && outcome.output.contains("the story holds"))
  }

  @Test("what does not happen in the store as a story says is named, in both ways alike")
  func failingInTheStore() async throws {
    let cases = [
      (
        "Phone buys monthly in the store pending\n", "-:4: expected the purchase to be pending, saw purchased"
      ),
      ("store refunds plan\n", "-:4: no purchase `plan`: `buys … in the store as` names it"),
      ("store withdraws pony\n", "-:4: the store refuses: the store sells no 'pony'"),
      ("store\n", "-:4: the store comes before the devices"),
      (
        "store lets purchases ask\nPhone buys monthly in the store as plan pending\nstore fails billing\n"
          + "store approves plan\n", "-:7: expected the purchase to be purchased, saw failed"
      ),
      (
        "Phone buys monthly in the store as plan\nstore advances P1M\n"
          + "expect Phone subscription plan at 2026-02-01 expired\n",
        "-:6: expected Phone: subscription plan at 2026-02-01 expired, saw subscribed, monthly, until 2026-03-01"
      ),
    ]
    let beginning = "product monthly autoRenewableSubscription period P1M\nstore\ndevices Phone\n"
    for (story, reason) in cases {
      for arguments in [[], ["--simulated", "--seed", "9"]] {
        let outcome = try await Peerd.run(
          ["rehearse", "-"] + arguments, input: beginning + story + "expect all same digest\n")
        #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(arguments): \(outcome.errors)")
      }
    }
  }

  @Test("what each device shows is printed after each step that changes it, in both ways alike")
  func shows() async throws {
    let story = """
      catalogue insomniowl
      devices Phone Tablet
      cut Phone Tablet
      Phone buys 3monthsOfRandom at 2026-01-01 as phone
      Tablet buys 6monthsOfRandom at 2026-01-01 as tablet
      mend Phone Tablet
      settle
      Phone refunds tablet at 2026-01-01
      Phone buys NightOwl at 2026-01-01 as owl
      expect Phone purchased NightOwl
      """
    // Real devices may agree before they are waited for.
    let steps = [
      "   4  Phone buys 3monthsOfRandom at 2026-01-01 as phone\n        Phone shows random-owls until 2026-04-01\n",
      "        Phone shows random-owls until 2026-10-01\n",
      "        Tablet shows random-owls until 2026-10-01\n",
      "        Phone shows random-owls until 2026-04-01; entitled to NightOwl; owns NightOwl\n",
    ]
    for arguments in [["-"], ["-", "--simulated", "--seed", "3"]] {
      let outcome = try await Peerd.run(["rehearse"] + arguments, input: story)
      #expect(outcome.status == 0, "\(outcome.errors)")
      for step in steps { #expect(outcome.output.contains(step), "\(arguments): \(outcome.output)") }
    }
  }

  @Test("a link that is cut is cut for its two ends alone, and what is bought goes round by a third device")
  func oneLink() async throws {
    let story = """
      catalogue insomniowl
      devices Phone Tablet Mac
      cut Phone Tablet
      Phone buys 3monthsOfRandom at 2026-01-01 as phone
      settle
      expect Tablet random-owls until 2026-04-01
      cut Mac Tablet
      Phone buys 6monthsOfRandom at 2026-01-01 as more
      settle
      expect Mac random-owls until 2026-10-01
      expect Tablet random-owls until 2026-04-01
      mend Phone Tablet
      settle
      expect all random-owls until 2026-10-01
      """
    for arguments in [["-"], ["-", "--simulated", "--seed", "5"]] {
      let outcome = try await rehearse(arguments: arguments, input: story)
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
    }
  }

  @Test("who is refused what others hold is refused it in both ways alike")
  func refusedAlike() async throws {
    let story = """
      product owls10 consumable credit owls amount 10
      devices Phone Tablet
      Phone buys owls10 at 2026-01-01 as pack
      settle
      wait 10s
      cut Phone Tablet
      Tablet spends owls 6 as t1 refused
      Tablet spends owls 6 as t1 refused Phone holds 5
      Tablet spends owls 5 as t2
      """
    for arguments in [[]] + (1...10).map({ ["--simulated", "--seed", "\($0)"] }) {
      let outcome = try await Peerd.run(["rehearse", "-"] + arguments, input: story)
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
      let wrong = story.replacing("Phone holds 5", with: arguments == [] ? "Phone holds 50" : "none")
      let failure = try await Peerd.run(["rehearse", "-"] + arguments, input: wrong)
      #expect(failure.status == 1 && failure.errors.contains("saw `Phone holds 5`"), "\(failure.errors)")
    }
  }

  @Test("dates may be as late as there are, in both ways alike")
  func lateDates() async throws {
    let story = """
      product owls10 consumable credit owls amount 10
      product months nonRenewingSubscription line months period P1M
      product plan autoRenewableSubscription period P1M
      devices Phone Tablet
      Phone buys owls10 at 6429-12-31 as pack
      Phone buys months at 9999-11-30 as month
      Phone buys plan at 2026-01-01 as plan until 9999-12-31
      Phone hears of plan at 9999-12-30 renews on due 9999-12-31
      Phone sets months to 9999-12-31
      Phone refunds pack at 9999-12-31
      settle
      expect all months until 9999-12-31
      expect all owls balance 0
      expect all same digest
      """
    for arguments in [[], ["--simulated", "--seed", "9"]] {
      let outcome = try await Peerd.run(["rehearse", "-"] + arguments, input: story)
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
    }
  }

  @Test("a story that fails names the step, what was expected and what was seen")
  func failing() async throws {
    let story = "catalogue insomniowl\ndevices Phone\nexpect Phone random-owls until 2026-01-01\n"
    for arguments in [[], ["--simulated", "--seed", "9"]] {
      let outcome = try await Peerd.run(["rehearse", "-"] + arguments, input: story)
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains(
          "-:3: expected Phone: random-owls until 2026-01-01, saw until none"), "\(outcome.errors)")
      #expect(!outcome.output.contains("holds"))
    }
    let json = try await rehearse("-", "--json", "--simulated", input: story)
    #expect(json.status == 1)
    guard case .string(let failure)? = try json.json()["failure"] else {
      Issue.record("\(json.output)")
      return
    }
    #expect(failure.hasPrefix("-:3: expected Phone"))
  }

  @Test("what cannot be read or played is refused with what to do")
  func refused() async throws {
    let cases = [
      ("Phone dances\n", "no verb `dances`"),
      ("environment production\n", "play the story with --simulated"),
      ("devices A\nA gets nothing\n", "no purchase `nothing`"),
      ("devices A\ncrash A\nA grants x\n", "A is not running"),
    ]
    for (story, reason) in cases {
      let outcome = try await rehearse("-", input: story + "expect all same digest\n")
      #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(outcome.errors)")
    }
    let senseless = [
      ("devices A\n", "-:1: the story expects nothing"),
      (
        "devices A\nA buys pony at 2026-01-01 as mine\nexpect all same digest\n",
        "-:2: no product `pony`"
      ),
      ("devices A\nexpect A ponies active now\n", "-:2: no line, entitlement or credit `ponies`"),
      ("product p consumable credits c\n", "-:1: expected the end of the line, saw `credits`"),
    ]
    for (story, reason) in senseless {
      for arguments in [[], ["--simulated", "--seed", "9"]] {
        let outcome = try await Peerd.run(["rehearse", "-"] + arguments, input: story)
        #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(arguments): \(outcome.errors)")
      }
    }
    #expect(try await rehearse("/nowhere").errors.contains("cannot be read"))
    #expect(try await rehearse("-", "--seed", "1", input: "devices A\n").status == 2)
  }
}
