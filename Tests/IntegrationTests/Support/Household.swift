import Foundation
import PeerSync
import Testing

/// Devices and a store with long names of all kinds, and everything a person may type at them.
struct Household {
  /// What somebody types, and what becomes of it.
  struct Step {
    let words: [String]
    var status: Int32 = 0
    /// What is typed when it asks.
    var typing = ""
    /// After which it is asked to stop.
    var end: String?
    /// Whether people do it every day: then all of it is in their language.
    var isDaily = false
  }

  static let longName = "아주 긴 이름을 가진 거실의 낡은 태블릿, 너무 멀리 있어서 아무도 이름을 바꾸지 않는 그 태블릿"
  private static let longId = "com.example." + String(repeating: "long-product-id.", count: 3) + "monthly"
  private static let longEntitlement = "owls-entitlement-with-a-name-that-goes-on-and-on-and-on"

  let store: StoreProcess
  let phone: PeerdProcess
  let tablet: PeerdProcess
  /// Not of the group yet.
  let spare: PeerdProcess
  private let transaction: String
  private let directory: TemporaryDirectory

  /// Two devices that use a store and have bought of everything, and a third beside them.
  init() async throws {
    directory = try TemporaryDirectory()
    store = try StoreProcess()
    try await store.start(catalogue: Self.catalogue)
    phone = try await PeerdProcess("Ann's Phone", catalogue: Self.catalogue)
    tablet = try await PeerdProcess(Self.longName, catalogue: nil)
    spare = try await PeerdProcess("예비", catalogue: nil)
    for device in [phone, tablet, spare] { try await device.start(options: ["--store", store.url]) }
    try await tablet.join(phone)
    for product in ["owls-3", Self.longId, "com.example.owls.premium.monthly", "올빼미-다섯"] {
      #expect(try await phone.run("buy", product).status == 0)
    }
    let bought: PurchaseResult = try await phone.json("buy", "owls-3", "--at", "2024-01-01")
    transaction = bought.transaction?.transactionId ?? ""
    for device in [phone, tablet] { try await device.waitInSync(with: 1) }
    _ = try directory.write("not signed\n", to: "items")
    _ = try directory.write(Self.catalogue, to: "more.json")
    _ = try directory.write("{\"products\": [{\"id\": 7}]}", to: "wrong.json")
    _ = try directory.write("devices Phone, Tablet\n", to: "story.txt")
    let story = """
      product 3 nonRenewingSubscription line owls period P3M
      product 5 consumable credit wishes amount 5
      product good nonConsumable
      product 1 autoRenewableSubscription period P1M
      devices 1 2
      1 buys 3 at 2026-01-01 as 31
      1 buys 5 at 2026-01-01 as 32
      1 buys good at 2026-01-01 as 33
      1 buys 1 at 2026-01-01 as 34 until 2026-02-01
      settle
      """
    _ = try directory.write(story + "\nexpect all same digest\n", to: "good.txt")
    _ = try directory.write(story + "\nexpect 1 owls until 2027-01-01\n", to: "bad.txt")
  }

  private func on(
    _ device: PeerdProcess, _ words: String..., status: Int32 = 0, typing: String = "", daily: Bool = true
  ) -> Step {
    Step(
      words: [words[0], "--data", device.data] + words.dropFirst(), status: status, typing: typing,
      isDaily: daily)
  }

  private func inStore(_ words: String..., status: Int32 = 0, daily: Bool = false) -> Step {
    Step(
      words: ["store", words[0], "--data", store.data] + words.dropFirst(), status: status, isDaily: daily)
  }

  /// What shows how things stand: nothing changes by it.
  var views: [Step] {
    [
      on(phone, "status"), on(phone, "status", "--utc"), on(phone, "products"), on(phone, "transactions"),
      on(phone, "why", Self.longEntitlement), on(phone, "why", "premium"),
      on(phone, "why", "premium", "--utc"), on(phone, "devices"), on(phone, "devices", "--utc"),
      on(phone, "time"), on(phone, "time", "--utc"), on(phone, "history"), on(phone, "history", "--utc"),
      on(phone, "notifications"), on(phone, "config"), on(phone, "doctor"), on(phone, "invite"),
      inStore("show"), inStore("products"),
    ]
  }

  var steps: [Step] { views + deeds + errors + tools }

  private var deeds: [Step] {
    let file = directory.path
    return [
      on(phone, "restore"), on(phone, "buy", "owls-3"), on(phone, "buy", Self.longId, daily: false),
      on(phone, "buy", "올빼미-다섯"), on(phone, "refund", transaction), on(phone, "spend", "올빼미"),
      on(phone, "reclaim", "올빼미"), on(phone, "grant", "promotion", "--until", "2199-01-01"),
      on(phone, "grant", "promotion", "--until", "2001-01-01"), on(phone, "revoke", "promotion"),
      on(phone, "set-expiration", "random-owls-line-with-a-name-that-goes-on", "2199-01-01"),
      on(phone, "catalogue", "add", file + "/more.json"),
      on(phone, "export", file + "/export.json"), on(phone, "import", file + "/export.json"),
      on(phone, "wait", "--entitlement", "premium"), on(phone, "offline"), on(phone, "online"),
      on(phone, "config", "peer", "127.0.0.1:1"), on(phone, "config", "peer", "none"),
      Step(words: ["watch", "--data", phone.data], status: 15, end: ":", isDaily: true),
      Step(words: ["init", "--data", file + "/new", "--name", Self.longName], isDaily: true),
      Step(words: ["run", "--data", file + "/new"], end: "sandbox", isDaily: true),
      Step(words: ["version"], isDaily: true),
    ]
  }

  private var errors: [Step] {
    let file = directory.path
    return [
      on(phone, "buy", "com.example.nothing-of-that-name", status: 1),
      on(phone, "refund", "9", status: 1), on(phone, "why", "nothing-of-that-name", status: 1),
      on(phone, "spend", "올빼미", "9999", status: 1),
      on(phone, "ingest", file + "/items", status: 1),
      on(phone, "ingest", file + "/nowhere", status: 1), on(phone, "remove", "Nobody", status: 1),
      on(phone, "remove", "Ann's Phone", status: 1),
      on(phone, "remove", Self.longName, status: 1, typing: "n\n"),
      on(phone, "remove", Self.longName, "--all", status: 1, typing: "n\n"),
      on(phone, "leave", status: 1, typing: "n\n"), on(phone, "time", "--accept", status: 1, typing: "n\n"),
      on(spare, "leave", status: 1),
      on(phone, "wait", "--entitlement", "nothing-of-that-name", "--timeout", "0.1", status: 4),
      on(phone, "catalogue", "add", file + "/wrong.json", status: 1),
      on(phone, "config", "listen", "nonsense", status: 2),
      on(phone, "join", "peersync://127.0.0.1:1/ABCDEFGHJKMN", status: 1),
      Step(words: ["status", "--data", file + "/nowhere"], status: 3, isDaily: true),
      Step(words: ["status", "--data", store.data], status: 3, isDaily: true),
      Step(words: ["config", "--data", store.data], status: 1, isDaily: true),
      Step(words: ["doctor", "--data", store.data], status: 1, isDaily: true),
      Step(words: ["run", "--data", store.data], status: 1, isDaily: true),
      Step(words: ["store", "show", "--data", phone.data], status: 3, isDaily: true),
      Step(words: ["store", "--data", phone.data], status: 1, isDaily: true),
      Step(words: ["buy", "--data", phone.data, "--quantity", "many", "owls-3"], status: 2, isDaily: true),
      Step(words: ["staus"], status: 2, isDaily: true),
      Step(words: ["run", "--data", phone.data], status: 1, isDaily: true),
      inStore("refund", "12345", status: 1, daily: true), inStore("buy", "nothing", status: 1, daily: true),
      inStore("raise-price", Self.longId, "0.01", status: 1, daily: true),

    ]
  }

  private var tools: [Step] {
    [
      Step(words: ["simulate", "--seed", "1", "--minutes", "1"], isDaily: true),
      Step(
        words: ["simulate", "--seed", "1", "--minutes", "60", "--seeds", "2", "--faults", "removals"],
        isDaily: true),
      Step(words: ["explore", "--states", "50"], isDaily: true),
      Step(words: ["rehearse", "--simulated", directory.path + "/story.txt"], status: 1, isDaily: true),
      Step(words: ["rehearse", "--simulated", directory.path + "/items"], status: 1),
      Step(words: ["rehearse", "--simulated", "--seed", "1", directory.path + "/good.txt"], isDaily: true),
      Step(
        words: ["rehearse", "--simulated", "--seed", "1", directory.path + "/bad.txt"], status: 1,
        isDaily: true),
      Step(words: ["rehearse", directory.path + "/bad.txt"], status: 1, isDaily: true),
      Step(
        words: ["lab", "--devices", "Phone", "--http", "127.0.0.1:0"], end: "http://127.0.0.1:", isDaily: true
      ),
      Step(
        words: ["store", "--data", directory.path + "/store2", "--catalog", directory.path + "/more.json"],
        end: "root.pem", isDaily: true),
    ]
  }

  /// What happens in the store. Time goes on there, and devices follow.
  var storeVerbs: [Step] {
    [
      inStore("buy", "com.example.owls.premium.yearly"), inStore("refund", "owls-3"),
      inStore("reverse-refund", "owls-3"), inStore("purchases", "ask"), inStore("show"),
      inStore("purchases", "succeed"), inStore("fail-billing"), inStore("fix-billing"),
      inStore("advance", "P1M"), inStore("raise-price", Self.longId, "9.99"), inStore("withdraw", "owls-3"),
      inStore("offer", "owls-3"), inStore("refund", "12345", status: 1), inStore("buy", "nothing", status: 1),
      inStore("show"), inStore("products"),
    ]
  }

  /// What changes who is in the group.
  func endings() async throws -> [Step] {
    let invitation: InvitationAnswer = try await phone.json("invite")
    return [
      on(spare, "join", invitation.url ?? invitation.code), on(spare, "devices"),
      on(spare, "rename", Self.longName + " 2"), on(spare, "history"),
      on(spare, "leave", typing: "y\n"),
      on(spare, "leave", status: 1), on(phone, "remove", Self.longName, "--all", "--yes"),
      on(phone, "devices"), on(phone, "doctor"), on(tablet, "status", daily: false),
    ]
  }

  private static let catalogue = """
    {"products": [
      {"id": "owls-3", "type": "nonRenewingSubscription", "displayName": "석 달 동안 무작위로 나타나는 올빼미와 그의 친구들",
       "line": "random-owls-line-with-a-name-that-goes-on", "period": "P3M", "price": "1.99", "currency": "USD",
       "entitlements": ["\(longEntitlement)"]},
      {"id": "\(longId)", "type": "autoRenewableSubscription", "period": "P1M", "subscriptionGroup": "plans",
       "displayName": "해마다 달마다 날마다 나타나는 모든 올빼미", "level": 1, "entitlements": ["plan"],
       "price": "2.99", "currency": "USD", "offers": [
         {"kind": "code", "id": "winter-in-the-northern-hemisphere-and-its-lakes", "paymentMode": "free",
          "subscriptionPeriod": "P1W", "eligibility": ["new"]}]},
      {"id": "com.example.owls.premium.monthly", "type": "autoRenewableSubscription", "period": "P1M",
       "subscriptionGroup": "premium", "displayName": "월간 올빼미", "level": 1, "entitlements": ["premium"],
       "price": "4.99", "currency": "USD"},
      {"id": "com.example.owls.premium.yearly", "type": "autoRenewableSubscription", "period": "P1Y",
       "subscriptionGroup": "premium", "displayName": "연간 올빼미", "level": 1, "entitlements": ["premium"],
       "price": "39.99", "currency": "USD"},
      {"id": "올빼미-다섯", "type": "consumable", "credit": "올빼미", "amount": 5, "price": "0.99", "currency": "USD",
       "displayName": "올빼미 다섯 마리", "entitlements": ["\(longEntitlement)"]}]}
    """
}
