import Foundation
import PeerSync
import Testing

/// `peerd catalogue add`: products for a device that is there.
@Suite("peerd catalogue", .paced, .noHang)
struct CatalogueTests {
  private func file(_ name: String, _ content: String, in home: TemporaryDirectory) throws -> String {
    let path = home.path + "/" + name
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("F57: what it states counts on every device, whatever another one has written")
  func add() async throws {
    let home = try TemporaryDirectory()
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let good = try file(
      "good.json",
      #"{"products": [{"id": "CarefreeOwl", "type": "nonConsumable", "entitlements": ["owl"]}]}"#, in: home)
    // The greatest version there is, and another type.
    let bad = try file(
      "bad.json",
      #"{"version": 9, "products": [{"id": "CarefreeOwl", "type": "consumable", "credit": "x"}]}"#, in: home)
    let _: CatalogueAnswer = try await tablet.json("catalogue", "add", bad)
    let odd = try await phone.wait(for: "the warning") { status in
      status.warnings.contains {
        $0.contains("Tablet gave the product 'CarefreeOwl' another type than Phone")
      }
    }
    #expect(odd.warnings.contains { $0.contains("write the product into the catalogue again") })
    let answer: CatalogueAnswer = try await phone.json("catalogue", "add", good)
    #expect(answer.written == 1 && answer.warnings.isEmpty)
    let text = try await phone.run("catalogue", "add", good)
    #expect(text.status == 0 && text.output == "written: 0 of 1 products\n")
    try await group.agree()
    let products: ProductsAnswer = try await tablet.json("products")
    #expect(products.products.first { $0.id == "CarefreeOwl" }?.type == "nonConsumable")
    for device in group.devices {
      #expect(try await !device.status().warnings.contains { $0.contains("gave the product") })
    }
    let beyond = try file("beyond.json", #"{"version": 2147483649, "products": []}"#, in: home)
    let refused = try await Peerd.run(["init", "--data", home.path + "/new", "--catalog", beyond])
    #expect(
      refused.status != 0 && refused.errors.contains("is not a whole number from 0 to 2147483648"),
      "\(refused.errors)")
    #expect(try await phone.run("catalogue", "drop", good).status == 2)
    let missing = try await Peerd.run(["catalogue", "add", "--data", phone.data, home.path + "/none.json"])
    #expect(missing.status == 1 && missing.errors.contains("cannot be read"))
  }

  @Test("F71: an entry with a date counts from then on, on every device; without one status warns")
  func dates() async throws {
    let home = try TemporaryDirectory()
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    func entry(_ period: String, _ from: String? = nil) -> String {
      #"{"id": "month", "type": "nonRenewingSubscription", "line": "club", "period": "\#(period)", "#
        + (from.map { #""from": "\#($0)", "# } ?? "")
        + #""displayName": "A month", "entitlements": ["club"]}"#
    }
    func add(_ entries: [String], to device: PeerdProcess) async throws -> CatalogueAnswer {
      let file = try file("c.json", #"{"products": [\#(entries.joined(separator: ", "))]}"#, in: home)
      return try await device.json("catalogue", "add", file)
    }
    func expires(_ text: String) async throws {
      let line = try await group.agree().lines.first { $0.id == "club" }
      #expect(line?.expires == Instant(text))
    }
    #expect(try await add([entry("P1M")], to: phone).written == 1)
    for date in ["2026-01-01", "2026-02-01"] {
      #expect(try await phone.run("buy", "month", "--at", date).status == 0)
    }
    try await expires("2026-03-01")
    // The other device states the new entry alone.
    #expect(try await add([entry("P3M", "2026-02-01")], to: tablet).written == 1)
    try await expires("2026-05-01")
    let products: ProductsAnswer = try await phone.json("products")
    let month = try #require(products.products.first { $0.id == "month" })
    #expect(month.from == Instant("2026-02-01") && month.period == "P3M")
    #expect(month.entries.map(\.period) == ["P1M", "P3M"])
    #expect(month.entries.map(\.from) == [nil, Instant("2026-02-01")])
    let listed = try await phone.run("products")
    #expect(listed.output.contains("What purchases count by, from a date on"), "\(listed.output)")
    let why = try await tablet.run("why", "club", "--utc")
    #expect(why.output.contains("by the entry from 2026-02-01"), "\(why.output)")
    for device in group.devices {
      #expect(try await !device.status().warnings.contains { $0.contains("otherwise than when") })
    }
    // Without a date it counts for all, and both say so.
    #expect(try await add([entry("P2M")], to: phone).written == 1)
    try await expires("2026-05-01")
    for device in group.devices {
      let warned = try await device.status().warnings.contains {
        $0.hasPrefix(
          "the newest catalogue counts 2 purchases of A month (month) otherwise than when they were made")
      }
      #expect(warned, "\(device.name)")
    }
    // The remedy that the warning names.
    let dated = entry("P2M", "2026-02-01")
    #expect(try await add([entry("P1M"), dated], to: tablet).written == 1)
    try await expires("2026-04-01")
    #expect(try await add([entry("P1M"), dated], to: phone).written == 0)
    let wrong = try file("wrong.json", #"{"products": [\#(entry("P1M", "July"))]}"#, in: home)
    let refused = try await phone.run("catalogue", "add", wrong)
    #expect(
      refused.status == 1 && refused.errors.contains(#"products[0].from: "July" is not a date such as"#),
      "\(refused.errors)")
  }
}
