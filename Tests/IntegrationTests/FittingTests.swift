import Foundation
import PeerSync
import PeerSyncSandboxServer
import Testing

/// What people read fits their terminal, whatever it tells of.
@Suite("What fits 80 columns", .paced, .noHang)
struct FittingTests {
  @Test("no command prints a line wider than the terminal, in either language")
  func everyCommand() async throws {
    let store = try StoreProcess()
    try await store.start(catalogue: Self.catalogue)
    let (phone, tablet) = try await household(store)
    for language in ["en_US.UTF-8", "ko_KR.UTF-8"] {
      for columns in [80, 50] {
        let environment = ["COLUMNS": "\(columns)", "LC_ALL": language]
        for command in Self.commands {
          let words = [command[0], "--data", phone.data] + command.dropFirst()
          try await expectFit(words, environment, columns)
        }
        for command in [["show"], ["products"]] {
          try await expectFit(["store", command[0], "--data", store.data], environment, columns)
        }
      }
    }
    let whole = try await phone.run("status", "--utc")
    #expect(whole.output.contains(#/T\d\d:\d\d:\d\d.*Z, in \d+ days/#), "\(whole.output)")
    #expect(try await tablet.status().group.members == 2)
  }

  @Test("a pipe gets whole lines, and COLUMNS asks for short ones")
  func pipe() async throws {
    let device = try await PeerdProcess(Self.longName)
    try await device.start(listen: nil)
    #expect(try await device.run("devices").output.contains(Self.longName))
    let narrow = try await Peerd.run(["devices", "--data", device.data], environment: ["COLUMNS": "80"])
    #expect(!narrow.output.contains(Self.longName) && narrow.output.contains("…"))
  }

  @Test("EXPIRES is the end of the present run, beside credits as well")
  func presentRun() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    for words in [["3monthsOfRandom"], ["6monthsOfRandom", "--at", "2199-01-01"], ["RandomOwls"]] {
      #expect(try await Peerd.run(["buy", "--data", device.data] + words).status == 0)
    }
    let text = try await device.run("status").output
    #expect(
      text.contains(#/random-owls +active +[-\d]+ [:\d]+, in 9\d days +again from 1 January 2199/#), "\(text)"
    )
    #expect(
      text.contains(
        #/random-owls +active +[-\d]+ [:\d]+, in 9\d days +5 of credit owls left; line random-owls/#),
      "\(text)")
    let status = try await device.status()
    #expect(
      status.entitlements.contains { $0.expires == nil && $0.presentEnd == status.lines[0].runs[0].end })
  }

  // MARK: Rich data

  private static let longName = "아주 긴 이름을 가진 거실의 낡은 태블릿 that nobody ever renames because it is so far away"
  private static let longId =
    "com.example." + String(repeating: "very-long-product-id.", count: 4) + "monthly"

  private static let commands = [
    ["status"], ["devices"], ["products"],
    ["why", "owls-entitlement-with-a-name-that-goes-on-and-on-and-on"],
    ["why", "plan"], ["notifications"], ["time"], ["restore"], ["buy", "owls-3"], ["buy", longId],
    ["buy", "한국어-상품"],
    ["grant", "promotion", "--until", "2199-01-01"], ["revoke", "promotion"], ["spend", "올빼미"], ["invite"],
    ["set-expiration", "owls-line-with-a-name-that-goes-on-and-on-and-on", "2199-01-01"], ["--help"],
    ["status", "--utc"], ["why", "plan", "--utc"], ["history"], ["history", "--utc"], ["transactions"],
  ]

  private static let catalogue = """
    {"products": [
      {"id": "owls-3", "type": "nonRenewingSubscription", "displayName": "석 달 동안 무작위로 나타나는 올빼미와 그의 친구들",
       "line": "owls-line-with-a-name-that-goes-on-and-on-and-on", "period": "P3M", "price": "1.99", "currency": "USD",
       "entitlements": ["owls-entitlement-with-a-name-that-goes-on-and-on-and-on"]},
      {"id": "\(longId)", "type": "autoRenewableSubscription", "period": "P1M", "subscriptionGroup": "plans",
       "displayName": "Every owl of every month of every year, for ever", "level": 1, "entitlements": ["plan"],
       "price": "2.99", "currency": "USD", "offers": [
         {"kind": "code", "id": "winter-in-the-northern-hemisphere-and-its-lakes", "paymentMode": "free",
          "subscriptionPeriod": "P1W", "eligibility": ["new"]}]},
      {"id": "한국어-상품", "type": "consumable", "credit": "올빼미", "amount": 5, "price": "0.99", "currency": "USD",
       "displayName": "올빼미 다섯 마리", "entitlements": ["owls-entitlement-with-a-name-that-goes-on-and-on-and-on"]}]}
    """

  /// Two devices with long names that use a store, and have bought of everything.
  private func household(_ store: StoreProcess) async throws -> (PeerdProcess, PeerdProcess) {
    let phone = try await PeerdProcess("Ann's Phone", catalogue: Self.catalogue)
    let tablet = try await PeerdProcess(Self.longName, catalogue: nil)
    for device in [phone, tablet] { try await device.start(options: ["--store", store.url]) }
    try await tablet.join(phone)
    for product in ["owls-3", Self.longId, "한국어-상품"] {
      #expect(try await phone.run("buy", product).status == 0)
    }
    #expect(try await phone.run("buy", "owls-3", "--at", "2024-01-01").status == 0)
    for device in [phone, tablet] { try await device.waitInSync(with: 1) }
    return (phone, tablet)
  }

  private func expectFit(
    _ words: [String], _ environment: [String: String], _ columns: Int
  ) async throws {
    let outcome = try await Peerd.run(words, environment: environment)
    #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    for line in outcome.output.split(separator: "\n") {
      // The help is one text for all.
      let limit = words.contains("--help") ? 80 : columns
      #expect(width(line) <= limit, "\(words) at \(columns): \(line)")
    }
  }

  /// Hangul takes two columns; of the rest nothing here does.
  private func width(_ line: Substring) -> Int {
    line.unicodeScalars.reduce(0) {
      $0 + ((0x1100...0x115f).contains($1.value) || (0xac00...0xd7a3).contains($1.value) ? 2 : 1)
    }
  }
}
